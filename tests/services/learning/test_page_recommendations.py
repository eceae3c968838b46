"""Which page of a template to annotate next, and when no further page is needed."""

from collections.abc import Iterator

import pytest

from extraction.algorithms.learning.page_selection import PageScore
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_pages
from extraction.services.learning import page_recommendations, workspaces
from extraction.services.learning.workspaces import open_workspace
from tests.services import factory, lists

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield
    workspaces.forget_workspaces()


def offer_html(price: str, *, label: str = "Price", style: str = "cost") -> bytes:
    return (
        f"<html><head><title>Offers</title></head><body><h1>Offer of {price}</h1>"
        f"<p><b>{label}:</b> <span class={style}>{price}</span></p><p><b>Sold:</b> <span class=n>many</span></p></body></html>"
    ).encode()


def offers(count: int, *, odd: dict[int, dict[str, str]], samples: int = 3) -> Cluster:
    """Pages with one price; those in `odd` have another label or class, so that rules by label and by class differ there."""
    site = factory.site("Offers")
    group = factory.cluster(site, kind=factory.record_type({"price": "price"}, mandatory=(), multiple=()))
    pages = [
        factory.snapshot(site, f"https://o.example/{n}", offer_html(f"£{n}.10", **odd.get(n, {})), cluster=group) for n in range(count)
    ]
    factory.samples(group, pages[:samples])
    return group


def ids(cluster: Cluster) -> list[int]:
    return list(Snapshot.objects.filter(cluster=cluster).order_by("pk").values_list("pk", flat=True))


def advised(cluster: Cluster, samples: list[int]) -> page_recommendations.Recommendations:
    open_workspace(cluster).fill(None)
    found = page_recommendations.recommend_pages(cluster, samples, budget_s=0)
    while not found.complete:
        found = page_recommendations.recommend_pages(cluster, samples, budget_s=0)
    return found


def test_the_page_on_which_rules_differ_is_offered_first_and_says_so() -> None:
    group = offers(8, odd={2: {"style": "sale"}})
    factory.mark(group, 0, price=["£0.10"])
    found = advised(group, ids(group)[:3])
    assert found.offers[0].snapshot_id == ids(group)[2]
    assert found.offers[0].reason == "the rules that fit so far disagree here on price"
    assert {(), ("£2.10",)} <= set(found.offers[0].disagreements[0].votes)
    assert not found.settled and found.disputed >= 1


def test_once_the_offered_page_is_annotated_no_further_page_is_needed() -> None:
    group = offers(8, odd={2: {"style": "sale"}})
    factory.mark(group, 0, price=["£0.10"])
    factory.mark(group, 2, price=["£2.10"])
    found = advised(group, ids(group)[:3])
    assert found.settled and found.disputed == 0
    assert (found.annotated, found.checked, found.total) == (2, 8, 8)
    assert ids(group)[0] not in [offer.snapshot_id for offer in found.offers]


def test_a_page_outside_the_learning_set_on_which_rules_differ_is_offered(monkeypatch) -> None:
    monkeypatch.setattr(stored_pages, "OTHERS", 2)
    group = offers(14, odd={13: {"label": "Now only"}, 12: {"style": "sale"}})
    factory.mark(group, 0, price=["£0.10"])
    space = open_workspace(group)
    space.fill(None)
    outside = set(ids(group)) - space.pages.keys()
    assert outside & set(ids(group)[12:])
    found = advised(group, ids(group)[:3])
    assert (found.checked, found.total) == (14, 14)
    offered = {offer.snapshot_id for offer in found.offers if offer.disagreements}
    assert outside & set(ids(group)[12:]) & offered
    # The values of the rule on such a page are available, although nothing is learned from it.
    price = Attribute.objects.get(name="price")
    rule = space.learn_rule(price, workspaces.read_labels(group)[price.pk])
    page = next(iter(outside & offered))
    assert set(space.read_values(rule, only=[page])) == {page}  # type: ignore[arg-type]


def test_without_marks_the_samples_keep_their_order_and_the_advice_is_incomplete() -> None:
    group = offers(5, odd={})
    found = advised(group, ids(group)[:3])
    assert {offer.snapshot_id for offer in found.offers} == set(ids(group)[:3])
    assert not found.settled and found.annotated == 0


def test_an_attribute_without_a_mark_keeps_the_advice_incomplete() -> None:
    group = factory.shop(6)
    for number in range(2):
        factory.mark(group, number, title=[f"Book {number}"], price=[f"£{number}.50"])
    assert not advised(group, ids(group)[:3]).settled


def test_a_page_without_a_value_is_offered_until_one_is_marked_as_absent() -> None:
    group = factory.shop(6)
    for number in (0, 1):
        factory.mark(group, number, title=[f"Book {number}"], price=[f"£{number}.50"])
    samples = ids(group)
    found = advised(group, samples)
    lacking = next(offer for offer in found.offers if offer.snapshot_id == samples[4])
    assert lacking.reason in ("the rule finds no price here", "the rules that fit so far disagree here on price")
    factory.mark(group, 4, title=["Book 4"], price=None)
    later = [offer.reason for offer in advised(group, samples).offers]
    assert "the rule finds no price here" not in later


@pytest.mark.parametrize(("names", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b and 2 more")])
def test_reasons_name_few_attributes(names, words) -> None:
    advice = PageScore(0, 1.0, missing=tuple(names))
    assert page_recommendations.explain_score(advice) == f"the rule finds no {words} here"


def test_a_list_that_cannot_be_learned_yet_keeps_the_advice_incomplete_and_says_why() -> None:
    shops = lists.shops()
    lists.mark(shops, 0, (0,))
    found = advised(shops, ids(shops)[:3])
    assert not found.settled and len(found.unlearned) == 1
    assert "offers" in found.unlearned[0] and "second row" in found.unlearned[0]
    lists.mark(shops, 0, (0, 1, 3))
    found = advised(shops, ids(shops)[:3])
    assert (found.settled, found.unlearned) == (True, ())


def test_a_list_without_marks_keeps_the_advice_incomplete() -> None:
    shops = lists.shops()
    lists.mark(shops, 0, ())
    assert not advised(shops, ids(shops)[:3]).settled


def test_asking_repeatedly_leads_to_complete_advice() -> None:
    group = offers(40, odd={})
    factory.mark(group, 0, price=["£0.10"])
    workspaces.forget_workspaces()
    answers = []
    for _ in range(40):  # nothing else fills the workspace
        answers.append(page_recommendations.recommend_pages(group, ids(group), budget_s=0.001))
        if answers[-1].complete:
            break
    assert answers[-1].complete
    assert answers[-1].checked == 40


def test_the_marked_pages_are_not_enough_while_values_of_one_language_are_in_doubt() -> None:
    site = factory.site("Offers")
    group = factory.cluster(site, kind=factory.record_type({"name": "text"}, mandatory=(), multiple=()))
    for n in range(12):
        name = f"Lamp {'abcdefghijkl'[n] * 5}" if n < 6 else "Produkt"
        content = f"<html lang={'en' if n < 6 else 'de'}><title>Offers</title><body><h1>{name}</h1><p>Page {n}</p></body></html>"
        factory.snapshot(site, f"https://o.example/{n}", content.encode(), cluster=group)
    factory.mark(group, 0, name=["Lamp aaaaa"])
    factory.mark(group, 1, name=["Lamp bbbbb"])
    found = advised(group, ids(group)[:2])
    (doubt,) = found.doubts
    assert (doubt.attribute, doubt.snapshot_id, found.settled) == ("name", ids(group)[6], False)
    assert doubt.words == "“Produkt” on all 6 pages in the language de, while other pages differ"
    assert found.offers[0].snapshot_id == doubt.snapshot_id
    factory.mark(group, 6, name=["Produkt"])
    assert advised(group, ids(group)[:2]).settled
