"""Keys: equal for the same thing, different for others, and proposed only if they tell all records apart."""

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.records.keys import Key, judge_key, make_key, make_row_key, propose_key


def of(**texts: str) -> dict[str, list[dict[str, Any]]]:
    return {name: [{"raw": text, "value": None, "problem": ""}] for name, text in texts.items()}


def test_a_key_is_the_normal_form_or_the_text_without_extra_space() -> None:
    values = {"price": [{"raw": "£1.50", "value": "1.50 GBP"}]} | of(title="  A \n book ")
    assert make_key(values, ["title", "price"]) == Key(("A book", "1.50 GBP"))


def test_without_attributes_or_with_a_missing_one_there_is_no_key() -> None:
    assert make_key(of(title="A"), []) is None
    assert make_key(of(title="A"), ["title", "isbn"]) is None
    assert make_key(of(title="  "), ["title"]) is None
    assert make_key({"title": []}, ["title"]) is None


def test_a_row_can_be_told_apart_within_its_page_only() -> None:
    page = Key(("978",))
    assert make_row_key(of(seller="X"), ["seller"], page=page) == Key(("978", "X"))
    assert make_row_key(of(seller="X"), ["seller"], page=None) == Key(("X",))
    assert make_row_key(of(price="X"), ["seller"], page=page) is None


@given(st.lists(st.tuples(st.lists(st.text(), min_size=1, max_size=3), st.booleans()), max_size=8))
def test_digests_are_equal_for_equal_keys_only(made: list[tuple[list[str], bool]]) -> None:
    keys = [Key(tuple(parts), by) for parts, by in made]
    for one, other in combinations(keys, 2):
        assert (one.digest == other.digest) == (one == other)


def test_the_figures_of_a_worked_example() -> None:
    book = of(isbn="1", title="A", shop="S")
    records = [book, book, of(isbn="2", title="A", shop="S"), of(title="B", shop="S")]
    isbn = judge_key(records, ["isbn"], changed={"isbn": 2})
    assert (isbn.records, isbn.present, isbn.distinct, isbn.repeated, isbn.conflicts, isbn.changed) == (4, 3, 2, 1, 0, 2)
    title = judge_key(records, ["title"])
    assert (title.present, title.distinct, title.repeated, title.conflicts) == (4, 2, 1, 1)
    assert not isbn.fits
    assert not title.fits


def test_one_attribute_is_proposed_before_two_and_none_if_nothing_fits() -> None:
    records = [of(author="A", title="T", isbn="1"), of(author="A", title="U", isbn="2"), of(author="B", title="T", isbn="3")]
    names = ["author", "title", "isbn"]
    assert (propose_key(records, names) or judge_key([], [])).attributes == ("isbn",)
    assert (propose_key(records, names, changed={"isbn": 1}) or judge_key([], [])).attributes == ("author", "title")
    assert propose_key(records, ["author"]) is None
    assert propose_key([], names) is None
    assert propose_key(records[:1], names) is None
    assert propose_key([records[0]] * 5, names) is None


small = st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), max_size=3), max_size=6)


@given(small)
def test_a_proposed_key_never_joins_records_with_other_values(rows: list[dict[str, str]]) -> None:
    records = [of(**row) for row in rows]
    proposal = propose_key(records, "abc")
    fitting = [
        names
        for size in (1, 2)
        for names in combinations("abc", size)
        if all(name in row for row in rows for name in names)
        and all(one == other for one, other in combinations(rows, 2) if all(one[n] == other[n] for n in names))
        and len({tuple(row[n] for n in names) for row in rows}) > 1
    ]
    assert (proposal is None) == (not fitting)
    assert proposal is None or (proposal.attributes in fitting and len(proposal.attributes) == min(map(len, fitting)))
