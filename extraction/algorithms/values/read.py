"""A raw value read as its type (docs/algorithms.md#typed-values).

The raw text is always kept beside its reading. A value that cannot be read has no normal form and a problem in words; it never raises an
exception and is never guessed.
"""

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.values.addresses import read_image, read_url
from extraction.algorithms.values.dates import read_date
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.algorithms.values.numbers import read_number
from extraction.algorithms.values.prices import read_price
from extraction.algorithms.values.reading import Reading, TypedValue, ValueType
from extraction.algorithms.values.yes_no import read_yes_no

MAX_LENGTH = 400
"""Longest text read as a number, price or yes and no; longer ones are prose."""


def read_value(
    raw: str,
    kind: ValueType,
    *,
    base_url: str = "",
    language: str | None = None,
    column: ColumnEvidence = NO_EVIDENCE,
) -> TypedValue:
    """Return the raw value read as `kind`.

    base_url: the page's address.
    language: its language as a tag ("de", "de-AT"), if known.
    column: what the attribute's values on other pages show.
    """
    text = clean(raw)
    if not text:
        return TypedValue(raw, None, "the value is empty")
    found = _read_kind(text, kind, base_url, (language or "").lower().replace("_", "-"), column)
    return TypedValue(raw, found.value, found.problem)


def _read_kind(text: str, kind: ValueType, base_url: str, language: str, column: ColumnEvidence) -> Reading:
    if kind == "text":
        return Reading(text)
    if kind == "url":
        return read_url(text, base_url)
    if kind == "image":
        return read_image(text, base_url)
    if len(text) > MAX_LENGTH:
        return Reading(None, f"the value has {len(text):,} characters; up to {MAX_LENGTH} are read as a {kind}")
    if kind == "number":
        return read_number(text, language, column)
    if kind == "price":
        return read_price(text, language, column)
    if kind == "date":
        return read_date(text, language, column)
    return read_yes_no(text, language)
