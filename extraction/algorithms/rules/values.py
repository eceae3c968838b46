"""A raw value read as its type (docs/algorithms.md#rule-learning).

The raw text is always kept beside its reading. A value that cannot be read has no normalised form and a problem in words; it never raises
an exception and is never guessed. Prices and numbers are read by price-parser, dates by dateparser. Both are told as much as is known of
the page's language.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache

import dateparser
from price_parser import Price
from price_parser.parser import parse_number

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.urls import first_of_srcset, join_address
from extraction.algorithms.rules.rule import ValueType

MAX_DATE_LENGTH = 60
"""Longest text read as a date: "Wednesday, the 12th of September 2018, 12:30:00 UTC" has 52 characters; longer ones hold more."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DATE_LANGUAGES = sorted(
    _words("en de fr es it pt nl sv da nb fi pl cs sk hu ro bg el tr ru uk he ar fa hi th vi id ja ko zh"),
    key=lambda code: (code != "en", code),
)
"""Languages tried where none is given: those of nearly all pages of the web. dateparser knows two hundred; with all of them the
first text that is no date takes 7 s (their tables are loaded) and each further one 0.2 s, with these 3 s and 0.02 s."""

COMMA_LANGUAGES = _words("bg ca cs da de el es et eu fi fr hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk vi")
"""Languages whose decimal mark is a comma (Unicode CLDR)."""

POINT_REGIONS = _words("de-ch de-li it-ch es-mx es-us es-pr es-gt es-hn es-ni es-pa es-sv es-do es-pe")
"""Countries that write a decimal point in such a language."""

DAY_FIRST_REGIONS = _words("en-gb en-ie en-au en-nz en-in en-za en-hk en-sg en-mt")
"""Countries that write the day first in English; in the United States the month comes first."""

CURRENCIES = {"€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₺": "TRY", "₩": "KRW", "zł": "PLN", "Kč": "CZK", "฿": "THB", "₴": "UAH"}
"""Signs that mean one currency. $, ¥ and kr mean several and are kept as they stand."""

YES = _words("yes y true 1 on ✓ ✔ ja oui si sí sì sim tak ano da да ναι evet igen kyllä jah taip jā はい 是 예 نعم כן")
NO = _words("no n false 0 off ✗ ✘ ✕ nein nee non não nie ne нет όχι hayır nem nei nej ei いいえ 否 不 아니요 لا לא")
"""Words for yes and no, casefolded; none means yes in one language and no in another."""

_NUMBER = re.compile(r"(?P<open>\()?(?P<sign>[-−–+])?\s*(?P<digits>\d(?:[\d.,'’ ]*\d)?|[.,]\d+)(?(open)\s*\))")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_HAS_YEAR = re.compile(r"(?<!\d)(?:\d{4}(?!\d)|(?:\d{1,2}[./-]){2}\d{2}(?!\d))|'\d\d(?!\d)")
_TWO_MEANINGS = re.compile(r"(?P<first>0?[1-9]|1[0-2])(?P<mark>[/-])(?P<second>0?[1-9]|1[0-2])(?P=mark)(?:\d\d)?\d\d")
_DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d\d)?\d\d(?!\d)")  # the day first in every language that writes dates with points
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class TypedValue:
    """raw: the text as extracted. value: its normal form, None when it cannot be read. problem: why, else empty.

    Normal forms: text, url and image as they stand (absolute); number "-1234.5"; price "12.90 EUR", without currency
    where none is given; date ISO 8601, as exact as given ("2018-09-12", "2018-09", "2018"); boolean "true", "false".
    """

    raw: str
    value: str | None
    problem: str = ""


def read_value(raw: str, kind: ValueType, *, base_url: str = "", language: str | None = None) -> TypedValue:
    """The raw value read as `kind`. base_url: the page's address; language: its code ("de", "de-AT"), if known."""
    text = clean(raw)
    if not text:
        return TypedValue(raw, None, "the value is empty")
    value, problem = _READERS[kind](text, base_url, (language or "").lower().replace("_", "-"))
    return TypedValue(raw, value, problem)


_Read = tuple[str | None, str]


def _text(text: str, base_url: str, language: str) -> _Read:
    del base_url, language
    return text, ""


def _number(text: str, base_url: str, language: str) -> _Read:
    del base_url
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None, f"“{text[:60]}” contains no number"
    if len(matches) > 1:
        return None, f"“{text[:60]}” contains {len(matches)} numbers"
    match = matches[0]
    number = _decimal(match["digits"], language)
    if number is None:
        return None, f"“{text[:60]}” is not a number"
    before = text[match.start("sign") - 1 : match.start("sign")] if match["sign"] else ""
    negative = bool(match["open"] and not match["sign"] and match[0] == text) or (match["sign"] in ("-", "−", "–") and not before.isalnum())
    return _plain(-number if negative else number), ""


def _decimal(digits: str, language: str) -> Decimal | None:
    """The number of digits with separators: the language decides what one lone separator means, else its place does."""
    digits = re.sub(r"['’ ]", "", digits)
    lone = re.fullmatch(r"\d*([.,])\d+", digits)
    decimal = None
    if lone:
        grouped = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits) is not None
        own_mark = "," if language.split("-")[0] in COMMA_LANGUAGES and language not in POINT_REGIONS else "."
        decimal = lone[1] if not grouped else own_mark if language else None
    try:
        number = parse_number(digits, decimal_separator=decimal)
    except InvalidOperation:
        return None
    return number


def _plain(number: Decimal) -> str:
    return f"{number:f}"


def _price(text: str, base_url: str, language: str) -> _Read:
    del base_url
    price = Price.fromstring(text)
    if price.amount_text is None:
        return None, f"“{text[:60]}” contains no price"
    amount = _decimal(price.amount_text, language)
    if amount is None:
        return None, f"“{text[:60]}” is not a price"
    sign = text[: text.find(price.amount_text)].rstrip("€$£¥ ")
    if sign.endswith(("-", "−")) and not sign[:-1].strip()[-1:].isalnum():
        amount = -amount
    currency = CURRENCIES.get(price.currency or "", price.currency or "")
    return f"{_plain(amount)} {currency}".strip(), ""


def _date(text: str, base_url: str, language: str) -> _Read:
    del base_url
    return _date_of(text, language)


@lru_cache(maxsize=10_000)
def _date_of(text: str, language: str) -> _Read:
    """Absolute dates with a year only: "May", "12" or "yesterday" are none, as they would need today's date.

    Kept, because dateparser tries every language on a text that is no date.
    """
    if _YEAR.fullmatch(text):
        return text, ""
    if len(text) > MAX_DATE_LENGTH or not _HAS_YEAR.search(text):
        return None, f"“{text[:60]}” is not a date with a year"
    two = _TWO_MEANINGS.fullmatch(text)
    if two and not language and two["first"] != two["second"]:
        return None, f"“{text[:60]}” may begin with the day or the month, and the page does not state its language"
    languages = [language.split("-")[0]] if language else DATE_LANGUAGES
    order = "YMD" if re.match(r"\d{4}\D", text) else "DMY" if _DOTTED.match(text) or language in DAY_FIRST_REGIONS else ""
    first = _parse_date(text, languages, "first", order) or (_parse_date(text, DATE_LANGUAGES, "first", order) if language else None)
    if first is None:
        return None, f"“{text[:60]}” is not a date with a year"
    last = _parse_date(text, languages, "last", order) or _parse_date(text, DATE_LANGUAGES, "last", order)
    exact = last is not None and last.day == first.day
    return (first.date().isoformat() if exact else f"{first:%Y-%m}"), ""


def _parse_date(text: str, languages: list[str], day: str, order: str) -> datetime | None:
    settings = {
        "PARSERS": ["absolute-time"],
        "REQUIRE_PARTS": ["month", "year"],
        "PREFER_DAY_OF_MONTH": day,
        # No clock here: nothing is read relative to today.
        "RELATIVE_BASE": datetime(2000, 1, 1),
    }
    if order:
        settings["DATE_ORDER"] = order
    try:
        found: datetime | None = dateparser.parse(text, languages=languages, settings=settings)
    except ValueError:  # a language that dateparser does not know
        return None
    return found


def _url(text: str, base_url: str, language: str) -> _Read:
    """As a browser resolves it: absolute, with a host that can exist."""
    del language
    address = join_address(base_url if "://" in base_url else "", text)
    if address is None:
        relative = not base_url and not _SCHEME.match(text.strip())
        reason = "is relative and the page's address is not known" if relative else "is not an address"
        return None, f"“{text[:60]}” {reason}"
    if not address.startswith(("http://", "https://")):
        return None, f"“{text[:60]}” is a {address.partition(':')[0]}: address"
    return address, ""


def _image(text: str, base_url: str, language: str) -> _Read:
    """As an address; of a srcset its first candidate."""
    return _url(first_of_srcset(text), base_url, language)


def _boolean(text: str, base_url: str, language: str) -> _Read:
    del base_url, language
    word = text.casefold().strip(" .!")
    if word in YES or word in NO:
        return ("true" if word in YES else "false"), ""
    return None, f"“{text[:60]}” is neither yes nor no"


_READERS: Mapping[ValueType, Callable[[str, str, str], _Read]] = {
    "text": _text,
    "number": _number,
    "price": _price,
    "date": _date,
    "url": _url,
    "image": _image,
    "boolean": _boolean,
}
