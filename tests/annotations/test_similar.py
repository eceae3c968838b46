"""The places beside a value that seem to be further values of the same attribute."""

import pytest
from lxml import html

from annotations.similar import MAX_BESIDE, find_beside
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.display.tree import PageTree


def texts_beside(markup: str, xpath: str, *, text: int = 1) -> list[str | None]:
    """Return the values beside the text of the first element that the XPath finds."""
    nodes = elements(html.document_fromstring(markup))
    tree = PageTree.of(nodes)
    at = Location(tree.index[nodes[0].xpath(xpath)[0]], "text", text)
    return [value(nodes, place) for place in find_beside(tree, [at])]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<td><a>Ann</a>, <a>Bo</a> and <a>Cy</a></td>", ["Bo", "Cy"]),
        ("<td><a>Ann</a> und <a>Bo</a></td>", ["Bo"]),
        ("<td><a>Ann</a><br><a>Bo</a></td>", ["Bo"]),
        ("<td><a>Ann</a><i> | </i><a>Bo</a></td>", ["Bo"]),
        ("<td><a>Ann</a>, directed by <a>Bo</a></td>", []),
        ("<td><a>Ann</a> <b>by</b> <a>Bo</a></td>", []),
        ("<td><a>Ann</a> <a class=more>all</a></td>", []),
        ("<td><a>Ann</a>, <a> </a></td>", []),
        ("<td><a>Ann</a></td><td><a>Bo</a></td>", []),
        (f"<td>{'<a>Ann</a> ' * (MAX_BESIDE + 2)}</td>", []),
    ],
)
def test_values_beside_one_are_like_it_with_only_a_separator_between(markup: str, expected: list[str]) -> None:
    assert texts_beside(f"<table><tr>{markup}</tr></table>", "//a") == expected


def test_the_lines_of_an_address_stand_beside_each_other() -> None:
    assert texts_beside("<p>Lumo Ltd<br>Leeds</p><p>Else</p>", "//p") == ["Leeds"]
    assert texts_beside("<p>Lumo Ltd<br>5 High St<br>Leeds</p><p>Else</p>", "//p", text=2) == ["Lumo Ltd", "Leeds"]


def test_nothing_stands_beside_a_part_of_a_text() -> None:
    nodes = elements(html.document_fromstring("<p><a>Ann Hu</a>, <a>Bo Li</a></p>"))
    tree = PageTree.of(nodes)
    assert find_beside(tree, [Location(3, "text", 1, start=0, end=3)]) == () == find_beside(tree, [])
