"""Imported pages are checked like fetched ones, and pages that the live rule reads whole stay in its template."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.models import Breakage, Check, Cluster, Page, Placement, Rule, Run, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core import stored_bytes
from extraction.services.monitoring import breakages, imported_pages
from extraction.services.rules import rules
from extraction.services.templates import cluster_pages, rule_reading
from tests.services import factory
from tests.services.monitoring.test_doubt_and_coverage import PAGES, RULE, moved, plain, rebuilt, teased

Design = Callable[[int], str]


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    site = factory.site("Spring")
    group = factory.cluster(site, kind=factory.record_type({"title": "text"}, mandatory=("title",), multiple=()))
    for number in range(PAGES):
        factory.snapshot(site, f"https://spring.example/{number}", plain(number).encode(), cluster=group)
    rules.publish_rule(rules.add_draft(group, RULE, report=RuleReport(), origin=Rule.Origin.LEARNED))
    return group


def bring(cluster: Cluster, design: Design, *, count: int = PAGES) -> None:
    """New content of pages, as an import writes it."""
    for number in range(count):
        content = design(number).encode()
        page = Page.objects.get(site=cluster.site, url=f"https://spring.example/{number}")
        made = Snapshot.objects.create(
            page=page, sha256=stored_bytes.put_bytes(content), size_bytes=len(content), fetched_at=timezone.now(), content_type="text/html"
        )
        Page.objects.filter(pk=page.pk).update(current=made)


def end_import(cluster: Cluster) -> list[Run]:
    """What the end of an import starts, executed in its order."""
    run = factory.run(cluster.site, Run.Kind.IMPORT, Run.State.DONE, summary={"changed": PAGES})
    pipeline.start_successors(run)
    return execute_waiting()


def execute_waiting() -> list[Run]:
    done: list[Run] = []
    while (
        waiting := Run.objects.filter(state=Run.State.QUEUED, kind__in=(Run.Kind.CHECK, Run.Kind.CLUSTER, Run.Kind.EXTRACT))
        .order_by("pk")
        .first()
    ):
        pipeline.execute_run(waiting.pk)
        waiting.refresh_from_db()
        assert waiting.state == Run.State.DONE, waiting.error
        done.append(waiting)
    return done


@pytest.mark.parametrize("design", [moved, teased])
def test_an_import_of_pages_that_the_rule_no_longer_reads_opens_a_breakage_with_a_repair(cluster: Cluster, design: Design) -> None:
    bring(cluster, design)
    end_import(cluster)
    breakage = Breakage.objects.get()
    assert (breakage.cluster, breakage.attributes) == (cluster, ["title"])
    assert breakage.proposal is not None
    assert breakage.rule.state == Rule.State.BROKEN


def test_an_import_of_pages_that_the_rule_reads_opens_none(cluster: Cluster) -> None:
    bring(cluster, lambda number: plain(number).replace("Words", "News"))
    runs = end_import(cluster)
    assert [run.kind for run in runs][:2] == [Run.Kind.CHECK, Run.Kind.CLUSTER]
    assert Check.objects.get().verdict == Check.Verdict.OK
    assert not Breakage.objects.exists()


def test_an_import_of_new_or_single_pages_is_not_checked(cluster: Cluster) -> None:
    factory.snapshot(cluster.site, "https://spring.example/new", plain(99).encode())
    bring(cluster, moved, count=1)
    assert imported_pages.start_import_check(cluster.site) is None


def test_a_few_imported_pages_that_are_fine_do_not_close_a_breakage(cluster: Cluster) -> None:
    bring(cluster, moved)
    end_import(cluster)
    Snapshot.objects.filter(page__current__cluster=None).update(cluster=None)
    bring(cluster, lambda number: plain(number).replace("Words", "News"), count=3)
    end_import(cluster)
    assert Breakage.objects.get().state == Breakage.State.OPEN


def test_after_the_repair_all_pages_of_several_new_designs_are_in_the_rules_template(cluster: Cluster) -> None:
    """The redesign looks different on pages with and without a table, so clustering alone makes several templates of it."""

    def redesigned(number: int) -> str:
        return (rebuilt(number) if number % 2 else plain(number)).replace("h1", "h2")

    bring(cluster, redesigned)
    end_import(cluster)
    breakages.accept_repair(Breakage.objects.get())
    execute_waiting()
    current = Snapshot.objects.of_site(cluster.site).current()
    assert set(current.values_list("cluster", flat=True)) == {cluster.pk}
    assert cluster.records.filter(snapshot__in=current).count() == PAGES


def test_pages_that_the_live_rule_reads_whole_stay_whatever_they_look_like(cluster: Cluster) -> None:
    bring(cluster, rebuilt)
    assert set(rule_reading.find_read_whole(cluster.site).values()) == {cluster.pk}
    run = cluster_pages.start_clustering(cluster.site)
    pipeline.execute_run(run.pk)
    assert cluster.snapshots.current().count() == PAGES
    cluster.refresh_from_db()
    assert cluster.masks, "later pages of this look are recognised"


@pytest.mark.parametrize(
    "design", [moved, lambda number: rebuilt(number).replace("</section>", "<h1>Another</h1></section>")], ids=["nothing", "two values"]
)
def test_pages_that_the_live_rule_does_not_read_whole_may_go(cluster: Cluster, design: Design) -> None:
    bring(cluster, design)
    assert rule_reading.find_read_whole(cluster.site) == {}


def test_a_rule_in_doubt_and_a_persons_word_keep_no_page(cluster: Cluster) -> None:
    bring(cluster, rebuilt)
    page = Page.objects.get(url="https://spring.example/0")
    Placement.objects.create(page=page, cluster=cluster, belongs=False)
    assert page.pk not in rule_reading.find_read_whole(cluster.site)
    Rule.objects.filter(cluster=cluster).update(state=Rule.State.BROKEN)
    assert rule_reading.find_read_whole(cluster.site) == {}
