"""Lists under watch: rows come and go, and that is news; a list that the rule no longer finds is broken."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import pytest

from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from extraction.algorithms.rules.rule import Rule as RuleValue
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Breakage, Check, Cluster, Rule
from extraction.services import check_site, rules
from extraction.services.visits import Answer
from tests.extraction import lists

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
    rules.publish(rules.add_draft(found, RuleValue((SHOP,), (OFFERS,)), report={}, origin=Rule.Origin.LEARNED))
    return found


def check(cluster: Cluster, change: Change) -> Check:
    def fetch(urls: Sequence[str]) -> Mapping[str, Answer]:
        pages = {url: int(url.rsplit("/", 1)[1]) for url in urls}
        return {url: Answer(Outcome.OK, change(page, lists.html(page).decode()).encode(), "text/html") for url, page in pages.items()}

    check_site.check(cluster.site, fetch=fetch, now=lambda: NOW)
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
    """An offer has left the list and stands beside it among those that were popular."""
    return html.replace(f"<b>Tea {page}-0</b>", f"<b>Cake {page}</b>").replace(
        "<p>Foot", f"<div class=popular><a>Tea {page}-0</a></div><p>Foot"
    )


@pytest.mark.parametrize("change", [others, none, beside])
def test_rows_that_come_and_go_are_no_break(cluster: Cluster, change: Change) -> None:
    found = check(cluster, change)
    assert (found.verdict, found.broken) == ("ok", [])


def test_lists_that_are_all_empty_at_once_are_a_break(cluster: Cluster) -> None:
    """Each had rows every day, so that this is no chance, whether or not the old ones still stand somewhere."""
    found = check(cluster, empty)
    assert (found.verdict, sorted(found.broken)) == ("null", ["price", "thing"])


def test_a_list_that_the_rule_no_longer_finds_is_broken_and_waits_for_a_person(cluster: Cluster) -> None:
    found = check(cluster, lambda page, html: html.replace('class="offer"', 'class="deal"'))
    assert (found.verdict, sorted(found.broken)) == ("null", ["price", "thing"])
    breakage = Breakage.objects.get()
    assert breakage.proposal is None
    assert breakage.note == "thing: it is of a list; mark its values in two rows; price: it is of a list; mark its values in two rows"


def test_rows_that_have_become_rows_of_something_else_are_broken(cluster: Cluster) -> None:
    found = check(cluster, lambda page, html: html.replace('class="offer"', 'class="deal"').replace('class="ad"', 'class="offer"'))
    assert "thing" in found.broken


def test_a_break_of_the_page_and_the_list_is_repaired_for_the_page_and_not_said_to_be_whole(cluster: Cluster) -> None:
    check(cluster, lambda page, html: html.replace("h1>", "h2>").replace('class="offer"', 'class="deal"'))
    proposal = Breakage.objects.get().proposal
    assert proposal is not None
    assert proposal.state == Rule.State.DRAFT
    assert [each["name"] for each in proposal.report["failed"]] == ["thing", "price"]
