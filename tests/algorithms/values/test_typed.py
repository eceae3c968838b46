"""Normal forms as typed values: exact or not at all."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.values.column import read_column
from extraction.algorithms.values.numerals import write_number
from extraction.algorithms.values.typed import split_price, to_boolean, to_date, to_float


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4) | st.decimals(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_back_with_the_same_digits_or_is_none(number: Decimal) -> None:
    text = write_number(number)
    found = to_float(text)
    assert found is None or Decimal(repr(found)) == number
    if len(number.normalize().as_tuple().digits) <= 15 and -300 < number.adjusted() < 300:
        assert found is not None, "fifteen digits always fit"


@given(st.text(max_size=12))
def test_any_other_text_is_none_and_never_an_error(text: str) -> None:
    for found in (to_float(text), to_date(text), to_boolean(text)):
        assert found is None or isinstance(found, float | date | bool)


def test_numbers_that_would_be_rounded_do_not_fit() -> None:
    assert to_float("0.1") == 0.1
    assert to_float("-0") == 0
    assert [
        to_float(text)
        for text in ("0.1000000000000000001", "9007199254740993", "1" + "0" * 400, "NaN", "Infinity", "", "1e5", "1_000", "1 ")
    ] == [None] * 9


@given(st.dates())
def test_a_day_is_itself(day: date) -> None:
    assert to_date(day.isoformat()) == day


def test_a_date_without_a_day_or_that_does_not_exist_does_not_fit() -> None:
    assert [to_date(text) for text in ("2018", "2018-09", "2018-02-29", "2018-W01-1", "20180912", "12.09.2018")] == [None] * 6


def test_a_price_as_it_is_read_is_an_amount_and_a_currency() -> None:
    raws = ["£9.50", "12,90 €", "1.234", "-5.00 EUR"]
    values = [each.value for each in read_column(raws, "price", language="en") if each.value]
    assert [split_price(value) for value in values] == [("9.50", "GBP"), ("12.90", "EUR"), ("-5.00", "EUR")]
    assert split_price("12.90") == ("12.90", "")
