"""The screens of the history of records: what changed, one record's time line, and the choice of keys."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import RecordChange, RecordSource, Run, TrackedRecord
from extraction.views.records import history
from tests.services.records.bookshop import Bookshop, open_shop, publish
from tests.services.records.test_history import extract, thing, visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Bookshop:
    shop = open_shop(1)
    visit(shop)
    return shop


def changes(client: Any, shop: Bookshop, **asked: Any) -> str:
    answer = client.get(reverse("changes", args=[shop.cluster.site.slug, shop.cluster.number]), asked)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_the_feed_shows_what_changed_since_a_run_and_where(signed_in: Any, shop: Bookshop) -> None:
    first = Run.objects.latest("pk")
    book, other, *_ = shop.books.values()
    before = book.pence
    book.pence += 7
    visit(shop)
    text = changes(signed_in("viewer"), shop, since=first.pk)
    assert "1 change<" in text
    assert book.isbn in text
    assert other.isbn not in text
    change = RecordChange.objects.get(kind="changed")
    assert change.before and change.snapshot
    for snapshot, pence in ((change.before, before), (change.snapshot, book.pence)):
        page = f"{reverse('page', args=[shop.cluster.site.slug, snapshot.page_id])}?snapshot={snapshot.pk}&value=price.0"
        assert page.replace("&", "&amp;") in text
        assert signed_in("viewer").get(page).status_code == 200
        assert f"{pence / 100:.2f} GBP" in text
    assert "Nothing has changed since that run" in changes(signed_in("viewer"), shop, since=Run.objects.latest("pk").pk)


def test_a_search_that_finds_very_many_changes_counts_none_by_kind(signed_in: Any, shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    client, word = signed_in("viewer"), next(iter(shop.books))[:6]
    few = changes(client, shop, q=word)
    assert f"<b>{len(shop.books)}</b> new" in few
    monkeypatch.setattr(history, "MOST_FOUND", 3)
    many = changes(client, shop, q=word)
    assert "more than 3 changes" in many
    assert "<b>" not in many.split('class="facts"')[1].split("</div>")[0]
    assert "Added (" not in many and "New (" not in many
    assert f"<b>{len(shop.books)}</b> new" in changes(client, shop)  # kept counts need no counting


def test_the_feed_is_filtered_by_kind_cause_and_key(signed_in: Any, shop: Bookshop) -> None:
    client = signed_in("viewer")
    publish(shop, stock="//p[@class='old']/text()")
    next(iter(shop.books.values())).pence += 7
    visit(shop)
    assert "24 changes" in changes(client, shop)
    assert "12 changes" in changes(client, shop, kind="added")
    text = changes(client, shop, cause="rule")
    assert "11 changes" in text
    assert "the rule changed" in text
    assert "2 changes" in changes(client, shop, q=next(iter(shop.books)))
    assert "24 changes" in changes(client, shop, kind="nonsense", since="nonsense")


def test_a_record_shows_its_sources_and_what_they_disagree_about(signed_in: Any, shop: Bookshop) -> None:
    first, second, *_ = shop.books.values()
    second.isbn = first.isbn
    visit(shop)
    record = thing(first.isbn)
    text = signed_in("viewer").get(record.get_absolute_url()).content.decode()
    assert all(source.page.url in text for source in RecordSource.objects.filter(record=record))
    assert "one record on 2 pages" in text
    assert "differ" in text
    text = changes(signed_in("viewer"), shop)
    assert "The sources of 1 record disagree" in text


def test_a_record_of_another_template_is_not_found(signed_in: Any, shop: Bookshop) -> None:
    assert signed_in("viewer").get(reverse("tracked_record", args=[shop.cluster.site.slug, 1, 999_999])).status_code == 404


def test_lists_without_a_key_are_named(signed_in: Any, shop: Bookshop) -> None:
    kind = shop.cluster.record_type
    assert kind
    offers = kind.lists.create(name="offers")
    seller = kind.attributes.create(name="seller", list=offers)
    assert "rows of offers are not tracked" in changes(signed_in("viewer"), shop)
    seller.is_key = True
    seller.save()
    assert "are not tracked" not in changes(signed_in("viewer"), shop)


def test_dropped_changes_are_said(signed_in: Any, shop: Bookshop) -> None:
    RecordChange.objects.earliest("pk").delete()
    assert "Older changes are no longer kept" in changes(signed_in("viewer"), shop)
    record = TrackedRecord.objects.earliest("pk")
    assert "1 older change no longer kept" in signed_in("viewer").get(record.get_absolute_url()).content.decode()


def test_a_key_is_proposed_from_the_data_and_saved(signed_in: Any, shop: Bookshop) -> None:
    kind = shop.cluster.record_type
    assert kind
    kind.attributes.update(is_key=False)
    book = next(iter(shop.books.values()))
    book.addresses[0], book.pence = shop.new_address(), book.pence + 1  # the old page, which is gone, still has the old price
    visit(shop)
    address = reverse("record_type_keys", args=[kind.slug])
    assert "Proposed: <b>isbn</b>" in signed_in("editor").get(address).content.decode()
    isbn = kind.attributes.get(name="isbn")
    answer = signed_in("editor").post(address, {"keys": [isbn.pk], "gone_after": 3})
    assert answer.status_code == 302
    kind.refresh_from_db()
    assert (kind.gone_after, [each.name for each in kind.attributes.filter(is_key=True)]) == (3, ["isbn"])


def test_the_proposed_key_is_taken_with_one_click_whatever_is_ticked(signed_in: Any, shop: Bookshop) -> None:
    kind = shop.cluster.record_type
    assert kind
    kind.attributes.update(is_key=False)
    client, address = signed_in("editor"), reverse("record_type_keys", args=[kind.slug])
    assert 'name="use" value="pages">Use it</button>' in client.get(address).content.decode()
    title = kind.attributes.get(name="title")
    assert client.post(address, {"keys": [title.pk], "gone_after": 2, "use": "pages"}).status_code == 302
    assert [each.name for each in kind.attributes.filter(is_key=True)] == ["isbn"]
    page = client.get(address).content.decode()
    assert "This is the key." in page
    assert "Use it</button>" not in page


def test_a_key_that_different_records_share_is_saved_only_when_confirmed(signed_in: Any, shop: Bookshop) -> None:
    kind = shop.cluster.record_type
    assert kind
    address = reverse("record_type_keys", args=[kind.slug])
    title = kind.attributes.get(name="title")
    answer = signed_in("editor").post(address, {"keys": [title.pk], "gone_after": 2})
    assert answer.status_code == 400
    assert "7 of 12" in " ".join(answer.content.decode().split())
    assert not kind.attributes.filter(name="title", is_key=True).exists()
    assert signed_in("editor").post(address, {"keys": [title.pk], "gone_after": 2, "confirmed": "1"}).status_code == 302
    assert TrackedRecord.objects.filter(state="joined").count() == 7
    extract(shop)
    assert "The sources of" in changes(signed_in("viewer"), shop)


@pytest.mark.parametrize("data", [{"gone_after": 0}, {"gone_after": "x"}, {"gone_after": 2, "keys": [999_999]}])
def test_a_wrong_choice_is_refused(signed_in: Any, shop: Bookshop, data: dict[str, Any]) -> None:
    kind = shop.cluster.record_type
    assert kind
    assert signed_in("editor").post(reverse("record_type_keys", args=[kind.slug]), data).status_code == 400
    kind.refresh_from_db()
    assert kind.gone_after == 2
