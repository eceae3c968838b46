"""A column decides what one value leaves open, and only what all of it agrees on."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.values.column import fits_type, learn_evidence, read_column
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType


@pytest.mark.parametrize(
    ("kind", "language", "raws", "expected"),
    [
        ("date", None, ["03/04/2024", "25/12/2024"], ["2024-04-03", "2024-12-25"]),
        ("date", None, ["03/04/2024", "12/25/2024"], ["2024-03-04", "2024-12-25"]),
        ("date", "en-US", ["03/04/2024", "25/12/2024"], ["2024-04-03", "2024-12-25"]),
        ("date", "en-GB", ["03/04/2024", "25/12/2024", "12/25/2024"], [None, "2024-12-25", "2024-12-25"]),
        ("date", "de", ["01.05.45", "24.12.2024"], ["1945-05-01", "2024-12-24"]),
        ("date", "de", ["01.05.45", "24.12.2034"], ["2045-05-01", "2034-12-24"]),
        ("date", None, ["99/03/04", "10/11/12"], ["1999-03-04", "2010-11-12"]),
        ("number", None, ["1.234", "12,50"], ["1234", "12.50"]),
        ("number", None, ["1.234", "12.50"], ["1.234", "12.50"]),
        ("number", None, ["1.234", "1.234.567"], ["1234", "1234567"]),
        ("number", None, ["1,234", "5.678,90", "0.5"], [None, "5678.90", "0.5"]),
        ("price", None, ["1.299 €", "49,90 €"], ["1299 EUR", "49.90 EUR"]),
        ("price", "en", ["1.299 €", "49,90 €"], ["1299 EUR", "49.90 EUR"]),
        ("price", None, ["1.299 €", "10–20 €", "-20 %"], [None, None, None]),
    ],
)
def test_clear_values_decide_how_unclear_ones_are_read(
    kind: ValueType, language: str | None, raws: list[str], expected: list[str | None]
) -> None:
    assert [each.value for each in read_column(raws, kind, language=language)] == expected


@given(st.lists(st.sampled_from(["1.234", "12,5", "3.25", "1.234.567", "2 %", "no", "12.50 €"]), max_size=8), st.integers())
def test_evidence_does_not_depend_on_the_order_of_the_values(raws: list[str], seed: int) -> None:
    mixed = random.Random(seed).sample(raws, len(raws))
    assert learn_evidence(raws, "price") == learn_evidence(mixed, "price")


@given(
    st.sampled_from(["", ".", ",", "mixed"]), st.sampled_from(["", "DMY", "MDY", "YMD", "mixed"]), st.integers(min_value=0, max_value=2100)
)
def test_evidence_is_the_same_after_being_stored(decimal: str, order: str, year: int) -> None:
    evidence = ColumnEvidence(decimal, order, year)  # type: ignore[arg-type]
    assert ColumnEvidence.from_json(evidence.as_json()) == evidence


@pytest.mark.parametrize("row", [{"decimal": ";"}, {"date_order": "YDM"}, {"last_year": "2024"}, {"x": 1}])
def test_other_evidence_is_refused(row: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        ColumnEvidence.from_json(row)


def test_texts_and_empty_columns_show_nothing() -> None:
    assert learn_evidence(["1.234,5"], "text") == learn_evidence([], "price") == NO_EVIDENCE


def test_a_clear_value_is_read_the_same_with_any_evidence() -> None:
    for column in (ColumnEvidence("."), ColumnEvidence(","), ColumnEvidence("mixed"), NO_EVIDENCE):
        assert read_value("1.234,50 €", "price", column=column).value == "1234.50 EUR"
        assert read_value("49.90", "number", column=column).value == "49.90"


def test_a_value_with_two_readings_fits_its_type() -> None:
    assert fits_type("1.234", "number") and fits_type("03/04/2024", "date") and fits_type("1.299 €", "price", with_currency=True)
    assert not fits_type("10–20 €", "price") and not fits_type("5", "price", with_currency=True) and not fits_type("May", "date")


def test_an_address_without_its_site_is_an_address_and_other_texts_are_none() -> None:
    for text in ("/img/cover.png", "cover.png", "../a/b", "?page=2", "//cdn.example/a.jpg", "https://shop.example/x"):
        assert fits_type(text, "url") and fits_type(text, "image"), text
    for text in ("Out of stock", "javascript:void(0)", "mailto:a@b.example", "12.50", "n.a.", ""):
        assert not fits_type(text, "url") and not fits_type(text, "image"), text
