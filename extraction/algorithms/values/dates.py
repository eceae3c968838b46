"""Dates with a year: "2018-09-12", "2018-09" or "2018", as exact as given.

    date    = year | iso | numeric | worded, then perhaps a time, which is dropped
    iso     = yyyy-mm-dd | yyyy/mm/dd | yyyy.mm.dd | yyyymmdd | yyyy-mm | yyyy/mm
    numeric = day, month and year with the same / . or - between, in the order that the column or the language tells; mm/yyyy
    worded  = the language's own patterns in CLDR, or day, month's name and year in any usual order, with weekday and
              particles ("of", "de", "г.")

The whole text must be a date: a word that is unknown makes it none. Relative dates are not read. For years of other calendars see
`eras.py`; on a Thai page, a year from 2484 on is of the Buddhist era, and one of two digits may be of either calendar.
"""

import re
from datetime import date
from functools import lru_cache

from extraction.algorithms.values.date_words import (
    find_date_order,
    fold_date_word,
    list_date_patterns,
    list_date_words,
    list_month_names,
)
from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.eras import (
    BUDDHIST_AHEAD,
    FIRST_BUDDHIST_YEAR,
    LAST_BUDDHIST_YEAR,
    convert_buddhist_years,
    read_era_date,
)
from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.reading import Reading, list_words, refuse_value

MAX_DATE_LENGTH = 60
"""Longest text read as a date: "Wednesday, the 12th of September 2018, 12:30:00 UTC" has 52 characters; longer ones hold more."""

EARLY_CENTURY, LATE_CENTURY = 39, 69
"""Years of two digits up to the first are of this century, from the second on of the last. Those between may be of either; a column
with years of four digits decides."""

YEARS_BACK, YEARS_AHEAD = 79, 20
"""How far from the latest year of the column a year of two digits may lie."""

_TIME = re.compile(
    r"(?:(?<=\d)t|[,\s]|^)\s*(?:(?:at|um|à|kl\.?|alle|às|o|о|в|a las|klo)\s)?(?:오전|오후|上午|下午|午前|午後)?\s?(?P<hour>\d{1,2})"
    r"(?:[:h](?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?(?!\d)|(?=\s?[ap]\.?m\b))\s?(?:[ap]\.?m\b\.?)?\s?(?:z\b|utc\b|gmt\b|(?-i:[a-z]{2,4}t)\b|uhr\b|h\b)?\s?(?:[+-]\d{2}:?\d{2})?"
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:t\d{4,6}(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?)?")
_YEAR_FIRST = re.compile(r"(\d{4})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{1,2})\.?")
_YEAR_MONTH = re.compile(r"(\d{4})[-/](0[1-9]|1[0-2])")
_MONTH_YEAR = re.compile(r"(0[1-9]|1[0-2])[/.](\d{4})")
_NUMERIC = re.compile(r"(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})\.?")
_CJK = re.compile(r"(\d{4})\s?[年년]\s?(?:(\d{1,2})\s?[月월]\s?(?:(\d{1,2})\s?[日일號号]?)?)?")
_VIETNAMESE = re.compile(r"(?:ngày )?(?:(\d{1,2}) )?(?:tháng|thg) (\d{1,2})(?:,| năm)? (\d{4})")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|ère|re|º|ª|°|ste|:a|:e|-?го|-?е|η|ης|an|ain|ed|fed)(?![^\W\d_])\.?")
_TOKEN = re.compile(r"(?P<number>\d+)|(?P<word>[^\s\d,.;:/()\[\]|?!+*#&=<>%$€£~\"-]+)|(?P<mark>[\s,.()/-]+)|(?P<other>.)")
_LABEL = re.compile(r"^[^\W\d_]+(?: [^\W\d_]+){0,2}: (?=.*\d)")
_NOISE = frozenset(
    list_words(
        "of the on วันที่ ปี ที่ de del d den le dne г год года року р рік gada gads m d am vom der a dia día ημέρα ng an bl yil оны жылы "
        "роках il ж т ש ב dei och і a.d ad ce"
    )
)
"""Words of dates that add nothing."""


@lru_cache(maxsize=20_000)
def read_date(text: str, language: str, column: ColumnEvidence) -> Reading:
    """Return the reading of a text as a date."""
    plain = _LABEL.sub("", normalise_text(text).casefold())
    era = read_era_date(text, _drop_weekday(plain, language or "ja"), language) if len(plain) <= MAX_DATE_LENGTH else None
    if era is not None:
        return era
    if len(plain) > MAX_DATE_LENGTH or not re.search(r"\d\d", plain):
        return refuse_value(text, "is not a date with a year")
    converted = convert_buddhist_years(plain)
    if converted is None:
        return refuse_value(text, "is of a year that did not begin in January")
    plain = converted.strip()
    if re.fullmatch(r"\d{4}", plain):
        return _read_year(text, int(plain), language)
    plain = _drop_time(plain)
    return (
        _read_year_first(text, plain if plain[:1].isdigit() and plain[-1:].isdigit() else _drop_weekday(plain, language), language)
        or _read_numeric(text, _drop_weekday(plain, language), language, column)
        or _read_cjk(text, _drop_weekday(plain, language), language)
        or _read_worded(text, plain, language, column)
        or refuse_value(text, "is not a date with a year")
    )


def _drop_time(plain: str) -> str:
    match = _TIME.search(plain)
    if not match or int(match["hour"]) > 24 or int(match["minute"] or 0) > 59:
        return plain
    return " ".join((plain[: match.start()] + " " + plain[match.end() :]).split()).strip(", ")


def _drop_weekday(plain: str, language: str) -> str:
    """Return the text without weekdays and particles, if it holds no other words."""
    words = list_date_words(language)

    def _known(match: re.Match[str]) -> str:
        word = fold_date_word(match[0].strip("()., "))
        return "" if 0 in words.get(word, ()) or (word in _NOISE and match.start() > 5) else match[0]

    return re.sub(r"[(,]?\s?[^\s\d,./()年月日년월일-]+[.,)]*", _known, plain).strip(" ,")


def _read_year(text: str, year: int, language: str) -> Reading:
    found = _true_year(year, language)
    return refuse_value(text, "is no year of our calendar") if found is None else Reading(f"{found:04d}")


def _true_year(year: int, language: str) -> int | None:
    """Return the year in our calendar, None for one of another calendar or too far from today."""
    if language[:2] == "th" and FIRST_BUDDHIST_YEAR <= year <= LAST_BUDDHIST_YEAR:
        return year - BUDDHIST_AHEAD
    if language[:2] in ("fa", "ps", "ar", "ur", "ckb") and 1200 <= year <= 1500:
        return None
    return year if 1000 <= year < 2100 else None


def _read_year_first(text: str, plain: str, language: str) -> Reading | None:
    match = _YEAR_FIRST.fullmatch(plain)
    if match:
        return _write_date(text, language, year=int(match[1]), month=int(match[3]), day=int(match[4]))
    match = _COMPACT.fullmatch(plain)
    if match and 1900 <= int(match[1]) < 2100:
        return _write_date(text, language, year=int(match[1]), month=int(match[2]), day=int(match[3]))
    month = _YEAR_MONTH.fullmatch(plain)
    if month:
        return _write_date(text, language, year=int(month[1]), month=int(month[2]))
    month = _MONTH_YEAR.fullmatch(plain)
    return _write_date(text, language, year=int(month[2]), month=int(month[1])) if month else None


def _read_numeric(text: str, plain: str, language: str, column: ColumnEvidence) -> Reading | None:
    match = _NUMERIC.fullmatch(plain)
    if not match:
        return None
    first, mark, second, last = int(match[1]), match[2], int(match[3]), match[4]
    order = _choose_order(language, mark, column, four_digits=len(last) == 4)
    orders = [order] if order else ["DMY", "MDY", *(["YMD"] if len(last) == 2 else [])]
    found = {each for each in (_in_order(one, (first, second, last), language, column) for one in orders) if each is not None}
    if not found and order and len(last) == 4:
        found = {each for each in (_in_order(one, (first, second, last), language, column) for one in ("DMY", "MDY")) if each is not None}
    if len(found) == 1:
        return Reading(found.pop().isoformat())
    if not found:
        return refuse_value(text, "is no day of the calendar, or its year may be of two centuries")
    return refuse_value(text, "may begin with the day or the month, and neither the page's language nor other values tell which")


def _choose_order(language: str, mark: str, column: ColumnEvidence, *, four_digits: bool) -> str:
    """Return the order in which a date is read; "" where neither the column nor the language decides."""
    if column.date_order:
        return "" if column.date_order == "mixed" or (column.date_order == "YMD" and four_digits) else column.date_order
    order = find_date_order(language)
    if mark == "." and four_digits:
        return "" if order == "MDY" else "DMY"
    return "" if order == "YMD" and four_digits else order


def _in_order(order: str, parts: tuple[int, int, str], language: str, column: ColumnEvidence) -> date | None:
    first, second, last = parts
    numbers = dict(zip(order, (first, second, int(last)), strict=True))
    year = _full_year(numbers["Y"], column, language) if order == "YMD" or len(last) == 2 else _true_year(numbers["Y"], language)
    try:
        return None if year is None else date(year, numbers["M"], numbers["D"])
    except ValueError:
        return None


def _full_year(year: int, column: ColumnEvidence, language: str) -> int | None:
    """Return the year that two digits mean; None where it may be of either century, or of either calendar."""
    if year > 99 or language[:2] == "th":
        return None
    if column.last_year:
        latest = column.last_year + YEARS_AHEAD
        return latest - (latest - year) % 100
    return 2000 + year if year <= EARLY_CENTURY else 1900 + year if year >= LATE_CENTURY else None


def _read_cjk(text: str, plain: str, language: str) -> Reading | None:
    match = _CJK.fullmatch(plain)
    if match:
        return _write_date(text, language, year=int(match[1]), month=int(match[2] or 0), day=int(match[3] or 0))
    match = _VIETNAMESE.fullmatch(plain) if language[:2] in ("", "vi") else None
    return _write_date(text, language, year=int(match[3]), month=int(match[2]), day=int(match[1] or 0)) if match else None


def _read_worded(text: str, plain: str, language: str, column: ColumnEvidence) -> Reading | None:
    for pattern in list_date_patterns(language):
        match = pattern.fullmatch(plain)
        if match:
            parts = match.groupdict()
            month = int(parts["month"]) if parts.get("month") else list_month_names(language).get(fold_date_word(parts["name"] or ""), 0)
            return _write_date(text, language, year=int(parts["year"]), month=month, day=int(parts.get("day") or 0))
    for tag in (language, "en", "") if language else ("",):
        dates = _match_tokens(plain, tag, column, language)
        if len(dates) == 1:
            year, month, day = dates.pop()
            return _write_date(text, language, year=year, month=month, day=day)
        if dates:
            return refuse_value(text, "can be read as several dates")
    return None


def _match_tokens(plain: str, tag: str, column: ColumnEvidence, language: str) -> set[tuple[int, int, int]]:
    """Return (year, month, day or 0) for each way to read the text's numbers and words; empty if there is an unknown one."""
    words = list_date_words(tag)
    sequences: list[list[tuple[str, int, str]]] = [[]]
    for token in _TOKEN.finditer(_ORDINAL.sub(" ", plain)):
        if token["other"]:
            return set()
        if token["number"]:
            sequences = [[*each, ("n", int(token[0]), token[0])] for each in sequences]
        elif token["word"]:
            roles = _find_roles(token["word"], words)
            if not roles:
                return set()
            sequences = [[*each, *([("m", role, "")] if role else [])] for each in sequences for role in roles]
    return {found for each in sequences if (found := _assign(each, column, language)) is not None}


def _find_roles(word: str, words: dict[str, frozenset[int]]) -> list[int]:
    """Return the months that a word may name, and 0 if it may be left out."""
    folded = fold_date_word(word)
    for form in (folded, re.sub(r"^(?:d'|de |ב)", "", folded)):
        if form in words:
            return sorted(words[form])
    return [0] if folded in _NOISE else []


def _assign(sequence: list[tuple[str, int, str]], column: ColumnEvidence, language: str) -> tuple[int, int, int] | None:
    """Return (year, month, day or 0) of a sequence of numbers and one month, None if it has another shape."""
    shape = "".join(kind for kind, _, _ in sequence)
    numbers = [text for kind, _, text in sequence if kind == "n"]
    month = next((value for kind, value, _ in sequence if kind == "m"), 0)
    if shape in ("mn", "nm") and len(numbers[0]) == 4:
        return int(numbers[0]), month, 0
    if shape not in ("nmn", "mnn") or any(len(text) not in (1, 2, 4) for text in numbers):
        return None
    day, year = numbers if len(numbers[0]) <= 2 else (numbers[1], numbers[0])
    if (shape == "mnn" and len(numbers[0]) > 2) or len(day) > 2 or len(year) == 1:
        return None
    full = int(year) if len(year) == 4 else _full_year(int(year), column, language)
    return None if full is None or not 1 <= int(day) <= 31 else (full, month, int(day))


def _write_date(text: str, language: str, *, year: int, month: int = 0, day: int = 0) -> Reading:
    """Return the date as ISO 8601. month, day: 0 where they are not given."""
    true = _true_year(year, language)
    if true is None:
        return refuse_value(text, "is no date of our calendar")
    if not month:
        return Reading(f"{true:04d}")
    try:
        found = date(true, month, day or 1)
    except ValueError:
        return refuse_value(text, "is no day of the calendar")
    return Reading(found.isoformat() if day else f"{true:04d}-{month:02d}")


def read_numeric_parts(text: str) -> tuple[int, int, str] | None:
    """Return the three numbers of a date of numbers that does not begin with a year of four digits; the last as it is written."""
    match = _NUMERIC.fullmatch(_drop_time(normalise_text(text).casefold()))
    return (int(match[1]), int(match[3]), match[4]) if match else None
