"""Normal forms as values of Python, for files with typed columns.

A function returns None for a text that its type cannot hold exactly: nothing is rounded and no missing month or day is made up.
"""

import math
from datetime import date
from decimal import Decimal, InvalidOperation


def split_price(text: str) -> tuple[str, str]:
    """Return a price's normal form as (amount, currency). The currency is "" if the price names none."""
    amount, _, currency = text.partition(" ")
    return amount, currency


def to_float(text: str) -> float | None:
    """Return a number's normal form as the floating-point number that is written with the same digits.

    None if there is no such number (more than 15 to 17 digits, too large), or if the text is not a number.
    """
    try:
        exact = Decimal(text)
        found = float(exact)
    except (InvalidOperation, ValueError, OverflowError):
        return None
    if not exact.is_finite() or not math.isfinite(found) or Decimal(repr(found)) != exact:
        return None
    return found or 0.0


def to_date(text: str) -> date | None:
    """Return a date's normal form as a day. None for a year or a month without a day, and for a text that is not a date."""
    if len(text) != len("2018-09-12"):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def to_boolean(text: str) -> bool | None:
    """Return the normal form of yes or no. None for any other text."""
    return {"true": True, "false": False}.get(text)
