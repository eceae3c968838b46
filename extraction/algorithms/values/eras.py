"""Dates whose year is counted in an era of Japan, from the founding of the Republic of China, or in the Buddhist era of Thailand.

    japanese = [yyyy 年] era year 年 [month 月 [day 日]] | era year . month . day, also with / or -; year = number | 元
    chinese  = 民國 year 年 [month 月 [day 日]]
    thai     = พ.ศ. year, anywhere in a date; it becomes the year 543 less

Each is read only where the era is named, and a day must be within its era. Lunar and solar Hijri years are not read: the months of the
first begin when the moon is seen, which differs from country to country, and babel has no data on the calendar of the second.
"""

import re
from datetime import date

from extraction.algorithms.values.reading import Reading, refuse_value

JAPANESE_ERAS = {
    "明治": (1868, date(1873, 1, 1), date(1912, 7, 30)),
    "大正": (1912, date(1912, 7, 30), date(1926, 12, 25)),
    "昭和": (1926, date(1926, 12, 25), date(1989, 1, 7)),
    "平成": (1989, date(1989, 1, 8), date(2019, 4, 30)),
    "令和": (2019, date(2019, 5, 1), date(2099, 12, 31)),
}
"""{era: its first year, first day, last day}, as in Unicode CLDR (supplemental data, calendar "japanese"), which babel does not carry.

Before 1873 Japan had a lunar calendar, so Meiji counts from its sixth year here. An emperor may have died on the last day of an era,
which is the first of the next: both are right.
"""

REPUBLIC = (1912, date(1912, 1, 1), date(2099, 12, 31))
"""Minguo, the era of the Republic of China: first year, first and last day."""

BUDDHIST_AHEAD = 543
"""How many years the Buddhist era of Thailand is ahead."""

FIRST_BUDDHIST_YEAR, LAST_BUDDHIST_YEAR = 2484, 2699
"""Until 2483 (1940), a year began in April, so its first months belong to the next year of our calendar."""

_SQUARES = {"㍾": "明治", "㍽": "大正", "㍼": "昭和", "㍻": "平成", "㋿": "令和"}
_LETTERS = {"m": "明治", "t": "大正", "s": "昭和", "h": "平成", "r": "令和"}
_KANJI = {character: number for number, character in enumerate("〇一二三四五六七八九")}
_NUMBER = r"(?:\d{1,3}|元|[一二三四五六七八九十]{1,4})"
_ERA_DATE = re.compile(
    r"(?:(?P<ours>\d{4})\s?年?\s?(?P<open>\(?))?"
    r"(?P<era>明治|大正|昭和|平成|令和|(?:中華)?民[國国]|(?<![^\W\d_])[mtshr](?=\.?\d))\.?\s?"
    rf"(?P<year>{_NUMBER})"
    rf"(?:\s?年?\)?\s?年?|\s?年\s?\)?\s?(?P<month>{_NUMBER})\s?月(?:\s?(?P<day>{_NUMBER})\s?日?)?"
    rf"|\)\s?年\s?(?P<month2>{_NUMBER})\s?月(?:\s?(?P<day2>{_NUMBER})\s?日?)?"
    r"|\s?(?P<mark>[./-])\s?(?P<month3>\d{1,2})\s?(?P=mark)\s?(?P<day3>\d{1,2})\.?)"
)
_BUDDHIST = re.compile(
    r"(?:พ\.? ?ศ\.?|พุทธศักราช|(?<![^\W\d_])b\.?e\.?)\s?(?P<year>\d{4})(?!\d)|(?P<year2>(?<!\d)\d{4})\s?b\.?e\.?(?![^\W\d_])"
)
_OUR_ERA = re.compile(r"(?:ค\.? ?ศ\.?|คริสต์ศักราช|西暦|公元|西元)\s?(?=\d)")


def read_era_date(text: str, plain: str, language: str) -> Reading | None:
    """Return the reading of a date in an era of Japan or of the Republic of China; None for other texts.

    plain: the text as `normalise_text` gives it, casefolded, without weekday and time.
    """
    for sign, name in _SQUARES.items():
        plain = plain.replace(sign, name)
    match = _ERA_DATE.fullmatch(plain)
    if match is None or (match["era"] in _LETTERS and (language[:2] != "ja" or not match["day3"])):
        return None  # H5 alone is rather the name of a thing
    name = _LETTERS.get(match["era"], match["era"])
    first_year, first, last = JAPANESE_ERAS.get(name, REPUBLIC)
    year = first_year - 1 + _read_number(match["year"])
    month, day = (next((_read_number(match[part + n]) for n in ("", "2", "3") if match[part + n]), 0) for part in ("month", "day"))
    if (match["year"] in ("0", "00")) or (match["ours"] and int(match["ours"]) != year):
        return refuse_value(text, "names two different years" if match["ours"] else "is no year of its era")
    try:
        begin, end = date(year, month or 1, day or 1), date(year, month or 12, day or 28)
    except ValueError:
        return refuse_value(text, "is no day of the calendar")
    if end < first or begin > last:
        return refuse_value(text, "is not within its era")
    return Reading(f"{year:04d}" if not month else f"{year:04d}-{month:02d}" if not day else begin.isoformat())


def _read_number(text: str) -> int:
    """Return the number of digits, or of Chinese characters up to 99; 元 is the first year of an era."""
    if text.isdigit():
        return int(text)
    if text == "元":
        return 1
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return int("".join(str(_KANJI[character]) for character in text))
    return 10 * (_read_number(tens) if tens else 1) + (_read_number(ones) if ones else 0)


def convert_buddhist_years(plain: str) -> str | None:
    """Return the text with years that name the Buddhist era as years of our calendar, and without the name of our era before a year.

    None where such a year did not begin in January, or is too far from today.
    """
    plain = _OUR_ERA.sub("", plain)
    match = _BUDDHIST.search(plain)
    if match is None:
        return plain
    year = int(match["year"] or match["year2"])
    if not FIRST_BUDDHIST_YEAR <= year <= LAST_BUDDHIST_YEAR:
        return None
    return f"{plain[: match.start()]}{year - BUDDHIST_AHEAD}{plain[match.end() :]}"
