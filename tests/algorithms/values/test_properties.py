"""Properties of reading values: what is written in a known way comes back, and two amounts are never read as one."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from extraction.algorithms.values.eras import BUDDHIST_AHEAD, JAPANESE_ERAS
from extraction.algorithms.values.read import read_value

STYLES = {
    # language: (grouping sign, decimal mark)
    "de": (".", ","),
    "en": (",", "."),
    "fr": ("\u202f", ","),
    "pl": ("\u00a0", ","),
    "de-CH": ("’", "."),
    "pt-BR": (".", ","),
    "sv": (" ", ","),
}

MARKS = {"€": "EUR", "EUR": "EUR", "£": "GBP", "zł": "PLN", "CHF": "CHF", "$": "$", "₹": "INR", "kr": "kr", "US$": "USD", "Kč": "CZK"}

AMOUNTS = st.decimals(min_value=0, max_value=99_999_999, places=2)
DIGITS = {"ascii": "0123456789", "arabic": "٠١٢٣٤٥٦٧٨٩", "devanagari": "०१२३४५६७८९", "wide": "０１２３４５６７８９"}


def write_amount(amount: Decimal, language: str) -> str:
    """Return the amount as people write it in a language, with two decimals."""
    group, mark = STYLES[language]
    return f"{amount:,.2f}".replace(",", "\0").replace(".", mark).replace("\0", group)


@given(AMOUNTS, st.sampled_from(sorted(STYLES)), st.sampled_from(sorted(MARKS)), st.booleans(), st.sampled_from(["", " ", "\u00a0"]))
def test_an_amount_with_a_currency_comes_back(amount: Decimal, language: str, mark: str, before: bool, space: str) -> None:
    number = write_amount(amount, language)
    text = f"{mark}{space}{number}" if before else f"{number}{space}{mark}"
    assert read_value(text, "price", language=language).value == f"{amount:f} {MARKS[mark]}"


@given(AMOUNTS, st.sampled_from(sorted(STYLES)), st.sampled_from(["-", "−", "–", "﹣", "－"]), st.sampled_from(["€", "₹", "Kč"]))
def test_a_minus_sign_before_number_or_currency_is_kept(amount: Decimal, language: str, minus: str, mark: str) -> None:
    wanted = f"{-amount if amount else amount:f} {MARKS[mark]}"
    for text in (f"{minus}{mark}{write_amount(amount, language)}", f"{minus}{write_amount(amount, language)} {mark}"):
        assert read_value(text, "price", language=language).value == wanted


@given(AMOUNTS, st.sampled_from(sorted(STYLES)), st.sampled_from(sorted(DIGITS)))
def test_a_number_comes_back_in_any_digits(amount: Decimal, language: str, digits: str) -> None:
    text = write_amount(amount, language).translate(str.maketrans("0123456789", DIGITS[digits]))
    assert read_value(text, "number", language=language).value == f"{amount:f}"


@given(
    AMOUNTS,
    AMOUNTS,
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(sorted(MARKS)),
    st.sampled_from([" ", " - ", "–", "-", " to ", " bis ", " + ", " / ", "; ", "\n", " statt ", " (", ") "]),
    st.sampled_from(["both", "first", "second"]),
    st.booleans(),
)
@example(Decimal("10"), Decimal("20"), "de", "€", "–", "second", False)
def test_two_amounts_are_never_read_as_one(
    one: Decimal, two: Decimal, language: str, mark: str, between: str, marked: str, before: bool
) -> None:
    texts = []
    for amount, given_mark in ((one, marked != "second"), (two, marked != "first")):
        number = write_amount(amount, language)
        texts.append(number if not given_mark else f"{mark} {number}" if before else f"{number} {mark}")
    if between == " (":
        texts[1] = f"{texts[1]})"
        if marked != "both":
            return  # what stands in brackets without a currency is another number: `$999.00 (128.50 GB)`
    text = between.join(texts)
    assert read_value(text, "price", language=language).value is None, text
    assert read_value(text, "number", language=language).value is None, text


@given(
    AMOUNTS,
    AMOUNTS,
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(sorted(MARKS)),
    st.sampled_from(["/kg", "/100 g", " per kg", " / 1 l"]),
    st.sampled_from(["{price} ({base})", "{price} [{base}]", "{price} | {base}", "({base}) {price}", "{price} ({base} | {base})"]),
)
def test_a_price_is_read_beside_its_base_price_and_not_if_only_a_space_sets_them_off(
    price: Decimal, base: Decimal, language: str, mark: str, unit: str, form: str
) -> None:
    parts = {"price": f"{write_amount(price, language)} {mark}", "base": f"{write_amount(base, language)} {mark}{unit}"}
    assert read_value(form.format(**parts), "price", language=language).value == f"{price:f} {MARKS[mark]}"
    for doubtful in ("{price} {base}", "{base} {price}", "{base} | {price}", "{base} ({price})", "{price} {price} ({base})"):
        assert read_value(doubtful.format(**parts), "price", language=language).value is None


@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_iso_dates_come_back(day: date) -> None:
    for text in (day.isoformat(), f"{day:%Y/%m/%d}", f"{day.isoformat()}T23:59:59+14:00", f"{day.year}-{day.month}-{day.day}"):
        assert read_value(text, "date", language="en").value == day.isoformat()


KNOWN_ORDER = {"en-GB": "DMY", "de": "DMY", "en-US": "MDY"}


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(["en", None, "ja", "en-GB", "en-US", "de"]))
def test_a_date_of_numbers_is_read_in_the_order_of_the_language_or_not_at_all(day: date, language: str | None) -> None:
    known = KNOWN_ORDER.get(language or "")
    for order, text in (("DMY", f"{day:%d/%m/%Y}"), ("MDY", f"{day:%m/%d/%Y}")):
        read = read_value(text, "date", language=language).value
        if day.day > 12 or day.day == day.month:
            assert read == day.isoformat()
        elif known is None:
            assert read is None
        else:
            assert read == (day.isoformat() if order == known else swap(day))


def swap(day: date) -> str | None:
    """Return the date with day and month exchanged, None if there is none."""
    try:
        return date(day.year, day.day, day.month).isoformat()
    except ValueError:
        return None


@given(st.text(max_size=40), st.sampled_from(["price", "number", "date"]), st.sampled_from([None, "de", "en-US", "fr", "ar"]))
@settings(max_examples=300)
def test_a_text_without_digits_is_never_read(text: str, kind: str, language: str | None) -> None:
    if not any(map(str.isdecimal, text)):
        assert read_value(text, kind, language=language).value is None  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["price", "number", "date"])
def test_long_texts_are_refused_in_no_time(kind: str) -> None:
    for text in ("1 " * 50_000, "9" * 100_000, "1." * 50_000, "€" * 100_000, "(" * 100_000, "a" * 100_000):
        assert read_value(text, kind).value is None  # type: ignore[arg-type]


@given(st.dates(date(1873, 1, 1), date(2060, 12, 31)))
def test_a_day_in_its_era_of_japan_or_in_the_buddhist_era_comes_back(day: date) -> None:
    for name, (first_year, first, last) in JAPANESE_ERAS.items():
        text = f"{name}{day.year - first_year + 1}年{day.month}月{day.day}日"
        assert read_value(text, "date", language="ja").value == (day.isoformat() if first <= day <= last else None), text
    text = f"{day.day}/{day.month}/{day.year + BUDDHIST_AHEAD}"
    assert read_value(text, "date", language="th").value == (day.isoformat() if day.year > 1940 else None), text
