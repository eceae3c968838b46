"""Values unlike the others: what is odd, what is not, and that few values are never odd."""

from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.learning.outliers import FEW_VALUES, find_outliers

PRICES = {page: [f"$ {page}.99"] for page in range(10, 30)}


def pages(values):
    return {each.page: each.reason for each in find_outliers(values)}


def test_ordinary_values_are_not_odd() -> None:
    assert find_outliers(PRICES) == []
    assert find_outliers({n: ["A short name" if n % 2 else "A somewhat longer name of a thing"] for n in range(20)}) == []


def test_a_text_among_prices_is_odd_for_its_length_or_its_letters() -> None:
    found = pages({**PRICES, 40: ["Add to the basket and pay it later"], 41: ["Sold"]})
    assert "34 characters" in found[40] and found[41] == "more letters than the others"
    assert set(found) == {40, 41}


def test_what_cannot_be_read_is_odd_where_nearly_all_can() -> None:
    values = {n: [str(1000 + n)] for n in range(20)}
    assert [each.page for each in find_outliers({**values, 99: ["10x4"]}, {"10x4"})] == [99]
    assert find_outliers({n: ["a" if n % 2 else "1"] for n in range(20)}, {"a"}) == []


@given(st.dictionaries(st.integers(0, 50), st.lists(st.text(max_size=30), max_size=2), max_size=FEW_VALUES // 2 - 1))
def test_of_few_values_none_is_odd(values) -> None:
    assert find_outliers(values) == []


@given(st.text(max_size=40), st.integers(FEW_VALUES, 40))
def test_equal_values_are_never_odd(text, count) -> None:
    assert find_outliers({n: [text] for n in range(count)}) == []
