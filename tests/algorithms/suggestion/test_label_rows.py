"""Labels without any sign of one, in rows of two elements that come and go: one field for each label, and for both of its languages."""

import pytest
from lxml import html

from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.algorithms.parts_shop import MARKUPS, list_parts

PARTS = list_parts(12)


@pytest.fixture(scope="module", params=MARKUPS)
def columns(request: pytest.FixtureRequest) -> list[SuggestedColumn]:
    return suggest_columns([each.write(MARKUPS[request.param]) for each in PARTS])


@pytest.mark.parametrize("name", ["finish", "material", "colour", "weight", "warranty"])
def test_each_label_makes_one_field_with_the_values_of_both_languages(columns: list[SuggestedColumn], name: str) -> None:
    truth = {page: tuple(each.values(name)) for page, each in enumerate(PARTS) if each.values(name)}
    right = [each for each in columns if {page: tuple(text.text for text in row) for page, row in each.values.items()} == truth]
    assert len(right) == 1
    assert right[0].words and right[0].multiple == (name == "material")


def test_the_first_of_several_values_is_not_offered_again_under_its_label(columns: list[SuggestedColumn]) -> None:
    firsts = {page: each.values("material")[:1] for page, each in enumerate(PARTS) if each.values("material")}
    offered = [{page: [text.text for text in row] for page, row in each.values.items()} for each in columns if each.words]
    assert firsts not in offered


def test_no_labelled_field_holds_the_values_of_another_label(columns: list[SuggestedColumn]) -> None:
    weights, finishes = ({text for each in PARTS for text in each.values(name)} for name in ("weight", "finish"))
    assert not [each.name for each in columns if each.words and weights & each.texts and finishes & each.texts]


def test_rows_that_all_say_the_same_name_no_values() -> None:
    """A bestseller list of two columns is on all pages. What stands first in its rows is no label."""
    rows = "".join(f"<div class=best><span>Bell {n}</span><span>{n}0 €</span></div>" for n in range(1, 4))
    pages = [each.write(lambda _: rows) for each in PARTS]
    assert not [each for each in suggest_columns(pages) if each.words.startswith("bell")]


@pytest.mark.parametrize(("label", "value"), [("<dt>{}</dt>", "<dd>{}</dd>"), ("<b>{}</b>", "<i>{}</i>")])
def test_several_values_after_a_label_are_offered_once(label: str, value: str) -> None:
    stuffs = ("Oak", "Brass", "Steel", "Linen", "Glass")
    roots = []
    for n in range(8):
        made = "".join(value.format(f"{stuffs[(n + k) % 5]} {n % 3}") for k in range(1 + n % 3))
        rows = f"{label.format('Weight')}{value.format(f'{n}.5 kg')}{label.format('Material')}{made}"
        roots.append(html.document_fromstring(f"<html><body><h1>Thing {n}</h1><p>Text {n}</p><dl>{rows}</dl><p>Prices</p></body></html>"))
    found = [each for each in suggest_columns(roots) if each.words == "material"]
    assert [(each.name, each.multiple) for each in found] == [("material", True)]
    assert [len(row) for row in found[0].values.values()] == [1 + n % 3 for n in range(8)]
