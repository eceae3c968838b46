"""The places beside a value that seem to be further values of the same attribute."""

import pytest
from lxml import html

from annotations.similar import MAX_BESIDE, find_beside, find_similar
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


def texts_similar(markup: str, xpath: str) -> list[str | None]:
    """Return the values like the texts of all elements that the XPath finds, these included."""
    nodes = elements(html.document_fromstring(markup))
    tree = PageTree.of(nodes)
    return [value(nodes, place) for place in find_similar(tree, [Location(tree.index[each], "text", 1) for each in nodes[0].xpath(xpath)])]


def test_values_under_one_label_are_not_like_those_under_another() -> None:
    """Two colours of three are marked. The weight and the origin have the same elements, but another label."""
    facts = "<dt>Weight</dt><dd>450 g</dd><dt>Colours</dt><dd>black</dd><dd>sand</dd>{}<dt>Made in</dt><dd>Germany</dd>"
    colours = "//dd[. = 'black' or . = 'sand']"
    assert texts_similar(f"<dl>{facts.format('<dd>copper</dd>')}</dl>", colours) == ["black", "sand", "copper"]
    assert texts_similar(f"<dl>{facts.format('')}</dl>", colours) == [], "both are marked"
    row = "<table><tr><th>Colours</th><td>black</td><td>sand</td><td>red</td><th>Made in</th><td>Germany</td></tr></table>"
    assert texts_similar(row, "//td[. = 'black' or . = 'sand']") == ["black", "sand", "red"]
    terms = "<dl><dt>A</dt><dd>one</dd><dt>B</dt><dd>two</dd><dt>C</dt><dd>three</dd></dl>"
    assert texts_similar(terms, "//dd[. = 'one' or . = 'two']") == ["one", "two", "three"], "values under several labels"
