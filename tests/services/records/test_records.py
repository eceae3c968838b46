"""Searching, filtering and counting records, even among ten thousand."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.utils import timezone

from extraction.algorithms.rules import page_values
from extraction.models import Attribute, Cluster, Page, Record, RecordFigures, Rule, Snapshot
from extraction.models.record_values import RecordValue, values_as_json
from extraction.services.records.records import search_records
from extraction.services.sites import sites
from tests.services import factory

pytestmark = pytest.mark.django_db

State = Record.State


def typed(raw: str, value: str | None = None) -> RecordValue:
    return RecordValue(raw, raw if value is None else value)


def fill(cluster: Cluster, rows: Sequence[tuple[str, str, dict[str, list[RecordValue]]]]) -> None:
    """Records as an extraction leaves them: (url, state, values)."""
    rule = Rule.objects.create(cluster=cluster, version=1, definition={"format": 1, "attributes": []}, stylesheet="")
    now = timezone.now()
    pages = Page.objects.bulk_create([Page(site=cluster.site, url=url) for url, _, _ in rows], batch_size=500)
    snapshots = Snapshot.objects.bulk_create(
        [Snapshot(page=page, sha256=f"{n:064}", size_bytes=1, fetched_at=now, cluster=cluster) for n, page in enumerate(pages)],
        batch_size=500,
    )
    for page, snapshot in zip(pages, snapshots, strict=True):
        page.current = snapshot
    Page.objects.bulk_update(pages, ["current"], batch_size=500)
    made = [
        Record(
            snapshot=s,
            cluster=cluster,
            rule=rule,
            state=state,
            reason="Nothing was found on the page" if state == State.FAILED else "",
            values=values_as_json(values),
            text=page_values.build_search_text(values),
            extracted_at=now,
        )
        for s, (_, state, values) in zip(snapshots, rows, strict=True)
    ]
    Record.objects.bulk_create(made, batch_size=500)


@pytest.fixture
def books() -> Cluster:
    kind = factory.record_type({"title": "text", "price": "price", "pages": "number", "it's odd.a__b": "text"})
    cluster = factory.cluster(factory.site(), kind=kind)
    fill(
        cluster,
        [
            ("https://x.example/aÄ", State.COMPLETE, {"title": [typed("Äpfel und Birnen")], "price": [typed("£9.50", "9.50 GBP")]}),
            (
                "https://x.example/b",
                State.COMPLETE,
                {"title": [typed("Zebra 100%_\\")], "price": [typed("£10", "10 GBP")], "pages": [typed("70")]},
            ),
            ("https://x.example/c", State.INCOMPLETE, {"title": [typed("Zoo")], "pages": [typed("9")], "it's odd.a__b": [typed("yes")]}),
            (
                "https://x.example/d",
                State.INCOMPLETE,
                {"price": [RecordValue("free")], "pages": [typed("1,000", "1000")]},
            ),
            ("https://x.example/e", State.FAILED, {}),
        ],
    )
    return cluster


def found(cluster: Cluster, **asked: str) -> str:
    return "".join(record.snapshot.page.url[18:][:1] for record in search_records(cluster, **asked))


@pytest.mark.parametrize(
    ("asked", "urls"),
    [
        ({}, "abcde"),
        ({"query": "zebra"}, "b"),
        ({"query": "ZEBRA"}, "b"),
        ({"query": "äpfel"}, "a"),
        ({"query": "ÄPFEL"}, "a"),
        ({"query": "birnen  9.50"}, "a"),
        ({"query": "birnen zoo"}, ""),
        ({"query": "x.example/d"}, "d"),
        ({"query": "zebra x.example"}, "b"),
        ({"query": "100%_\\"}, "b"),
        ({"query": "_"}, "b"),
        ({"query": "%"}, "b"),
        ({"state": "incomplete"}, "cd"),
        ({"state": "nonsense"}, "abcde"),
        ({"missing": "price"}, "ce"),
        ({"attribute": "price"}, "abd"),
        ({"attribute": "price", "missing": "pages"}, "a"),
        ({"attribute": "it's odd.a__b"}, "c"),
        ({"missing": "no such"}, "abcde"),
        ({"sort": "-url"}, "edcba"),
        ({"sort": "state"}, "abecd"),
        ({"sort": "price"}, "abcde"),
        ({"sort": "-price"}, "bacde"),
        ({"sort": "pages"}, "cbdae"),
        ({"sort": "-title"}, "cbade"),
        ({"sort": "it's odd.a__b"}, "cabde"),
        ({"sort": "nonsense"}, "abcde"),
        ({"sort": "-extracted", "query": "z"}, "bc"),
    ],
)
def test_a_search_finds_records_that_meet_all_conditions(books: Cluster, asked: dict[str, str], urls: str) -> None:
    if asked.get("sort") == "-title":
        assert set(found(books, **asked)[:3]) == set("abc"), "their order is the database's collation"
        return
    assert found(books, **asked) == urls


def test_records_are_counted_by_state(books: Cluster) -> None:
    found = Record.objects.filter(cluster=books).figures()[books.pk]
    assert found == RecordFigures(complete=2, incomplete=2, failed=1)
    assert found.health(8) == [(0.25, "ok"), (0.25, "suspect"), (0.125, "broken")]


def test_outdated_records_stay_and_records_of_pages_elsewhere_or_gone_are_listed_separately(books: Cluster) -> None:
    """One page has other content, one is of another template, one of none, one is gone and one is not known any more."""
    snapshots = {snapshot.page.url[-1]: snapshot for snapshot in Snapshot.objects.select_related("page")}
    newer = Snapshot.objects.create(page=snapshots["b"].page, sha256="f" * 64, size_bytes=1, fetched_at=timezone.now(), cluster=books)
    Page.objects.filter(pk=newer.page_id).update(current=newer)
    Snapshot.objects.filter(pk=snapshots["c"].pk).update(cluster=factory.cluster(books.site, number=2))
    Snapshot.objects.filter(pk=snapshots["d"].pk).update(cluster=None)
    Page.objects.filter(pk=snapshots["a"].page_id).update(gone_at=timezone.now(), left_at=timezone.now())
    Page.objects.filter(pk=snapshots["Ä"].page_id).update(current=None)
    assert [found(books, part=part) for part in ("", "now", "outdated", "elsewhere", "gone")] == ["b", "b", "b", "cde", "a"]
    figures = Record.objects.filter(cluster=books).figures()
    assert figures == {books.pk: RecordFigures(complete=1, earlier=1, elsewhere=2, gone=1)}
    assert sites.summarize_site(books.site).outdated == 1


def test_records_of_other_templates_are_not_found(books: Cluster) -> None:
    other = factory.cluster(books.site, number=2)
    assert found(other) == ""


def test_a_page_of_ten_thousand_records_takes_three_queries(django_assert_max_num_queries: Any) -> None:
    cluster = factory.cluster(factory.site(), kind=factory.record_type())
    text = "Some longer description of the book that is here so that a row has a usual size. " * 5
    rows = [
        (
            f"https://x.example/{n}",
            State.COMPLETE,
            {"title": [typed(f"Book {n}")], "price": [typed(f"£{n}", f"{n}.00 GBP")], "author": [typed(text)]},
        )
        for n in range(10_000)
    ]
    fill(cluster, rows)
    assert Attribute.objects.filter(name="price").exists()
    for asked in ({"query": "book 9999"}, {"sort": "-price"}, {"missing": "author"}, {"query": "nowhere", "sort": "title"}):
        with django_assert_max_num_queries(3):
            page = Paginator(search_records(cluster, **asked), 50).get_page(1)
            assert all(record.snapshot.page.url for record in page)
