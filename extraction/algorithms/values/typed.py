"""Normal forms as values of Python, for files with typed columns.

A function returns None for a text that its type cannot hold exactly: nothing is rounded and no missing month or day is made up.
"""

import math
import re
from datetime import date
from decimal import Decimal

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


def split_price(text: str) -> tuple[str, str]:
    """Return a price's normal form as (amount, currency). The currency is "" if the price names none."""
    amount, _, currency = text.partition(" ")
    return amount, currency


def to_float(text: str) -> float | None:
    """Return a number's normal form as the floating-point number that is written with the same digits.

    None if there is no such number (more than 15 to 17 digits, too large), or if the text is not a normal form.
    """
    if not _NUMBER.fullmatch(text):
        return None
    found = float(text)
    return (found or 0.0) if math.isfinite(found) and Decimal(repr(found)) == Decimal(text) else None


def to_date(text: str) -> date | None:
    """Return a date's normal form as a day. None for a year or a month without a day, and for a text that is not a date."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if found.isoformat() == text else None


def to_boolean(text: str) -> bool | None:
    """Return the normal form of yes or no. None for any other text."""
    return {"true": True, "false": False}.get(text)
