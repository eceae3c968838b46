"""Labels that few pages have are offered if they stand in rows like those of suggested fields, and nothing else is."""

from collections.abc import Callable, Sequence

import pytest
from lxml import etree, html

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.suggestion.languages import choose_pages
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.algorithms.suggestion.pages import texts
from tests.algorithms.term_pages import LABELS, LAYOUTS, SHARES, make_term_pages

Rows = Sequence[tuple[str, str]]

MARKUPS: dict[str, Callable[[Rows], str]] = {
    "table": lambda rows: f"<table>{''.join(f'<tr><th>{label}</th><td>{text}</td></tr>' for label, text in rows)}</table>",
    "cells": lambda rows: f"<table>{''.join(f'<tr><td>{label}</td><td>{text}</td></tr>' for label, text in rows)}</table>",
    "terms": lambda rows: f"<dl>{''.join(f'<dt>{label}</dt><dd>{text}</dd>' for label, text in rows)}</dl>",
    "spans": lambda rows: "".join(f"<div class=row><span>{label}</span><span>{text}</span></div>" for label, text in rows),
    "items": lambda rows: f"<ul>{''.join(f'<li><b>{label}:</b> {text}</li>' for label, text in rows)}</ul>",
}
PRODUCTS = 45
CARE = {4: "wipe dry", 11: "hand wash", 20: "oil yearly", 30: "wipe dry", 41: "do not bleach"}
ORIGIN = {7: "Portugal", 33: "Portugal"}
NORM = {15: "EN <b>581</b> and EN <b>582</b>"}
RARE = {"care": CARE, "made in": ORIGIN}
WHOLE = {"norm": {15: "EN 581 and EN 582"}}


def write(number: int, markup: str, *, adverts: str = "") -> etree._Element:
    rows = [("Weight", f"{number * 7 % 50 + 1}.5 kg"), ("Colour", ("red", "blue", "olive", "sand")[number % 4])]
    rows += [("Care", CARE[number])] if number in CARE else []
    rows += [("Maker", f"Works {number * 5 % 11}")] if number % 3 else []
    rows += [("Made in", ORIGIN[number])] if number in ORIGIN else []
    rows += [("Norm", NORM[number])] if number in NORM else []
    head = f"<nav><a>Home</a></nav><h1>Thing {number}</h1><p class=price>{number + 3}.00 €</p>"
    body = f"{head}<main>{MARKUPS[markup](rows)}</main>{adverts}<p>All about thing {number} and more</p>"
    return html.document_fromstring(f"<html><head><title>Thing {number}</title></head><body>{body}</body></html>")


def suggest(roots: Sequence[etree._Element]) -> list[SuggestedColumn]:
    return suggest_columns(roots, most=30, constants=12, further=20)


@pytest.mark.parametrize("markup", MARKUPS)
def test_properties_that_few_pages_have_follow_the_others(markup: str) -> None:
    roots = [write(n, markup) for n in range(PRODUCTS)]
    columns = suggest(roots)
    plain = suggest_columns(roots, most=30, constants=12)
    assert [each.name for each in columns[: len(plain)]] == [each.name for each in plain]
    found = {each.words: texts(each) for each in columns if each.further}
    rare = {**RARE, **(WHOLE if markup in ("table", "cells", "terms") else {})}  # elsewhere a part of the text would be all there is
    assert found == {label: {page: [text] for page, text in shown.items()} for label, shown in rare.items()}
    assert [each.words for each in columns if each.further][:2] == ["care", "made in"], "first what most pages have"
    assert {"weight", "colour", "maker"} <= {each.words for each in plain}


@pytest.mark.parametrize("markup", MARKUPS)
def test_a_place_gives_its_value_back(markup: str) -> None:
    roots = [write(n, markup) for n in range(PRODUCTS)]
    nodes = [elements(root) for root in roots]
    for each in suggest(roots):
        for page, row in each.values.items():
            assert [value(nodes[page], found.place) for found in row] == [found.text for found in row], each.name


@pytest.mark.parametrize("markup", MARKUPS)
def test_labels_in_other_rows_are_not_offered(markup: str) -> None:
    """An advert that a page shows has labels, too, but no field stands in a row like its own."""
    advert = "<aside><p><strong>Now:</strong> <em>half price</em></p><p><strong>Ends:</strong> <em>{}</em></p></aside>"
    roots = [write(n, markup, adverts=advert.format(f"{n} May") if n in (3, 8) else "") for n in range(PRODUCTS)]
    assert {each.words for each in suggest(roots) if each.further} - set(WHOLE) == set(RARE)


def test_nothing_is_offered_beside_a_single_labelled_field() -> None:
    roots = [
        html.document_fromstring(
            f"<h1>Lamp {n}</h1><p><b>Weight:</b> {n}5 g</p>{'<p><b>Note:</b> on sale</p>' if n < 2 else ''}<p>Text {n} and more</p>"
        )
        for n in range(12)
    ]
    assert not [each for each in suggest(roots) if each.further]


def test_at_most_so_many_as_asked_for() -> None:
    roots = [write(n, "table") for n in range(PRODUCTS)]
    assert [each.words for each in suggest_columns(roots, further=1) if each.further] == ["care"]
    assert not [each for each in suggest_columns(roots) if each.further]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(3))
def test_rare_terms_have_all_their_values_and_no_others(seed: int, layout: str) -> None:
    pages = make_term_pages(45, seed, layout=layout, shares={**SHARES, "care": 0.1, "size": 0.07})
    columns = suggest([each.root for each in pages])
    for name in ("care", "size"):
        wanted = {n: each.values(name) for n, each in enumerate(pages) if each.values(name)}
        assert [texts(each) for each in columns if each.words == LABELS[name][0].casefold()] == [wanted]


def test_a_rare_label_is_joined_with_one_of_the_other_language_only_if_both_mean_the_same() -> None:
    """Two labels that each stand on one page, with equal values, may name different properties."""

    def write_page(number: int) -> etree._Element:
        german = number % 2 == 1
        rows = [("Gewicht" if german else "Weight", f"{number} kg"), ("Breite" if german else "Width", f"{number * 7 % 40} cm")]
        rows += [("Batteries", "2")] if number == 4 else [("Schubladen", "2")] if number == 5 else []
        rows += [("Colour", "red")] if number == 6 else [("Farbe", "rot")] if number == 7 else []
        head = f"<html lang={'de' if german else 'en'}><title>Thing {number}</title><h1>Thing {number}</h1>"
        return html.document_fromstring(f"{head}<body>{MARKUPS['table'](rows)}<p>Text of {number} that differs</p></body></html>")

    found = [sorted(each.values) for each in suggest([write_page(n) for n in range(20)]) if each.further]
    assert sorted(found) == [[4], [5], [6, 7]]


def test_more_pages_are_marked_for_columns_that_the_chosen_ones_lack() -> None:
    common: dict[int, list[str]] = {n: ["x"] for n in range(12)}
    rare: list[dict[int, list[str]]] = [{7: ["a"], 9: ["b"]}, {9: ["c"]}, {10: ["d"]}, {11: []}]
    chosen = choose_pages((), 2, [common, *rare])
    assert chosen == [9, 10]
    rare.append({3: ["e"]})
    assert choose_pages((), 2, [common, *rare], more=3) == [3, 9, 10]
    assert choose_pages((), 2, [common, *rare]) == [3, 9]
    assert choose_pages((), 2, [common], more=3) == [0, 1]
