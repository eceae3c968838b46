"""Values in the form in which they are compared: whether two texts mean the same number, price or date, however they are written."""

import re

from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType

_WORDS = re.compile(r"[^\W_]+")


def loosen_text(text: str) -> str:
    """Return the letters and digits of a text in lower case, with one space between words."""
    return " ".join(_WORDS.findall(text.casefold()))


def may_be_written_otherwise(kind: ValueType) -> bool:
    """Return whether values of a type have a normal form besides their text."""
    return kind in ("number", "price", "date")


def normalise_value(raw: str, kind: ValueType, *, language: str | None, column: ColumnEvidence = NO_EVIDENCE) -> str:
    """Return a value in the form used for comparison: the number, price or date that records hold, else its letters and digits.

    language: the language of the value's page.
    column: what the rule's attribute has stored of its values. Without it, `1.234` and `1,234` are the same digits.
    """
    if may_be_written_otherwise(kind):
        return read_value(raw, kind, language=language, column=column).value or loosen_text(raw)
    return loosen_text(raw) or raw
