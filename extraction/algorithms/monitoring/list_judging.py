"""For each attribute, how many of a list's old rows its new rule still gives (see `list_relearning`)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.learning.apriori import Learned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.list_places import Anchor, SoughtRows
from extraction.algorithms.monitoring.places import SoughtValue, ValueFinder, normalise_values
from extraction.algorithms.monitoring.relearning import Relearned
from extraction.algorithms.monitoring.row_extents import FoundRow
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, ListRule

AGREES = 0.8
"""F1 of the rows' values from which a page counts as agreeing. It is below 1 because lists change."""

Values = tuple[str, ...]
Form = frozenset[str]
Pair = tuple[Form, Form]


class ListJudge:
    """A list's rule, run on all new pages.

    rows: the old rows that were found on the new pages.
    stood: the old pages, on which values stood before.
    Raises RuleError or XPathError when the rule cannot be run.
    """

    def __init__(
        self, rule: ListRule, sought: SoughtRows, rows: Mapping[int, Sequence[FoundRow]], stood: Sequence[ValueFinder], anchor: Anchor
    ) -> None:
        self.rule, self.sought, self.rows, self.stood = rule, sought, rows, stood
        self.anchor = next(each for each in rule.attributes if each.name == anchor.name)
        self._languages = [detect_language(page.root) for page in sought.pages]
        self._rows_now = [find_rows(rule, page) for page in sought.pages]
        self._unknown_rows = {page: self._find_unknown_rows(page) for page in rows}
        self._page_counts = Counter(values for extra in self._unknown_rows.values() for values in {values for _, values in extra})

    def figures(self, attribute: AttributeRule, learned: Learned, examples: Sequence[int]) -> Relearned:
        """Return an attribute's figures, counted on the pages that the rule was not learned from."""
        name = attribute.name
        with_values = [page for page, rows in self.rows.items() if any(row.fields.get(name) for row in rows)]
        judging = [page for page in with_values if page not in examples]
        agreeing = sum(self._agrees(attribute, page) for page in judging)
        returned = sum(self._has_returned(name, page) for page in range(len(self.sought.pages)) if page not in examples)
        stage = self.sought.stages[name]
        return Relearned(attribute, learned, len(with_values), tuple(examples), len(judging), agreeing, returned, stage)

    def strangers(self, page: int) -> list[int]:
        """Return the elements of rows that the rule gives but that belong to something else.

        Such a row is not one of the old rows. Either its values stood on the old page too, or it is the same on at least half of the
        pages, as a header is.
        """
        return [
            node
            for node, values in self._unknown_rows[page]
            if 2 * self._page_counts[values] >= max(len(self._unknown_rows), 4)
            or all(self.stood[page].find(SoughtValue(text)) for text in values)
        ]

    def _find_unknown_rows(self, page: int) -> list[tuple[int, Values]]:
        """Yield the first element and all values of each row that the rule gives and that is not one of the old rows."""
        nodes = {place.node for row in self.rows[page] for found in row.fields.values() for place in found}
        attributes = self.rule.attributes
        old = [{each.name: self._normalise(each, row[each.name], page) for each in attributes} for row in self.sought.whole[page]]
        found = []
        for row in self._rows_now[page]:
            values = {each.name: self._normalise(each, read_texts(row, each.name), page) for each in attributes if row.get(each.name)}
            places = [place.node for many in row.values() for place, _ in many]
            if not nodes & set(places) and not any(all(known[name] == given for name, given in values.items()) for known in old):
                found.append((min(places), tuple(text for many in row.values() for _, text in many)))
        return found

    def _agrees(self, attribute: AttributeRule, page: int) -> bool:
        """Whether the rule gives the old rows, if the attribute is the anchor, or else the attribute's values in the old rows."""
        name = attribute.name
        known = [row.old for row in self.rows[page] if name in row.fields]
        wanted = [(self._normalise(self.anchor, row[self.anchor.name], page), self._normalise(attribute, row[name], page)) for row in known]
        given = [(self._read_key(row, page), self._normalise(attribute, read_texts(row, name), page)) for row in self._rows_now[page]]
        if name == self.anchor.name:
            if self.strangers(page):
                return False
            cut = len(self.sought.whole[page]) > len(self.sought.before[page])
            given = given[: self._find_last_old_row(wanted, given)] if cut else given
        else:
            there = {key for key, _ in wanted}
            given = [pair for pair in given if pair[0] in there]
        same = sum((Counter(wanted) & Counter(given)).values())
        return 2 * same >= AGREES * (len(wanted) + len(given))

    @staticmethod
    def _find_last_old_row(wanted: Sequence[Pair], given: Sequence[Pair]) -> int:
        """Return the index after the last old row. If only the first rows were looked for, nothing is known of the rows after it."""
        return max((n for n, pair in enumerate(given, 1) if pair in wanted), default=len(given))

    def _has_returned(self, name: str, page: int) -> bool:
        """Whether a row that had no value of the attribute has a value now, or a page that had no rows has rows now."""
        old = self.sought.before[page]
        without = {self._normalise(self.anchor, row[self.anchor.name], page) for row in old if not row[name]}
        given = [row for row in self._rows_now[page] if row.get(name)]
        return bool(given) if not old else any(self._read_key(row, page) in without for row in given)

    def _read_key(self, row: Mapping[str, Sequence[tuple[Location, str]]], page: int) -> Form:
        """Return the anchor's values in a row that the rule gives."""
        return self._normalise(self.anchor, read_texts(row, self.anchor.name), page)

    def _normalise(self, attribute: AttributeRule, values: Values, page: int) -> Form:
        return normalise_values(attribute, values, self._languages[page])


def find_rows(rule: ListRule, page: PageTable) -> Sequence[apply.RowPlaces]:
    """Return the rows that the rule gives on a page."""
    return apply.find_row_places(rule, page.root, {element: n for n, element in enumerate(page.nodes)})


def read_texts(row: Mapping[str, Sequence[tuple[Location, str]]], name: str) -> Values:
    """The values of an attribute in a row."""
    return tuple(text for _, text in row.get(name, ()))
