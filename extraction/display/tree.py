"""Looking around in a page's tree: where a place is, what else could be taken there, children, search. Pure.

The workbench asks the server for these rather than the frame, because the tree has what a page does not show: head,
meta, JSON-LD, hidden elements, attributes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, is_xml, texts, value
from extraction.algorithms.learning.features import not_read

PREVIEW_CHARS = 160
"""Characters of a value in a list. The whole value is taken anyway; two lines are enough to recognise it."""

MAX_CHILDREN = 300
"""Children listed at once; more are asked for with `after`."""

MAX_HITS = 60
"""Hits of a search: more than anybody reads; a longer word finds fewer."""

FIRST_ATTRIBUTES = ("href", "src", "content", "alt", "value", "datetime", "title")
"""Attributes that hold values, offered before all others."""

LAST_ATTRIBUTES = ("id", "class", "style")
"""Attributes that seldom hold one, offered after all others."""

NOT_SEARCHED = frozenset(LAST_ATTRIBUTES)
"""Attributes that say how a page looks; a search for a value would drown in them."""


VALUE_ATTRIBUTES = ("content", "href", "src", "alt", "title")
"""Attributes whose hits come right after those in visible texts."""

NAMES_OF_CONTENT = frozenset(("name", "property", "itemprop", "http-equiv"))
"""Attributes that say what a meta tag's content is: who searches for `og:price` wants the price."""

HIDDEN = frozenset(("head", "noscript", "textarea", "title", "option"))
"""Elements whose texts are not seen as running text."""

WHY_UNUSABLE = "The text of a script or style cannot be marked, because no rule can be learned from it"


@dataclass(frozen=True, slots=True)
class PageTree:
    """A page's elements in document order and {element: its index}."""

    nodes: Sequence[etree._Element]
    index: dict[etree._Element, int]

    @classmethod
    def of(cls, nodes: Sequence[etree._Element]) -> "PageTree":
        """The tree of `elements(root)`."""
        return cls(nodes, {element: number for number, element in enumerate(nodes)})


def place(tree: PageTree, location: Location) -> dict[str, Any] | None:
    """A place for the breadcrumb: its value, the path of elements down to it, what else its element offers.

    None where the page has no such place.
    """
    found = value(tree.nodes, location)
    if found is None:
        return None
    element = tree.nodes[location.node]
    chain = [*reversed(list(element.iterancestors())), element]
    return {
        "location": location.as_json(),
        "value": found[:2000],
        "path": [{"node": tree.index[step], "label": label(step)} for step in chain],
        "options": [option(tree, choice) for choice in choices(element, location.node)],
        "child": first_child(tree, element),
    }


def first_child(tree: PageTree, element: etree._Element) -> int | None:
    """The index of the first child element that holds text, else of the first; None without any."""
    children = list(element.iterchildren(etree.Element))
    with_text = next((child for child in children if clean("".join(child.itertext()))), None)
    chosen = with_text if with_text is not None else next(iter(children), None)
    return None if chosen is None else tree.index[chosen]


def choices(element: etree._Element, node: int) -> list[Location]:
    """What can be taken at one element: its texts, its whole text, its attributes, in the order they are offered."""
    unusable = element.tag in not_read(element)
    own = [] if unusable else [Location(node, "text", number) for number, text in enumerate(texts(element), 1) if clean(text)]
    whole = [Location(node)] if not unusable and (len(element) or not own) else []
    named = [name for name in FIRST_ATTRIBUTES if name in element.attrib]
    named += sorted(str(name) for name in element.attrib if name not in FIRST_ATTRIBUTES + LAST_ATTRIBUTES)
    named += [name for name in LAST_ATTRIBUTES if name in element.attrib]
    return own + whole + [Location(node, "attribute", attribute=name) for name in named]


def option(tree: PageTree, location: Location) -> dict[str, Any]:
    """One thing to take, as JSON values: the location, its name in words, its value shortened."""
    return {"location": location.as_json(), "label": kind_label(location), "value": (value(tree.nodes, location) or "")[:PREVIEW_CHARS]}


def kind_label(location: Location) -> str:
    """text, text 2, whole element, @href."""
    if location.kind == "attribute":
        return f"@{location.attribute}"
    if location.kind == "element":
        return "whole element"
    return "text" if location.text == 1 else f"text {location.text}"


def label(element: etree._Element) -> str:
    """An element as breadcrumb and tree show it: ul#list.meta."""
    name = str(element.tag)
    if element.get("id"):
        name += f"#{clean(element.get('id', ''))[:30]}"
    return name + "".join(f".{token[:30]}" for token in (element.get("class") or "").split()[:2])


def row(tree: PageTree, element: etree._Element) -> dict[str, Any]:
    """One line of the tree panel."""
    node = tree.index[element]
    return {
        "node": node,
        "label": label(element),
        "children": sum(1 for _ in element.iterchildren(etree.Element)),
        "options": [option(tree, choice) for choice in choices(element, node) if choice.kind != "element"],
        "unusable": WHY_UNUSABLE if element.tag in not_read(element) else "",
    }


def children(tree: PageTree, node: int | None, *, after: int = 0) -> dict[str, Any]:
    """The rows of an element's children from number `after` on, or of the root. `more`: the next `after`, or None."""
    if node is None:
        return {"rows": [row(tree, tree.nodes[0])], "more": None}
    below = list(tree.nodes[node].iterchildren(etree.Element))
    part = below[after : after + MAX_CHILDREN]
    more = after + MAX_CHILDREN
    return {"rows": [row(tree, element) for element in part], "more": more if more < len(below) else None}


def search(tree: PageTree, words: str) -> dict[str, Any]:
    """Places whose text or attribute value contains the words, those likeliest meant first, else in document order.

    The order: texts that are seen, attributes that hold values, other texts, JSON-LD, other attributes, scripts. A hit
    in what names a meta tag is its content. `unusable`: why a hit cannot be marked, "" where it can.
    """
    wanted = clean(words).casefold()
    found: dict[Location, tuple[int, str, int]] = {}
    for location, text in _places(tree) if wanted else ():
        at = clean(text).casefold().find(wanted)
        if at >= 0:
            meant = _meant(tree, location)
            shown = (clean(text), at) if meant == location else (value(tree.nodes, meant) or "", 0)
            found.setdefault(meant, (_rank(tree, location), *shown))
    order = sorted(found, key=lambda place: found[place][0])  # stable: document order within a rank
    return {"hits": [_hit(tree, place, *found[place][1:]) for place in order[:MAX_HITS]], "more": len(order) > MAX_HITS}


def _hit(tree: PageTree, location: Location, text: str, at: int) -> dict[str, Any]:
    element, start = tree.nodes[location.node], max(0, at - 40)
    return {
        "location": location.as_json(),
        "label": f"{label(element)} {kind_label(location)}",
        "value": text[start : start + PREVIEW_CHARS],
        "unusable": WHY_UNUSABLE if location.kind == "text" and element.tag in not_read(element) else "",
    }


def _meant(tree: PageTree, location: Location) -> Location:
    element = tree.nodes[location.node]
    named = element.tag == "meta" and location.kind == "attribute" and location.attribute in NAMES_OF_CONTENT
    return Location(location.node, "attribute", attribute="content") if named and clean(element.get("content") or "") else location


def _rank(tree: PageTree, location: Location) -> int:
    element = tree.nodes[location.node]
    if location.kind == "attribute":
        return 1 if location.attribute in VALUE_ATTRIBUTES else 4
    if element.tag in not_read(element):
        return 3 if "json" in (element.get("type") or "").lower() else 5
    return 2 if element.tag in HIDDEN and not is_xml(element) else 0


def _places(tree: PageTree) -> Iterator[tuple[Location, str]]:
    xml = bool(tree.nodes) and is_xml(tree.nodes[0])
    for node, element in enumerate(tree.nodes):
        if element.tag != "style" or xml:
            for number, text in enumerate(texts(element), 1):
                yield Location(node, "text", number), text
        for name, text in element.attrib.items():
            if xml or name not in NOT_SEARCHED:
                yield Location(node, "attribute", attribute=str(name)), str(text)
