"""Unicode CLDR's data on languages, through babel: the decimal mark, the words for large numbers, the names of currencies."""

import re
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from extraction.algorithms.values.reading import list_words

LANGUAGES = list_words("en ar bg ca cs da de el es et fa fi fr he hi hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sr sv th tr uk vi zh")
"""Languages whose words are known where a page does not state its language: those of nearly all pages of the web."""

_ALIASES = {"no": "nb", "iw": "he", "in": "id", "tl": "fil", "mo": "ro", "sh": "sr-latn"}


@lru_cache(maxsize=512)
def find_locale(language: str) -> Locale | None:
    """Return the CLDR locale of a language tag such as "de" or "en-GB", that of the language alone if the country is unknown.

    None for "" and for languages that CLDR does not have.
    """
    tag = language.replace("_", "-").lower()
    head, _, rest = tag.partition("-")
    tag = "-".join(filter(None, (_ALIASES.get(head, head), rest)))
    while tag:
        try:
            return Locale.parse(tag, sep="-")
        except (UnknownLocaleError, ValueError, TypeError):
            tag = tag.rpartition("-")[0]
    return None


def find_territory(language: str) -> str:
    """Return the country that a language tag names, or the one country that CLDR takes for most likely; "" if unknown."""
    for part in language.replace("_", "-").split("-")[1:]:
        if re.fullmatch(r"[A-Za-z]{2}", part):
            return part.upper()
    locale = find_locale(language)
    likely = get_global("likely_subtags").get(locale.language, "") if locale else ""
    return likely.rpartition("_")[2] if re.fullmatch(r"\w+_[A-Z]{2}", likely) else ""


@lru_cache(maxsize=512)
def find_decimal(language: str) -> str:
    """Return the decimal mark of a language, "." or ","; "" if it is unknown or shops do not keep to it.

    English in a country with a decimal comma is written in both ways, and Switzerland's French has a point in prices.
    """
    locale = find_locale(language)
    if locale is None:
        return ""
    symbols = locale.number_symbols.get("latn") or next(iter(locale.number_symbols.values()))
    mark = symbols.get("decimal", "")
    if mark == "," and (locale.language == "en" or (locale.language, locale.territory) == ("fr", "CH")):
        return ""
    return {"٫": "."}.get(mark, mark if mark in (".", ",") else "")


@lru_cache(maxsize=512)
def groups_with_spaces(language: str) -> bool:
    """Return whether a language groups digits with spaces. True if the language is unknown."""
    locale = find_locale(language)
    if locale is None:
        return True
    symbols = locale.number_symbols.get("latn") or next(iter(locale.number_symbols.values()))
    return str(symbols.get("group", "")).isspace()


@lru_cache(maxsize=512)
def writes_negative_in_parentheses(language: str) -> bool:
    """Return whether accounts in the language write negative amounts in parentheses. True if the language is unknown."""
    locale = find_locale(language)
    return locale is None or "(" in locale.currency_formats["accounting"].pattern


@lru_cache(maxsize=512)
def list_multipliers(language: str) -> dict[str, int]:
    """Return {word: power of ten} for a language's words and abbreviations of thousand, million and so on; {} if it is unknown.

    Words are casefolded and without a final point; single letters keep their case.
    """
    locale = find_locale(language)
    found: dict[str, int] = {}
    if locale is None:
        return found
    for formats in (locale._data["compact_decimal_formats"]["long"], locale._data["compact_decimal_formats"]["short"]):
        for patterns in formats.values():
            for size, pattern in patterns.items():
                text = str(pattern.pattern).split(";")[0].replace("'", "")
                zeros = text.count("0")
                word = fold_word(re.sub(r"[0\s\u200e\u200f]+", " ", text))
                if zeros and word and not any(map(str.isdigit, word)):
                    found.setdefault(word, len(size) - zeros)
    return found


@lru_cache(maxsize=1)
def list_known_multipliers() -> frozenset[str]:
    """Return the words of all LANGUAGES for large numbers, of which one may mean different numbers in different languages."""
    return frozenset(word for language in LANGUAGES for word in list_multipliers(language) if len(word) > 2)


@lru_cache(maxsize=256)
def list_units(language: str) -> frozenset[str]:
    """Return a language's words and signs for length, area, volume, weight, data and time, casefolded and without final points."""
    locale = find_locale(language)
    if locale is None:
        return frozenset()
    found = set[str]()
    for name, widths in locale._data["unit_patterns"].items():
        if name.startswith(("length-", "area-", "volume-", "mass-", "digital-", "duration-")):
            found |= {fold_word(str(pattern).replace("{0}", "")).casefold() for forms in widths.values() for pattern in forms.values()}
    return frozenset(word for word in found if word and "{" not in word and "/" not in word)


@lru_cache(maxsize=256)
def list_currency_names(language: str) -> dict[str, str]:
    """Return {name or sign: ISO code} for a language's names of currencies, casefolded, without those that name several."""
    locale = find_locale(language)
    if locale is None:
        return {}
    found: dict[str, str] = {}
    several: set[str] = set()
    names = [(name, code) for code, name in locale.currencies.items()]
    names += [(name, code) for code, plurals in locale._data["currency_names_plural"].items() for name in plurals.values()]
    names += [(sign, code) for code, sign in locale.currency_symbols.items()]
    for name, code in names:
        word = fold_word(str(name))
        if found.setdefault(word, code) != code:
            several.add(word)
    return {word: code for word, code in found.items() if word not in several and word}


@lru_cache(maxsize=512)
def list_currency_decimals(code: str) -> str:
    """Return the one decimal mark of all places where a currency is legal tender; "" where they differ or the currency is unknown."""
    marks = set()
    for territory, languages in _list_territories(code):
        for language in languages:
            marks.add(find_decimal(f"{language}-{territory}"))
    return marks.pop() if len(marks) == 1 else ""


def _list_territories(code: str) -> list[tuple[str, list[str]]]:
    """Return (country, its official languages) of the countries that use a currency today."""
    languages = get_global("territory_languages")
    found = []
    for territory, rows in get_global("territory_currencies").items():
        if any(row[0] == code and row[2] is None and row[3] for row in rows):
            spoken = languages.get(territory, {})
            official = [name.replace("_", "-") for name, facts in spoken.items() if facts["official_status"] == "official"]
            found.append((territory, official))
    return found


@lru_cache(maxsize=512)
def count_currency_digits(code: str) -> int:
    """Return how many decimal digits a currency's amounts have in daily use, 2 if unknown."""
    digits = get_global("currency_fractions")
    return int(digits.get(code, digits["DEFAULT"])[2])


def fold_word(word: str) -> str:
    """Return a word as it is looked up: casefolded unless it is a single letter, without a final point or spaces around it."""
    word = " ".join(re.sub("[\u200e\u200f\u061c]", "", word).split()).rstrip(".")
    return word if len(word) == 1 else word.casefold()
