"""Kinds of values that are recognised by their form: telephone numbers, prices, dates and the like."""

import re
from collections.abc import Sequence

MOST = 0.7
"""Share of a column's values that must be of a kind, and a little more."""

KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[^\s@]+@[^\s@]+\.\w+")),
    ("website", re.compile(r"(?:https?://|www\.)\S+")),
    ("phone", re.compile(r"\+?[\d(][\d\s().+/-]{6,18}\d(?: ?x\d+)?")),
    ("price", re.compile(r"(?:[A-Z]{2,3})?\s?[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[€£]|EUR|USD)")),
    ("year", re.compile(r"(?:1[89]|20)\d\d")),
    ("date", re.compile(r"(?:\w+\.? \d{1,2},? \d{4}|\d{1,2}\.? \w+ \d{4}|\d{1,4}[./-]\d{1,2}[./-]\d{1,4})")),
)
"""(name, pattern), tried in this order."""


def find_kind(texts: Sequence[str]) -> str:
    """Return the kind of thing that most texts are, "" for plain text."""
    return next((name for name, pattern in KINDS if sum(pattern.fullmatch(text) is not None for text in texts) > MOST * len(texts)), "")
