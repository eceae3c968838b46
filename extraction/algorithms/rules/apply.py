"""Applies a rule to a page (docs/algorithms.md#rule-learning): the stylesheet gives the values, and its XPaths give their places."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, elements, whole_text
from extraction.algorithms.dom.rows import Rows, select_rows
from extraction.algorithms.dom.xpath import XPath, located
from extraction.algorithms.dom.xpath_cost import count_nodes, find_largest_reach, may_run_long
from extraction.algorithms.errors import RuleError
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, scans_siblings, split_stylesheet

MAX_SIBLINGS = 20_000
"""The largest number of children of one element for a rule that compares siblings. The time grows with their square; for this number it is
two seconds."""

_CROWDED = f"an element of this page has more than {MAX_SIBLINGS:,} children; a rule that compares siblings could run for hours"
_CROWD = etree.XPath(f"boolean(//node()[{MAX_SIBLINGS + 1}])")


def _crowded(root: etree._Element, nodes: int) -> bool:
    """Return whether some element has more than MAX_SIBLINGS children. Few pages have that many nodes at all."""
    return nodes > MAX_SIBLINGS and bool(_CROWD(root))


MAX_SLOW_PAGES = 3
"""After an expression was given up on this many pages, it is not tried on other large pages, so that a run comes to its end."""

_CAREFUL = "an XPath of the rule searches too much of this page within its conditions"
_slow: Counter[str] = Counter()

call_carefully: Callable[[Callable[[], Any]], Any] = lambda function: function()  # noqa: E731
"""Calls a function that may run for hours and returns its JSON value, or raises RuleError. The services set it to a call with limits."""

RowPlaces = Mapping[str, tuple[tuple[Location, str], ...]]
"""{attribute: (places, values)} of one row."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The raw values of a page, cleaned, by attribute name and in document order. The tuple is empty if the page has no value.

    failed: {attribute or list: why its XPath could not be evaluated on this page}.
    rows: {list: its rows' values as of the page}.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[Mapping[str, tuple[str, ...]], ...]] = field(default_factory=dict)

    def columns(self) -> dict[str, tuple[str, ...]]:
        """The values of the lists' attributes, those of all rows one after the other."""
        found: dict[str, list[str]] = {}
        for row in chain.from_iterable(self.rows.values()):
            for name, values in row.items():
                found.setdefault(name, []).extend(values)
        return {name: tuple(values) for name, values in found.items()}

    def merged(self) -> dict[str, tuple[str, ...]]:
        """The distinct values by attribute, both of the page's own attributes and of the attributes in its lists."""
        return {name: tuple(dict.fromkeys(values)) for name, values in {**self.values, **self.columns()}.items()}

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON."""
        return {
            "values": dict(self.values),
            "failed": dict(self.failed),
            "rows": {name: list(map(dict, rows)) for name, rows in self.rows.items()},
        }

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Extraction":
        """Return what `as_json` wrote."""
        rows = {name: tuple(_as_tuples(each) for each in many) for name, many in row["rows"].items()}
        return cls(_as_tuples(row["values"]), row["failed"], rows)


def _as_tuples(values: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(many) for name, many in values.items()}


@dataclass(frozen=True, slots=True)
class ValueProblem:
    """A problem, in words, with an attribute's values or with a list on a page."""

    attribute: str
    reason: str


def extract_values(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    """Return the values that the stylesheet gives for a page. If the XPath of one attribute fails, the others still get their values.

    Raises RuleError if the stylesheet cannot be run on the page at all.
    """
    nodes = count_nodes(root) if stylesheet.may_be_slow else 0
    if stylesheet.scans_siblings and _crowded(root, nodes):
        raise RuleError(_CROWDED)
    if may_run_long(stylesheet.reach, root, nodes):
        return Extraction.from_json(_call_carefully(stylesheet.text, lambda: _extract(stylesheet, root).as_json()))
    return _extract(stylesheet, root)


def _extract(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    try:
        return _given(stylesheet.transform(root))
    except etree.XSLTApplyError:
        return _one_by_one(stylesheet, root)


def _call_carefully(text: str, function: Callable[[], Any]) -> Any:
    """Call a function that may run long, and name the limit that it reached. An expression that was slow on several pages is not run again.

    text: the expression or stylesheet that the function evaluates.
    """
    if _slow[text] >= MAX_SLOW_PAGES:
        raise RuleError(f"{_CAREFUL}; it was given up on {MAX_SLOW_PAGES} pages and is not tried on other large ones")
    try:
        return call_carefully(function)
    except RuleError as error:
        _slow[text] += 1
        raise RuleError(f"{_CAREFUL}: {error}") from error


def extract_or_nothing(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    """Return the same, but no values for a page on which the stylesheet cannot be run."""
    try:
        return extract_values(stylesheet, root)
    except RuleError:
        return Extraction()


def _one_by_one(stylesheet: Stylesheet, root: etree._Element) -> Extraction:
    values: dict[str, tuple[str, ...]] = {}
    rows: dict[str, tuple[Mapping[str, tuple[str, ...]], ...]] = {}
    failed = {}
    for name, alone in split_stylesheet(stylesheet.text):
        try:
            given = _given(alone.transform(root))
            values |= given.values
            rows |= given.rows
        except etree.XSLTApplyError as error:
            (rows if alone.is_list else values)[name] = ()
            failed[name] = f"the XPath of {name} cannot be evaluated on this page: {error}"
    return Extraction(values, failed, rows)


def _given(result: etree._XSLTResultTree) -> Extraction:
    record = result.getroot()
    if record is None or record.tag != "record":
        raise RuleError("the stylesheet gave no record")
    lists = {str(each.get("name")): tuple(map(_values_in, each.iterchildren("row"))) for each in record.iterchildren("list")}
    return Extraction(_values_in(record), rows=lists)


def _values_in(record: etree._Element) -> dict[str, tuple[str, ...]]:
    """Return the values of a record's or a row's own attributes, by their names."""
    return {str(each.get("name")): _texts_in(each) for each in record.iterchildren("attribute")}


def _texts_in(attribute: etree._Element) -> tuple[str, ...]:
    return tuple([text for value in attribute.iterchildren("value") if (text := clean(value.text or ""))])


def find_places(rule: RuleDefinition, root: etree._Element) -> dict[str, tuple[tuple[Location, str], ...]]:
    """Return the places of each attribute's values, by evaluating the XPaths directly. The values are those of `extract_values`.

    Raises RuleError for a page that `extract_values` refuses.
    """
    _refuse_crowd(rule.attributes, root)
    index = {element: n for n, element in enumerate(elements(root))}
    return {attribute.name: find_attribute_places(attribute, root, index) for attribute in rule.attributes}


def find_row_places(each: ListRule, root: etree._Element, index: dict[etree._Element, int]) -> tuple[RowPlaces, ...]:
    """Return the places of the values in a list's rows, by attribute. Rows without any value are left out, as in `extract_values`.

    Raises RuleError for a page that `extract_values` refuses.
    """
    _refuse_crowd(each.attributes, root, each.rows)
    rows = Rows(list(select_rows([selector.xpath for selector in each.rows], root)))
    found = []
    for place in range(len(rows.elements)):
        row = {attribute.name: _in_row(attribute, rows, place, index) for attribute in each.attributes}
        if any(row.values()):
            found.append(row)
    return tuple(found)


def _in_row(attribute: AttributeRule, rows: Rows, place: int, index: dict[etree._Element, int]) -> tuple[tuple[Location, str], ...]:
    for selector in attribute.alternatives:
        found = _parts(selector, located(rows.select(place, selector.xpath), index))
        if found:
            return tuple(found)
    return ()


def _refuse_crowd(attributes: Sequence[AttributeRule], root: etree._Element, rows: Sequence[Selector] = ()) -> None:
    selectors = [*rows, *(selector for attribute in attributes for selector in attribute.alternatives)]
    if any(scans_siblings(selector.xpath) for selector in selectors) and _crowded(root, count_nodes(root)):
        raise RuleError(_CROWDED)
    reach = find_largest_reach(selector.xpath for selector in selectors)
    if reach.is_large and may_run_long(reach, root):
        # Places are found where a person waits, and after the values.
        raise RuleError(f"{_CAREFUL}, so the places of its values are not looked for")


def find_attribute_places(
    attribute: AttributeRule, root: etree._Element, index: dict[etree._Element, int]
) -> tuple[tuple[Location, str], ...]:
    """Return the places of one attribute's values. index: {element: its index in `elements(root)`}, made once for each page."""
    for selector in attribute.alternatives:
        found = _selector_places(selector, root, index)
        if found:
            return tuple(found)
    return ()


def read_attribute(attribute: AttributeRule, root: etree._Element) -> tuple[str, ...]:
    """The values of `find_attribute_places` without the places. This is faster on many pages, since elements need no index.

    There are none on a page on which an XPath could run for hours.
    """
    reach = find_largest_reach(selector.xpath for selector in attribute.alternatives)
    if reach.is_large and may_run_long(reach, root):
        return ()
    for selector in attribute.alternatives:
        items = (item for item in XPath(selector.xpath).select(root) if not isinstance(item, etree._Element) or isinstance(item.tag, str))
        texts = (clean(whole_text(item) if isinstance(item, etree._Element) else str(item)) for item in items)
        values = tuple(value for text in texts for value in (selector.part.values(text) if selector.part else [text]) if value)
        if values:
            return values
    return ()


def find_problems(rule: RuleDefinition, extraction: Extraction) -> tuple[ValueProblem, ...]:
    """Return the problems of a page in the order of the rule, lists last: mandatory attributes without a value, and attributes with several
    distinct values instead of one."""
    found = []
    for attribute in rule.attributes:
        values = extraction.values.get(attribute.name, ())
        distinct = list(dict.fromkeys(values))
        if attribute.mandatory and not values:
            found.append(ValueProblem(attribute.name, "has no value on this page"))
        elif not attribute.multiple and len(distinct) > 1:
            shown = ", ".join(f"“{value[:40]}”" for value in distinct[:3])
            found.append(ValueProblem(attribute.name, f"has {len(distinct)} different values on this page: {shown}"))
    return (*found, *(problem for each in rule.lists for problem in find_list_problems(each, extraction.rows.get(each.name, ()))))


def find_list_problems(each: ListRule, rows: Sequence[Mapping[str, tuple[str, ...]]]) -> Iterator[ValueProblem]:
    """Return the problems of a list: no rows, rows that lack a mandatory attribute, or rows with several values instead of one."""
    if not rows and any(attribute.mandatory for attribute in each.attributes):
        yield ValueProblem(each.name, "has no rows on this page")
    for attribute in each.attributes:
        given = [row.get(attribute.name, ()) for row in rows]
        without, several = given.count(()), sum(len(set(values)) > 1 for values in given)
        if attribute.mandatory and without:
            yield ValueProblem(attribute.name, f"has no value in {without} of {len(rows)} rows of {each.name}")
        if not attribute.multiple and several:
            yield ValueProblem(attribute.name, f"has different values in {several} of {len(rows)} rows of {each.name}")


def _selector_places(selector: Selector, root: etree._Element, index: dict[etree._Element, int]) -> list[tuple[Location, str]]:
    return _parts(selector, XPath(selector.xpath).places(root, index))


def _parts(selector: Selector, found: Sequence[tuple[Location, str]]) -> list[tuple[Location, str]]:
    """Return the places of the selector's part in the given places and their whole values. Places without that part are left out."""
    if selector.part is None:
        return [(location, value) for location, value in found if value]
    part = selector.part
    return [(replace(location, start=start, end=end), text[start:end]) for location, text in found for start, end in part.spans(text)]
