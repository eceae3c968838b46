"""A record keeps its time line when its page moves to another template of its record type."""

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.models import Cluster, Page, RecordChange, Run, Snapshot, TrackedRecord
from extraction.services.records import extract_records
from tests.services import factory
from tests.services.records.bookshop import Bookshop, open_shop, publish

pytestmark = pytest.mark.django_db

Kind = RecordChange.Kind


def run(of: Run) -> None:
    assert pipeline.execute_run(of.pk)
    of.refresh_from_db()
    assert (of.state, of.error) == (Run.State.DONE, "")


def add_template(shop: Bookshop) -> Cluster:
    other = factory.cluster(shop.cluster.site, number=2, kind=shop.kind)
    publish(Bookshop(shop.random, other))
    return other


def kinds(isbn: str) -> list[str]:
    thing = TrackedRecord.objects.get(text__contains=isbn) if TrackedRecord.objects.filter(text__contains=isbn) else None
    return list((thing or TrackedRecord.objects.get(values__isbn__0__raw=isbn)).changes.order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize("key", [("isbn",), ()])
@pytest.mark.parametrize(("changes", "told"), [(False, [Kind.ADDED]), (True, [Kind.ADDED, Kind.CHANGED])])
def test_a_page_that_moves_is_unchanged_or_changed_but_neither_gone_nor_new(
    key: tuple[str, ...], changes: bool, told: list[str], sent: list[int]
) -> None:
    shop = open_shop(3, count=4, key=key)
    shop.visit()
    run(extract_records.start_site_extraction(shop.cluster.site))
    other = add_template(shop)
    moved, stays = list(shop.books.values())[:2]
    if changes:
        moved.pence += 100
        shop.visit()
    Snapshot.objects.filter(page__url=moved.addresses[0]).update(cluster=other)
    for _ in range(3):
        run(extract_records.start_site_extraction(shop.cluster.site))
    assert TrackedRecord.objects.count() == 4
    assert TrackedRecord.objects.get(page__url=moved.addresses[0]).cluster == other
    assert (kinds(moved.isbn), kinds(stays.isbn)) == (told, [Kind.ADDED])
    assert not RecordChange.objects.exclude(cluster=other).filter(record__cluster=other).exists(), "its changes go with it"


def test_a_record_that_its_old_template_has_dropped_is_back(sent: list[int]) -> None:
    shop = open_shop(3, count=3)
    shop.visit()
    run(extract_records.start_extraction(shop.cluster))
    other = add_template(shop)
    moved = next(iter(shop.books.values()))
    Snapshot.objects.filter(page__url=moved.addresses[0]).update(cluster=other)
    for _ in range(2):
        run(extract_records.start_extraction(shop.cluster))
    run(extract_records.start_extraction(other))
    assert kinds(moved.isbn) == [Kind.ADDED, Kind.GONE, Kind.BACK]


def test_a_key_is_followed_to_a_new_address_in_another_template(sent: list[int]) -> None:
    shop = open_shop(3, count=3)
    shop.visit()
    run(extract_records.start_extraction(shop.cluster))
    other = add_template(shop)
    moved = next(iter(shop.books.values()))
    old, moved.addresses[0] = moved.addresses[0], shop.new_address()
    shop.visit()
    Snapshot.objects.filter(page__url=moved.addresses[0]).update(cluster=other)
    run(extract_records.start_site_extraction(shop.cluster.site))
    thing = TrackedRecord.objects.get(key=[moved.isbn])
    assert (thing.cluster, thing.page and thing.page.url, kinds(moved.isbn)) == (other, moved.addresses[0], [Kind.ADDED, Kind.MOVED])
    assert Page.objects.get(url=old).gone_at


def test_the_same_key_in_two_templates_at_once_stays_in_both(sent: list[int]) -> None:
    """The page of the old template still shows it, so nothing has moved."""
    shop = open_shop(3, count=2)
    shop.visit()
    run(extract_records.start_extraction(shop.cluster))
    other = add_template(shop)
    book = next(iter(shop.books.values()))
    factory.snapshot(other.site, "https://shop.example/other", shop.html(book), cluster=other)
    for _ in range(3):
        run(extract_records.start_site_extraction(shop.cluster.site))
    states = TrackedRecord.objects.filter(key=[book.isbn]).values_list("cluster", "state")
    assert set(states) == {(shop.cluster.pk, "present"), (other.pk, "present")}


def test_a_thing_that_both_templates_know_goes_on_as_one(sent: list[int]) -> None:
    shop = open_shop(3, count=2)
    shop.visit()
    run(extract_records.start_extraction(shop.cluster))
    other = add_template(shop)
    book = next(iter(shop.books.values()))
    mine = TrackedRecord.objects.get(key=[book.isbn])
    known = TrackedRecord.objects.get(pk=mine.pk)
    known.pk, known.cluster, known.state, known.page = None, other, "gone", None
    known.first_seen_at = timezone.now()
    known.save()
    Snapshot.objects.filter(page__url=book.addresses[0]).update(cluster=other)
    run(extract_records.start_site_extraction(shop.cluster.site))
    found = {each.pk: (each.cluster_id, each.state) for each in TrackedRecord.objects.filter(key=[book.isbn])}
    assert found == {mine.pk: (other.pk, "present"), known.pk: (other.pk, "joined")}
