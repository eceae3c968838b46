"""Templates that are the same are found by their rules and proposed for merging, and the answer is remembered."""

from typing import Any

import pytest

from extraction.models import Cluster, MergeProposal, Rule, Run, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.rules import rules
from extraction.services.templates import cluster_pages, clusters, merge_proposals, page_steps
from tests.services import factory
from tests.services.importing import done
from tests.views import world as worlds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def first() -> Cluster:
    """Twelve books with a rule."""
    cluster = factory.shop(12)
    rules.publish_rule(worlds.draft(cluster))
    page_steps.renew_core(cluster)
    return cluster


def second(first: Cluster, *, titles: str = "Novel {}", name: str = "name", count: int = 8, number: int = 2) -> Cluster:
    """A template whose pages have the same places and a long list of adverts. name: the class of the title."""
    other = factory.cluster(first.site, number=number, kind=first.record_type, patterns=[f"shop.example/p{number}/*"])
    for n in range(count):
        content = factory.book_html(titles.format(n), price=f"£{n}.20", authors=[f"Somebody {n}"], pad=30)
        content = content.replace(b'class="name"', f'class="{name}"'.encode())
        factory.snapshot(first.site, f"https://shop.example/p{number}/{n}", content, cluster=other)
    page_steps.renew_core(other)
    return other


def compared(cluster: Cluster) -> list[tuple[int, int, str]]:
    run = merge_proposals.start_comparing(cluster.site)
    assert run is not None
    assert (run := done(run)).state == Run.State.DONE, run.error
    found = merge_proposals.list_proposals(cluster.site)
    assert run.summary["proposals"] == len(found)
    return [(row.into.number, row.other.number, row.kind) for row in found]


def test_a_rule_that_reads_another_templates_pages_is_proposed(first: Cluster) -> None:
    second(first)
    assert compared(first) == [(1, 2, "reads")]
    assert MergeProposal.objects.get().evidence == {"pages": 8, "complete": 8}


def test_two_templates_whose_rules_give_the_same_are_proposed(first: Cluster) -> None:
    other = second(first)
    worlds.draft(other)
    assert compared(first) == [(1, 2, "same")]
    evidence = MergeProposal.objects.get().evidence
    assert evidence["pages"] == 20
    assert evidence["same"] == evidence["answers"] > 40


@pytest.mark.parametrize("more", [{"titles": "Welcome"}, {"name": "headline"}])
def test_templates_are_not_proposed_if_the_rule_fails_on_the_others_pages(first: Cluster, more: dict[str, Any]) -> None:
    second(first, **more)
    assert compared(first) == []


def test_a_rule_that_fits_every_page_does_not_propose_different_templates(first: Cluster) -> None:
    other = factory.cluster(first.site, number=2)
    for n in range(8):
        parts = "".join(f"<section class=s{k}><h2>{k}</h2><p>{n}</p></section>" for k in range(12))
        content = factory.book_html(f"Film {n}", price=f"£{n}.20", authors=[f"Director {n}"]).replace(
            b'<p class="foot">', parts.encode() + b"<p>"
        )
        content = content.replace(b'id="main"', b'class="film"')
        factory.snapshot(first.site, f"https://shop.example/film/{n}", content, cluster=other)
    page_steps.renew_core(other)
    for n in range(12):
        page = Snapshot.objects.filter(cluster=first).order_by("pk")[n]
        more = "".join(f"<div class=b{k}><i>{n}</i></div>" for k in range(12))
        content = factory.book_html(f"Book {n}", price=f"£{n}.50", authors=[f"Writer {n}"]).replace(
            b'<p class="foot">', more.encode() + b"<p>"
        )
        factory.snapshot(first.site, page.page.url, content, cluster=first)
    page_steps.renew_core(first)
    assert compared(first) == []


def test_another_record_type_or_an_ignored_template_is_not_compared(first: Cluster) -> None:
    other = second(first)
    clusters.ignore_template(other, True)
    assert merge_proposals.start_comparing(first.site) is None
    clusters.ignore_template(other, False)
    other.record_type = type(first.record_type).objects.create(name="Film", slug="film")  # type: ignore[union-attr]
    other.save()
    assert compared(first) == []


def test_merging_leaves_one_template_and_no_proposal(first: Cluster) -> None:
    second(first)
    third = second(first, number=3, titles="Poem {}")
    assert compared(first) == [(1, 2, "reads"), (1, 3, "reads")]
    proposal = MergeProposal.objects.get(other__number=2)
    merged = merge_proposals.accept_proposal(proposal)
    assert (merged.number, merged.snapshots.current().kept().count(), merged.merged) == (1, 20, True)
    assert compared(first) == [(1, 3, "reads")]
    merge_proposals.refuse_proposal(MergeProposal.objects.get(other=third))
    with pytest.raises(JobError, match="been answered already"):
        merge_proposals.accept_proposal(MergeProposal.objects.get(other=third))


def test_a_refused_proposal_is_not_made_again_even_after_another_rule(first: Cluster) -> None:
    other = second(first)
    compared(first)
    merge_proposals.refuse_proposal(MergeProposal.objects.get())
    worlds.draft(other)
    assert compared(first) == []
    assert MergeProposal.objects.get().state == "refused"


def test_a_refusal_also_applies_to_the_template_that_the_other_was_merged_into(first: Cluster) -> None:
    other, third = second(first), second(first, number=3)
    MergeProposal.objects.create(into=third, other=other, kind="reads", state="refused")
    clusters.merge_templates(first, [other])
    row = MergeProposal.objects.get()
    assert {row.into_id, row.other_id} == {first.pk, third.pk}
    assert compared(first) == []


def test_a_proposal_that_no_longer_holds_is_taken_back(first: Cluster) -> None:
    second(first)
    compared(first)
    Snapshot.objects.filter(cluster__number=2).update(error="the page is empty")
    assert compared(first) == []


def test_publishing_a_rule_and_clustering_start_the_search_for_equal_templates(first: Cluster) -> None:
    assert merge_proposals.start_comparing(first.site) is None, "one template alone is like no other"
    other = second(first)
    rules.publish_rule(worlds.draft(other))
    assert Run.objects.filter(kind=Run.Kind.COMPARE).count() == 1
    done(Run.objects.get(kind=Run.Kind.COMPARE))
    Rule.objects.filter(cluster=other).update(definition={"format": 1}, stylesheet="<broken")
    assert compared(first) == [], "a rule that cannot be run gives nothing"
    done(cluster_pages.start_clustering(first.site))
    assert Run.objects.filter(kind=Run.Kind.COMPARE, state=Run.State.QUEUED).count() == 1


def test_templates_without_a_rule_are_proposed_by_their_structure(db: None) -> None:
    one = factory.cluster(factory.site("shop"), number=1)
    for n in range(6):
        factory.snapshot(one.site, f"https://shop.example/{n}", factory.book_html(f"Book {n}"), cluster=one)
    page_steps.renew_core(one)
    second(one, count=4)
    assert compared(one) == [(1, 2, "alike")]
    evidence = MergeProposal.objects.get().evidence
    assert evidence["pages"] == 4
    assert evidence["alike_percent"] >= 60
    merge_proposals.refuse_proposal(MergeProposal.objects.get())
    assert compared(one) == []


def test_a_rule_is_tried_however_little_the_templates_are_alike(first: Cluster) -> None:
    other = factory.cluster(first.site, number=2, kind=first.record_type)
    adverts = "".join(f"<section class=a{n}><h3 class=b{n}>{n}</h3><ul class=c{n}><li>x</li></ul></section>" for n in range(150))
    for n in range(8):
        content = factory.book_html(f"Novel {n}", price=f"£{n}.20", authors=[f"Somebody {n}"])
        content = content.replace(b'<p class="foot">', adverts.encode() + b'<p class="foot">')
        factory.snapshot(first.site, f"https://shop.example/p2/{n}", content, cluster=other)
    page_steps.renew_core(other)
    cores = page_steps.read_cores(first.site)
    assert cores[first.pk].likeness(cores[other.pk]) < 0.5
    assert compared(first) == [(1, 2, "reads")]
