"""Values that go missing little by little: each check finds the rule in order, and together they say that it is not."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Check, Cluster, Monitor, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.monitoring import check_site, drifting
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.rules import rules
from tests.services import factory

pytestmark = pytest.mark.django_db

START = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)
PAGES = 14


def answer(urls: Sequence[str], *, lost: int) -> Mapping[str, PageAnswer]:
    """The pages of the shop, of which the last ones have lost their price."""
    found = {}
    for url in urls:
        n = int(url.rpartition("/")[2])
        price = None if n >= PAGES - lost else f"£{n}.50"
        content = factory.book_html(f"Book {n}", price=price, authors=[f"Writer {n}", f"Second {n}"][: 1 + n % 2])
        found[url] = PageAnswer(Outcome.OK, content, "text/html")
    return found


@pytest.fixture
def shop() -> Cluster:
    """A shop whose pages all have a price; a rule reads it."""
    found = factory.shop(PAGES, kind=factory.record_type(mandatory=("title",)))
    optional = AttributeRule("price", "price", alternatives=(Selector("//p[@class='price']/text()"),))
    title = AttributeRule("title", mandatory=True, alternatives=(Selector("//h1/text()"),))
    rules.publish_rule(rules.add_draft(found, RuleDefinition((title, optional)), report=RuleReport(), origin=Rule.Origin.LEARNED))
    for day in range(2):
        check(found, day, lost=0)
    return found


def check(cluster: Cluster, day: int, *, lost: int) -> Check:
    now = START + timedelta(days=day)
    check_site.check_site(cluster.site, fetch=partial(answer, lost=lost), now=lambda: now)
    return Check.objects.filter(cluster=cluster).order_by("-pk")[0]


def test_a_price_that_is_lost_on_more_pages_every_day_is_told_before_a_check_finds_a_break(shop: Cluster) -> None:
    found = [check(shop, day, lost=lost) for day, lost in enumerate(range(1, 6), 2)]
    assert [each.verdict for each in found] == ["ok"] * 5
    assert [each.drifting for each in found] == [False] * 4 + [True]
    ((name, finding),) = found[-1].drifts
    assert (name, finding.usual_fraction) == ("price", 1.0)
    assert found[-1].standing == "drifting"


def test_once_a_person_accepted_it_later_checks_are_compared_with_that(shop: Cluster) -> None:
    told = [check(shop, day, lost=lost) for day, lost in enumerate((2, 3, 5), 2)][-1]
    assert told.drifting
    assert drifting.accept_check(told, now=START)
    assert not drifting.accept_check(told, now=START)
    later = [check(shop, day, lost=lost).drifting for day, lost in enumerate((5, 7, 9, 11), 5)]
    assert later == [False, False, False, True]


def test_the_first_checks_after_a_new_version_are_compared_with_nothing(shop: Cluster) -> None:
    check(shop, 2, lost=2)
    Check.objects.update(rule=factory.rule(shop, version=9, state="retired"))
    assert not check(shop, 3, lost=5).drifting


def test_that_a_site_does_not_answer_is_forgotten_when_it_answers(shop: Cluster) -> None:
    Monitor.objects.update_or_create(site=shop.site, defaults={"silence_known_at": START, "next_due_at": START})
    check_site.check_site(shop.site, fetch=lambda urls: dict.fromkeys(urls, PageAnswer(Outcome.TIMEOUT)), now=lambda: START)
    assert Monitor.objects.get().silence_known_at
    check(shop, 3, lost=0)
    assert Monitor.objects.get().silence_known_at is None
