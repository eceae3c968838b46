"""Numbers, with whatever unit stands around them.

    number = [words] [sign] numeral [multiplier] [% or unit]
           | "(" numeral ")"                          a negative number in accounts

Exactly one numeral, not inside of a word.
"""

import re
from functools import lru_cache

from extraction.algorithms.values.amounts import (
    ATTACHED_BEFORE,
    FRACTION,
    MINUS_WORD,
    OTHER_NUMBERS,
    choose_decimal,
    find_multiplier,
    multiply,
)
from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.numerals import NUMERAL, read_numeral, write_number
from extraction.algorithms.values.reading import Reading, refuse_value

_MINUS_AT_END = re.compile(r"(?P<before>.?)-\s?$")
_DASH = re.compile(r"[^\s(]\s?-\s$|-\s?\($")
_PHONE = re.compile(r"\+\d[\d ]{7,}$|\+\d+ |(?<!\d)0\d{8,}$")


@lru_cache(maxsize=20_000)
def read_number(text: str, language: str, column: ColumnEvidence) -> Reading:
    """Return the reading of a text as a number."""
    plain = normalise_text(text)
    matches = list(NUMERAL.finditer(plain))
    if not matches:
        return refuse_value(text, "contains no number")
    if len(matches) > 1:
        return refuse_value(text, f"contains {len(matches)} numbers")
    match = matches[0]
    before, after = plain[: match.start()], plain[match.end() :]
    if FRACTION.search(plain) or ATTACHED_BEFORE.search(before):
        return refuse_value(text, "is not a plain number")
    if OTHER_NUMBERS.search(plain) or _PHONE.search(before + match[0]):
        return refuse_value(text, "is a number that counts nothing, such as a telephone number")
    numeral = read_numeral(match[0], choose_decimal(language, column))
    if numeral.number is None:
        why = "has a point or comma that may separate thousands or decimals" if numeral.ambiguous else "is not a number"
        return refuse_value(text, why)
    multiplier = find_multiplier(after, language, counts="anything")
    if multiplier is None:
        return refuse_value(text, "has a word or letter that may multiply it")
    if re.match(r"-(?!\w)", after) or _DASH.search(before) or MINUS_WORD.search(before):
        return refuse_value(text, "has a dash that may be a minus sign")
    number = multiply(numeral.number, multiplier[0])
    negative = _is_negative(before) or (before == "(" and after == ")")
    return Reading(write_number(-number if negative and number else number))


def _is_negative(before: str) -> bool:
    """Return whether the text before a numeral ends with a minus sign that is not a hyphen between it and a word."""
    sign = _MINUS_AT_END.search(before)
    return sign is not None and not sign["before"].isalnum()
