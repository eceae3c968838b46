"""A redesign of pages of which few have some of the attributes: every attribute is repaired or told."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Breakage, Check, Cluster, Monitor, Page, Record, Rule, Run, Snapshot
from extraction.models.rule_report import AttributeReport, GroupReport, RuleReport
from extraction.services.core import stored_bytes
from extraction.services.labels import designs
from extraction.services.monitoring import bellwethers, breakages, check_site, reuse_rules, valued_pages
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.monitoring.lost_values import find_lost_values
from extraction.services.records import extract_records
from extraction.services.rules import rules
from extraction.views.rules import rule_view
from tests.reading import words
from tests.services import factory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

PAGES = 60

MATERIALS = ("oak", "brass", "linen", "slate", "glass", "cork", "wool")

FEW = range(13, 60, 8)
"""The lamps that have care advice: the others of the same structure come first when watched pages are chosen."""


def facts(n: int, few: Sequence[int]) -> dict[str, str]:
    """Both lamps have as many facts, so that their structure does not show which of them has care advice."""
    last = ("Care", f"Wipe with cloth no. {n}") if n in few else ("Packed", "in a box")
    return {"Maker": f"Maker {n}", "Material": f"{MATERIALS[n % 7]} {n}", last[0]: last[1]}


def lamp(n: int, design: int, few: Sequence[int]) -> bytes:
    given = facts(n, few).items()
    if design == 1:
        rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in given)
        body = f"<div id='lamp'><h1>Lamp {n}</h1><p class='price'>£{n}.50</p><dl>{rows}</dl></div>"
    else:
        rows = "".join(f"<section><b>{name}</b><i>{value}</i></section>" for name, value in given)
        body = f"<main><header><h2>Lamp {n}</h2></header><article>{rows}</article><footer><strong>£{n}.50</strong></footer></main>"
    return f"<html><head><title>Lamp {n}</title></head><body>{body}</body></html>".encode()


def fact(name: str) -> tuple[Selector, ...]:
    return (Selector(f"//dt[.='{name}']/following-sibling::dd[1]/text()"),)


RULE = RuleDefinition(
    (
        AttributeRule("title", mandatory=True, alternatives=(Selector("//h1/text()"),)),
        AttributeRule("price", "price", mandatory=True, alternatives=(Selector("//p[@class='price']/text()"),)),
        AttributeRule("maker", alternatives=fact("Maker")),
        AttributeRule("material", alternatives=fact("Material")),
        AttributeRule("care", alternatives=fact("Care")),
    )
)

REPORT = RuleReport(
    pages=PAGES,
    checked=PAGES,
    attributes=(AttributeReport(name="care", checked=PAGES, hits=6),),
    groups=(GroupReport(name="in the language en", checked=PAGES, hits={"care": 6}),),
)


class Lamps:
    """The shop of lamps as it answers. few: the lamps with care advice. mixed: which stands where it always did."""

    def __init__(self, few: Sequence[int] = FEW) -> None:
        self.design, self.few, self.mixed = 1, few, False
        kind = factory.record_type(
            {"title": "text", "price": "price", "maker": "text", "material": "text", "care": "text"}, name="Lamp", multiple=()
        )
        self.cluster = factory.cluster(factory.site("Lamps"), kind=kind, patterns=["lamps.example/*"])
        for n in range(PAGES):
            factory.snapshot(self.cluster.site, f"https://lamps.example/{n}", lamp(n, 1, few), cluster=self.cluster)
        Snapshot.objects.update(fetched_at=NOW - timedelta(days=1))
        rules.publish_rule(rules.add_draft(self.cluster, RULE, report=REPORT, origin=Rule.Origin.LEARNED))

    def fetch(self, urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        pages = {url: lamp(int(url.rsplit("/", 1)[1]), self.design, self.few) for url in urls}
        return {url: PageAnswer(Outcome.OK, content, "text/html") for url, content in pages.items()}

    def check(self) -> Check:
        check_site.check_site(self.cluster.site, fetch=self.fetch, now=lambda: NOW)
        return Check.objects.filter(cluster=self.cluster).order_by("-pk")[0]

    def rebuild(self) -> None:
        """Change the design after records were extracted and pages were watched, and let a check find it."""
        self.extract()
        self.check()
        self.design = 2
        self.check()

    def extract(self) -> Run:
        run = extract_records.start_extraction(self.cluster)
        assert pipeline.execute_run(run.pk)
        return run

    def renew(self, *, missing: Sequence[int] = ()) -> None:
        """Fetch the pages again, except those that are missing, and extract their records."""
        for page in Page.objects.filter(site=self.cluster.site):
            n = int(page.url.rsplit("/", 1)[1])
            if n not in missing:
                advice = f"<dl><dt>Care</dt><dd>Wipe with cloth no. {n}</dd></dl>" if self.mixed and n in self.few else ""
                self.show(page, lamp(n, self.design, self.few) + advice.encode(), at=NOW + timedelta(hours=1))
        self.extract()

    def show(self, page: Page, content: bytes, *, at: datetime) -> None:
        """Give a page this content, which a check may have fetched before."""
        digest = stored_bytes.digest_bytes(content)
        if not Snapshot.objects.filter(page=page, sha256=digest).exists():
            factory.snapshot(self.cluster.site, page.url, content)
        Snapshot.objects.filter(page=page, sha256=digest).update(cluster=self.cluster, fetched_at=at)
        page.current = Snapshot.objects.get(page=page, sha256=digest)
        page.save(update_fields=["current"])

    def watched_with_care(self) -> int:
        urls = Bellwether.objects.filter(cluster=self.cluster).values_list("page__url", flat=True)
        return sum(int(url.rsplit("/", 1)[1]) in self.few for url in urls)

    def serving(self) -> Rule:
        return self.cluster.rules.serving().get()


def breakage() -> Breakage:
    return Breakage.objects.select_related("cluster__site", "proposal", "check_found", "rule").get()


def lost(lamps: Lamps) -> list[str]:
    return find_lost_values(Cluster.objects.filter(pk=lamps.cluster.pk)).get(lamps.cluster.pk, [])


def test_pages_are_watched_until_each_attribute_of_the_records_is_on_five_of_them(sent: list[int]) -> None:
    lamps = Lamps()
    lamps.check()
    assert lamps.watched_with_care() < 5, "their structure does not show it"
    lamps.extract()
    lamps.check()
    assert lamps.watched_with_care() == 5
    watched = Bellwether.objects.count()
    lamps.check()
    assert Bellwether.objects.count() == watched <= 20


def test_a_rare_attribute_is_repaired_with_the_others(sent: list[int]) -> None:
    lamps = Lamps()
    lamps.rebuild()
    found = breakage()
    assert sorted(found.attributes) == ["care", "maker", "material", "price", "title"]
    assert found.proposal is not None
    assert found.proposal.state == Rule.State.VALIDATED
    breakages.accept_repair(found, now=NOW)
    lamps.renew()
    assert sum("care" in record.values for record in Record.objects.now()) == len(FEW)
    assert lost(lamps) == []


@pytest.fixture
def unseen(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> Lamps:
    """A redesign of which no watched page shows where the care advice is now."""
    lamps = Lamps()
    monkeypatch.setattr(bellwethers, "_choose_valued", lambda *_, **__: [])
    monkeypatch.setattr(bellwethers, "POOL", 10)
    lamps.check()
    assert lamps.watched_with_care() == 0
    lamps.extract()
    lamps.design = 2
    return lamps


def test_an_attribute_that_no_watched_page_has_is_named_and_left_out(unseen: Lamps, signed_in: Any) -> None:
    Monitor.objects.create(site=unseen.cluster.site, next_due_at=NOW, auto_repair=True)
    unseen.check()
    found = breakage()
    assert found.state == Breakage.State.OPEN, "it waits for a person"
    assert "care" in found.attributes
    text = words(signed_in("operator").get(found.get_absolute_url()))
    why = "no watched page had a value, so nothing shows where it is on the new pages"
    assert f"<b>care</b> was not found again ({why}). Its values are lost unless you mark it on a new page." in text
    assert "Accept 4 of 5" in text
    assert "The repair agrees with the old values" not in text
    breakages.accept_repair(found, now=NOW)
    assert lost(unseen) == ["care"]
    unseen.renew()
    assert lost(unseen) == ["care"]
    assert "care" in words(signed_in("operator").get(reverse("home")))


def test_values_that_the_records_lose_although_the_watched_pages_had_them_are_told(sent: list[int]) -> None:
    lamps = Lamps()
    lamps.rebuild()
    breakages.accept_repair(breakage(), now=NOW)
    lamps.few = ()
    lamps.renew()
    assert lost(lamps) == ["care"]
    reason = lamps.serving().read_report().failures["care"]
    assert reason == f"{len(FEW)} of 60 records had a value, 0 of 60 have one now"


def test_an_old_xpath_that_still_finds_what_the_watched_pages_could_not_show_is_no_loss(unseen: Lamps) -> None:
    unseen.check()
    breakages.accept_repair(breakage(), now=NOW)
    unseen.mixed = True
    unseen.renew()
    assert sum("care" in record.values for record in Record.objects.now()) == len(FEW)
    assert lost(unseen) == []


def test_an_attribute_that_no_record_has_is_not_called_lost(sent: list[int], signed_in: Any) -> None:
    lamps = Lamps(few=())
    lamps.rebuild()
    assert "care" not in breakage().attributes
    assert "No watched page has a value of <b>care</b>" in words(signed_in("viewer").get(breakage().get_absolute_url()))
    assert breakage().proposal.state == Rule.State.VALIDATED  # type: ignore[union-attr]


def test_two_watched_pages_are_too_few_to_break_an_attribute_but_it_is_repaired_with_the_rest(
    sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    lamps = Lamps(few=range(2))
    monkeypatch.setattr(bellwethers, "POOL", 15)
    lamps.extract()
    lamps.check()
    lamps.design = 2
    check = lamps.check()
    assert lamps.watched_with_care() == 2
    assert "care" not in check.broken
    assert "care" in breakage().attributes


def test_a_repaired_version_has_figures_of_the_new_pages_only(unseen: Lamps, sent: list[int]) -> None:
    unseen.check()
    rule = breakages.accept_repair(breakage(), now=NOW)
    report = rule.read_report()
    assert report.groups == ()
    care = next(each for each in report.attributes if each.name == "care")
    assert care.hits == 0
    assert care.checked == report.pages
    shown = rule_view.list_attributes(rule)
    assert all(values for row in shown if row.attribute.name == "title" for _, values in row.seen)
    assert {page.pk for page, _ in shown[0].seen} <= set(designs.find_repaired_pages(rule))


@pytest.mark.parametrize("gone", [True, False])
def test_a_page_that_could_not_be_fetched_since_the_redesign_keeps_its_last_record(gone: bool, sent: list[int]) -> None:
    lamps = Lamps()
    lamps.rebuild()
    rule = breakages.accept_repair(breakage(), now=NOW)
    if gone:
        Page.objects.filter(url="https://lamps.example/20").update(gone_at=NOW)
    lamps.renew(missing=[20])
    found = Record.objects.now().get(snapshot__page__url="https://lamps.example/20")
    assert (found.state, len(found.values)) == (Record.State.COMPLETE, 4)
    assert Record.objects.now().count() == PAGES
    lamps.extract()
    found.refresh_from_db()
    assert len(found.values) == 4, "each further run leaves it, too"
    Page.objects.update(gone_at=None)
    lamps.renew()
    found = Record.objects.now().get(snapshot__page__url="https://lamps.example/20")
    assert (found.state, found.rule) == (Record.State.COMPLETE, rule)


def test_a_page_that_lost_its_values_after_the_repair_loses_its_record(sent: list[int]) -> None:
    """It is fetched, so the new rule says what it has."""
    lamps = Lamps()
    lamps.rebuild()
    breakages.accept_repair(breakage(), now=NOW)
    lamps.renew()
    content = b"<html><body><main><header><h2>Lamp 20</h2></header></main></body></html>"
    lamps.show(Page.objects.get(url="https://lamps.example/20"), content, at=NOW + timedelta(days=1))
    lamps.extract()
    assert list(Record.objects.now().get(snapshot__page__url="https://lamps.example/20").values) == ["title"]


def test_a_rule_that_is_offered_to_a_new_template_names_what_it_could_not_find_again(
    sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    lamps = Lamps()
    lamps.extract()
    lamps.design = 2
    new = factory.cluster(lamps.cluster.site, number=2)
    for page in Page.objects.filter(site=lamps.cluster.site):
        lamps.show(page, lamp(int(page.url.rsplit("/", 1)[1]), 2, FEW), at=NOW)
    Snapshot.objects.current().update(cluster=new)
    monkeypatch.setattr(reuse_rules, "MAX_SHARED", 6)
    seen = valued_pages.spread_pages
    monkeypatch.setattr(valued_pages, "spread_pages", lambda cluster, pages, most: list(pages[:most]))
    reuse(lamps)
    assert new.rules.get().read_report().failures == {"care": "no watched page had a value, so nothing shows where it is on the new pages"}
    new.rules.all().delete()
    monkeypatch.setattr(valued_pages, "spread_pages", seen)
    reuse(lamps)
    assert new.rules.get().read_report().failures == {}
    assert new.rules.get().read_report().relearned["care"].judged >= 3


def reuse(lamps: Lamps) -> None:
    run = reuse_rules.start_reuse(lamps.cluster.site)
    assert run is not None
    assert pipeline.execute_run(run.pk)


def test_pages_with_rare_values_are_among_those_that_an_import_is_judged_by(sent: list[int]) -> None:
    lamps = Lamps()
    lamps.extract()
    pages = list(Snapshot.objects.order_by("pk").values_list("pk", flat=True))
    chosen = valued_pages.spread_pages(lamps.cluster.pk, pages, 6)
    assert chosen[:6] == pages[::10]
    assert sum(pages.index(pk) in FEW for pk in chosen) == 5
    assert valued_pages.spread_pages(lamps.cluster.pk, [], 6) == []
