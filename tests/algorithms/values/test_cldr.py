"""Prices and dates as babel writes them in many locales: none is read wrongly, nearly all are read."""

from datetime import date
from decimal import Decimal

import pytest
from babel import Locale
from babel.core import get_global
from babel.dates import format_date
from babel.numbers import format_currency

from extraction.algorithms.values.locales import find_territory
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import list_words

LOCALES = list_words(
    "af am ar az be bg bn bs ca cs cy da de de-AT de-CH el en-AU en-GB en-IN en-US en-ZA es es-CL es-MX et eu fa fi fil fr "
    "fr-CA ga gl gu he hi hr hu hy id is it it-CH ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl pa pl pt pt-PT ro "
    "ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh-CN zh-TW zu"
)

AMOUNTS = [Decimal(text) for text in list_words("0.99 5 49.90 120.05 999 1234.50 1299 12990 123456.78 1234567.89 -5.25 -1250")]

DAYS = [date(2024, 1, 3), date(2023, 5, 1), date(2019, 12, 25), date(1998, 9, 30), date(2021, 2, 28), date(2020, 8, 9), date(2018, 11, 11)]


def locale_of(tag: str) -> Locale:
    return Locale.parse(tag, sep="-")


def list_prices(tag: str) -> list[tuple[str, Decimal]]:
    """Return (price as babel writes it, its amount) in the currency of the locale's country, in euros and in dollars."""
    rows = get_global("territory_currencies").get(find_territory(tag), [])
    own = next((row[0] for row in rows if row[2] is None and row[3]), "EUR")
    found = []
    for currency in dict.fromkeys((own, "EUR", "USD")):
        for amount in AMOUNTS:
            digits = get_global("currency_fractions").get(currency, (2,))[0]
            found.append((format_currency(amount, currency, locale=locale_of(tag)), round(amount, digits)))
    return found


def test_no_price_is_read_wrongly_and_nearly_all_are_read() -> None:
    wrong, unread, count = [], [], 0
    for tag in LOCALES:
        for text, amount in list_prices(tag):
            count += 1
            read = read_value(text, "price", language=tag)
            if read.value is None:
                unread.append((tag, text, read.problem))
            elif Decimal(read.value.split(" ")[0]) != amount:
                wrong.append((tag, text, read.value))
    assert len(LOCALES) >= 68
    assert not wrong
    assert len(unread) <= 0.03 * count, unread[:40]


def test_no_date_is_read_wrongly_and_nearly_all_are_read() -> None:
    wrong, unread, count = [], [], 0
    for tag in LOCALES:
        for day in DAYS:
            for size in ("medium", "long", "full"):
                text = format_date(day, size, locale=locale_of(tag))
                count += 1
                read = read_value(text, "date", language=tag)
                if read.value is None:
                    unread.append((tag, text, read.problem))
                elif read.value != day.isoformat():
                    wrong.append((tag, text, read.value))
    assert not wrong
    assert len(unread) <= 0.03 * count, unread[:40]


@pytest.mark.parametrize("tag", LOCALES)
def test_no_short_date_is_read_wrongly(tag: str) -> None:
    for day in DAYS:
        text = format_date(day, "short", locale=locale_of(tag))
        assert read_value(text, "date", language=tag).value in (None, day.isoformat()), text
