"""Joined records are made of released records only."""

from typing import Any

import pytest

from extraction import pipeline
from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.models import Cluster, Join, Run, RunRelease
from extraction.services.joins import make_records, pairing
from extraction.services.joins.state import describe_state
from extraction.services.quality import edit_rules, releases
from extraction.services.quality.edit_rules import RuleDraft
from extraction.services.records import extract_records
from tests.services import factory
from tests.services.joins.shop import Shop, show

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Shop:
    """Two books in a category. The price of a book must be at most 60."""
    shop = Shop()
    assert shop.books.record_type
    price = shop.attribute(shop.books, "price")
    limits = RuleLimits(low="1", high="60", currency="GBP")
    draft = RuleDraft(kind="range", attribute=price, limits=limits, allowed_fraction=0.0, weight="block")
    edit_rules.create_rule(shop.books.record_type, draft, None)
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Jam 2", "£2", "/book/2")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2")
    shop.extract()
    return shop


def prices(join: Join) -> list[str]:
    return [values["price"] for _, _, values in show(join)]


def release_of(cluster: Cluster) -> RunRelease:
    return RunRelease.objects.select_related("cluster__site", "run").filter(cluster=cluster).latest("pk")


def price_wrongly(shop: Shop) -> RunRelease:
    """The site shows a wrong price, and the run that finds it is held back."""
    shop.show_book("book/1", "Tea 1", "£9900")
    assert shop.extract() == [], "no join follows a run that is held back"
    held = release_of(shop.books)
    assert held.state == "held"
    return held


def test_a_join_keeps_the_last_good_records_until_an_operator_releases_the_run(shop: Shop, person: Any) -> None:
    join = shop.join()
    assert prices(join) == ["£1", "£2"]
    held = price_wrongly(shop)
    shop.make(join)
    assert prices(join) == ["£1", "£2"]
    (gate,) = describe_state(join).gates
    assert (gate.release, gate.cluster) == (held, shop.books)
    assert "The joined records are from before, until an operator releases them." in " ".join(describe_state(join).warnings)

    releases.release_run(held, person("operator"))
    run = Run.objects.get(kind=Run.Kind.JOIN, state=Run.State.QUEUED)
    pipeline.execute_run(run.pk)
    assert prices(join) == ["£9900", "£2"]
    assert describe_state(join).gates == ()


def test_records_that_were_rejected_are_not_joined_and_the_next_good_run_is(shop: Shop, person: Any) -> None:
    join = shop.join()
    releases.reject_run(price_wrongly(shop), person("operator"))
    shop.make(join)
    assert prices(join) == ["£1", "£2"]
    assert "were rejected" in describe_state(join).warnings[0]
    shop.show_book("book/1", "Tea 1", "£3")
    assert len(shop.extract()) == 1
    assert prices(join) == ["£3", "£2"]


def test_a_join_that_was_never_made_waits_for_the_release(shop: Shop) -> None:
    price_wrongly(shop)
    join = shop.join()
    assert (show(join), join.made_at) == ([], None)
    assert make_records.start_joins([join]) == []


def test_an_extraction_that_begins_while_records_are_joined_gives_nothing_to_the_join(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    join = shop.join()
    read = pairing.read_drafts

    def extract_first(*given: Any) -> Any:
        shop.show_book("book/1", "Tea 1", "£9900")
        run = extract_records.start_site_extraction(shop.site)
        pipeline.execute_run(run.pk)
        return read(*given)

    monkeypatch.setattr(pairing, "read_drafts", extract_first)
    shop.make(join)
    assert release_of(shop.books).state == "held"
    assert prices(join) == ["£1", "£2"]


@pytest.mark.parametrize(("state", "said"), [("failed", "failed"), ("cancelled", "was cancelled"), ("running", "are being extracted")])
def test_records_of_an_extraction_that_did_not_end_are_not_joined(shop: Shop, state: str, said: str) -> None:
    join = shop.join()
    shop.show_book("book/1", "Tea 1", "£5")
    shop.extract()
    run = Run.objects.filter(kind=Run.Kind.EXTRACT).latest("pk")
    RunRelease.objects.filter(run=run).delete()
    factory.put(Run.objects.filter(pk=run.pk), Run.State(state))
    assert make_records.start_joins([join]) == []
    assert said in " ".join(describe_state(join).warnings)


def test_an_extraction_that_never_began_closes_no_gate(shop: Shop) -> None:
    join = shop.join()
    extract_records.start_site_extraction(shop.site)
    assert describe_state(join).gates == ()
