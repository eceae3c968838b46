"""When two templates are one, by what their rules give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.rules.agreement import SAME_FRACTION, Values, are_same, compare_answers, compare_reading


def books(count: int, *, start: int = 0) -> list[Values]:
    """What a rule gives on pages of books: a title and a price that differ, a maker on every other page."""
    pages = range(start, start + count)
    return [{"title": (f"Book {n}",), "price": (f"£{n}.50",), "maker": (f"M{n}",) if n % 2 else ()} for n in pages]


def changed(pages: list[Values], place: int, **values: tuple[str, ...]) -> list[Values]:
    return [{**page, **values} if number == place else page for number, page in enumerate(pages)]


def test_rules_that_give_the_same_on_both_sides_are_of_one_template() -> None:
    here, there = books(20), books(20, start=20)
    assert are_same(compare_answers(here, here), compare_answers(there, there))


def test_one_side_alone_does_not_make_them_one() -> None:
    here, there = books(20), books(20, start=20)
    nothing: list[Values] = [{} for _ in there]
    assert not are_same(compare_answers(here, here), compare_answers(there, nothing))
    assert not are_same(compare_answers(here, nothing), compare_answers(there, there))


def test_one_attribute_that_differs_keeps_them_apart_however_many_agree() -> None:
    wide: list[Values] = [{f"a{k}": (f"{n}.{k}",) for k in range(40)} for n in range(20)]
    strayed: list[Values] = [{**page, "a7": ("Menu",)} for page in wide]
    found = compare_answers(wide, strayed)
    assert found.fraction >= SAME_FRACTION, "else the weakest attribute is not what decides"
    assert found.weakest == 0
    assert not are_same(compare_answers(wide, wide), found)


def test_one_odd_page_of_twenty_is_forgiven_and_two_are_not() -> None:
    here = books(20)
    odd = changed(here, 3, title=("Another",))
    assert are_same(compare_answers(here, odd), compare_answers(here, here))
    assert not are_same(compare_answers(here, changed(odd, 4, title=("Third",))), compare_answers(here, here))


def test_what_is_the_same_on_every_page_says_nothing() -> None:
    header: list[Values] = [{"shop": ("Our shop",)} for _ in range(20)]
    assert not are_same(compare_answers(header, header), compare_answers(header, header))


def test_pages_without_any_answer_do_not_count_as_agreement() -> None:
    found = compare_answers([{"title": ()}, {}], [{}, {"title": ()}])
    assert (found.answers, found.same, found.fraction) == (0, 0, 0.0)
    assert not are_same(found, found)


def test_different_numbers_of_pages_are_refused() -> None:
    with pytest.raises(ValueError, match="on 2 pages, the other on 3"):
        compare_answers(books(2), books(3))


values = st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from("xyz"), max_size=2).map(tuple), max_size=3)


@given(st.lists(st.tuples(values, values), max_size=12))
def test_agreement_is_symmetric_and_counts_answers(pairs: list[tuple[Values, Values]]) -> None:
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = compare_answers(one, other)
    assert found == compare_answers(other, one)
    assert found.answers == sum(bool(a.get(name) or b.get(name)) for a, b in pairs for name in "abc")
    assert found.same == sum(a.get(name, ()) == b.get(name, ()) != () for a, b in pairs for name in "abc")


def test_a_rule_that_reads_another_templates_pages_is_plausible() -> None:
    found = compare_reading(books(20), books(20, start=50))
    assert (found.pages, found.complete, found.strange, found.plausible) == (20, 20, (), True)


def test_a_missing_attribute_is_no_whole_record_and_one_that_is_often_missing_is_not_missed() -> None:
    without_price: list[Values] = [{**page, "price": ()} for page in books(20, start=50)]
    assert not compare_reading(books(20), without_price).plausible
    without_maker: list[Values] = [{**page, "maker": ()} for page in books(20, start=50)]
    assert compare_reading(books(20), without_maker).plausible


@pytest.mark.parametrize(
    "strays",
    [
        {"title": ("Welcome",)},
        {"title": ("One", "Two", "Three")},
        {"maker": ("A whole paragraph about the shop and how it came to be what it is today",)},
    ],
)
def test_values_unlike_its_own_are_strange(strays: Values) -> None:
    there: list[Values] = [{**page, **strays} for page in books(20, start=50)]
    found = compare_reading(books(20), there)
    assert (found.strange, found.plausible) == (tuple(strays), False)


def test_too_little_to_judge_is_not_plausible() -> None:
    assert not compare_reading(books(1), books(20)).plausible
    assert not compare_reading(books(20), books(1)).plausible
    assert not compare_reading([], []).plausible
    constant: list[Values] = [{"shop": ("Our shop",)} for _ in range(20)]
    assert not compare_reading(constant, constant).plausible


@pytest.mark.parametrize(
    ("own", "there", "strange"),
    [
        (["a", "b", "c"], ["x", "x"], False),
        (["a", "b", "c"], ["x", "x", "x"], True),
        (["a", "b", "c"], ["x", "x", "y"], False),
        (["a", "b", "b", "a"], ["x", "x", "x"], False),
        (["a", "b", "b", "c"], ["x", "x", "x"], True),
        (["aa", "bb"], ["c" * 8, "d" * 8], False),
        (["aa", "bb"], ["c" * 9, "d" * 9], True),
        (["c" * 9, "d" * 9], ["aa", "bb"], True),
        (["a", "b"], [], False),
        ([], ["a", "b"], False),
    ],
)
def test_what_looks_unlike_its_own_values(own: list[str], there: list[str], strange: bool) -> None:
    """The same everywhere, on three pages at least, where most of its own differ; or more than four times as long or short."""
    found = compare_reading([{"a": (text,)} for text in own], [{"a": (text,)} for text in there])
    assert found.strange == (("a",) if strange else ())


@pytest.mark.parametrize(("several", "strange"), [(2, False), (3, True)])
def test_several_values_on_most_pages_are_strange_for_an_attribute_of_one(several: int, strange: bool) -> None:
    there: list[Values] = [{"a": (f"{n}", "x") if n < several else (f"{n}",)} for n in range(4)]
    assert compare_reading([{"a": (f"{n}",)} for n in range(5)], there).strange == (("a",) if strange else ())
    assert compare_reading([{"a": (f"{n}", "y")} for n in range(5)], there).strange == ()


@pytest.mark.parametrize(("complete", "plausible"), [(9, True), (8, False)])
def test_nine_tenths_of_the_share_of_whole_records_is_enough(complete: int, plausible: bool) -> None:
    own: list[Values] = [{"a": (f"{n}",), "b": (f"{n}",)} for n in range(10)]
    there: list[Values] = [{"a": (f"{n}",), "b": (f"{n}",) if n < complete else ()} for n in range(10)]
    found = compare_reading(own, there)
    assert (found.complete, found.plausible) == (complete, plausible)


@pytest.mark.parametrize(("given", "expected"), [(18, False), (17, True)])
def test_an_attribute_is_expected_if_nine_tenths_of_its_own_pages_have_it(given: int, expected: bool) -> None:
    own: list[Values] = [{"a": (f"{n}",), "b": (f"{n}",) if n < given else ()} for n in range(20)]
    assert compare_reading(own, [{"a": (f"{n}",)} for n in range(20)]).plausible == expected


@pytest.mark.parametrize(("pages", "enough"), [(1, False), (2, True)])
def test_two_pages_on_each_side_are_the_fewest(pages: int, enough: bool) -> None:
    few, many = books(pages), books(10)
    assert are_same(compare_answers(few, few), compare_answers(many, many)) == enough
    assert are_same(compare_answers(many, many), compare_answers(few, few)) == enough
    titles: list[Values] = [{"title": (f"Book {n}",)} for n in range(10)]
    assert compare_reading(titles[:pages], titles).plausible == enough
    assert compare_reading(titles, titles[:pages]).plausible == enough
