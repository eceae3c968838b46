"""A column of values: what its clear values show, and all of them read with it."""

import re
from collections.abc import Iterable, Sequence

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.values.dates import MAX_DATE_LENGTH, read_numeric_parts
from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence, DateOrder, DecimalMark
from extraction.algorithms.values.numerals import NUMERAL, read_numeral
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import TypedValue, ValueType

MAX_TEXT = 80
"""Longer texts are prose, whose numbers show nothing of the column's."""

_FULL_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d\d)(?!\d)")
_ASSUMED = (NO_EVIDENCE, ColumnEvidence(".", "DMY", 2000), ColumnEvidence(",", "MDY", 2000))
"""What `list_readings` tries."""

_PERCENT = re.compile(r"\s?%")


def learn_evidence(raws: Iterable[str], kind: ValueType) -> ColumnEvidence:
    """Return what the raw values of a column show. The result does not depend on their order."""
    if kind in ("number", "price"):
        return ColumnEvidence(decimal=_learn_decimal(raws))
    if kind == "date":
        return _learn_dates(raws)
    return NO_EVIDENCE


def read_column(raws: Sequence[str], kind: ValueType, *, base_url: str = "", language: str | None = None) -> list[TypedValue]:
    """Return the values of a column, each read with what all of them show."""
    column = learn_evidence(raws, kind)
    return [read_value(raw, kind, base_url=base_url, language=language, column=column) for raw in raws]


_RELATIVE = re.compile(r"(?![a-zA-Z][a-zA-Z0-9+.-]*:)(?:[^\s<>]*[/?#][^\s<>]*|[^\s<>]+\.[a-zA-Z]{2,5})")
"""An address without its site, as pages write them: without blanks, with a slash, a query or an ending."""


def fits_type(raw: str, kind: ValueType, *, language: str | None = None, with_currency: bool = False) -> bool:
    """Return whether a value is one of its type, whatever its decimal mark and order of dates: also `1.234`, which has two readings, and
    `/cover.png`, which only its page makes an address.

    with_currency: whether a price must name its currency.
    """
    if kind in ("url", "image") and _RELATIVE.fullmatch(raw.strip()):
        return True
    return any(not with_currency or " " in value for value in list_readings(raw, kind, language=language))


def list_readings(raw: str, kind: ValueType, *, language: str | None = None, column: ColumnEvidence = NO_EVIDENCE) -> frozenset[str]:
    """Return every reading that a value may have: two for `1.234` or `03/04/2024`, none for what is not of the type.

    column: what is known of the value's column. Where it decides, there is one reading.
    """
    assumed = (column,) if column.decimal in (".", ",") or column.date_order in ("DMY", "MDY", "YMD") else _ASSUMED
    values = (read_value(raw, kind, language=language, column=each).value for each in assumed)
    return frozenset(value for value in values if value is not None)


def _learn_decimal(raws: Iterable[str]) -> DecimalMark:
    shown = set()
    for text in {normalise_text(clean(raw)) for raw in raws if len(raw) <= MAX_TEXT}:
        matches = list(NUMERAL.finditer(text))
        if len(matches) == 1 and not _PERCENT.match(text, matches[0].end()):
            shown.add(read_numeral(matches[0][0]).shows)
    shown.discard("")
    if len(shown) > 1:
        return "mixed"
    return "." if shown == {"."} else "," if shown == {","} else ""


def _learn_dates(raws: Iterable[str]) -> ColumnEvidence:
    orders, years = set[DateOrder](), set[int]()
    for text in {clean(raw) for raw in raws if len(raw) <= MAX_DATE_LENGTH}:
        years |= {int(year) for year in _FULL_YEAR.findall(normalise_text(text))}
        parts = read_numeric_parts(text)
        if parts:
            orders |= _show_order(*parts)
    order: DateOrder = next(iter(orders)) if len(orders) == 1 else "mixed" if orders else ""
    return ColumnEvidence(date_order=order, last_year=max(years, default=0))


def _show_order(first: int, second: int, last: str) -> set[DateOrder]:
    """Return the order that a date proves, or nothing."""
    if len(last) == 4:
        return {"DMY"} if 12 < first <= 31 and second <= 12 else {"MDY"} if 12 < second <= 31 and first <= 12 else set()
    if first > 31 and second <= 12:
        return {"YMD"}
    if second > 12 and first <= 12:
        return {"MDY"}
    return {"DMY"} if int(last) > 31 and 12 < first <= 31 and second <= 12 else set()
