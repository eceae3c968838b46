"""What rules give on pages, kept by rule and page content, and the progress of counting over a cluster's pages."""

import hashlib
from collections.abc import Iterable
from threading import Lock

from cachetools import LRUCache
from lxml import etree

from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, ListRule
from extraction.services.core.coverage import Survey
from extraction.services.core.stored_pages import StoredPage

MAX_SURVEYS, MAX_VALUES, MAX_ROWS, MAX_COUNTS = 50, 10_000, 500, 300_000
"""The largest numbers of surveys, values of pages and rows of pages kept for a cluster, and of counts (an integer each) kept for the
process."""

Values = list[tuple[Location, str]]

Rows = list[dict[str, list[tuple[Location, str]]]]
"""The rows of a list on a page: {attribute: places and values} of each."""


class RuleResults:
    """The results of one cluster's rules, by the rule's name (`name_rule`) and the digest of the page's bytes."""

    def __init__(self) -> None:
        self._surveys: LRUCache[str, Survey] = LRUCache(MAX_SURVEYS)
        self._values: LRUCache[tuple[str, str], tuple[tuple[Location, str], ...]] = LRUCache(MAX_VALUES)
        self._rows: LRUCache[tuple[str, str], Rows] = LRUCache(MAX_ROWS)

    def forget_surveys(self) -> None:
        """Discards all counting progress, because the cluster's pages have changed."""
        self._surveys.clear()

    def find_values(self, name: str, sha256: str) -> Values | None:
        """Return a rule's values on a page, or None if they are not known."""
        known = self._values.get((name, sha256))
        return None if known is None else list(known)

    def read_values(
        self, name: str, rule: AttributeRule, sha256: str, root: etree._Element, index: dict[etree._Element, int] | None = None
    ) -> Values:
        """A rule's values on a page. index: {element: its place in `elements(root)`}, made here when it is not given."""
        if index is None:
            index = {element: n for n, element in enumerate(elements(root))}
        values = self._values[name, sha256] = apply.find_attribute_places(rule, root, index)
        return list(values)

    def find_rows(self, name: str, sha256: str) -> Rows | None:
        """Return a list's rows on a page, or None if they are not known."""
        return self._rows.get((name, sha256))

    def read_rows(self, name: str, rule: ListRule, sha256: str, root: etree._Element, index: dict[etree._Element, int]) -> Rows:
        """A list's rows on a page."""
        rows = self._rows[name, sha256] = [
            {field: list(places) for field, places in row.items()} for row in apply.find_row_places(rule, root, index)
        ]
        return rows

    def find_survey(self, name: str) -> Survey | None:
        """Return the progress of counting a rule's hits over the cluster's pages, or None if counting has not begun."""
        return self._surveys.get(name)

    def begin_survey(self, name: str, sources: Iterable[StoredPage]) -> Survey:
        """Begins to count a rule's hits over pages, in this order."""
        survey = self._surveys[name] = Survey(list(sources))
        return survey

    def find_count(self, name: str, sha256: str) -> int | None:
        """Return how many different values a rule gives on a page, or None if that is not known."""
        with _COUNTS_LOCK:
            return _COUNTS.get((name, sha256))

    def count_values(self, name: str, rule: AttributeRule, sha256: str, root: etree._Element | None) -> int:
        """Counts the different values that a rule gives on a page; 0 if the page cannot be read."""
        count = 0 if root is None else len(set(apply.read_attribute(rule, root)))
        with _COUNTS_LOCK:
            _COUNTS[name, sha256] = count
        return count


def name_rule(rule: AttributeRule | ListRule) -> str:
    """A short name for what a rule selects: equal for attributes' rules with the same XPaths, whatever the attribute is called."""
    selected = rule.alternatives if isinstance(rule, AttributeRule) else rule
    return hashlib.sha256(repr(selected).encode()).hexdigest()


def forget_counts() -> None:
    """Drops the counts kept in this process."""
    with _COUNTS_LOCK:
        _COUNTS.clear()


_COUNTS: LRUCache[tuple[str, str], int] = LRUCache(MAX_COUNTS)
_COUNTS_LOCK = Lock()
