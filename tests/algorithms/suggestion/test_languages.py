"""A template in two languages: labels that mean the same make one column, and texts of a language are no fields."""

import pytest
from lxml import etree, html

from extraction.algorithms.suggestion.languages import choose_pages
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns

LABELS = {
    "en": ("Item no.", "Maker", "Height", "Weight", "Warranty", "years", "Add to basket", "Reviews"),
    "de": ("Artikelnr.", "Hersteller", "Höhe", "Gewicht", "Garantie", "Jahre", "In den Warenkorb", "Bewertungen"),
}
MAKERS = ("Fenwick", "Nordlys", "Holm")


def write(number: int, language: str) -> etree._Element:
    sku, maker, height, weight, warranty, years, basket, reviews = LABELS[language]
    rows = [(sku, f"KX-{1000 + 37 * number}"), (maker, MAKERS[number % 3]), (height, f"{40 + 7 * number} cm")]
    rows += [(weight, f"{number + 2}{',' if language == 'de' else '.'}5 kg"), (warranty, f"{number % 4 + 2} {years}")]
    cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows)
    head = f"<h1>Lamp {number} in {language}</h1><button>{basket}</button><div><i>{3 + number % 3}.5</i></div><p class=more>{reviews}</p>"
    return html.document_fromstring(f"<html lang={language}><title>Lamp {number} in {language}</title><body>{head}<table>{cells}</table>")


@pytest.fixture(scope="module")
def columns() -> list[SuggestedColumn]:
    return suggest_columns([write(number, language) for number in range(6) for language in ("en", "de")])


@pytest.mark.parametrize("value", ["KX-1037", "Nordlys", "47 cm", "3.5 kg", "3 years"])
def test_labels_of_two_languages_make_one_column(columns: list[SuggestedColumn], value: str) -> None:
    mine = [each for each in columns if each.words and value in each.texts]
    assert [len(each.values) for each in mine] == [12]


def test_a_label_of_common_words_is_a_name(columns: list[SuggestedColumn]) -> None:
    assert next(each.name for each in columns if "KX-1037" in each.texts) in ("item_no", "artikelnr")


def test_a_button_names_no_value(columns: list[SuggestedColumn]) -> None:
    assert not [each.name for each in columns if "basket" in each.name or "warenkorb" in each.name]


def test_texts_that_differ_between_languages_only_are_folded(columns: list[SuggestedColumn]) -> None:
    texts = [each for each in columns if {"Reviews", "Bewertungen"} & each.texts]
    assert all(each.mostly_constant for each in texts)


def test_pages_in_one_language_are_left_as_they_are() -> None:
    found = suggest_columns([write(number, "en") for number in range(6)])
    assert not any(each.of_language for each in found)
    assert {len(each.values) for each in found if "KX-1037" in each.texts} == {6}


@pytest.mark.parametrize(
    ("languages", "pages"),
    [
        ((), [0, 1, 2]),
        (("de", "de", "de", "en", "en"), [0, 1, 3]),
        (("de", "en", "fr", "it"), [0, 1, 2]),
        (("", "de", "de", "en"), [0, 1, 3]),
    ],
)
def test_the_first_pages_are_in_as_many_languages_as_possible(languages: tuple[str, ...], pages: list[int]) -> None:
    assert choose_pages(languages, 3) == pages


@pytest.mark.parametrize(
    ("languages", "columns", "pages"),
    [
        ((), [{0: "x", 4: "x"}, {5: "x"}], [0, 1, 5]),  # a field that none of the first pages has
        ((), [{0: "x", 3: "xy"}, {1: "x"}], [0, 1, 3]),  # one with several values on a later page
        (("de", "de", "de", "en", "en", "en"), [dict.fromkeys(range(6), "x"), {2: "x", 5: "x"}], [0, 2, 5]),
        (("de", "de", "en", "en"), [{0: "x", 1: "x", 2: "x", 3: "xy"}], [0, 1, 3]),
        (("de", "en", "en", "de"), [{0: "xy", 1: "xy", 2: "x"}, {2: "x"}], [0, 1, 2]),  # a field that is there counts for more than several
        (("de", "de", "de", "en", "en"), [{0: "xy", 1: "x", 3: "xy", 4: "x"}, {1: "x", 4: "x"}], [0, 1, 4]),
    ],
)
def test_the_pages_show_every_column_in_each_language(languages: tuple[str, ...], columns: list[dict[int, str]], pages: list[int]) -> None:
    assert choose_pages(languages, 3, columns) == pages
