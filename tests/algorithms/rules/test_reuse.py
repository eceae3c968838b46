from dataclasses import replace

import pytest

from extraction.algorithms.rules.reuse import NoReuse, OldCluster, Reuse, check_fields, choose_old_cluster
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.sketches.shingles import Mask
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence

MASK = Mask(0x0102030405060000, 0xFFFF)
OTHER = Mask(0x1112131415160000, 0xFFFF)
VECTOR = 0x01020304050607FF


def cluster(id, mask=MASK, urls=("/a", "/b"), importance=1.0):
    return OldCluster(id, frozenset({mask}), frozenset(urls), importance)


def test_the_same_signature_comes_before_pages_that_are_only_covered():
    wide = Mask(0x0102030405000000, 0xFFFFFF)
    found = choose_old_cluster(frozenset({MASK}), [VECTOR], frozenset({"/a"}), [cluster(1, wide, importance=9), cluster(2)])
    assert found == Reuse(2, "cluster", frozenset({"/a"}))
    assert choose_old_cluster(frozenset({OTHER}), [VECTOR], frozenset({"/a"}), [cluster(1, wide), cluster(2)]) == Reuse(
        1, "page", frozenset({"/a"})
    )


def test_clusters_without_masks_are_not_the_same_for_that():
    bare = OldCluster(1, frozenset(), frozenset({"/a"}), 1.0)
    assert choose_old_cluster(frozenset(), [VECTOR], frozenset({"/a"}), [bare]) == NoReuse("shingle")


def test_ties_go_to_the_more_important():
    chosen = choose_old_cluster(frozenset({MASK}), [VECTOR], frozenset({"/a"}), [cluster(1), cluster(2, importance=5)])
    assert isinstance(chosen, Reuse) and chosen.id == 2


def test_says_what_fails():
    assert choose_old_cluster(frozenset({MASK}), [VECTOR], frozenset({"/z"}), [cluster(1)]) == NoReuse("url")
    assert choose_old_cluster(frozenset({OTHER}), [0], frozenset({"/a"}), [cluster(1)]) == NoReuse("shingle")


CURRENCY, TITLE, NOTE = AttributeRule("currency"), AttributeRule("title", mandatory=True), AttributeRule("note")
OLD = {"/a": {"currency": ("EUR",), "title": ("A",), "note": ("x",)}, "/b": {"currency": ("EUR",), "title": ("B",)}}


def new(**changes):
    return {url: {**row, **changes} for url, row in OLD.items()}


@pytest.mark.parametrize(
    ("fresh", "failing"),
    [
        (OLD, set()),
        (new(currency=("USD",)), {"currency"}),
        (new(title=()), {"title"}),
        (new(note=()), set()),
        (new(title=("C",)), {"title"}),
    ],
)
def test_constant_values_must_stay_and_mandatory_ones_be_there(fresh, failing):
    found = check_fields((CURRENCY, TITLE, NOTE), OLD, fresh)
    assert set(found.failures) == failing
    assert found.passed == (not failing)


def test_each_page_is_compared_with_its_own_old_version():
    """Title and price change places on every page; each still has values that some page had."""
    price = AttributeRule("price", "price")
    old = {f"/{n}": {"title": (f"Book {n}",), "price": (f"{n}.90 EUR",)} for n in range(10)}
    swapped = {url: {"title": row["price"], "price": row["title"]} for url, row in old.items()}
    rotated = {f"/{n}": old[f"/{(n + 1) % 10}"] for n in range(10)}
    assert set(check_fields((TITLE, price), old, swapped).failures) == {"title"}
    assert set(check_fields((TITLE, price), old, rotated).failures) == {"title"}


def test_what_usually_changes_may_change_and_one_page_in_ten_may_have_news():
    old = {f"/{n}": {"title": (f"Book {n}",)} for n in range(10)}
    corrected = {**old, "/3": {"title": ("Book 3, second edition",)}}
    assert check_fields((TITLE,), old, corrected).passed
    assert not check_fields((TITLE,), old, {**corrected, "/4": {"title": ("x",)}}).passed
    assert check_fields((TITLE,), old, {url: {"title": ("x",)} for url in old}, constant=()).passed


def test_a_date_written_in_another_way_is_the_same_if_the_rules_column_says_which_it_is():
    day = AttributeRule("day", "date", column=ColumnEvidence(date_order="DMY"))
    old = {f"/{n}": {"day": (f"0{n}/04/2024",)} for n in range(1, 6)}
    same = {f"/{n}": {"day": (f"{n} April 2024",)} for n in range(1, 6)}
    other = {f"/{n}": {"day": (f"2024-{n:02}-04",)} for n in (1, 2, 3, 5)} | {"/4": old["/4"]}
    assert check_fields((day,), old, same).passed
    assert not check_fields((day,), old, other).passed
    assert not check_fields((replace(day, column=NO_EVIDENCE),), old, same).passed, "nothing says whether it is April"


def test_old_and_new_pages_must_be_of_the_same_urls():
    with pytest.raises(ValueError, match="/b"):
        check_fields((TITLE,), OLD, {"/a": OLD["/a"]})
