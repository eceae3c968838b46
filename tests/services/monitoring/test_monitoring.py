"""Sixty days of the demo site under a virtual clock, with everything that may go wrong."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, partial
from itertools import product

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.relearning import Relearned, relearn_attribute
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.demo import site as demo
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Breakage, Check, Cluster, Monitor, Rule, Run, Site, Source
from extraction.models.rule_report import RuleReport
from extraction.services.monitoring import bellwethers, breakages, check_site, monitors, write_check
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.rules import rules
from extraction.views.core import run_words
from tests.services import factory

START = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

PAGES = 12
"""Books of the demo site, all of which become bellwethers."""

ATTRIBUTES = (
    AttributeRule("title", mandatory=True),
    AttributeRule("authors", multiple=True),
    AttributeRule("price", "price"),
    AttributeRule("shelf_mark", mandatory=True),
    AttributeRule("published"),
)

CHALLENGE = b"<html><body><h1>Are you human?</h1><form><input type='checkbox'></form></body></html>"


@lru_cache(maxsize=3)
def books(day: int, design: int, partial: bool) -> Mapping[str, demo.DemoPage]:
    found = [page for page in demo.pages(design=design, day=day, partial=partial) if page.template == "book"]
    return {page.url: page for page in found}


def first_books(day: int, design: int, partial: bool) -> Mapping[str, demo.DemoPage]:
    return dict(list(books(day, design, partial).items())[:PAGES])


class Shop:
    """The demo site as it answers: `day`, `design` and `partial` choose its pages; `trouble` says what an address answers instead."""

    def __init__(self) -> None:
        self.day, self.design, self.partial = 0, 1, False
        self.trouble: Callable[[int], PageAnswer | None] = lambda number: None
        self.asked = 0

    def now(self) -> datetime:
        return START + timedelta(days=self.day)

    def fetch(self, urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        self.asked += len(urls)
        pages = books(self.day, self.design, self.partial)
        return {url: self.trouble(number) or self._page(pages[url]) for number, url in enumerate(urls)}

    def check(self, cluster: Cluster, **options: object) -> Check:
        check_site.check_site(cluster.site, fetch=self.fetch, now=self.now, **options)  # type: ignore[arg-type]
        return Check.objects.filter(cluster=cluster).order_by("-pk")[0]

    @staticmethod
    def _page(page: demo.DemoPage) -> PageAnswer:
        return PageAnswer(Outcome.OK, page.content, page.content_type)


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def cluster(db: None) -> Cluster:
    """The books of day 0 with a live rule, learned from their true values."""
    site = factory.site("Inkhorn")
    group = factory.cluster(site)
    for url, page in first_books(0, 1, False).items():
        snapshot = factory.snapshot(site, url, page.content, cluster=group)
        snapshot.content_type = page.content_type
        snapshot.save()
    rules.publish_rule(rules.add_draft(group, first_rule(), report=RuleReport(), origin=Rule.Origin.LEARNED))
    return group


@cache
def first_rule() -> RuleDefinition:
    truth, pages = demo.truth()["book"], first_books(0, 1, False)
    tables = [read_page_table(parse(page.content, content_type=page.content_type).root) for page in pages.values()]
    made = [relearn_attribute(attribute, tables, [tuple(truth[url][attribute.name]) for url in pages]) for attribute in ATTRIBUTES]
    assert all(isinstance(each, Relearned) for each in made), made
    return RuleDefinition(tuple(each.rule for each in made if isinstance(each, Relearned)))


def serving(cluster: Cluster) -> Rule:
    return cluster.rules.serving().get()


def right_fraction(cluster: Cluster, shop: Shop) -> float:
    """Share of the values of the shop's pages that the serving rule gives exactly."""
    sheet = Stylesheet.compile(serving(cluster).stylesheet)
    truth = demo.truth(design=shop.design, day=shop.day)["book"]
    hits = []
    for url, page in first_books(shop.day, shop.design, shop.partial).items():
        given = extract_values(sheet, parse(page.content, content_type=page.content_type).root).merged()
        hits += [list(given.get(each.name, ())) == list(dict.fromkeys(truth[url][each.name])) for each in ATTRIBUTES]
    return sum(hits) / len(hits)


def trouble_of(day: int) -> Callable[[int], PageAnswer | None]:
    """Return what goes wrong on a day: outages, bot checks, half of the site slow, a page missing for a day."""
    out, challenge = PageAnswer(Outcome.TIMEOUT), PageAnswer(Outcome.OK, CHALLENGE, "text/html")
    by_day: dict[int, Callable[[int], PageAnswer | None]] = {
        5: lambda number: out,
        9: lambda number: challenge,
        13: lambda number: out if number % 2 else None,
        17: lambda number: PageAnswer(Outcome.LOGIN_OR_BOT),
        21: lambda number: PageAnswer(Outcome.NOT_FOUND) if number == 3 else None,
        33: lambda number: challenge if number % 3 else None,
        38: lambda number: PageAnswer(Outcome.SERVER_ERROR),
        52: lambda number: out if number % 3 == 0 else None,
    }
    return by_day.get(day, lambda number: None)


@pytest.mark.simulation
def test_sixty_days_of_daily_changes_and_trouble_raise_two_alarms_for_two_redesigns(cluster: Cluster, shop: Shop) -> None:
    alarms: dict[int, list[str]] = {}
    for shop.day in range(60):
        shop.partial, shop.design = 25 <= shop.day < 45, 1 if shop.day < 45 else 2
        shop.trouble = trouble_of(shop.day)
        shop.check(cluster)
        for breakage in Breakage.objects.filter(cluster=cluster, state=Breakage.State.OPEN):
            alarms[shop.day] = sorted(breakage.attributes)
            assert breakage.proposal is not None, breakage.note
            breakages.accept_repair(breakage, now=shop.now())
            assert right_fraction(cluster, shop) >= 0.98
    assert list(alarms) == [25, 45]
    assert set(alarms[25]) <= {"price", "shelf_mark"}
    assert "price" in alarms[25]
    assert serving(cluster).state == Rule.State.LIVE
    assert list(Breakage.objects.order_by("pk").values_list("state", flat=True)) == [Breakage.State.REPAIRED] * 2


def test_a_break_makes_the_rule_broken_and_its_repair_waits_for_a_person(cluster: Cluster, shop: Shop) -> None:
    shop.check(cluster)
    shop.design = 2
    found = shop.check(cluster)
    breakage = Breakage.objects.get()
    assert serving(cluster).state == Rule.State.BROKEN
    assert (found.confirmed, sorted(found.broken)) == (True, sorted(breakage.attributes))
    assert breakage.proposal is not None and breakage.proposal.state == Rule.State.VALIDATED
    shop.check(cluster)
    assert Breakage.objects.count() == 1


def test_evidence_is_kept_of_every_attribute_that_broke(cluster: Cluster, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_check, "MAX_EVIDENCE", 10)
    shop.check(cluster)
    shop.design = 2
    found = shop.check(cluster)
    assert len(found.evidence) == 10
    assert {each["attribute"] for each in found.evidence} == set(found.broken)


def test_a_repair_goes_live_by_itself_only_where_the_site_allows_it(cluster: Cluster, shop: Shop) -> None:
    Monitor.objects.create(site=cluster.site, next_due_at=START, auto_repair=True)
    shop.check(cluster)
    shop.design = 2
    shop.check(cluster)
    assert Breakage.objects.get().state == Breakage.State.REPAIRED
    assert serving(cluster).version == 2
    assert right_fraction(cluster, shop) >= 0.98


def test_a_finding_that_a_second_look_does_not_confirm_is_not_a_break(cluster: Cluster, shop: Shop) -> None:
    shop.check(cluster)
    designs = iter([2, 1])

    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        shop.design = next(designs)
        return shop.fetch(urls)

    check_site.check_site(cluster.site, fetch=fetch, now=shop.now)
    assert serving(cluster).state == Rule.State.LIVE
    assert not Breakage.objects.exists()


def test_a_site_that_comes_back_to_its_old_design_recovers_by_itself(cluster: Cluster, shop: Shop) -> None:
    shop.check(cluster)
    shop.design = 2
    shop.check(cluster)
    shop.design = 1
    shop.check(cluster)
    assert Breakage.objects.get().state == Breakage.State.RECOVERED
    assert serving(cluster).state == Rule.State.LIVE


def test_a_dismissed_alarm_leaves_the_rule_live_and_the_pages_as_they_are_now(cluster: Cluster, shop: Shop) -> None:
    shop.check(cluster)
    shop.partial = True
    shop.check(cluster)
    assert breakages.dismiss_breakage(Breakage.objects.get())
    assert not breakages.dismiss_breakage(Breakage.objects.get())
    shop.check(cluster)
    assert serving(cluster).state == Rule.State.LIVE
    assert Breakage.objects.filter(state=Breakage.State.OPEN).count() == 0


def test_a_page_that_is_gone_is_replaced_by_another(cluster: Cluster, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bellwethers, "find_bellwethers", partial(bellwethers.find_bellwethers, count=PAGES - 2))
    shop.check(cluster)
    watched = list(Bellwether.objects.order_by("position").values_list("page", flat=True))
    url, page = list(books(0, 1, False).items())[PAGES]
    factory.snapshot(cluster.site, url, page.content, cluster=cluster)
    shop.trouble = lambda number: PageAnswer(Outcome.NOT_FOUND) if number == 0 else None
    shop.check(cluster)
    shop.trouble = lambda number: None
    shop.check(cluster)
    now = list(Bellwether.objects.values_list("page", flat=True))
    assert len(now) == len(watched)
    assert watched[0] not in now


def test_a_check_restarted_after_its_worker_died_checks_no_template_twice(cluster: Cluster, shop: Shop) -> None:
    run = Run.objects.create(site=cluster.site, kind=Run.Kind.CHECK)
    shop.check(cluster, run=run)
    asked = shop.asked
    shop.check(cluster, run=run)
    assert (shop.asked, Check.objects.count()) == (asked, 1)


def test_every_state_change_that_is_not_in_the_table_is_refused(cluster: Cluster) -> None:
    rule = rules.add_draft(cluster, first_rule(), report=RuleReport(), origin=Rule.Origin.LEARNED)
    Rule.objects.exclude(pk=rule.pk).update(state=Rule.State.RETIRED)
    assert set(Rule.TRANSITIONS) == set(Rule.State)
    for before, after in product(Rule.State, Rule.State):
        Rule.objects.filter(pk=rule.pk).update(state=before, published_at=None if before in Rule.UNPUBLISHED else START)
        allowed = after in Rule.TRANSITIONS[before]
        assert rules.move_rule(rule, after) == allowed, (before, after)
        assert rule.state == (after if allowed else before)


class TestSchedule:
    @pytest.fixture
    def site(self, cluster: Cluster) -> Site:
        Source.objects.create(site=cluster.site, addresses=["https://inkhorn.example/"])
        return cluster.site

    @staticmethod
    def runs() -> int:
        return Run.objects.filter(kind=Run.Kind.CHECK).count()

    @staticmethod
    def end() -> None:
        factory.put(Run.objects.filter(kind=Run.Kind.CHECK), Run.State.DONE)

    def test_a_site_with_a_rule_and_an_address_is_watched_without_being_told(self, site: Site) -> None:
        assert monitors.start_due_checks(START) == 1
        assert START + timedelta(hours=21) < Monitor.objects.get().next_due_at < START + timedelta(hours=27)

    def test_two_ticks_at_once_start_one_check(self, site: Site) -> None:
        monitors.start_due_checks(START)
        self.end()
        late = list(Monitor.objects.select_related("site"))
        moment = START + timedelta(days=2)
        assert monitors.start_due_checks(moment) == 1
        self.end()
        assert not monitors._start(late[0], moment)
        assert self.runs() == 2

    def test_a_beat_that_was_down_for_a_week_checks_once(self, site: Site) -> None:
        monitors.start_due_checks(START)
        self.end()
        assert monitors.start_due_checks(START + timedelta(days=7)) == 1
        self.end()
        assert monitors.start_due_checks(START + timedelta(days=7, minutes=1)) == 0

    def test_a_clock_that_stood_in_the_future_does_not_put_checks_off(self, site: Site) -> None:
        monitors.start_due_checks(START + timedelta(days=400))
        self.end()
        assert monitors.start_due_checks(START) == 0
        assert Monitor.objects.get().next_due_at < START + timedelta(hours=27)

    def test_a_disabled_monitor_and_a_site_without_an_address_are_left_alone(self, cluster: Cluster) -> None:
        assert monitors.start_due_checks(START) == 0
        Source.objects.create(site=cluster.site, addresses=["https://inkhorn.example/"])
        Monitor.objects.create(site=cluster.site, next_due_at=START, enabled=False)
        assert monitors.start_due_checks(START) == 0


def test_a_version_replaced_during_a_check_is_not_marked_broken(cluster: Cluster, shop: Shop) -> None:
    shop.check(cluster)
    shop.day, shop.partial = 1, True
    fetch = shop.fetch

    def replaced(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        Rule.objects.filter(cluster=cluster).update(state=Rule.State.REPAIRED)
        return fetch(urls)

    check_site.check_site(cluster.site, fetch=replaced, now=shop.now)
    assert Check.objects.latest("pk").broken
    assert not Breakage.objects.exists()
    assert Rule.objects.get(cluster=cluster).state == Rule.State.REPAIRED


def test_a_check_says_how_many_templates_it_looked_at_and_that_it_found_breaks(cluster: Cluster, shop: Shop) -> None:
    told: list[int] = []
    shop.check(cluster, tell=told.append)
    assert told[-1] == 1
    broke, fine = ({"checked": 2, "broken": n} for n in (2, 0))
    assert run_words.name_outcome(Run(kind=Run.Kind.CHECK, state=Run.State.DONE, summary=broke)) == "found_broken"
    assert run_words.name_outcome(Run(kind=Run.Kind.CHECK, state=Run.State.DONE, summary=fine)) == Run.State.DONE
