"""Values that have an order, as numbers. A date without a day is every day that it may be."""

import calendar
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from extraction.algorithms.values.typed import split_price

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """A value as a number: an amount, or the ordinal of a day.

    low, high: the smallest and the largest that it may be. They differ for a date that is a month or a year.
    unit: the currency of a price, "" where there is none.
    """

    low: Decimal
    high: Decimal
    unit: str = ""


def read_measure(text: str, value_type: str) -> Measure | None:
    """Return a normal form of a number, price or date as a measure; None for any other text."""
    if value_type == "date":
        return _read_date(text)
    amount, unit = split_price(text) if value_type == "price" else (text, "")
    try:
        number = Decimal(amount)
    except InvalidOperation:
        return None
    return Measure(number, number, unit) if number.is_finite() else None


def _read_date(text: str) -> Measure | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        first = date(year, month or 1, day or 1)
        last = first if day else date(year, month or 12, calendar.monthrange(year, month or 12)[1])
    except (ValueError, IndexError):
        return None
    return Measure(Decimal(first.toordinal()), Decimal(last.toordinal()))


def is_at_most(left: Measure, right: Measure) -> bool | None:
    """Return whether left <= right; None if a date is not exact enough to tell."""
    if left.high <= right.low:
        return True
    return False if left.low > right.high else None


def compare_measures(left: Measure, operator: str, right: Measure) -> bool | None:
    """Return whether the relation holds; None if a date is not exact enough to tell. The units are not compared.

    operator: one of `demands.OPERATORS`. Raises ValueError for any other.
    """
    if operator == "<=":
        return is_at_most(left, right)
    if operator == ">=":
        return is_at_most(right, left)
    if operator in ("<", ">"):
        reverse = is_at_most(right, left) if operator == "<" else is_at_most(left, right)
        return None if reverse is None else not reverse
    if operator not in ("=", "!="):
        raise ValueError(f"no relation between two attributes is written {operator!r}")
    exact = left.low == left.high and right.low == right.high
    apart = left.high < right.low or right.high < left.low
    equal = False if apart else True if exact else None
    return equal if operator == "=" or equal is None else not equal
