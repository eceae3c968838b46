"""What a join says when something that it needs is gone, and what its search, its state and its proposals leave out."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from extraction.models import Attribute, Cluster, JoinedRecord, Page, Run
from extraction.services.joins import make_records, pairing, plans, proposals, search
from extraction.services.joins.export_scope import find_join_scope
from extraction.services.joins.plans import JoinPlan, Problems, check_plan, find_free_name
from extraction.services.joins.state import describe_state
from extraction.services.records.exports.lines import LineCounts
from tests.services import factory
from tests.services.importing import done
from tests.services.joins.shop import Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Shop:
    shop = Shop()
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Jam 2", "£2", "/book/2"), ("Ale 9", "£9", "/book/9")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£3")
    shop.extract()
    return shop


def problems(shop: Shop, plan: JoinPlan) -> tuple[str, ...]:
    found = check_plan(shop.site, plan)
    assert isinstance(found, Problems)
    return found.sentences


Spoil = Callable[[Shop, JoinPlan], JoinPlan]


def lose_type(shop: Shop, plan: JoinPlan) -> JoinPlan:
    Cluster.objects.filter(pk=shop.books.pk).update(record_type=None)
    return plan


def lose_template(shop: Shop, plan: JoinPlan) -> JoinPlan:
    return replace(plan, listings=(replace(plan.listings[0], cluster=None),))


def lose_key_of_rows(shop: Shop, plan: JoinPlan) -> JoinPlan:
    (pair,) = plan.listings[0].keys
    return replace(plan, listings=(replace(plan.listings[0], keys=((None, pair[1]),)),))


def take_page_attribute_of_rows(shop: Shop, plan: JoinPlan) -> JoinPlan:
    (pair,) = plan.listings[0].keys
    return replace(plan, listings=(replace(plan.listings[0], keys=((pair[1], pair[1]),)),))


def take_row_attribute_of_pages(shop: Shop, plan: JoinPlan) -> JoinPlan:
    (pair,) = plan.listings[0].keys
    return replace(plan, listings=(replace(plan.listings[0], keys=((pair[0], pair[0]),)),))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lose_type, r"Template 2 has no record type\. Choose one first"),
        (lose_template, r"The template of a list is no longer there"),
        (lose_key_of_rows, r"An attribute of books by whose value rows find their page was removed or moved"),
        (take_page_attribute_of_rows, r"An attribute of books by whose value rows find their page was removed or moved"),
        (take_row_attribute_of_pages, r"The page’s attribute that isbn is compared with was removed or moved"),
    ],
)
def test_what_a_join_lacks_is_named(shop: Shop, spoil: Spoil, reason: str) -> None:
    plan = JoinPlan("Books", shop.books.pk, listings=(shop.by_key(),))
    assert not isinstance(check_plan(shop.site, plan), Problems)
    (found, *_) = problems(shop, spoil(shop, plan))
    assert re.match(reason, found), found


def test_a_name_that_is_taken_gets_the_next_free_number() -> None:
    assert [find_free_name("a", taken) for taken in (set(), {"a"}, {"a", "a_2"}, {"a_2"})] == ["a", "a_2", "a_3", "a"]


def test_a_join_that_loses_a_listing_keeps_the_other(shop: Shop) -> None:
    join = shop.join(shop.listing(), shop.listing(shop.searches))
    plan = plans.read_plan(join)
    plans.save_plan(shop.site, replace(plan, listings=plan.listings[:1]), join)
    assert plans.read_plan(join).listings == plan.listings[:1] and join.listings.count() == 1


def test_a_run_of_a_join_that_was_deleted_or_needs_a_choice_fails_with_the_reason(shop: Shop) -> None:
    join = shop.join()
    Attribute.objects.filter(record_type=shop.categories.record_type, name="link").update(type="text")
    run = done(make_records.start_joining(join))
    assert run.state == Run.State.FAILED and "link of books is not of the type URL" in run.error
    assert "failed: link of books" in " ".join(describe_state(join).warnings)
    waiting = make_records.start_joining(join)
    join.delete()
    assert not make_records.changed_meanwhile(waiting)
    assert done(waiting).error == "The join was deleted."


def test_settings_that_changed_since_the_records_were_made_are_said(shop: Shop) -> None:
    join = shop.join()
    join.refresh_from_db()
    assert describe_state(join).warnings == []
    plans.save_plan(shop.site, replace(plans.read_plan(join), winner="listing"), join)
    assert describe_state(join).warnings == ["The settings of the join have changed since its records were made."]


def test_joined_records_that_no_longer_exist_are_removed(shop: Shop) -> None:
    join = shop.join()
    assert JoinedRecord.objects.filter(join=join).count() == 3
    Page.objects.filter(url__endswith="category/1").update(current=None)
    shop.make(join)
    assert [each.page.url.rpartition("/")[2] for each in JoinedRecord.objects.select_related("page") if each.page] == ["1", "2"]
    assert JoinedRecord.objects.filter(join=join).count() == 2


def test_a_preview_stops_after_so_many_rows(shop: Shop) -> None:
    ready = check_plan(shop.site, JoinPlan("Books", shop.books.pk, listings=(shop.listing(),)))
    assert not isinstance(ready, Problems)
    whole, part, exact = (pairing.pair_sides(ready, most_rows=most) for most in (None, 2, 3))
    assert [(each.rows, each.complete) for each in (whole, part, exact)] == [(3, True), (2, False), (3, True)]


def test_joined_records_are_searched_by_word_part_and_missing_value_and_sorted_by_value(shop: Shop) -> None:
    join = shop.join()
    join.refresh_from_db()

    def find(**conditions: str) -> list[str]:
        return [each.values["title"][0]["raw"] for each in search.search_joined(join, **conditions)]

    assert find() == ["Tea 1", "Jam 2", "Ale 9"]
    assert find(query="jam") == ["Jam 2"] and find(query="jam tea") == []
    assert find(part=JoinedRecord.State.JOINED) == ["Tea 1", "Jam 2"] and find(part="else") == find()
    assert find(missing="text") == ["Ale 9"] and find(missing="else") == find()
    assert find(sort="title") == ["Ale 9", "Jam 2", "Tea 1"] and find(sort="-title") == ["Tea 1", "Jam 2", "Ale 9"]
    assert find(part=search.CONFLICTS) == ["Jam 2"] and find(sort="else") == find()


def test_a_site_without_lists_or_rows_suggests_no_join(sent: list[int]) -> None:
    assert proposals.propose_joins(factory.shop(2).site).found == ()
    empty = Shop()
    assert proposals.propose_joins(empty.site).found == ()


def test_the_export_of_a_join_says_that_rows_of_the_pages_are_not_in_it(shop: Shop) -> None:
    join = shop.join()
    join.refresh_from_db()
    scope = find_join_scope(join)
    assert not any("rows of lists" in each for each in scope.left_out)
    assert shop.books.record_type
    shop.books.record_type.lists.create(name="reviews")
    join.refresh_from_db()
    assert any("the rows of lists on the pages" in each for each in find_join_scope(join).left_out)
    counts = LineCounts()
    assert scope.read and len(list(scope.read(counts))) == counts.records == 3
