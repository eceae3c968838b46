"""Searching, filtering and counting records, even among ten thousand."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.utils import timezone

from extraction.algorithms.rules import page_values
from extraction.models import Attribute, Cluster, Page, Record, RecordCount, RecordFigures, Rule, Snapshot
from extraction.models.record_values import RecordValue, values_as_json
from extraction.services.records.exports.scopes import find_template_scope
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


@pytest.mark.parametrize("name", ["2020", "0", "007", "Größe in %", 'say "so"', "a\\b", "$.x[0]"])
@pytest.mark.parametrize("kind", ["number", "text"])
def test_records_are_sorted_by_an_attribute_whatever_its_name_looks_like(name: str, kind: str) -> None:
    cluster = factory.cluster(factory.site(), kind=factory.record_type({"title": "text", name: kind}))
    values = {"a": "300", "b": "100", "c": "200"}
    rows = [(f"https://x.example/{url}", State.COMPLETE, {name: [typed(text)]}) for url, text in values.items()]
    fill(cluster, [*rows, ("https://x.example/d", State.INCOMPLETE, {"title": [typed("400")]})])
    assert found(cluster, sort=name) == "bcad"
    assert found(cluster, sort=f"-{name}") == "acbd"
    assert found(cluster, missing=name) == "d"


def test_records_are_counted_by_state(books: Cluster) -> None:
    found = RecordCount.objects.filter(cluster=books).figures()[books.pk]
    assert found == RecordFigures(complete=2, incomplete=2, failed=1)
    assert found.health(8) == [(0.25, "ok"), (0.25, "suspect"), (0.125, "broken")]


def test_outdated_records_stay_and_records_of_pages_elsewhere_or_gone_are_listed_separately(books: Cluster) -> None:
    """One page has other content, one is of another template, one of none, and one is not known any more."""
    snapshots = {snapshot.page.url[-1]: snapshot for snapshot in Snapshot.objects.select_related("page")}
    newer = Snapshot.objects.create(page=snapshots["b"].page, sha256="f" * 64, size_bytes=1, fetched_at=timezone.now(), cluster=books)
    Page.objects.filter(pk=newer.page_id).update(current=newer)
    Snapshot.objects.filter(pk=snapshots["c"].pk).update(cluster=factory.cluster(books.site, number=2))
    Snapshot.objects.filter(pk=snapshots["d"].pk).update(cluster=None)
    Page.objects.filter(pk=snapshots["Ä"].page_id).update(current=None)
    assert [found(books, part=part) for part in ("", "now", "outdated", "elsewhere", "gone")] == ["be", "be", "b", "acd", ""]
    figures = RecordCount.objects.filter(cluster=books).figures()
    assert figures == {books.pk: RecordFigures(complete=1, failed=1, earlier=1, elsewhere=3)}
    assert sites.summarize_site(books.site).outdated == 1


@pytest.mark.parametrize(
    ("unsorted", "in_template", "extracted", "part"),
    [
        (True, False, False, "now"),  # a refresh has fetched it and not sorted it yet
        (False, True, False, "now"),  # it is sorted, and the rule has not been run on it
        (False, False, False, "elsewhere"),  # it is sorted and fits no template
        (True, False, True, "elsewhere"),  # its new content has a record already
    ],
)
def test_a_page_with_new_content_keeps_its_record_until_that_is_sorted_and_extracted(
    books: Cluster, unsorted: bool, in_template: bool, extracted: bool, part: str
) -> None:
    old = Record.objects.get(snapshot__page__url__endswith="/b")
    home = books if in_template else None
    newer = Snapshot.objects.create(
        page=old.snapshot.page, sha256="f" * 64, size_bytes=1, fetched_at=timezone.now(), cluster=home, unsorted=unsorted
    )
    Page.objects.filter(pk=newer.page_id).update(current=newer)
    if extracted:
        Record.objects.create(snapshot=newer, cluster=books, rule=old.rule, state=State.COMPLETE, extracted_at=timezone.now())
    mine = [each for each in ("now", "outdated", "elsewhere", "gone") if Record.objects.in_part(each).filter(pk=old.pk).exists()]
    assert mine == (["now", "outdated"] if part == "now" else [part])
    figures = RecordCount.objects.filter(cluster=books).figures()[books.pk]
    assert (figures.given, figures.earlier) == ((4, 1) if part == "now" else (4, 0) if extracted else (3, 0))
    assert Record.objects.filter(snapshot__page=newer.page_id).shown().count() == (0 if part == "elsewhere" and not extracted else 1)


def test_of_several_earlier_records_of_a_page_only_the_newest_stays(books: Cluster) -> None:
    """A run that was cancelled leaves the record that it replaced."""
    old = Record.objects.get(snapshot__page__url__endswith="/b")
    page = old.snapshot.page
    second = Snapshot.objects.create(page=page, sha256="e" * 64, size_bytes=1, fetched_at=timezone.now(), cluster=books)
    newer = Record.objects.create(snapshot=second, cluster=books, rule=old.rule, state=State.COMPLETE, extracted_at=timezone.now())
    third = Snapshot.objects.create(page=page, sha256="f" * 64, size_bytes=1, fetched_at=timezone.now(), unsorted=True)
    Page.objects.filter(pk=page.pk).update(current=third)
    assert list(Record.objects.now().filter(snapshot__page=page)) == [newer]
    Snapshot.objects.filter(pk=third.pk).update(cluster=books)
    assert list(Record.objects.now().filter(snapshot__page=page)) == [newer]


def test_the_record_of_a_page_leaves_when_the_page_is_gone_for_good_and_can_be_asked_for(books: Cluster) -> None:
    page = Page.objects.filter(url__endswith="/b")
    page.update(gone_at=timezone.now())
    assert found(books) == "abcde", "one absence may be an accident"
    page.update(left_at=timezone.now())
    assert [found(books), found(books, part="gone")] == ["acde", "b"]
    figures = RecordCount.objects.filter(cluster=books).figures()[books.pk]
    assert (figures.given, figures.gone) == (3, 1)
    assert "1 record of pages that are gone" in find_template_scope(books).left_out


def test_records_of_a_retired_version_are_outdated(books: Cluster) -> None:
    Rule.objects.update(state=Rule.State.RETIRED, published_at=timezone.now())
    assert [found(books), found(books, part="outdated")] == ["abcde", "abcd"]
    scope = find_template_scope(books)
    assert "4 records outdated: made by an earlier version of the rule" in scope.notices


def test_records_of_other_templates_are_not_found(books: Cluster) -> None:
    other = factory.cluster(books.site, number=2)
    assert found(other) == ""


def test_a_page_of_three_thousand_records_takes_three_queries_and_two_for_each_word(django_assert_max_num_queries: Any) -> None:
    cluster = factory.cluster(factory.site(), kind=factory.record_type())
    text = "Some longer description of the book that is here so that a row has a usual size. " * 5
    rows = [
        (
            f"https://x.example/{n}",
            State.COMPLETE,
            {"title": [typed(f"Book {n}")], "price": [typed(f"£{n}", f"{n}.00 GBP")], "author": [typed(text)]},
        )
        for n in range(3_000)
    ]
    fill(cluster, rows)
    assert Attribute.objects.filter(name="price").exists()
    for asked in ({"query": "book 2999"}, {"sort": "-price"}, {"missing": "author"}, {"query": "nowhere", "sort": "title"}):
        with django_assert_max_num_queries(3 + 2 * len(asked.get("query", "").split())):
            page = Paginator(search_records(cluster, **asked), 50).get_page(1)
            assert all(record.snapshot.page.url for record in page)
