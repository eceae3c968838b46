"""Find where a value of a page's own data appears in its text: the place that an editor would click.

The value is looked for as a whole text or element first, then as a part of one longer text ("$ 19.99 incl. VAT"). A value that is not in
any visible text gets the place it was read from, if that is an attribute of an element (a meta tag's content).
"""

import re
from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, raw_text, texts, whole_text

MAX_ELEMENTS = 60_000
"""The largest number of elements of a page that are looked at. The largest real page seen has a third of that."""

MIN_PART = 3
"""Shortest value that is looked for within a longer text. A "4" is everywhere."""

HEADINGS = ("h1", "h2", "h3")
CHROME = frozenset(("nav", "header", "footer", "aside"))
"""Elements whose texts are seldom the value meant."""

REMARKS = re.compile(r"(?<![a-z])(?:comments?|replies|reply|respond|disqus)(?![a-z])", re.IGNORECASE)
"""Ids and classes of what readers write below a page."""

MARKUP = re.compile(r"<[a-z/!][^<>]*>", re.IGNORECASE)

Nodes = Sequence[etree._Element]


def locate_value(nodes: Nodes, value: str) -> Location | None:
    """Return the likeliest place of a value on a page, or None if it is not on the page.

    nodes: `elements(root)`.
    """
    wanted = clean(value).casefold()
    if not wanted:
        return None
    for find in (_whole_texts, _whole_elements, _parts, _attributes):
        found = [at for at in find(nodes[:MAX_ELEMENTS], wanted) if not _is_remark(nodes[at.node])]
        if found:
            return min(found, key=lambda at: (_chrome(nodes[at.node]), nodes[at.node].tag not in HEADINGS, at.node))
    return None


def locate_values(nodes: Nodes, values: Sequence[str]) -> tuple[Location, ...]:
    """Return the places of several values. If more than a few have no place, the result is (), because half a list is of no use."""
    found = [locate_value(nodes, value) for value in values]
    kept = tuple(dict.fromkeys(at for at in found if at is not None))
    return kept if len(kept) >= 0.9 * len(dict.fromkeys(values)) else ()


def _seen(element: etree._Element) -> bool:
    unseen = raw_text(element)
    return element.tag not in unseen and not any(above.tag in unseen or above.tag == "head" for above in element.iterancestors())


def _is_remark(element: etree._Element) -> bool:
    """Return whether an element is in what readers wrote below the page: a name there is a reader's, also if it is the author's."""
    return any(REMARKS.search(f"{above.get('id') or ''} {above.get('class') or ''}") for above in (element, *element.iterancestors()))


def _chrome(element: etree._Element) -> bool:
    return any(above.tag in CHROME for above in element.iterancestors())


def _whole_texts(nodes: Nodes, wanted: str) -> list[Location]:
    return [
        Location(row, "text", nth)
        for row, element in enumerate(nodes)
        for nth, text in enumerate(texts(element), 1)
        if len(text) >= len(wanted) and clean(text).casefold() == wanted and _seen(element)
    ]


def _whole_elements(nodes: Nodes, wanted: str) -> list[Location]:
    """Return the innermost element whose whole text it is. Elements that begin differently are not read to the end."""
    return [
        Location(row)
        for row, element in enumerate(nodes)
        if len(element) and _begins(element, wanted) and clean(whole_text(element)).casefold() == wanted and _seen(element)
    ][-1:]


def _begins(element: etree._Element, wanted: str) -> bool:
    first = next((text for text in element.itertext(with_tail=False) if text.strip()), "")
    begin = clean(str(first)).casefold()[:20]
    return bool(begin) and wanted.startswith(begin)


def _parts(nodes: Nodes, wanted: str) -> list[Location]:
    found = []
    for row, element in enumerate(nodes):
        for nth, text in enumerate(texts(element), 1):
            shown = clean(text)
            start = shown.casefold().find(wanted) if MIN_PART <= len(wanted) < len(text) else -1
            # casefold may lengthen a text ("ß"): then its offsets are not the text's.
            if (
                start >= 0
                and shown[start : start + len(wanted)].casefold() == wanted
                and _alone(shown, start, len(wanted))
                and _seen(element)
            ):
                found.append(Location(row, "text", nth, start=start, end=start + len(wanted)))
    return found


def _alone(text: str, start: int, length: int) -> bool:
    """Return whether the part is not a piece of a longer word or number."""
    before, after = text[start - 1 : start], text[start + length : start + length + 1]
    return not before.isalnum() and not after.isalnum()


def _attributes(nodes: Nodes, wanted: str) -> list[Location]:
    """Return the attributes with the value. One that contains markup is source text, which nobody wants in a record."""
    if MARKUP.search(wanted):
        return []
    names = ("content", "datetime", "src", "href", "value")
    return [
        Location(row, "attribute", attribute=name)
        for row, element in enumerate(nodes)
        for name in names
        if clean(element.get(name) or "").casefold() == wanted
    ]
