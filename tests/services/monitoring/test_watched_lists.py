"""Watched lists: added and removed rows are ordinary changes, and a list that the rule no longer finds is broken."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import pytest

from extraction import pipeline
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Breakage, Check, Cluster, Rule, Run
from extraction.models.rule_report import RuleReport
from extraction.services.monitoring import check_site
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.rules import rules
from extraction.views.monitoring import breakage_view
from extraction.views.rules import rule_history, rule_view
from tests.services import factory, lists

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

OFFERS = ListRule(
    "offers",
    (Selector("//li[@class='offer']"),),
    (
        AttributeRule("thing", mandatory=True, alternatives=(Selector("./b/text()"),)),
        AttributeRule("price", "price", alternatives=(Selector("./i/text()"),)),
    ),
)
SHOP = AttributeRule("shop", mandatory=True, alternatives=(Selector("//h1/text()"),))

Change = Callable[[int, str], str]


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    found = lists.shops()
    rules.publish_rule(rules.add_draft(found, RuleDefinition((SHOP,), (OFFERS,)), report=RuleReport(), origin=Rule.Origin.LEARNED))
    return found


def check(cluster: Cluster, change: Change) -> Check:
    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        pages = {url: int(url.rsplit("/", 1)[1]) for url in urls}
        return {url: PageAnswer(Outcome.OK, change(page, lists.html(page).decode()).encode(), "text/html") for url, page in pages.items()}

    check_site.check_site(cluster.site, fetch=fetch, now=lambda: NOW)
    return Check.objects.filter(cluster=cluster).order_by("-pk")[0]


def others(page: int, html: str) -> str:
    """Two offers have gone, another has come and a third has another price."""
    return html.replace(f"Tea {page}-0", f"Cake {page}").replace(f"Tea {page}-1", f"Pie {page}").replace("£1.", "£17.")


def none(page: int, html: str) -> str:
    """Nothing is on offer today in every second shop."""
    return html if page % 2 else empty(page, html)


def empty(page: int, html: str) -> str:
    before, _, rest = html.partition("<ul class=offers>")
    return before + "<ul class=offers></ul>" + rest.partition("</ul>")[2]


def beside(page: int, html: str) -> str:
    """An offer has moved from the list to the box of popular offers beside it."""
    return html.replace(f"<b>Tea {page}-0</b>", f"<b>Cake {page}</b>").replace(
        "<p>Foot", f"<div class=popular><a>Tea {page}-0</a></div><p>Foot"
    )


@pytest.mark.parametrize("change", [others, none, beside])
def test_added_and_removed_rows_are_not_a_break(cluster: Cluster, change: Change) -> None:
    found = check(cluster, change)
    assert (found.verdict, found.broken) == ("ok", [])


def test_lists_that_are_all_empty_at_once_are_a_break(cluster: Cluster) -> None:
    """Each list had rows every day, so this is not by chance, wherever the old rows are now."""
    found = check(cluster, empty)
    assert (found.verdict, sorted(found.broken)) == ("null", ["price", "thing"])


def renamed(page: int, html: str) -> str:
    return html.replace('class="offer"', 'class="deal"')


def rows_on(rule: Rule, html: str) -> list[tuple[str, str]]:
    given = extract_values(Stylesheet.compile(rule.stylesheet), parse(html.encode()).root)
    return [("".join(row.get("thing", ())), "".join(row.get("price", ()))) for row in given.rows["offers"]]


def as_table(page: int, html: str) -> str:
    rows = "".join(f"<tr><td>{price}</td><td><a>{name}</a></td></tr>" for name, price in lists.offers(page))
    before, _, rest = html.partition("<ul class=offers>")
    return f"{before}<table><tr><th>Price</th><th>Tea</th></tr>{rows}</table>{rest.partition('</ul>')[2]}"


def swapped(page: int, html: str) -> str:
    rows = "".join(f'<li class="offer"><i>{name}</i><b>{price}</b></li>' for name, price in lists.offers(page))
    before, _, rest = html.partition("<ul class=offers>")
    return f"{before}<ul class=offers>{rows}</ul>{rest.partition('</ul>')[2]}"


def adverts(page: int, html: str) -> str:
    """The former class of offers is now that of adverts."""
    return renamed(page, html).replace('class="ad"', 'class="offer"')


@pytest.mark.parametrize("change", [renamed, as_table, swapped, adverts])
def test_a_list_that_the_rule_no_longer_finds_is_relearned_and_waits_for_a_person(cluster: Cluster, change: Change) -> None:
    found = check(cluster, change)
    assert found.verdict in ("null", "incorrect")
    breakage = Breakage.objects.get()
    proposal = breakage.proposal
    assert proposal is not None, breakage.note
    assert (proposal.state, breakage.state) == (Rule.State.VALIDATED, Breakage.State.OPEN)
    for page in (0, 5, 11):
        assert rows_on(proposal, change(page, lists.html(page).decode())) == lists.offers(page)
    assert {each.attribute.name for each in breakage_view.show_effects(breakage) if each.relearned} == set(breakage.attributes)


def test_rows_of_another_list_are_not_learned_in_place_of_lost_rows(cluster: Cluster) -> None:
    """Half of the offers are mentioned beside the list, which has become one of the shop's opening hours."""

    def hours(page: int, html: str) -> str:
        popular = "".join(f"<li><b>{name}</b></li>" for name, _ in lists.offers(page))
        days = "".join(f"<li class=day><b>{day}</b><i>9 to 5</i></li>" for day in ("Monday", "Tuesday", "Friday"))
        return empty(page, html).replace("<p>Foot", f"<ul class=popular>{popular}</ul><ul class=days>{days}</ul><p>Foot")

    check(cluster, hours)
    breakage = Breakage.objects.get()
    assert breakage.proposal is None
    assert "too few of the old rows are on the new pages" in breakage.note


def test_the_review_outlines_both_columns_of_a_list_row_by_row(cluster: Cluster) -> None:
    check(cluster, renamed)
    breakage = Breakage.objects.get()
    sides = breakage_view.show_page(breakage, breakage_view.list_pages(breakage.check_found)[0])
    for marks in (sides.old_marks, sides.new_marks):
        hues = [each["hue"] for each in json.loads(marks)]
        assert len(set(hues[:2])) == 2
        assert len(hues) > 6


def test_a_list_whose_rows_now_show_something_else_is_broken(cluster: Cluster) -> None:
    found = check(cluster, lambda page, html: html.replace('class="offer"', 'class="deal"').replace('class="ad"', 'class="offer"'))
    assert "thing" in found.broken


def test_a_break_of_the_page_and_the_list_is_repaired_for_both(cluster: Cluster) -> None:
    check(cluster, lambda page, html: renamed(page, html).replace("h1>", "h2>"))
    proposal = Breakage.objects.get().proposal
    assert proposal is not None
    assert proposal.report["failed"] == []
    assert [each["name"] for each in proposal.report["lists"][0]["attributes"]] == ["thing", "price"]
    assert proposal.report["lists"][0]["filled"] == {"thing": 30, "price": 24}
    assert rule_view.list_lists(proposal)[0].rows == 30


def test_a_new_template_with_a_redesigned_list_is_offered_the_relearned_list(cluster: Cluster) -> None:
    other = factory.cluster(cluster.site, number=2)
    for page in range(6):
        content = renamed(page, lists.html(page).decode()).encode()
        factory.snapshot(cluster.site, f"https://shops.example/{page}", content, cluster=other)
    run = Run.objects.create(site=cluster.site, kind=Run.Kind.REUSE)
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.summary["relearned"] == 1
    rule = Rule.objects.get(cluster=other)
    assert rows_on(rule, renamed(9, lists.html(9).decode())) == lists.offers(9)


def test_two_versions_of_a_list_are_compared_with_the_effect_on_values(cluster: Cluster) -> None:
    check(cluster, swapped)
    breakage = Breakage.objects.get()
    assert breakage.proposal is not None
    found = {each.attribute.name: each for each in rule_history.list_differences(breakage.rule, breakage.proposal)}
    assert found["thing"].old == ("//li[@class='offer'] → ./b/text()",)
    assert found["thing"].new != found["thing"].old
    effect = rule_history.compare_versions(breakage.rule, breakage.proposal, "thing")
    assert effect.changed == 6, "on the pages that are kept, which are as they were, names and prices change places"
