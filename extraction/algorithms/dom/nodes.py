"""Node identity: how a place on a page is named (docs/algorithms.md#reading-a-page).

A browser's tree is not lxml's tree, so a place is never an XPath from a browser. It is a `Location` in *our* tree: the element's index in
document order, and which part of the element is meant. `elements(root)` returns the list that indexes refer to. It holds elements only;
comments and processing instructions have no index.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lxml import etree

from extraction.algorithms.dom.whole_text import whole_text as whole_text

Kind = Literal["text", "element", "attribute"]

HIDDEN = "\xad\u200b\u2060\ufeff"
"""Characters that are not seen: the soft hyphen, and spaces without width."""

_UNSEEN = dict.fromkeys(map(ord, HIDDEN))
_WORD = re.compile(r"[^\W_]")
_STRING = etree.XPath("string()", smart_strings=False)

RAW_TEXT = frozenset({"script", "style", "noscript", "textarea", "title", "option", "template"})
"""Elements of HTML whose text a reader of the page does not see as running text."""


def is_xml(root: etree._Element) -> bool:
    """Return whether an element is on a page of XML (`dom.xml`), where no name has a meaning of its own: `title` is a field like any
    other."""
    tree = root.getroottree()
    return tree.docinfo.xml_version is not None and tree.getroot().tag != "html"


def raw_text(root: etree._Element) -> frozenset[str]:
    """Return `RAW_TEXT` for a page of HTML, and nothing for one of XML."""
    return frozenset() if is_xml(root) else RAW_TEXT


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place on a page.

    node: index of the element in `elements(root)`, from 0.
    kind: `text`, one text() child of the element; `element`, its whole text; `attribute`, the value of one attribute.
    text: which text() child, from 1 as in XPath's ``text()[1]``; blank ones count.
    attribute: its name.
    start, end: a part of the cleaned value, as offsets; both None for all of it.
    """

    node: int
    kind: Kind = "element"
    text: int = 0
    attribute: str = ""
    start: int | None = None
    end: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the location as JSON values. Fields that are not set are left out."""
        row: dict[str, Any] = {"node": self.node, "kind": self.kind}
        if self.kind == "text":
            row["text"] = self.text
        if self.kind == "attribute":
            row["attribute"] = self.attribute
        if self.start is not None:
            row |= {"start": self.start, "end": self.end}
        return row

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Location":
        """Return the location that `as_json` wrote. Raises ValueError for anything else."""
        try:
            node, kind = row["node"], row["kind"]
            text, attribute = row.get("text", 0), row.get("attribute", "")
            start, end = row.get("start"), row.get("end")
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a location: {row!r}") from error
        whole = type(node) is int and type(text) is int and node >= 0 and isinstance(attribute, str)
        kinds = kind == "element" or (kind == "text" and whole and text >= 1) or (kind == "attribute" and bool(attribute))
        part = (start is None and end is None) or (type(start) is int and type(end) is int and 0 <= start < end)
        if not (whole and kinds and part):
            raise ValueError(f"not a location: {row!r}")
        return cls(node, kind, text, attribute, start, end)


def clean(text: str) -> str:
    """Return the text as values are compared: without soft hyphens and spaces without width, with runs of white space, including
    non-breaking spaces, as one space, and with both ends trimmed."""
    return " ".join((text if text.isascii() else text.translate(_UNSEEN)).split())


def value_text(text: str, *, most: int) -> str:
    """Return the cleaned text if it could be a value: it has at most `most` characters, and one of them is a letter or digit. Otherwise
    return ""."""
    if len(text) > 4 * most:  # not even cleaned: hostile pages have megabytes of it
        return ""
    cleaned = clean(text)
    return cleaned if len(cleaned) <= most and _WORD.search(cleaned) else ""


def elements(root: etree._Element) -> list[etree._Element]:
    """Return all elements in document order. Keep the list while indexes are used, because it keeps lxml's proxies alive."""
    return list(root.iter(etree.Element))


def texts(element: etree._Element) -> Iterator[str]:
    """Yield the element's text() children in order, as XPath sees them: blank ones too, split by comments."""
    if element.text:
        yield element.text
    for child in element:
        if child.tail:
            yield child.tail


def string_value(element: etree._Element) -> str:
    """Return what XPath takes for the text of an element: all texts in it, one after the other, uncleaned. Conditions of rules see it."""
    return str(_STRING(element))


def value(nodes: Sequence[etree._Element], location: Location) -> str | None:
    """Return the cleaned value at a location, or None if the page has no such place."""
    if location.node >= len(nodes):
        return None
    element = nodes[location.node]
    raw: str | None
    if location.kind == "attribute":
        raw = element.get(location.attribute)
    elif location.kind == "element":
        raw = whole_text(element)
    else:
        raw = next((t for n, t in enumerate(texts(element), 1) if n == location.text), None)
    if raw is None:
        return None
    cleaned = clean(raw)
    return cleaned if location.start is None else cleaned[location.start : location.end].strip()


def locate(selected: Any, index: dict[etree._Element, int]) -> Location | None:
    """Return the location of one item of an XPath result, None for a comment or a number.

    index: {element: its place in `elements(root)`}.
    """
    if isinstance(selected, etree._Element):
        return Location(index[selected]) if selected in index else None
    parent = selected.getparent() if hasattr(selected, "getparent") else None
    if parent is None:
        return None
    if selected.is_attribute:
        return Location(index[parent], "attribute", attribute=str(selected.attrname))
    owner = parent.getparent() if selected.is_tail else parent
    if owner is None or owner not in index:
        return None
    return Location(index[owner], "text", text=_ordinal(owner, parent if selected.is_tail else None))


def _ordinal(owner: etree._Element, after: etree._Element | None) -> int:
    """Return which text() child of `owner` follows `after`, counted from 1. If `after` is None, the text before all elements is meant."""
    number = 1 if owner.text else 0
    if after is None:
        return number
    for child in owner:
        number += bool(child.tail)
        if child is after:
            break
    return number
