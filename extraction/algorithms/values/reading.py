"""What reading a value gives, and the types that values have."""

from dataclasses import dataclass
from typing import Literal

ValueType = Literal["text", "number", "price", "date", "url", "image", "boolean"]

SHOWN = 60
"""The number of characters of a value that its problem quotes."""


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value as read.

    raw: the text as extracted.
    value: its normal form, None if it cannot be read.
    problem: why it cannot be read, else empty.

    Normal forms: text, url and image as they stand (absolute); number "-1234.5"; price "12.90 EUR", without a currency where none is
    given; date ISO 8601, as exact as given ("2018-09-12", "2018-09", "2018"); boolean "true", "false".
    """

    raw: str
    value: str | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value's normal form, or None and why there is none."""

    value: str | None
    problem: str = ""


def refuse_value(text: str, why: str) -> Reading:
    """Return a reading without a value. why: the rest of a sentence that begins with the text."""
    return Reading(None, f"“{text[:SHOWN]}” {why}")


def list_words(text: str) -> tuple[str, ...]:
    """Return the words of a text; tables of words are easier to read as one text."""
    return tuple(text.split())
