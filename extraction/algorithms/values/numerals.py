"""The grammar of one numeral: its digits, its grouping signs and its decimal mark.

    numeral  = whole [decimal digits] | decimal digits
    whole    = digits | group3 | groupIndia
    group3   = 1–3 digits, then groups of 3, all with the same sign: . , ' · or a space
    groupIndia = 1–2 digits, then groups of 2, then one group of 3, with commas
    decimal  = . or ,

A numeral with two different signs, or with one that repeats, has one reading. With a single point or comma before exactly three
digits (`1.234`) it has two; whoever asks says which mark is the decimal one, or the numeral stays ambiguous.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

ARABIC_DECIMAL, ARABIC_GROUP = "٫", "٬"

NUMERAL = re.compile(
    r"""(?<!\d)(?<!\d[.,'٫٬·˙_])(?:
        [1-9]\d{0,2}(?:\ \d{3})+(?!\d)(?:[.,٫]\d+)?(?!\ ?\d)(?![.,'٫٬]\d)  # groups by spaces, only where they are whole
      | \d+(?:[.,'٫٬·˙_]\d+)*
      | (?<![^\s$€£¥₹₩₺₽(+-])[.,٫]\d+
    )""",
    re.VERBOSE,
)
"""One numeral in a text that `normalise_text` gave. Digits with other spaces between are several numerals."""

_GROUPS = re.compile(r"[1-9]\d{0,2}(?:(?P<sign>[.,' ٬·˙_])\d{3})(?:(?P=sign)\d{3})*")
_INDIAN = re.compile(r"[1-9]\d?(?:[,٬]\d\d)+[,٬]\d{3}")
_SEPARATOR = re.compile(r"\D")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A numeral as read.

    number: its value, None if it is ambiguous or no number.
    ambiguous: whether it has two readings.
    shows: the decimal mark that it proves, "" if none.
    """

    number: Decimal | None
    ambiguous: bool = False
    shows: str = ""


NOT_A_NUMBER = Numeral(None)


def read_numeral(text: str, decimal: str = "") -> Numeral:
    """Return the reading of a text that NUMERAL matches. decimal: the mark that decides where there are two readings, "" if unknown."""
    signs = _SEPARATOR.findall(text)
    if not signs:
        return Numeral(Decimal(text))
    last = signs[-1]
    whole, fraction = text[: text.rindex(last)], text[text.rindex(last) + 1 :]
    if last == ARABIC_DECIMAL:
        return _with_fraction(whole, fraction, "")
    if len(set(signs)) > 1:
        return _with_fraction(whole, fraction, last) if last in ".," and signs.count(last) == 1 else NOT_A_NUMBER
    if last not in ".," or len(signs) > 1:
        return _grouped(text, other=last)
    if len(fraction) != 3 or whole in ("", "0") or len(whole) > 3:
        return _with_fraction(whole, fraction, last)
    if whole.startswith("0"):
        return NOT_A_NUMBER
    if not decimal:
        return Numeral(None, ambiguous=True)
    return Numeral(Decimal(f"{whole}.{fraction}" if last == decimal else whole + fraction))


def _with_fraction(whole: str, fraction: str, mark: str) -> Numeral:
    if whole and not whole.isdigit():
        grouped = _grouped(whole, other="")
        if grouped.number is None:
            return NOT_A_NUMBER
        whole = str(grouped.number)
    return Numeral(Decimal(f"{whole or '0'}.{fraction}"), shows=mark)


def _grouped(text: str, *, other: str) -> Numeral:
    """Return the number of digits in groups. other: the grouping sign, which cannot be the decimal mark."""
    if not _GROUPS.fullmatch(text) and not _INDIAN.fullmatch(text):
        return NOT_A_NUMBER
    return Numeral(Decimal(_SEPARATOR.sub("", text)), shows={".": ",", ",": "."}.get(other, ""))


def write_number(number: Decimal) -> str:
    """Return the number in plain digits, without an exponent."""
    return f"{number:f}"
