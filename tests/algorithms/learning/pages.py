"""Small pages for the learner's tests: built from strings, marked by XPath, rules applied to them."""

from collections.abc import Sequence

from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.learning.apriori import Example, Learned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table


def page(body: str) -> PageTable:
    return read_page_table(parse(f"<html><head><meta charset=utf-8></head><body>{body}</body></html>".encode()).root)


def places(table: PageTable, xpath: str) -> list[tuple[Location, str]]:
    index = {element: row for row, element in enumerate(table.nodes)}
    return XPath(xpath).places(table.root, index)


def example(pages: Sequence[PageTable], number: int, xpath: str) -> Example:
    locations = tuple(location for location, _ in places(pages[number], xpath))
    assert locations, f"nothing at {xpath}"
    return Example(number, locations)


def values(learned: object, table: PageTable) -> list[str]:
    """What the rule gives on a page: the first alternative with a value, parts taken out."""
    assert isinstance(learned, Learned), learned
    for alternative in learned.alternatives:
        found = [text for _, text in places(table, alternative.xpath)]
        found = [alternative.part.apply(text) if alternative.part else text for text in found]
        if any(found):
            return [text for text in found if text]
    return []


TAGS = st.sampled_from(["div", "span", "b", "h2", "o:p", "td"])
NAMES = st.sampled_from(["", ' class="x"', ' class="x y"', " class='y\nz'", ' id="i"', ' itemprop="p"', " data-k='it\"s'", ' align="left"'])
WORDS = st.sampled_from(["", "a", "b", " Label: ", 'say "it\'s"', "\u00a0c\u2003d ", "<!-- c -->", "<!--c-->e"])


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> str:
    """HTML of a few nested elements with names, labels, comments and odd white space."""
    parts = [draw(WORDS)]
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        tag = draw(TAGS)
        parts.append(f"<{tag}{draw(NAMES)}>{draw(trees(depth - 1))}</{tag}>{draw(WORDS)}")
    return "".join(parts)


def same_nodes(table: PageTable, xpath: str) -> set[Location]:
    """Non-blank nodes of an XPath."""
    return {location for location, text in places(table, xpath) if text}


__all__ = ["etree", "example", "page", "places", "same_nodes", "trees", "values"]
