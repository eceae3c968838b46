"""Rows of listings and the pages that they lead to become one record each."""

from dataclasses import replace

import pytest

from extraction.models import Attribute, Cluster, CrawlAddress, Join, JoinedRecord, JoinedRow, Page, Run
from extraction.services.joins import figures, joined_history, make_records, plans, proposals, search
from extraction.services.joins.plans import Problems, ReadyJoin
from extraction.services.joins.state import describe_state
from extraction.services.records import keys
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.services.templates import clusters
from tests.services import factory
from tests.services.joins.shop import HOST, Shop, show

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Shop:
    return Shop()


def ready(join: Join) -> ReadyJoin:
    found = plans.check_plan(join.site, plans.read_plan(join))
    assert isinstance(found, ReadyJoin), found
    return found


def drafts(cluster: Cluster) -> list[AttributeDraft]:
    assert cluster.record_type
    rows = cluster.record_type.attributes.select_related("list")
    return [AttributeDraft(each.pk, each.name, each.type, list=each.list.name if each.list else "") for each in rows]


def test_a_row_and_its_page_are_one_record_and_what_has_no_partner_is_named(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1#top"), ("Jam 2", "£2", "/book/2?utm_source=x"), ("Ale 9", "£9", "/book/9")])
    shop.list_books("category/2", [("Sold 4", "£4", "/book/4"), ("Lost 5", "£5", ""), ("Cup 6", "£6", "/other/6")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2.50", text="Sweet")
    shop.show_book("book/3", "Pie 3", "£3")
    shop.show_book("book/4", "", "")
    shop.show_book("other/6", "Cup 6", "£6", cluster=shop.searches)
    shop.extract()
    join = shop.join()
    tea = {"title": "Tea 1", "title_listing": "Tea 1", "price": "£1", "price_listing": "£1", "isbn": "1", "isbn_listing": "1"}
    assert show(join)[:2] == [
        ("joined", "/book/1", {**tea, "link": "/book/1#top", "text": "Long"}),
        (
            "joined",
            "/book/2",
            {"title": "Jam 2", "title_listing": "Jam 2", "price": "£2.50", "price_listing": "£2", "isbn": "2", "isbn_listing": "2"}
            | {"link": "/book/2?utm_source=x", "text": "Sweet"},
        ),
    ]
    assert [(state, place) for state, place, _ in show(join)[2:]] == [
        ("row", f"No page is stored under {HOST}/book/9"),
        ("row", "Its page gave no record: Nothing was found on the page"),
        ("row", "The row has no link that can be read"),
        ("row", "Its page is in Template 3, not in Template 2"),
        ("page", "/book/3"),
    ]
    found = Join.objects.get().read_result().figures
    assert (found.rows, found.joined_rows, found.joined, found.row_alone, found.page_alone, found.conflicts) == (6, 2, 2, 4, 1, 1)
    assert (found.ways, found.reasons) == ({"address": 1, "loose": 1}, {"unknown": 1, "failed": 1, "no_link": 1, "elsewhere": 1})
    assert [each.conflicts for each in search.search_joined(join, part="conflicts")] == [["price"]]
    assert figures.preview_join(ready(join)).figures == found


def test_one_thing_in_two_listings_is_one_record_with_two_sources(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1")])
    shop.list_books("search/1", [("Tea 1", "£1.10", "/book/1"), ("Tea 1", "£1", "/book/1?gclid=1")], shop.searches)
    shop.show_book("book/1", "Tea 1", "£1")
    shop.extract()
    join = shop.join(shop.listing(), shop.listing(shop.searches, link=shop.attribute(shop.searches, "link").pk))
    assert [(state, values["price_listing"]) for state, _, values in show(join)] == [("joined", "£1")]
    rows = JoinedRow.objects.order_by("pk")
    assert [(row.page.url.removeprefix(HOST), row.place, row.problem) for row in rows] == [
        ("/category/1", 0, ""),
        ("/search/1", 0, "price differs"),
        ("/search/1", 1, ""),
    ]
    found = Join.objects.get().read_result().figures
    assert (found.joined_rows, found.several, found.disagreeing, found.conflicts) == (3, 1, 1, 0)


def test_redirects_and_canonical_addresses_lead_to_the_page(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/old/1"), ("Jam 2", "£2", "/jam")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2", head='<link rel="canonical" href="/jam">')
    run = factory.run(shop.site, Run.Kind.CRAWL, Run.State.DONE)
    CrawlAddress.objects.create(run=run, url=f"{HOST}/old/1", state="done", outcome="ok", final_url=f"{HOST}/book/1")
    shop.extract()
    join = shop.join()
    assert [(each.state, each.way) for each in join.records.order_by("pk")] == [("joined", "redirect"), ("joined", "canonical")]


def test_pages_of_one_record_over_time_are_one_thing(shop: Shop) -> None:
    Attribute.objects.filter(record_type=shop.books.record_type, name="isbn").update(is_key=True)
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Tea 1", "£1", "/book/copy")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/copy", "Tea 1", "£1")
    shop.extract()
    join = shop.join()
    assert [(state, place) for state, place, _ in show(join)] == [("joined", "/book/1")]
    assert join.records.get().rows == 2


def test_a_key_joins_where_there_is_no_link_and_a_doubtful_key_joins_nothing(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", ""), ("Jam 2", "£2", ""), ("Ale 9", "£9", "")])
    shop.show_book("book/a", "Tea 1", "£1")
    shop.show_book("book/b", "Jam 2", "£2")
    shop.show_book("book/c", "Other jam 2", "£3")
    shop.extract()
    assert [(state, place) for state, place, _ in show(shop.join(shop.by_key()))] == [
        ("joined", "/book/a"),
        ("row", "2 pages fit, and none of them can be preferred"),
        ("row", "No page has these values: 9"),
        ("page", "/book/b"),
        ("page", "/book/c"),
    ]


def test_the_side_that_counts_is_chosen_for_all_attributes_and_for_single_ones(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1")])
    shop.show_book("book/1", "Tea one 1", "£2")
    shop.extract()
    turned = frozenset({shop.attribute(shop.books, "title").pk})
    join = shop.join(shop.listing(with_page=True), winner="listing", turned=turned)
    (_, _, values), conflicts = show(join)[0], join.records.get().conflicts
    assert conflicts == ["price", "title"]
    assert (values["price"], values["price_page"], values["title"], values["title_listing"]) == ("£1", "£2", "Tea one 1", "Tea 1")
    assert values["category"] == "category/1"


def test_joined_records_follow_their_sides_and_keep_their_numbers(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Jam 2", "£2", "/book/2")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2")
    shop.extract()
    join = shop.join()
    before = {each.page_id: (each.pk, each.run_id) for each in join.records.all()}
    assert shop.make(join).read_summary().joined == 2
    assert {each.page_id: (each.pk, each.run_id) for each in join.records.all()} == before  # nothing was written again
    shop.list_books("category/1", [("Jam 2", "£3", "/book/2")])
    assert len(shop.extract()) == 1
    assert {each.page_id: each.pk for each in join.records.all()} == {page: pk for page, (pk, _) in before.items()}
    assert [(state, values.get("price_listing")) for state, _, values in show(join)] == [("page", None), ("joined", "£3")]
    assert JoinedRow.objects.count() == 1
    Page.objects.filter(url=f"{HOST}/book/1").delete()
    shop.make(join)
    assert [place for _, place, _ in show(join)] == ["/book/2"]


def test_a_renamed_attribute_is_followed_and_a_removed_one_asks(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.extract()
    join = shop.join()
    assert shop.categories.record_type
    renamed = [replace(each, name={"link": "address", "price": "cost"}.get(each.name, each.name)) for each in drafts(shop.categories)]
    record_types.update_record_type(shop.categories.record_type, "Category", "", renamed)
    follow = Run.objects.get(kind=Run.Kind.JOIN, state=Run.State.QUEUED)
    assert [each.removesuffix(".") for each in describe_state(join).warnings] == ["The records are being brought up to date"]
    make_records.run_joining(follow, lambda *_, **__: None)  # type: ignore[arg-type]
    assert show(join)[0][2]["address"] == "/book/1"
    assert {"cost", "price"} <= set(show(join)[0][2])  # no longer the same attribute
    Run.objects.filter(pk=follow.pk).delete()
    record_types.update_record_type(
        shop.categories.record_type, "Category", "", [each for each in renamed if each.name != "address"], drop_labels=True
    )
    assert not Run.objects.filter(kind=Run.Kind.JOIN, state=Run.State.QUEUED).exists()
    assert describe_state(join).problems == ("The link attribute of books was removed or moved. Choose another.",)
    assert len(show(join)) == 1  # the records stay until somebody chooses


def test_a_join_goes_with_templates_that_are_merged(shop: Shop) -> None:
    shop.list_books("search/1", [("Tea 1", "£1", "/book/1")], shop.searches)
    shop.show_book("book/1", "Tea 1", "£1")
    shop.extract()
    join = shop.join(shop.listing(shop.searches))
    clusters.merge_templates(shop.categories, [shop.searches])
    assert [each.cluster_id for each in join.listings.all()] == [shop.categories.pk]
    assert Run.objects.filter(kind=Run.Kind.JOIN, state=Run.State.QUEUED).count() == 1


def test_what_changes_while_a_join_is_made_is_joined_afterwards(shop: Shop) -> None:
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1")])
    shop.extract()
    join = shop.join()
    run = make_records.start_joining(join)
    Run.objects.filter(pk=run.pk).update(started_at=run.created_at)
    run.refresh_from_db()
    assert not make_records.changed_meanwhile(run)
    plans.save_plan(shop.site, replace(plans.read_plan(join), winner="listing"), join)
    assert make_records.changed_meanwhile(run)


def test_joins_are_proposed_by_link_and_by_key_with_the_share_that_fits(shop: Shop) -> None:
    shop.list_books("category/1", [(f"Tea {n}", "£1", f"/book/{n}") for n in range(6)])
    shop.list_books("search/1", [(f"Jam {n}", "£1", "") for n in range(4)], shop.searches)
    for n in range(3):
        shop.show_book(f"book/{n}", f"Book {n}", "£1")
    shop.extract()
    found = proposals.propose_joins(shop.site)
    assert [(each.detail, [(one.cluster.number, one.by, one.matched, one.rows) for one in each.listings]) for each in found.found] == [
        (shop.books, [(1, ("link",), 3, 6), (3, ("isbn",), 3, 4)])
    ]
    assert isinstance(plans.check_plan(shop.site, found.found[0].plan), ReadyJoin)


def test_a_plan_that_cannot_be_joined_says_why(shop: Shop) -> None:
    other = plans.JoinPlan("Books", None)
    assert plans.check_plan(shop.site, other) == Problems(("Choose the template of the pages.", "Choose a list."))
    title = shop.listing(link=shop.attribute(shop.categories, "title").pk)
    found = plans.check_plan(shop.site, replace(other, detail=shop.books.pk, listings=(title,)))
    assert isinstance(found, Problems)
    assert "not of the type URL" in found.sentences[0]


def test_the_history_of_a_joined_record_is_that_of_its_sides(shop: Shop) -> None:
    assert shop.categories.record_type
    keys.save_keys(shop.categories.record_type, [shop.attribute(shop.categories, "isbn").pk], [], gone_after=2)
    for price in ("£1", "£2"):
        shop.list_books("category/1", [("Tea 1", price, "/book/1")])
        shop.show_book("book/1", "Tea 1", price)
        shop.extract()
    history = joined_history.read_history(shop.join().records.get(), most=10)
    found = sorted((each.record.list_name, each.kind, list(each.values)) for each in history.changes)
    assert found == [(of, kind, values) for of in ("", "books") for kind, values in (("added", []), ("changed", ["price"]))]
    assert not history.unfollowed
    Attribute.objects.update(is_key=False)
    assert joined_history.read_history(JoinedRecord.objects.get(), most=10).unfollowed == ["books"]
