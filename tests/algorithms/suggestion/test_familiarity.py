"""Columns that look like what records have come first; the same columns are taken."""

import pytest
from lxml import etree

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.familiarity import order_by_familiarity
from extraction.algorithms.suggestion.suggest import suggest_columns


def sheet(number: int) -> etree._Element:
    """A page with thirty labels that nobody knows, and a director among them."""
    rows = [(f"Zorb {at}", f"quux {at * 7 + number}") for at in range(30)]
    rows.insert(20, ("Director", f"Person {number}"))
    return parse("".join(f"<p><b>{label}:</b> <i>{value}</i></p>" for label, value in rows).encode()).root


def test_a_known_label_comes_before_unknown_ones() -> None:
    names = [column.name for column in suggest_columns([sheet(number) for number in range(6)])]
    unknown = [names.index(f"zorb_{at}") for at in range(12, 30)]
    assert names.index("director") < min(unknown), "it stands below the twentieth of them"


def test_nothing_is_lost_or_added() -> None:
    pages = [sheet(number) for number in range(6)]
    many, few = suggest_columns(pages), suggest_columns(pages, most=5)
    assert [column.name for column in few] == [column.name for column in many[:5]]
    assert order_by_familiarity([], None) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1, 3, 60])
def test_the_best_come_first(most: int) -> None:
    scores = [column.score for column in suggest_columns([sheet(number) for number in range(6)], most=most)]
    assert scores == sorted(scores, reverse=True)
