"""The type of a column, guessed from its values: the one as which all of them can be read, and text in doubt."""

import re
from collections.abc import Sequence
from typing import TypeGuard

from extraction.algorithms.rules.rule import ValueType
from extraction.algorithms.rules.values import MAX_DATE_LENGTH, read_value

LOOKED_AT = 20
"""How many values are read. Dates take milliseconds each."""

_NUMBER = re.compile(r"[-+−]?(?:[1-9][\d,.' ]{0,14}|0?[.,]\d+|0)%?")
_DIGIT = re.compile(r"\d")
MAX_PRICE = 20
"""Longest text, in characters, that is a price and nothing else."""


def guess_type(texts: Sequence[str], *, language: str | None = None) -> ValueType:
    """The type of all the texts; "text" for none. Identifiers with zeros in front stay text."""
    shown = list(dict.fromkeys(texts))[:LOOKED_AT]
    if not shown:
        return "text"
    if all(text.startswith(("http://", "https://")) for text in shown):
        return "url"
    if not all(_DIGIT.search(text) for text in shown):
        return "text"
    if all(_NUMBER.fullmatch(text) for text in shown) and _all_read(shown, "number", language):
        return "date" if all(re.fullmatch(r"(?:19|20)\d\d", text) for text in shown) else "number"
    if all(len(text) <= MAX_PRICE for text in shown) and _all_read(shown, "price", language, mark=True):
        return "price"
    if all(len(text) <= MAX_DATE_LENGTH for text in shown) and _all_read(shown, "date", language):
        return "date"
    return "text"


def _all_read(texts: Sequence[str], kind: ValueType, language: str | None, *, mark: bool = False) -> bool:
    """Whether each can be read as the type. mark: with a currency."""
    values = (read_value(text, kind, language=language).value for text in texts)
    return all(_present(value) and (not mark or " " in value) for value in values)


def _present(value: str | None) -> TypeGuard[str]:
    return value is not None
