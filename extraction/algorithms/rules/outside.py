"""Runs a rule outside of Vertex: this is what an exported spider or page object does with a page.

`exports` copies the source of this module into the file, after the rule as ATTRIBUTES and LISTS. So this module uses only lxml, parsel,
babel, the libraries that read pages, and those modules and functions of Vertex that are copied too.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree
from parsel import Selector

from extraction.algorithms.dom.nodes import clean, whole_text
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.urls import find_base_address
from extraction.algorithms.values.cleanup.chain import clean_values, read_steps
from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.read import read_value

Attribute = dict[str, Any]


def read_record(
    content: bytes, *, url: str, content_type: str | None, attributes: Sequence[Attribute], lists: Sequence[Attribute]
) -> dict[str, Any]:
    """Return {attribute: value, None if there is none, or a list of values if it may have several} and {list: its rows} of a page.

    Raises PageError for a page that is not read.
    """
    root = parse(content, content_type=content_type).root
    base, language = find_base_address(root, url), detect_language(root, url)
    record = {each["name"]: _typed(each, _values(Selector(root=root, type="html"), each), base, language) for each in attributes}
    for each in lists:
        rows = ({one["name"]: _row_values(row, one) for one in each["attributes"]} for row in _rows(root, each))
        record[each["name"]] = [
            {one["name"]: _typed(one, row[one["name"]], base, language) for one in each["attributes"]} for row in rows if any(row.values())
        ]
    return record


def _values(page: Selector, attribute: Attribute) -> list[str]:
    """Return the values of the first place that has any."""
    for place in attribute["places"]:
        values = [value for node in page.xpath(place["xpath"]) for value in _parts(_string(node.root), place)]
        if values:
            return values
    return []


def _string(node: Any) -> str:
    """Return the cleaned text of an element, a text or an attribute."""
    return clean(whole_text(node) if isinstance(node, etree._Element) else str(node))


def _parts(text: str, place: Attribute) -> list[str]:
    """Return the values in a text: the part that is the value, or the items of an enumeration, split at their separators."""
    part = _part(text, place)
    if place.get("between"):
        return re.findall(rf"\s*(.+?)\s*(?:{place['between']}|$)", part)
    return [part] if part else []


def _part(text: str, place: Attribute) -> str:
    """Return the part of a text that is the value: a pattern's first group, or the text between a constant prefix and a constant suffix."""
    if place.get("pattern"):
        match = re.search(place["pattern"], text)
        return (match[1] or "").strip() if match else ""
    _, found, rest = text.partition(place["after"]) if place.get("after") else ("", "all", text)
    if found and place.get("before"):
        rest, found, _ = rest.partition(place["before"])
    return rest.strip() if found else ""


def _typed(attribute: Attribute, raw: Sequence[str], base: str, language: str | None) -> Any:
    """Return the values, cleaned up, in the normal form of their type. A value that cannot be read stays as it is after the clean-up."""
    column = ColumnEvidence(**attribute.get("column", {}))
    texts = clean_values(raw, read_steps(attribute.get("cleanup", [])))
    known = [read_value(text, attribute["type"], base_url=base, language=language, column=column) for text in texts]
    values = [each.raw if each.value is None else each.value for each in known]
    return values if attribute["several"] else values[0] if values else None


def _rows(root: etree._Element, each: Attribute) -> Iterator[tuple[etree._Element, etree._Element | None]]:
    """Yield each row of a list, with the next row if that is a sibling, otherwise with None."""
    for xpath in each["rows"]:
        rows = [node for node in root.xpath(xpath) if isinstance(node, etree._Element) and isinstance(node.tag, str)]
        if rows:
            for row, following in zip(rows, [*rows[1:], None], strict=True):
                beside = following is not None and following.getparent() is row.getparent() is not None
                yield row, following if beside else None
            return


def _row_values(row: tuple[etree._Element, etree._Element | None], attribute: Attribute) -> list[str]:
    """Return the same as `_values` for a row: values in the row's element, or in the siblings after it up to the next row."""
    element, stop = row
    for place in attribute["places"]:
        found = element.xpath(place["xpath"])
        if stop is not None and "following-sibling::" in place["xpath"]:
            found = [node for node in found if _before(node, stop)]
        values = [value for node in found for value in _parts(_string(node), place)]
        if values:
            return values
    return []


def _before(node: Any, stop: etree._Element) -> bool:
    """Return whether a node comes before an element on the page, or is not under the same parent."""
    parent = stop.getparent()
    element = node if isinstance(node, etree._Element) else node.getparent()
    while element is not None and element.getparent() is not parent:
        element = element.getparent()
    return parent is None or element is None or parent.index(element) < parent.index(stop)
