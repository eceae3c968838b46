"""A rule applied to a page (ALGORITHMS 4.7; Vertex 3.2): values by the stylesheet, places by its XPaths."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, elements, whole_text
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import RuleError
from extraction.algorithms.rules.rule import AttributeRule, Rule, Selector
from extraction.algorithms.rules.xslt import Stylesheet, apart, scans_siblings

MAX_SIBLINGS = 20_000
"""Most children of one element where a rule compares siblings: that costs their square, some two seconds here."""

_CROWDED = f"an element of this page has more than {MAX_SIBLINGS:,} children; a rule that compares siblings could run for hours"
_CROWD = etree.XPath(f"boolean(//node()[{MAX_SIBLINGS + 1}])")


@dataclass(frozen=True, slots=True)
class Extraction:
    """Cleaned raw values of a page by attribute name, in document order; an empty tuple where the page has none.

    failed: {attribute: why its XPath could not be evaluated on this page}.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an attribute's values on a page, in words."""

    attribute: str
    reason: str


def extract(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    """The values the stylesheet gives for a page; an attribute whose XPath fails there does not take the others with it.

    Raises RuleError when the stylesheet cannot be run on the page at all.
    """
    if stylesheet.scans_siblings and _CROWD(root):
        raise RuleError(_CROWDED)
    try:
        return Extraction(_given(stylesheet.transform(root)))
    except etree.XSLTApplyError:
        return _one_by_one(stylesheet, root)


def _one_by_one(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    values: dict[str, tuple[str, ...]] = {}
    failed = {}
    for name, alone in apart(stylesheet.text):
        try:
            values |= _given(alone.transform(root))
        except etree.XSLTApplyError as error:
            values[name], failed[name] = (), f"the XPath of {name} cannot be evaluated on this page: {error}"
    return Extraction(values, failed)


def _given(result: etree._XSLTResultTree) -> dict[str, tuple[str, ...]]:
    record = result.getroot()
    if record is None or record.tag != "record":
        raise RuleError("the stylesheet gave no record")
    values = {}
    for attribute in record.iterchildren("attribute"):
        cleaned = (clean(value.text or "") for value in attribute.iterchildren("value"))
        values[str(attribute.get("name"))] = tuple(value for value in cleaned if value)
    return values


def places(rule: Rule, root: etree._Element) -> dict[str, tuple[tuple[Location, str], ...]]:
    """Where each attribute's values stand: the same XPaths evaluated directly. Same values as `extract`.

    Raises RuleError for a page that `extract` refuses, too.
    """
    if any(scans_siblings(s.xpath) for attribute in rule.attributes for s in attribute.alternatives) and _CROWD(root):
        raise RuleError(_CROWDED)
    index = {element: n for n, element in enumerate(elements(root))}
    return {attribute.name: attribute_places(attribute, root, index) for attribute in rule.attributes}


def attribute_places(attribute: AttributeRule, root: etree._Element, index: dict[etree._Element, int]) -> tuple[tuple[Location, str], ...]:
    """Where one attribute's values stand. index: {element: place in `elements(root)`}, which callers keep."""
    for selector in attribute.alternatives:
        found = _selector_places(selector, root, index)
        if found:
            return tuple(found)
    return ()


def attribute_values(attribute: AttributeRule, root: etree._Element) -> tuple[str, ...]:
    """The values of `attribute_places` without the places: for many pages, whose elements need no numbers then."""
    for selector in attribute.alternatives:
        items = (item for item in XPath(selector.xpath).select(root) if not isinstance(item, etree._Element) or isinstance(item.tag, str))
        texts = (clean(whole_text(item) if isinstance(item, etree._Element) else str(item)) for item in items)
        values = tuple(text for text in (selector.part.apply(text) if selector.part else text for text in texts) if text)
        if values:
            return values
    return ()


def problems(rule: Rule, extraction: Extraction) -> tuple[Problem, ...]:
    """Mandatory attributes without a value, and single ones with several different ones, in the rule's order."""
    found = []
    for attribute in rule.attributes:
        values = extraction.values.get(attribute.name, ())
        distinct = list(dict.fromkeys(values))
        if attribute.mandatory and not values:
            found.append(Problem(attribute.name, "has no value on this page"))
        elif not attribute.multiple and len(distinct) > 1:
            shown = ", ".join(f"“{value[:40]}”" for value in distinct[:3])
            found.append(Problem(attribute.name, f"has {len(distinct)} different values on this page: {shown}"))
    return tuple(found)


def _selector_places(selector: Selector, root: etree._Element, index: dict[etree._Element, int]) -> list[tuple[Location, str]]:
    found = XPath(selector.xpath).places(root, index)
    if selector.part is None:
        return [(location, value) for location, value in found if value]
    parts = []
    for location, text in found:
        start, end = selector.part.span(text)
        if end > start:
            parts.append((replace(location, start=start, end=end), text[start:end]))
    return parts
