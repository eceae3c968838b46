"""Navigation in a page's tree: where a place is, which values its element offers, children, and search. Pure.

The workbench asks the server for these and not the frame, because the tree has parts that the page does not show: head, meta, JSON-LD,
hidden elements and attributes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, is_xml, texts, value
from extraction.algorithms.learning.page_table import find_unread_tags

PREVIEW_CHARS = 160
"""The largest number of characters of a value in a list, enough to recognise it on two lines. Marking it takes the whole value."""

MAX_CHILDREN = 300
"""The largest number of children listed at once. `after` asks for more."""

MAX_HITS = 60
"""The largest number of hits of a search. People do not read more; a longer word finds fewer."""

FIRST_ATTRIBUTES = ("href", "src", "content", "alt", "value", "datetime", "title")
"""Attributes that often contain values, offered before all others."""

LAST_ATTRIBUTES = ("id", "class", "style")
"""Attributes that seldom contain values, offered after all others."""

NOT_SEARCHED = frozenset(LAST_ATTRIBUTES)
"""Attributes about the look of a page. A search leaves them out, because they would hide the other hits."""


VALUE_ATTRIBUTES = ("content", "href", "src", "alt", "title")
"""Attributes whose hits come directly after those in visible texts."""

NAMES_OF_CONTENT = frozenset(("name", "property", "itemprop", "http-equiv"))
"""Attributes that name the content of a meta tag. A search for `og:price` finds the price."""

HIDDEN = frozenset(("head", "noscript", "textarea", "title", "option"))
"""Elements whose texts are not visible as running text."""

WHY_UNUSABLE = "The text of a script or style cannot be marked, because no rule can be learned from it"


@dataclass(frozen=True, slots=True)
class PageTree:
    """The elements of a page in document order, and the index of each."""

    nodes: Sequence[etree._Element]
    index: dict[etree._Element, int]

    @classmethod
    def of(cls, nodes: Sequence[etree._Element]) -> "PageTree":
        """Return the tree of `elements(root)`."""
        return cls(nodes, {element: number for number, element in enumerate(nodes)})


def describe_place(tree: PageTree, location: Location) -> dict[str, Any] | None:
    """Return what the breadcrumb shows about a place: its value, the path of elements to it, and the other values of its element.

    Returns None if the page has no such place.
    """
    found = value(tree.nodes, location)
    if found is None:
        return None
    element = tree.nodes[location.node]
    chain = [*reversed(list(element.iterancestors())), element]
    return {
        "location": location.as_json(),
        "value": found[:2000],
        "path": [{"node": tree.index[step], "label": label_element(step)} for step in chain],
        "options": [describe_option(tree, choice) for choice in list_choices(element, location.node)],
        "child": find_first_child(tree, element),
    }


def find_first_child(tree: PageTree, element: etree._Element) -> int | None:
    """Return the index of the first child element that contains text, else of the first child element; None if there is none."""
    children = list(element.iterchildren(etree.Element))
    with_text = next((child for child in children if clean("".join(child.itertext()))), None)
    chosen = with_text if with_text is not None else next(iter(children), None)
    return None if chosen is None else tree.index[chosen]


def list_choices(element: etree._Element, node: int) -> list[Location]:
    """Return the places of an element that can be marked, in the order they are offered: its texts, the whole element, its attributes."""
    unusable = element.tag in find_unread_tags(element)
    own = [] if unusable else [Location(node, "text", number) for number, text in enumerate(texts(element), 1) if clean(text)]
    whole = [Location(node)] if not unusable and (len(element) or not own) else []
    named = [name for name in FIRST_ATTRIBUTES if name in element.attrib]
    named += sorted(str(name) for name in element.attrib if name not in FIRST_ATTRIBUTES + LAST_ATTRIBUTES)
    named += [name for name in LAST_ATTRIBUTES if name in element.attrib]
    return own + whole + [Location(node, "attribute", attribute=name) for name in named]


def describe_option(tree: PageTree, location: Location) -> dict[str, Any]:
    """Return a place that can be marked as JSON values: its location, its label and its shortened value."""
    return {"location": location.as_json(), "label": name_kind(location), "value": (value(tree.nodes, location) or "")[:PREVIEW_CHARS]}


def name_kind(location: Location) -> str:
    """Return the kind of a place in words: "text", "text 2", "whole element" or "@href"."""
    if location.kind == "attribute":
        return f"@{location.attribute}"
    if location.kind == "element":
        return "whole element"
    return "text" if location.text == 1 else f"text {location.text}"


def label_element(element: etree._Element) -> str:
    """Return an element as the breadcrumb and the tree show it, such as ``ul#list.meta``."""
    name = str(element.tag)
    if element.get("id"):
        name += f"#{clean(element.get('id', ''))[:30]}"
    return name + "".join(f".{token[:30]}" for token in (element.get("class") or "").split()[:2])


def describe_row(tree: PageTree, element: etree._Element) -> dict[str, Any]:
    """Return one line of the tree panel as JSON values."""
    node = tree.index[element]
    return {
        "node": node,
        "label": label_element(element),
        "children": sum(1 for _ in element.iterchildren(etree.Element)),
        "options": [describe_option(tree, choice) for choice in list_choices(element, node) if choice.kind != "element"],
        "unusable": WHY_UNUSABLE if element.tag in find_unread_tags(element) else "",
    }


def list_children(tree: PageTree, node: int | None, *, after: int = 0) -> dict[str, Any]:
    """Return the rows of an element's children from number `after` on, or the row of the root if `node` is None.

    `more` in the result is the next `after`; None if there are no more children.
    """
    if node is None:
        return {"rows": [describe_row(tree, tree.nodes[0])], "more": None}
    below = list(tree.nodes[node].iterchildren(etree.Element))
    part = below[after : after + MAX_CHILDREN]
    more = after + MAX_CHILDREN
    return {"rows": [describe_row(tree, element) for element in part], "more": more if more < len(below) else None}


def search_tree(tree: PageTree, words: str) -> dict[str, Any]:
    """Return the places whose text or attribute value contains the words, the most likely ones first.

    The order is: visible texts, attributes that contain values, other texts, JSON-LD, other attributes, scripts. Within each of these it
    is document order. A hit in the name of a meta tag gives the tag's content. `unusable` says why a hit cannot be marked; it is "" if it
    can.
    """
    wanted = clean(words).casefold()
    found: dict[Location, tuple[int, str, int]] = {}
    for location, text in _places(tree) if wanted else ():
        at = clean(text).casefold().find(wanted)
        if at >= 0:
            meant = _find_meant(tree, location)
            shown = (clean(text), at) if meant == location else (value(tree.nodes, meant) or "", 0)
            found.setdefault(meant, (_rank(tree, location), *shown))
    order = sorted(found, key=lambda place: found[place][0])  # stable: document order within a rank
    return {"hits": [_hit(tree, place, *found[place][1:]) for place in order[:MAX_HITS]], "more": len(order) > MAX_HITS}


def _hit(tree: PageTree, location: Location, text: str, at: int) -> dict[str, Any]:
    element, start = tree.nodes[location.node], max(0, at - 40)
    return {
        "location": location.as_json(),
        "label": f"{label_element(element)} {name_kind(location)}",
        "value": text[start : start + PREVIEW_CHARS],
        "unusable": WHY_UNUSABLE if location.kind == "text" and element.tag in find_unread_tags(element) else "",
    }


def _find_meant(tree: PageTree, location: Location) -> Location:
    element = tree.nodes[location.node]
    named = element.tag == "meta" and location.kind == "attribute" and location.attribute in NAMES_OF_CONTENT
    return Location(location.node, "attribute", attribute="content") if named and clean(element.get("content") or "") else location


def _rank(tree: PageTree, location: Location) -> int:
    element = tree.nodes[location.node]
    if location.kind == "attribute":
        return 1 if location.attribute in VALUE_ATTRIBUTES else 4
    if element.tag in find_unread_tags(element):
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
