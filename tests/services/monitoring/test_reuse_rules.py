"""New templates are offered the rules of old ones, shown on the demo site after some pages got another design."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules.apply import extract_values, read_attribute
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.demo import site as demo
from extraction.models import Cluster, Monitor, Page, Record, Rule, Run, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core import stored_bytes
from extraction.services.monitoring import reuse_rules
from extraction.services.rules import rules
from extraction.services.templates import cluster_pages
from tests.services import factory
from tests.services.monitoring.test_monitoring import ATTRIBUTES, first_rule, serving

PAGES, CHANGED = 24, range(13, 24)
"""Books of the demo site, and those that get another design."""


@lru_cache(maxsize=4)
def books(day: int, design: int, partial: bool) -> Mapping[str, demo.DemoPage]:
    found = [page for page in demo.pages(design=design, day=day, partial=partial) if page.template == "book"]
    return {page.url: page for page in found[:PAGES]}


@pytest.fixture
def old(db: None, sent: list[int]) -> Cluster:
    """The books of the first design with a live rule."""
    site = factory.site("Inkhorn")
    group = factory.cluster(site, kind=factory.record_type())
    for url, page in books(0, 1, False).items():
        snapshot = factory.snapshot(site, url, page.content, cluster=group)
        Snapshot.objects.filter(pk=snapshot.pk).update(content_type=page.content_type, fetched_at=timezone.now() - timedelta(days=9))
    rules.publish_rule(rules.add_draft(group, first_rule(), report=RuleReport(), origin=Rule.Origin.LEARNED))
    return group


def redesign(old: Cluster, *, design: int, partial: bool, into: Cluster | None) -> None:
    for number, (url, page) in enumerate(books(1, design, partial).items()):
        if number not in CHANGED:
            continue
        made = Snapshot.objects.create(
            page=Page.objects.get(site=old.site, url=url),
            sha256=stored_bytes.put_bytes(page.content),
            size_bytes=len(page.content),
            content_type=page.content_type,
            fetched_at=timezone.now(),
            cluster=into,
        )
        Page.objects.filter(pk=made.page_id).update(current=made)


def done(run: Run | None) -> Run:
    assert run is not None
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return run


def offered(old: Cluster, *, design: int, partial: bool) -> tuple[Cluster, Run]:
    new = factory.cluster(old.site, number=2)
    redesign(old, design=design, partial=partial, into=new)
    return new, done(reuse_rules.start_reuse(old.site))


def right_fraction(rule: Rule, *, design: int) -> float:
    """Share of the values of the changed pages that the rule gives exactly."""
    sheet, truth = Stylesheet.compile(rule.stylesheet), demo.truth(design=design, day=1)["book"]
    hits = []
    for number, (url, page) in enumerate(books(1, design, False).items()):
        given = extract_values(sheet, parse(page.content, content_type=page.content_type).root).merged()
        hits += [list(given.get(each.name, ())) == list(dict.fromkeys(truth[url][each.name])) for each in ATTRIBUTES if number in CHANGED]
    return sum(hits) / len(hits)


def test_a_rule_that_still_works_is_offered_unchanged(old: Cluster) -> None:
    new, run = offered(old, design=1, partial=False)
    draft = Rule.objects.get(cluster=new)
    assert (draft.state, draft.origin) == (Rule.State.VALIDATED, Rule.Origin.REUSED)
    assert RuleDefinition.from_json(draft.definition) == first_rule()
    assert run.summary == {"templates": 1, "reused": 1, "relearned": 0, "live": 0}
    assert draft.report["reused_from"] == {"template": "Template 1", "version": 1}
    new.refresh_from_db()
    assert new.record_type == old.record_type


def test_after_a_partial_redesign_only_the_broken_attributes_are_relearned(old: Cluster) -> None:
    new, run = offered(old, design=1, partial=True)
    value = RuleDefinition.from_json(Rule.objects.get(cluster=new).definition)
    changed = {now.name for now, was in zip(value.attributes, first_rule().attributes, strict=True) if now != was}
    assert "price" in changed
    assert changed <= {"price", "shelf_mark"}
    assert (run.summary["reused"], run.summary["relearned"]) == (0, 1)


def test_the_figures_of_a_run_that_reuses_nothing_can_be_read_again(old: Cluster) -> None:
    _, run = offered(old, design=2, partial=False)
    run.refresh_from_db()
    found = run.read_summary()
    assert (found.templates, found.reused, found.relearned, found.live) == (1, 0, 1, 0)


def test_a_rule_relearned_after_a_complete_redesign_goes_live_if_the_site_allows_it(old: Cluster) -> None:
    Monitor.objects.create(site=old.site, next_due_at=timezone.now(), auto_repair=True)
    new, _ = offered(old, design=2, partial=False)
    assert serving(new).state == Rule.State.LIVE
    assert right_fraction(serving(new), design=2) >= 0.98
    assert serving(old).version == 1, "the old template keeps its own"


def test_the_same_offer_is_not_made_twice(old: Cluster) -> None:
    new, _ = offered(old, design=1, partial=False)
    assert reuse_rules.start_reuse(old.site) is None
    assert Rule.objects.filter(cluster=new).count() == 1


def test_a_job_restarted_after_its_worker_died_duplicates_nothing(old: Cluster) -> None:
    new, run = offered(old, design=1, partial=True)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.QUEUED)
    assert done(run).summary["templates"] == 0
    assert Rule.objects.filter(cluster=new).count() == 1


def test_a_site_whose_templates_share_no_page_has_nothing_to_try(old: Cluster) -> None:
    new = factory.cluster(old.site, number=2)
    factory.snapshot(old.site, "http://inkhorn-lane.example/other", b"<html><p>Other", cluster=new)
    assert reuse_rules.start_reuse(old.site) is None


def test_pages_that_kept_their_design_but_lost_their_template_get_its_rule(old: Cluster) -> None:
    rest = factory.cluster(old.site, number=2)
    kept = [snapshot for number, snapshot in enumerate(Snapshot.objects.filter(cluster=old).order_by("pk")) if number not in CHANGED]
    rule = serving(old)
    Record.objects.bulk_create(
        Record(snapshot=each, cluster=old, rule=rule, state="complete", extracted_at=timezone.now()) for each in kept
    )
    Snapshot.objects.filter(pk__in=[each.pk for each in kept]).update(cluster=rest)
    done(reuse_rules.start_reuse(old.site))
    assert RuleDefinition.from_json(Rule.objects.get(cluster=rest).definition) == first_rule()


def test_clustering_finds_the_new_template_and_the_rule_is_tried_on_it(old: Cluster) -> None:
    redesign(old, design=2, partial=False, into=None)
    done(cluster_pages.start_clustering(old.site))
    done(Run.objects.get(kind=Run.Kind.REUSE))
    new = Rule.objects.unpublished().get(cluster__site=old.site).cluster
    assert new.pk != old.pk
    assert set(new.snapshots.values_list("page__url", flat=True)) == {url for n, url in enumerate(books(0, 1, False)) if n in CHANGED}


class TestSmallPages:
    """Pages of a few lines whose title moved, in a new template of the same addresses."""

    @pytest.fixture
    def small(self, db: None, sent: list[int]) -> Cluster:
        site = factory.site("Spring")
        group = factory.cluster(site, kind=factory.record_type({"title": "text", "price": "price"}, mandatory=("title",), multiple=()))
        attributes = (
            AttributeRule("title", mandatory=True, alternatives=(Selector("/descendant::h1"),)),
            AttributeRule("price", "price", alternatives=(Selector("/descendant::p[@class = 'price']"),)),
        )
        for number in range(15):
            snapshot = factory.snapshot(site, f"https://spring.example/{number}", self.html("h1", "p class='price'", number), cluster=group)
            Snapshot.objects.filter(pk=snapshot.pk).update(fetched_at=timezone.now() - timedelta(days=9))
        rules.publish_rule(rules.add_draft(group, RuleDefinition(attributes), report=RuleReport(), origin=Rule.Origin.LEARNED))
        Monitor.objects.create(site=site, next_due_at=timezone.now(), auto_repair=True)
        return group

    @staticmethod
    def html(title: str, price: str, number: int, more: str = "") -> bytes:
        ends = title.partition(" ")[0], price.partition(" ")[0]
        values = f"<{title}>Product {number} of spring</{ends[0]}><{price}>{number}.90 EUR</{ends[1]}>"
        return f"<html><body><div>{more}{values}</div></body></html>".encode()

    def offer(self, small: Cluster, design: Callable[[int], bytes]) -> Rule:
        new = factory.cluster(small.site, number=2)
        for page in Page.objects.filter(site=small.site):
            factory.snapshot(small.site, page.url, design(int(page.url.rpartition("/")[2])), cluster=new)
        done(reuse_rules.start_reuse(small.site))
        return Rule.objects.get(cluster=new)

    def test_a_rule_that_gives_teasers_for_titles_is_relearned_and_nothing_goes_live_by_itself(self, small: Cluster) -> None:
        pages = [self.html("div class='name'", "p class='price'", n, f"<h1>Joy no. {n * 7} awaits</h1>") for n in range(15)]
        draft = self.offer(small, lambda n: pages[n])
        assert (draft.origin, draft.state) == (Rule.Origin.REPAIRED, Rule.State.VALIDATED)
        title, price = draft.read_definition().attributes
        assert [read_attribute(title, parse(html).root) for html in pages] == [(f"Product {n} of spring",) for n in range(15)]
        assert price == serving(small).read_definition().attributes[1]

    def test_a_rule_whose_values_change_places_is_not_offered_as_it_is(self, small: Cluster) -> None:
        def swapped(number: int) -> bytes:
            return (
                f"<html><body><div><h1>{number}.90 EUR</h1><p class='price'>Product {number} of spring</p></div></body></html>"
            ).encode()

        draft = self.offer(small, swapped)
        assert draft.state != Rule.State.LIVE
        old = serving(small).read_definition()
        assert all(
            now.alternatives != was.alternatives for now, was in zip(draft.read_definition().attributes, old.attributes, strict=True)
        )

    def test_a_rule_that_gives_the_same_goes_live_where_the_site_allows_it(self, small: Cluster) -> None:
        assert self.offer(small, lambda n: self.html("h1", "p class='price'", n, "<b>Sale</b>")).state == Rule.State.LIVE
