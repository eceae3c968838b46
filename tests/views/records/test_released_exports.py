"""Downloads of released records only, while a run is held back."""

import csv
from typing import Any

import pytest
from django.urls import reverse

from tests.services.quality.shop_rules import add_rule, extract
from tests.services.records.bookshop import Bookshop, open_shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Bookshop:
    """A shop whose last run is held back, because a book costs 9900 pounds."""
    shop = open_shop(7, count=4)
    add_rule(shop, "range", "price", low="1", high="60", currency="GBP")
    shop.visit()
    assert extract(shop).state == "released"
    next(iter(shop.books.values())).pence = 990_000
    shop.visit()
    assert extract(shop).state == "held"
    return shop


def address(shop: Bookshop, name: str) -> str:
    return reverse(name, args=[shop.cluster.site.slug, shop.cluster.number])


def read_prices(answer: Any) -> list[str]:
    text = b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()
    return [row["price"] for row in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("of_type", [False, True])
def test_a_person_chooses_whether_a_file_has_records_that_are_held_back(signed_in: Any, shop: Bookshop, of_type: bool) -> None:
    client = signed_in("viewer")
    download = reverse("record_type_export", args=[shop.kind.slug]) if of_type else address(shop, "records_export")
    with_held = read_prices(client.get(download))
    released = read_prices(client.get(download, {"released": "1", "about": ["run", "fetched_at"]}))
    assert len(with_held) == len(released) == 4
    assert "9900.00 GBP" in with_held
    assert "9900.00 GBP" not in released
    assert sorted(set(with_held) - {"9900.00 GBP"}) == sorted(set(released) & set(with_held))


def test_the_dialog_offers_the_choice_and_says_why(signed_in: Any, shop: Bookshop) -> None:
    client = signed_in("viewer")
    for page in (address(shop, "records"), reverse("record_type_records", args=[shop.kind.slug])):
        shown = client.get(page).content.decode()
        assert 'name="released" value="1"' in shown
        assert "is held back, so its records are not delivered" in shown
    figures = client.get(address(shop, "records_export_figures"), {"released": "1", "q": "x"}).content.decode()
    assert "Only released records" in figures
    assert "The filter does not apply" in figures


def test_no_choice_is_offered_while_everything_is_released(signed_in: Any, sent: list[int]) -> None:
    shop = open_shop(7, count=2)
    shop.visit()
    extract(shop)
    assert 'name="released"' not in signed_in("viewer").get(address(shop, "records")).content.decode()


def test_rows_of_a_list_without_a_key_cannot_be_had_as_released(signed_in: Any, shop: Bookshop) -> None:
    offers = shop.kind.lists.create(name="offers")
    shop.kind.attributes.create(name="shop", list=offers, position=9)
    answer = signed_in("viewer").get(address(shop, "records_export"), {"released": "1", "list": "offers"})
    assert answer.status_code == 400
    assert "The rows of offers have no key" in answer.content.decode()
