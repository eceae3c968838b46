"""Raw values read as their types; the raw text stays, what cannot be read says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType
from extraction.algorithms.values.yes_no import YES_NO_WORDS

KINDS: tuple[ValueType, ...] = ("text", "number", "price", "date", "url", "image", "boolean")


@pytest.mark.parametrize(
    ("kind", "raw", "language", "expected"),
    [
        ("text", " a\u00a0 b ", None, "a b"),
        ("number", "1,234.50", None, "1234.50"),
        ("number", "1.234,50", None, "1234.50"),
        ("number", "1.234", "de", "1234"),
        ("number", "1.234", "en-GB", "1.234"),
        ("number", "1,234", "fr", "1.234"),
        ("number", "12,5", "en", "12.5"),
        ("number", "-5", None, "-5"),
        ("number", "−7,5 °C", "de", "-7.5"),
        ("number", "(12)", None, "-12"),
        ("number", "12 %", None, "12"),
        ("number", "SKU-55", None, "55"),
        ("number", "1 234 567", None, "1234567"),
        ("number", "12345678901234567890.123", None, "12345678901234567890.123"),
        ("number", "0.125", None, "0.125"),
        ("price", "€ 12,90", None, "12.90 EUR"),
        ("price", "$1,234.50", None, "1234.50 $"),
        ("price", "-$5.00", None, "-5.00 $"),
        ("price", "1.234,50 €", "de", "1234.50 EUR"),
        ("price", "CHF 1'250.00", None, "1250.00 CHF"),
        ("date", "2008", None, "2008"),
        ("date", "May 2020", None, "2020-05"),
        ("date", "31 May 2020", None, "2020-05-31"),
        ("date", "1 May 2020", None, "2020-05-01"),
        ("date", "3. März 2019", "de", "2019-03-03"),
        ("date", "03/04/2020", "fr", "2020-04-03"),
        ("date", "2020-03-04T12:00:00Z", "de", "2020-03-04"),
        ("date", "2020年5月12日", None, "2020-05-12"),
        ("date", "12 May 2020", "zz", "2020-05-12"),
        ("number", "1.234", "de-AT", "1234"),
        ("number", "1.234", "de-CH", "1.234"),
        ("number", "1’234.50", "de-CH", "1234.50"),
        ("number", "1,234", "es-MX", "1234"),
        ("number", "1,234", "es", "1.234"),
        ("number", "1,234", "en-US", "1234"),
        ("price", "1.234 €", "de", "1234 EUR"),
        ("price", "1.234,50 €", None, "1234.50 EUR"),
        ("price", "1 234,50 zł", "pl", "1234.50 PLN"),
        ("price", "R$ 1.234,50", "pt-BR", "1234.50 BRL"),
        ("date", "03/04/2024", "en-US", "2024-03-04"),
        ("date", "03/04/2024", "en-GB", "2024-04-03"),
        ("date", "03/04/2024", "en_AU", "2024-04-03"),
        ("date", "03.04.2024", "de", "2024-04-03"),
        ("date", "03.04.2024", "en-GB", "2024-04-03"),
        ("date", "03.04.2024", None, "2024-04-03"),
        ("date", "04/04/2024", None, "2024-04-04"),
        ("date", "31/12/2024", None, "2024-12-31"),
        ("date", "2024/03/04", None, "2024-03-04"),
        ("date", "3 avril 2024", "fr", "2024-04-03"),
        ("boolean", "Ja", None, "true"),
        ("boolean", "No.", None, "false"),
        ("boolean", "Нет", None, "false"),
    ],
)
def test_values_are_read_as_their_type(kind: ValueType, raw: str, language: str | None, expected: str) -> None:
    typed = read_value(raw, kind, language=language)
    assert (typed.raw, typed.value, typed.problem) == (raw, expected, "")


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("number", "ten"),
        ("number", "10-12"),
        ("price", "on request"),
        ("date", "May"),
        ("date", "May 12"),
        ("date", "12"),
        ("date", "12:30"),
        ("date", "yesterday"),
        ("date", "5 days ago"),
        ("date", "1394013600"),
        ("date", "may be 2020 or so"),
        ("date", "03/04/2024"),
        ("date", "3-4-24"),
        ("boolean", "perhaps"),
        ("text", " \u00a0 "),
    ],
)
def test_what_cannot_be_read_says_why(kind: ValueType, raw: str) -> None:
    typed = read_value(raw, kind)
    assert typed.value is None
    assert typed.raw == raw
    assert typed.problem


def test_addresses_become_absolute() -> None:
    base = "http://example.com/d/p.html"
    assert read_value("/a b", "url", base_url=base).value == "http://example.com/a%20b"
    assert read_value("../x?q=1#f", "url", base_url=base).value == "http://example.com/x?q=1#f"
    assert read_value("//cdn.example/i.png", "image", base_url=base).value == "http://cdn.example/i.png"
    assert read_value("a.jpg 1x, b.jpg 2x", "image", base_url=base).value == "http://example.com/d/a.jpg"
    assert "not known" in read_value("/a", "url").problem


@pytest.mark.parametrize(
    "raw",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "\x01javascript:alert(1)",
        "java\tscript:x",
        "data:text/html,x",
        "mailto:a@b",
        "file:///etc/passwd",
        "http://[bad",
    ],
)
def test_no_address_can_run_anything(raw: str) -> None:
    value = read_value(raw, "url", base_url="https://example.com/d/").value
    assert value is None or value.startswith("https://example.com/d/")


@pytest.mark.parametrize("language", sorted(YES_NO_WORDS))
def test_each_word_of_a_language_is_read_as_its_yes_or_no(language: str) -> None:
    for word, yes in YES_NO_WORDS[language].items():
        assert read_value(word, "boolean", language=language).value == ("true" if yes else "false"), word


@given(st.text(), st.sampled_from(KINDS), st.sampled_from([None, "de", "en", "zz"]))
def test_any_text_is_read_or_says_why(raw: str, kind: ValueType, language: str | None) -> None:
    typed = read_value(raw, kind, base_url="https://example.com", language=language)
    assert typed.raw == raw
    assert (typed.value is None) == bool(typed.problem)
