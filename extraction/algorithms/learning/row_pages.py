"""Makes each row a page of its own, so that the learner of pages can learn the fields of a row.

The row's element, or the series of siblings that is the row, is copied into a ``vertex-row`` element. A node of the copy has the number of
the original node minus a constant. The XPath that is learned on the copies is absolute; `make_relative` rewrites it so that it begins at
the row's element. Some features cannot be used within a row: those that look at ancestors outside of it, and those that count from the
end of siblings that also contain other rows. They cost so much that they are never chosen (`price_row_features`).
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.costs import CALIBRATED, Cost, FeatureCost
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table

WRAPPER = "vertex-row"

ROW_COSTS = {
    "shape": FeatureCost(4.0, 0.0),
    "nth": FeatureCost(2.0, 0.5),
    "nth-last": FeatureCost(2.6, 0.6),
    "beside": FeatureCost(1.8, 0.3),
}
"""Costs within a row. Two marked prices of the same length say little about the length of the others. The content of a row is short and
alike in all rows, so a place in it says more than a place on a page."""

OUTSIDE_KINDS = ("under-id", "under-class", "under-name", "under-heading", "under-title", "under-label")
"""Kinds of features that look outside the row."""

_PIECES = re.compile(r"\"[^\"]*\"|'[^']*'|.", re.DOTALL)
_PLACE = re.compile(r"\[(\d+)\]")


def price_row_features(*, grouped: bool) -> Cost:
    """Return the costs of features within a row. A rule without features costs nothing there.

    grouped: whether a row is a series of siblings.
    """
    return CALIBRATED.for_rows(ROW_COSTS, never=[*OUTSIDE_KINDS, *(["nth-last"] if grouped else [])])


def copy_row(row: etree._Element, until: etree._Element | None, *, grouped: bool) -> PageTable:
    """Copies a row into a wrapper and reads that as a page. until: the sibling before which a grouped row ends."""
    wrapper = etree.Element(WRAPPER)
    if not grouped:
        one = deepcopy(row)
        one.tail = None
        wrapper.append(one)
        return read_page_table(wrapper)
    node: etree._Element | None = row
    while node is not None and node is not until:
        wrapper.append(deepcopy(node))
        node = node.getnext()
    end = etree.Comment("")
    end.tail = " "  # so that no text of the row is the last one: on the page others follow
    wrapper.append(end)
    return read_page_table(wrapper)


def shift_location(location: Location, page: PageTable, row: int) -> Location:
    """Converts a place on the page into the place on the copy of a row. row: the number of the row's element on the page."""
    if location.node >= row:
        return replace(location, node=location.node - row + 1)
    element = page.nodes[row]
    parent = element.getparent()
    if parent is None or location.kind != "text" or page.nodes[location.node] is not parent:
        raise LearningError("a value was marked outside its row")
    before = sum(1 for _ in _texts_before(parent, element))
    return replace(location, node=0, text=location.text - before)


def _texts_before(parent: etree._Element, stop: etree._Element) -> Iterator[str]:
    if parent.text:
        yield parent.text
    for child in parent:
        if child is stop:
            return
        if child.tail:
            yield child.tail


def make_relative(xpath: str, tag: str, *, grouped: bool) -> str:
    """Rewrites an XPath that was learned on copies so that it begins at the row's element. Raises LearningError if that is impossible.

    tag: the tag of the row's element.
    """
    parts = [part for each in _split(xpath, "|") for part in _part(each.strip(), tag, grouped=grouped)]
    return " | ".join(dict.fromkeys(parts))


def _part(xpath: str, tag: str, *, grouped: bool) -> list[str]:
    counted = xpath.startswith("//")
    first, *rest = _split(xpath.removeprefix("//").removeprefix("/descendant::"), "/")
    if _name(first) == WRAPPER:
        condition = _condition(first)
        starts = _from_wrapper(rest, tag) if grouped else _from_root(rest)
        return [_simplified(condition + start) for start in starts]
    tail = "".join(f"/{each}" for each in rest)
    if grouped:
        return _anywhere_in_group([first, *rest], tag, counted=counted)
    if not counted:
        return [f"descendant-or-self::{first}{tail}" if _name(first) in (tag, "*") else f"descendant::{first}{tail}"]
    own = [f"self::{_placeless(first)}{tail}"] if _name(first) in (tag, "*") and _place(first) == 1 else []
    return [*own, f".//{first}{tail}"]


def _from_root(rest: list[str]) -> list[str]:
    """Writes the steps below the wrapper of a row that is one element. The first step is that element."""
    if not rest:
        return ["."]
    first, *more = rest
    return ["/".join([f"self::{_placeless(first)}", *more])]


def _from_wrapper(rest: list[str], tag: str) -> list[str]:
    """Writes the steps below the wrapper of a row of siblings: to the element that begins the row, or to one after it."""
    if not rest:
        raise LearningError("the value is the whole row; mark its parts")
    first, *more = rest
    tail = "".join(f"/{each}" for each in more)
    if first.startswith("text()") or _name(first) not in (tag, "*"):
        return [f"following-sibling::{first}{tail}"]
    place = _place(first)
    own, others = f"self::{_placeless(first)}{tail}", f"following-sibling::{first}{tail}"
    if place == 1:
        return [own]
    return [f"following-sibling::{first.replace(f'[{place}]', f'[{place - 1}]', 1)}{tail}"] if place else [own, others]


def _anywhere_in_group(steps: list[str], tag: str, *, counted: bool) -> list[str]:
    path = "/".join(steps)
    if not counted:
        return [f"descendant-or-self::{path}", f"following-sibling::*/descendant-or-self::{path}"]
    return [*_from_wrapper(steps, tag), f".//{path}", f"following-sibling::*//{path}"]


def _condition(first: str) -> str:
    """Writes the condition on the wrapper: none, or that its first element, which is the row's, has a certain text."""
    asked = _placeless(first)[len(WRAPPER) :]
    return f"self::*{asked.replace('translate(*[1],', 'translate(.,')}/" if asked else ""


def _simplified(xpath: str) -> str:
    """Shortens an XPath: ``self::tr/td``, if the first step has no conditions, is the same as ``td``."""
    match = re.match(r"self::[\w.-]+/(?=[\w@*.])", xpath)
    return xpath[match.end() :] if match else xpath


def _name(step: str) -> str:
    return step.split("[", 1)[0]


def _place(step: str) -> int:
    match = _PLACE.match(step, len(_name(step)))
    return int(match[1]) if match else 0


def _placeless(step: str) -> str:
    return step.replace(f"[{_place(step)}]", "", 1) if _place(step) else step


def _split(text: str, mark: str) -> list[str]:
    """Splits the text at each `mark` that is not within brackets, parentheses or quotes."""
    parts, depth = [""], 0
    for piece in _PIECES.findall(text):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(piece, 0)
        if piece == mark and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts
