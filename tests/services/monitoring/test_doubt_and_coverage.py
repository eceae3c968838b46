"""Pages in doubt keep their baselines, and pages that a crawl would no longer recognise are reported."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.sketches import shingles
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Alert, AlertChannel, Bellwether, Breakage, Check, Cluster, Event, Monitor, Page, Record, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.monitoring import breakages, check_site
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.rules import rules
from tests.reading import words
from tests.services import factory

START = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

PAGES = 10

RULE = RuleDefinition((AttributeRule("title", mandatory=True, alternatives=(Selector("/descendant::h1"),)),))

Design = Callable[[int], str]


def title(number: int) -> str:
    return f"Product {number} of the spring range"


def plain(number: int) -> str:
    return f"<html><body><div><h1>{title(number)}</h1><p>Words about it</p></div></body></html>"


def moved(number: int) -> str:
    return plain(number).replace("h1", "h2")


def teased(number: int) -> str:
    return f"<html><body><div><h1>Joy no. {number * 7} awaits</h1><b>{title(number)}</b><p>Words about it</p></div></body></html>"


def rebuilt(number: int) -> str:
    """Another structure, in which the rule still finds the title."""
    rows = "".join(f"<tr><td>{n}</td><td><i>x</i></td></tr>" for n in range(12))
    return f"<html><body><main><table>{rows}</table><section><h1>{title(number)}</h1></section></main></body></html>"


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    mask = shingles.Mask(shingles.compute_vector(plain(0).encode()), 0)
    site = factory.site("Spring")
    group = factory.cluster(site, masks=[mask.text()])
    for number in range(PAGES):
        factory.snapshot(site, f"https://spring.example/{number}", plain(number).encode(), cluster=group)
    rules.publish_rule(rules.add_draft(group, RULE, report=RuleReport(), origin=Rule.Origin.LEARNED))
    return group


def check(cluster: Cluster, *designs: Design, day: int = 1) -> Check:
    """Checks the cluster while the pages have these designs, the last of which all further pages have."""

    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        numbers = {url: int(url.rpartition("/")[2]) for url in urls}
        chosen = {url: designs[min(number, len(designs) - 1)] for url, number in numbers.items()}
        return {url: PageAnswer(Outcome.OK, chosen[url](numbers[url]).encode(), "text/html") for url in urls}

    check_site.check_site(cluster.site, fetch=fetch, now=lambda: START + timedelta(days=day))
    return Check.objects.filter(cluster=cluster).latest("pk")


def read_baselines(cluster: Cluster) -> dict[str, int]:
    return dict(Bellwether.objects.filter(cluster=cluster).values_list("page__url", "baseline"))


def test_the_baseline_of_a_doubted_page_stays_and_the_others_move(cluster: Cluster) -> None:
    check(cluster, plain)
    before = read_baselines(cluster)
    found = check(cluster, moved, lambda number: plain(number).replace("Words", "News"), day=2)
    after = read_baselines(cluster)
    assert (found.verdict, found.broken) == (Check.Verdict.OK, [])
    assert [url for url in before if after[url] == before[url]] == ["https://spring.example/0"]
    assert Bellwether.objects.get(page__url__endswith="/0").doubted == 1
    check(cluster, plain, day=3)
    assert Bellwether.objects.get(page__url__endswith="/0").doubted == 0


def test_a_check_with_doubt_says_that_this_alone_is_no_breakage(cluster: Cluster, signed_in: Any) -> None:
    check(cluster, plain)
    found = check(cluster, moved, plain, day=2)
    shown = words(signed_in("viewer").get(reverse("site_check", args=(cluster.site.slug, found.pk))))
    assert "title may be wrong on this page. On so few pages it may also be chance" in shown


def test_a_break_that_comes_page_by_page_is_found_because_doubted_pages_keep_their_baselines(cluster: Cluster) -> None:
    check(cluster, plain)
    for day in range(2, 6):
        check(cluster, *[moved] * (day - 1), plain, day=day)
    assert Breakage.objects.get().attributes == ["title"]


def test_plausible_new_titles_are_a_break_but_no_repair_goes_live_by_itself(cluster: Cluster) -> None:
    Monitor.objects.create(site=cluster.site, next_due_at=START, auto_repair=True)
    check(cluster, plain)
    before = read_baselines(cluster)
    found = check(cluster, teased, day=2)
    breakage = Breakage.objects.get()
    assert (found.broken, breakage.state) == (["title"], Breakage.State.OPEN)
    assert breakage.proposal is not None and breakage.proposal.state == Rule.State.VALIDATED
    assert read_baselines(cluster) == before
    breakages.accept_repair(breakage)
    assert "b" in cluster.rules.serving().get().read_definition().attributes[0].alternatives[0].xpath


def test_a_rule_that_finds_nothing_is_repaired_by_itself_where_the_site_allows_it(cluster: Cluster) -> None:
    Monitor.objects.create(site=cluster.site, next_due_at=START, auto_repair=True)
    check(cluster, plain)
    check(cluster, moved, day=2)
    assert Breakage.objects.get().state == Breakage.State.REPAIRED


def test_checks_count_how_often_values_change(cluster: Cluster) -> None:
    check(cluster, plain)
    found = check(cluster, lambda number: plain(number).replace("spring", "summer") if number < 3 else plain(number), day=2)
    finding = found.read_attributes()["title"]
    assert (finding.compared, finding.changed) == (PAGES, 3)


class TestLostCoverage:
    def test_opens_a_breakage_that_says_why_although_every_value_is_right(self, cluster: Cluster) -> None:
        channel = AlertChannel.objects.create(name="ops", url="json://localhost/", events=[Event.BREAK], created_at=START)
        check(cluster, plain)
        found = check(cluster, rebuilt, day=2)
        breakage = Breakage.objects.get()
        assert (found.verdict, found.broken, found.coverage_lost) == (Check.Verdict.SHINGLE, [], True)
        assert breakage.coverage_lost and "10 of the 10 pages" in breakage.note
        assert cluster.rules.serving().get().state == Rule.State.LIVE, "the rule itself is right"
        alert = Alert.objects.get(channel=channel)
        assert alert.title.startswith("No longer recognised") and "A crawl would extract nothing" in alert.body

    def test_ends_when_the_pages_are_recognised_again(self, cluster: Cluster) -> None:
        check(cluster, rebuilt)
        mask = shingles.Mask(shingles.compute_vector(rebuilt(0).encode()), 0)
        Cluster.objects.filter(pk=cluster.pk).update(masks=[mask.text()])
        check(cluster, rebuilt, day=2)
        assert Breakage.objects.get().state == Breakage.State.RECOVERED

    def test_is_not_reported_again_after_a_person_dismissed_it(self, cluster: Cluster) -> None:
        check(cluster, rebuilt)
        breakages.dismiss_breakage(Breakage.objects.get())
        check(cluster, rebuilt, day=2)
        assert Breakage.objects.get().state == Breakage.State.DISMISSED

    def test_on_a_few_pages_is_no_breakage(self, cluster: Cluster) -> None:
        check(cluster, plain)
        check(cluster, rebuilt, rebuilt, plain, day=2)
        assert not Breakage.objects.exists()

    def test_is_shown_in_words_in_the_queue_on_its_page_and_in_the_rules_history(self, cluster: Cluster, signed_in: Any) -> None:
        check(cluster, rebuilt)
        breakage = Breakage.objects.get()
        client = signed_in("operator")
        for address in (reverse("breakages"), breakage.get_absolute_url()):
            assert "Pages are no longer recognised" in client.get(address).content.decode()
        assert "can no longer be read" not in client.get(breakage.get_absolute_url()).content.decode()
        assert "a check found that page structure broke" in client.get(breakage.rule.get_absolute_url()).content.decode()

    def test_is_still_named_in_the_queue_after_it_ended(self, cluster: Cluster, signed_in: Any) -> None:
        check(cluster, plain)
        check(cluster, rebuilt, day=2)
        check(cluster, plain, day=3)
        assert Breakage.objects.get().state == Breakage.State.RECOVERED
        assert "Pages were no longer recognised" in signed_in("viewer").get(reverse("breakages")).content.decode()

    def test_of_the_only_page_does_not_say_that_values_are_right_that_nobody_judged(self, cluster: Cluster, signed_in: Any) -> None:
        Page.objects.filter(site=cluster.site).exclude(url__endswith="/0").update(gone_at=START)
        check(cluster, plain)
        found = check(cluster, lambda number: rebuilt(number).replace("h1", "h2"), day=2)
        assert (found.reached, found.coverage_lost) == (1, True)
        note = Breakage.objects.get().note
        assert "values are right" not in note and "One page alone is too little" in note
        shown = words(signed_in("viewer").get(reverse("site_check", args=(cluster.site.slug, found.pk))))
        assert ">not judged</span>" in shown and "the values were not judged" in shown

    def test_that_comes_with_broken_values_is_a_breakage_of_these(self, cluster: Cluster) -> None:
        check(cluster, plain)
        check(cluster, lambda number: rebuilt(number).replace("h1", "h2"), day=2)
        assert Breakage.objects.get().attributes == ["title"]
        assert not Record.objects.exists()
