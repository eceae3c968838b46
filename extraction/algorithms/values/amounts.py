"""What prices and numbers share: the decimal mark that holds, multipliers, signs of minus, and texts that are no amount at all."""

import re
from decimal import Decimal

from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.locales import find_decimal, find_locale, fold_word, list_known_multipliers, list_multipliers

OTHER_NUMBERS = re.compile(
    r"(?:^|[\s(])(?:tel|telefon|phone|fax|fon|mobile|handy|hotline|iban|bic|isbn|issn|тел|τηλ|電話|电话)(?![^\W\d_])|☎|✆"
    r"|\+\d{1,3}[\s(]+\d",
    re.IGNORECASE,
)
"""Words before numbers that count nothing: telephone numbers, bank accounts, books' numbers."""

MINUS_WORD = re.compile(r"(?<![^\W\d_])(?:minus|moins|menos|meno|минус|мінус|miinus|eksi|マイナス)\s*\S{0,3}\s*$", re.IGNORECASE)
"""A word for minus at the end of what stands before an amount."""

FRACTION = re.compile("[¼-¾⅐-⅞]|\\d[\u00b2\u00b3\u00b9\u2070-\u2089]")
LETTER = r"[^\W\d_]"
ATTACHED_BEFORE = re.compile(r"[A-Za-z\u00c0-\u058f]$")
"""Finds a letter right before a numeral, in scripts that have spaces between words."""

_GENERIC = {
    "k": 3,
    "K": 3,
    "tsd": 3,
    "mio": 6,
    "mln": 6,
    "lakh": 5,
    "lakhs": 5,
    "lac": 5,
    "crore": 7,
    "crores": 7,
    "mrd": 9,
    "mlrd": 9,
    "bn": 9,
    "тыс": 3,
    "млн": 6,
    "млрд": 9,
}
"""Words that mean one number in every language."""

_POWERS = {
    "百": 2,
    "백": 2,
    "千": 3,
    "천": 3,
    "万": 4,
    "萬": 4,
    "만": 4,
    "億": 8,
    "亿": 8,
    "억": 8,
    "兆": 12,
    "조": 12,
    "百万": 6,
    "百萬": 6,
    "백만": 6,
    "千万": 7,
    "千萬": 7,
    "천만": 7,
}
_CHARACTER_RUN = re.compile(r"\s?([十십百백千천万萬만億亿억兆조]+)")
"""Chinese, Japanese and Korean characters for powers of ten."""

_ENGLISH = {"hundred": 2, "thousand": 3, "million": 6, "millions": 6, "mn": 6, "billion": 9, "trillion": 12}

_FOLLOWS = re.compile(rf"(?P<space>\s?)(?P<word>{LETTER}+\.?(?: {LETTER}+\.?)?)")


def choose_decimal(language: str, column: ColumnEvidence) -> str:
    """Return the decimal mark where one text has two readings: the column's, else the language's. "" if nothing decides."""
    if column.decimal:
        return "" if column.decimal == "mixed" else column.decimal
    return find_decimal(language)


def find_multiplier(after: str, language: str, *, counts: str) -> tuple[int, int] | None:
    """Return (power of ten, characters) of the word for a large number that a text begins with; (0, 0) if there is none.

    after: the text behind a numeral.
    counts: "money", where a lone letter is a multiplier, or "anything", where it is rather a unit.
    None if there is such a word, but it means different numbers in different languages and the language is unknown.
    """
    run = _CHARACTER_RUN.match(after)
    if run:
        return (_POWERS[run[1]], run.end()) if run[1] in _POWERS else None
    match = _FOLLOWS.match(after)
    if not match:
        return 0, 0
    for phrase in dict.fromkeys((match["word"], match["word"].split(" ")[0])):
        if after[len(match["space"]) + len(phrase) :][:1].isalpha():
            continue
        power = _find_power(phrase, language, attached=not match["space"], counts=counts)
        if power is None:
            return None
        if power:
            return power, len(match["space"]) + len(phrase)
    return 0, 0


def _find_power(phrase: str, language: str, *, attached: bool, counts: str) -> int | None:
    word = fold_word(phrase)
    if len(word) == 1 and word.isascii():
        if word in "kK":
            return 3 if attached or counts == "money" else None
        if word in "mM" and attached:
            return 6 if counts == "money" or (word == "M" and language[:2] == "en") else None
        if word == "M" and counts != "money" and "M" in list_multipliers(language):
            return None
        if word not in "BM" or (not attached and counts != "money"):
            return 0
    own = list_multipliers(language)
    if word in _GENERIC and word not in own:
        return _GENERIC[word]
    english = {} if find_locale(language) is not None and language[:2] != "en" else _ENGLISH
    power = own.get(word) or (english.get(word, 0) if language else 0)
    if power:
        return power
    return None if len(word) > 1 and (word in _ENGLISH or word in list_known_multipliers()) else 0


def multiply(number: Decimal, power: int) -> Decimal:
    """Return the number times a power of ten, without zeros that the multiplication adds behind the decimal mark."""
    return number.scaleb(power).quantize(Decimal(1)) if power and number.scaleb(power) % 1 == 0 else number.scaleb(power)
