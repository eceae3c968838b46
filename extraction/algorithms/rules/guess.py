"""The type of a column, guessed from its values: the one as which all of them can be read, and text in doubt."""

import re
from collections.abc import Sequence

from extraction.algorithms.values.column import fits_type
from extraction.algorithms.values.dates import MAX_DATE_LENGTH
from extraction.algorithms.values.reading import ValueType

LOOKED_AT = 20
"""How many values are read."""

_NUMBER = re.compile(r"[-+−]?(?:[1-9][\d,.' ]{0,14}|0?[.,]\d+|0)%?")
_DIGIT = re.compile(r"\d")

_CODE = re.compile(r"\d{8,}")
"""Digits of an article number or barcode (GTIN-8 has 8). Numbers that are as long are written in groups, or their lengths differ."""

MAX_PRICE = 20
"""Longest text, in characters, that is a price and nothing else."""


def guess_type(texts: Sequence[str], *, language: str | None = None) -> ValueType:
    """The type of all the texts; "text" for none. Identifiers stay text: digits with zeros in front, and many digits of one length."""
    shown = list(dict.fromkeys(texts))[:LOOKED_AT]
    if not shown:
        return "text"
    if all(text.startswith(("http://", "https://")) for text in shown):
        return "url"
    if not all(_DIGIT.search(text) for text in shown):
        return "text"
    if len(shown) > 1 and all(_CODE.fullmatch(text) for text in shown) and len({len(text) for text in shown}) == 1:
        return "text"
    if all(_NUMBER.fullmatch(text) for text in shown) and _all_read(shown, "number", language):
        return "date" if all(re.fullmatch(r"(?:19|20)\d\d", text) for text in shown) else "number"
    if all(len(text) <= MAX_PRICE for text in shown) and _all_read(shown, "price", language, mark=True):
        return "price"
    if all(len(text) <= MAX_DATE_LENGTH for text in shown) and _all_read(shown, "date", language):
        return "date"
    return "text"


def _all_read(texts: Sequence[str], kind: ValueType, language: str | None, *, mark: bool = False) -> bool:
    """Whether each can be read as the type, whatever the order of its dates and its decimal mark. mark: with a currency."""
    return all(fits_type(text, kind, language=language, with_currency=mark) for text in texts)
