"""Of very many pages of a template, some are chosen that are spread over all of them."""

import pytest

from extraction.models import Cluster, Page, Snapshot
from extraction.services.core import spread_pages
from extraction.services.core.spread_pages import select_current
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A template that is large."""
    monkeypatch.setattr(spread_pages, "FEW_PAGES", 10)
    monkeypatch.setattr(spread_pages, "SPARE", 2)
    return factory.shop(40)


@pytest.mark.parametrize(("most", "places"), [(1, [0, 39]), (2, [0, 13, 26, 39]), (20, list(range(40)))])
def test_twice_as_many_as_wanted_are_chosen_at_even_distances(shop: Cluster, most: int, places: list[int]) -> None:
    pages = list(Page.objects.order_by("pk").values_list("pk", flat=True))
    chosen = select_current(shop, most=most).order_by("page").values_list("page", flat=True)
    assert [pages.index(pk) for pk in chosen] == places


def test_of_a_small_template_all_are_chosen(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_pages, "FEW_PAGES", 40)
    assert select_current(shop, most=1).count() == 40


def test_pages_that_are_not_in_the_template_or_not_kept_are_passed_over(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_pages, "FEW_PAGES", 0)
    first, *_, last = Page.objects.order_by("pk")
    Snapshot.objects.exclude(page__in=[first, last]).update(cluster=factory.cluster(shop.site, number=2))
    assert spread_pages._probe(shop, 8) == [first.current_id, last.current_id]
    Snapshot.objects.filter(page=last).update(kept=False)
    assert spread_pages._probe(shop, 8) == [first.current_id]
    assert spread_pages._probe(factory.cluster(shop.site, number=3), 8) == []
