"""The screens of joins: set up with a preview, the table, one record, and downloads."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from extraction.models import Join, JoinedRecord, Record, Run
from extraction.services.corrections.applying import RuleValues
from extraction.services.corrections.storing import CorrectionInput
from extraction.services.records import correcting
from tests.services.joins.shop import HOST, Shop, finish
from tests.services.records.exports.readers import read_csv

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Shop:
    shop = Shop()
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Jam 2", "£2", "/book/2"), ("Ale <9>", "£9", "/book/9")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2.50", text="Sweet & red")
    shop.show_book("book/3", "Pie 3", "£3")
    shop.extract()
    return shop


def settings(shop: Shop, **changes: str) -> dict[str, str]:
    listing = shop.listing()
    return {"detail": str(shop.books.pk), "list-0": f"{listing.cluster}:{listing.list}", "link-0": str(listing.link)} | changes


def test_a_join_is_proposed_set_up_with_a_preview_and_stored(shop: Shop, signed_in: Any) -> None:
    client = signed_in("editor")
    shown = client.get(reverse("join_proposals", args=["shop"]), headers={"HX-Request": "true"}).content.decode()
    assert "2 of 3 rows find a page" in " ".join(shown.split())
    fields = client.get(reverse("join_fields", args=["shop"]), settings(shop), headers={"HX-Request": "true"}).content.decode()
    assert "No page is stored under https://shop.example/book/9" in fields
    assert "listing: 2 GBP" in fields  # the price of the page counts; the other one is shown
    assert not Join.objects.exists()
    price = shop.attribute(shop.books, "price")
    answer = client.post(reverse("join_new", args=["shop"]), settings(shop, **{f"side-{price.pk}": "listing"}))
    join = Join.objects.get()
    assert answer.headers["Location"] == reverse("joined_records", args=["shop", join.pk])
    assert (join.name, list(join.turned.all())) == ("books with Template 2", [price])
    assert "A worker makes them" in client.get(answer.headers["Location"]).content.decode()
    finish(Run.objects.get(kind=Run.Kind.JOIN))
    table = client.get(answer.headers["Location"], {"of": "conflicts"}).content.decode()
    assert "page: 2.50 GBP" in table
    assert "Pie 3" not in table


def test_settings_that_cannot_be_joined_are_refused_with_the_reason(shop: Shop, signed_in: Any) -> None:
    answer = signed_in("editor").post(reverse("join_new", args=["shop"]), settings(shop, **{"by-0": "key", "row-0-0": "x"}))
    assert answer.status_code == 400
    assert "Choose the attributes by whose values a row of books finds its page." in answer.content.decode()
    assert not Join.objects.exists()


def test_settings_of_another_site_are_not_taken(shop: Shop, signed_in: Any, world: Any) -> None:
    answer = signed_in("editor").post(reverse("join_new", args=["shop"]), settings(shop, detail=str(world.cluster.pk)))
    assert answer.status_code == 400


def test_one_joined_record_shows_both_sides_and_its_sources(shop: Shop, signed_in: Any) -> None:
    join = shop.join()
    joined, alone = (JoinedRecord.objects.get(join=join, values__title__0__raw=title) for title in ("Jam 2", "Ale <9>"))
    client = signed_in("viewer")
    shown = " ".join(client.get(joined.get_absolute_url()).content.decode().split())
    assert "The sides differ in price" in shown
    assert "row 2 of books" in shown
    assert "The changes of the rows of books are not tracked" in shown
    assert "Ale &lt;9&gt;" in client.get(alone.get_absolute_url()).content.decode()


def test_joined_records_are_exported_with_both_sides_and_what_has_no_partner(shop: Shop, signed_in: Any, tmp_path: Any) -> None:
    join, client = shop.join(), signed_in("viewer")
    address = reverse("joined_export", args=["shop", join.pk])
    (tmp_path / "joined.csv").write_bytes(b"".join(client.get(address).streaming_content))
    found = read_csv(tmp_path / "joined.csv")
    assert found["join_state"] == ["joined", "joined", "row without a page", "page without a row"]
    assert found["price"] == ["1 GBP", "2.50 GBP", "9 GBP", "3 GBP"]
    assert found["price_listing"] == ["1 GBP", "2 GBP", "9 GBP", ""]
    assert found["join_conflicts"] == ["", "price", "", ""]
    assert found["listing_url"] == ["https://shop.example/category/1"] * 3 + [""]
    assert found["source_url"] == [*(f"https://shop.example/book/{n}" for n in (1, 2)), "", "https://shop.example/book/3"]
    lines = b"".join(client.get(address, {"format": "jsonl", "of": "conflicts"}).streaming_content).decode().splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["Sweet & red"]
    assert client.get(address, {"format": "parquet"}).status_code == 200
    figures = client.get(reverse("joined_export_figures", args=["shop", join.pk])).content.decode()
    assert "4 lines" in figures or ">4<" in figures, figures


def test_a_join_that_needs_a_choice_says_so_and_leads_to_its_settings(shop: Shop, signed_in: Any) -> None:
    join = shop.join()
    shop.attribute(shop.categories, "link").delete()
    client = signed_in("editor")
    for name in ("site_joins", "joined_records"):
        address = reverse(name, args=["shop"] if name == "site_joins" else ["shop", join.pk])
        assert "The link attribute of books was removed" in client.get(address).content.decode()
    answer = client.post(reverse("join_make", args=["shop", join.pk]))
    assert answer.headers["Location"] == reverse("join_edit", args=["shop", join.pk])
    assert client.post(reverse("join_delete", args=["shop", join.pk])).status_code == 302
    assert not JoinedRecord.objects.exists()


def correct(address: str, name: str, *texts: str, row: int | None = None) -> None:
    """Correct a value of a page's record, or reject it."""
    ann = User.objects.filter(username="ann").first() or User.objects.create_user("ann")
    record = Record.objects.standing().get(snapshot__page__url=address)
    place = (name, "books" if row is not None else "", row)
    correcting.correct_value(record, CorrectionInput(place, texts, RuleValues(record).page_texts(place)), ann)


def test_a_joined_record_says_what_a_person_corrected_or_rejected_on_either_side(shop: Shop, signed_in: Any) -> None:
    correct(f"{HOST}/book/1", "text")
    correct(f"{HOST}/category/1", "title", "Green tea", row=0)
    correct(f"{HOST}/category/1", "isbn", row=1)
    join = shop.join()
    table = signed_in("viewer").get(reverse("joined_records", args=["shop", join.pk])).content.decode()
    assert table.count("✎") == 3
    assert table.count("✎ rejected") == 2
    assert 'title="Rejected by ann; on the page: Long"' in table
    assert 'title="Corrected by ann; on the page: Tea 1"' in table
    tea = JoinedRecord.objects.get(page__url=f"{HOST}/book/1")
    jam = JoinedRecord.objects.get(page__url=f"{HOST}/book/2")
    assert "Rejected by ann; on the page: 2" in signed_in("viewer").get(jam.get_absolute_url()).content.decode()
    assert "on the page: 2" not in signed_in("viewer").get(tea.get_absolute_url()).content.decode()
