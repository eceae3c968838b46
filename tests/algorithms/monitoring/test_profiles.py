"""What an attribute's values have looked like, counted out by hand, and how far a value may be from it before it is odd."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.monitoring.profiles import Profile, Range


def test_a_profile_of_a_worked_example() -> None:
    """Five pages: one without a value, one with two, one that has the same value as another."""
    found = Profile.learn([("ab 1",), ("ab 1",), (), ("abcdef", "12"), ("x-",)])
    assert (found.pages, found.valued, found.distinct, found.once) == (5, 4, 4, 3)
    assert (found.counts, found.lengths) == (Range(1, 2), Range(2, 6))
    assert found.shares == (Range(0, 1), Range(0, 1), Range(0, 0.25), Range(0, 0.5))
    assert (found.read_fraction, found.unseen_chance) == (1, (3 + 1) / (4 + 2))


def test_nothing_seen_says_nothing() -> None:
    found = Profile.learn([(), ()], type="price")
    assert (found.pages, found.valued, found.read_fraction, found.distinct) == (2, 0, 0, 0)
    assert (found.counts, found.lengths, found.shares) == (Range(0, 0), Range(0, 0), (Range(0, 1),) * 4)
    assert not found.varies
    assert found.odd(("anything",)) == ()


def test_the_share_of_readable_values_counts_values_and_not_pages() -> None:
    assert Profile.learn([("1 EUR", "2 EUR", "soon"), ("3 EUR",)], type="price").read_fraction == 3 / 4


@given(st.lists(st.lists(st.text("aB1 -é", max_size=5), max_size=3), max_size=12))
def test_a_profile_is_what_counting_gives(pages: list[list[str]]) -> None:
    found = Profile.learn(pages)
    values = [value for page in pages for value in page]
    assert (found.distinct, found.once) == (len(set(values)), sum(values.count(value) == 1 for value in set(values)))
    for number, belongs in enumerate((str.isalpha, str.isdigit, str.isspace, lambda sign: sign == "-")):
        shares = [sum(map(belongs, value)) / max(len(value), 1) for value in values]
        assert found.shares[number] == (Range(min(shares), max(shares)) if values else Range(0, 1))


@pytest.mark.parametrize(("valued", "distinct", "varies"), [(4, 4, False), (5, 3, True), (6, 3, True), (6, 2, False), (5, 5, True)])
def test_values_vary_if_half_of_five_pages_have_one_of_their_own(valued: int, distinct: int, varies: bool) -> None:
    assert Profile.learn([(f"v{min(n, distinct - 1)}",) for n in range(valued)]).varies == varies


@pytest.mark.parametrize(
    ("pages", "closed"),
    [
        ([("a",), ("b",)] * 4, True),
        ([("a",)] * 7, False),
        ([(f"{n}",) for n in range(12)] * 2, True),
        ([(f"{n}",) for n in range(13)] * 2, False),
        ([("a",), ("b",)] * 4 + [("c",)], False),
        ([("a",)] * 11 + [("c",)], True),
        ([("a",)] * 10 + [("c",)], False),
    ],
    ids=["eight pages", "seven pages", "twelve values", "thirteen values", "2 of 11 unseen", "2 of 14 unseen", "2 of 13 unseen"],
)
def test_values_are_all_there_are_if_they_are_few_and_a_new_one_is_improbable(pages: list[tuple[str, ...]], closed: bool) -> None:
    assert bool(Profile.learn(pages).vocabulary) == closed
    assert Profile.learn(pages).find_unknown(("never seen",)) == (("never seen",) if closed else ())


SEEN = Profile.learn([("a" * length,) for length in (40, 50, 60, 50, 50)])


@pytest.mark.parametrize(("length", "odd"), [(1, True), (2, False), (192, False), (193, True)])
def test_a_value_may_be_three_times_as_long_or_short_and_twelve_characters_more(length: int, odd: bool) -> None:
    """From 40 / 3 - 12 = 1.3 to 60 * 3 + 12 = 192."""
    reasons = SEEN.odd(("a" * length,))
    assert reasons == ((f"“{'a' * min(length, 40)}” has {length} characters; 40 to 60 were usual",) if odd else ())


@pytest.mark.parametrize(("digits", "odd"), [(7, False), (8, True)])
def test_a_class_of_characters_may_be_a_third_more_or_less_frequent_than_seen(digits: int, odd: bool) -> None:
    value = "1" * digits + "a" * (20 - digits)
    reasons = SEEN.odd((value,))
    assert reasons == (
        (f"“{value}” has 60% letters; 100% to 100% were usual", f"“{value}” has 40% digits; 0% to 0% were usual") if odd else ()
    )


@pytest.mark.parametrize(("usual", "count", "odd"), [(1, 4, False), (1, 5, True), (2, 6, False), (2, 7, True), (0, 0, False)])
def test_three_times_as_many_values_as_usual_are_not_odd_and_three_more_are_not_either(usual: int, count: int, odd: bool) -> None:
    profile = Profile.learn([("a",) * usual] * 5)
    assert profile.odd(("a",) * count) == ((f"{count} values; at most {usual} were usual",) if odd else ())


@pytest.mark.parametrize(("readable", "odd"), [(19, True), (18, False)])
def test_a_value_that_cannot_be_read_is_odd_if_nearly_all_could(readable: int, odd: bool) -> None:
    pages = [("10 EUR",)] * readable + [("sold out",)] * (20 - readable)
    reasons = Profile.learn(pages, type="price").odd(("soon",))
    assert ("“soon” cannot be read as price" in reasons) == odd
    assert "cannot" not in str(Profile.learn([("10 EUR",)] * 20).odd(("soon 10",))), "a text needs no reading"


@pytest.mark.parametrize(("pages", "odd"), [(4, False), (5, True)])
def test_four_pages_are_too_few_for_anything_to_be_odd(pages: int, odd: bool) -> None:
    assert bool(Profile.learn([("a",)] * pages).odd(("b" * 500,))) == odd
