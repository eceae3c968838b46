"""Finds the old rows of a list on a new page: which places of old values belong to the same row
(Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

A single value of a row says little. A price stands in many rows, and a name also stands in a box beside the list. What identifies a row is
that several of its old values stand in one element that holds no other row's values. So one attribute is the *anchor*: the one whose
values are the rarest on their pages. Its places of one kind (the same tags up to the root) are where the rows may be.

The *extent* of an anchor is the highest element above it that holds no anchor of another value. Where rows are siblings (``dt`` and
``dd``), the extent also holds what follows that element, up to the next one. The row's other values are looked for in its extent only.
Places that most rows have, as seen from the extent, are preferred to those of a few rows.

Cost: one look-up for each value, then bisections.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.places import STAGES, SoughtValue, Stage, ValueFinder
from extraction.algorithms.monitoring.relearning import Path, find_held_attribute, trace_path
from extraction.algorithms.monitoring.row_extents import MAX_PLACES, Extents, FoundRow, Places, Row
from extraction.algorithms.rules.rule import AttributeRule

LEAST_ROWS = 2
"""The smallest number of rows that must be found on a page: with one row alone, nothing says where it ends."""

LEAST_SHARE = 0.5
"""Share of a page's old rows that must be found. Fewer are only mentions of what the list had, as in a box of popular items."""

LEAST_COMPANY = 0.5
"""Share of the rows found that must have a second old value beside the anchor, if the old rows had one."""

ENOUGH_FOUND = 0.5
"""Share of an attribute's values above which less certain ways of finding them are not tried."""

MAX_ANCHORS, MAX_KINDS = 2, 3
"""Attributes that are tried as anchors, and kinds of places that are tried for each."""

MAX_ROWS = 200
"""How many of a page's rows are looked for. The first ones are taken."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where rows may be: the places of one kind that hold an attribute's values."""

    name: str
    kind: Path


class SoughtRows:
    """The old rows of a list, looked for on new pages.

    before: the rows that are looked for.
    whole: all old rows.
    stages: the stage at which each attribute's values were found.
    """

    def __init__(self, attributes: Sequence[AttributeRule], pages: Sequence[PageTable], before: Sequence[Sequence[Row] | None]) -> None:
        self.attributes, self.pages = attributes, pages
        self.whole = [[_keep_single_values(attributes, row) for row in rows or ()] for rows in before]
        self.before = [rows[:MAX_ROWS] for rows in self.whole]
        finders = [ValueFinder(page) for page in pages]
        self.stages: dict[str, Stage] = {}
        self.places: list[list[dict[str, Places]]] = [[{} for _ in rows] for rows in self.before]
        for attribute in attributes:
            self._find_places(attribute, finders)

    def anchors(self) -> list[Anchor]:
        """Anchors to try, the most certain first."""
        weights = Counter({each.name: self._measure_rarity(each.name) for each in self.attributes})
        found = []
        for name, weight in weights.most_common(MAX_ANCHORS):
            kinds = self._count_kinds(name) if weight else Counter()
            found += [Anchor(name, kind) for kind, _ in kinds.most_common(MAX_KINDS)]
        return found

    def rows(self, anchor: Anchor) -> dict[int, list[FoundRow]]:
        """Return {page: its old rows in the new page's order} for pages where enough old rows are found at the anchor's places."""
        extents = {
            page: Extents(self.pages[page], self.before[page], self.places[page], name=anchor.name, kind=anchor.kind)
            for page in range(len(self.pages))
            if len(self.before[page]) >= LEAST_ROWS
        }
        paths = Counter(path for each in extents.values() for path in each.paths())
        found = {page: each.rows(paths) for page, each in extents.items()}
        there = {page: rows for page, rows in found.items() if len(rows) >= max(LEAST_ROWS, LEAST_SHARE * len(self.before[page]))}
        fuller = [row for rows in there.values() for row in rows if sum(map(bool, row.old.values())) > 1]
        company = sum(sum(map(bool, row.fields.values())) > 1 for row in fuller)
        return there if company >= LEAST_COMPANY * len(fuller) else {}

    def _find_places(self, attribute: AttributeRule, finders: Sequence[ValueFinder]) -> None:
        """Stores the places of an attribute's values, from the first stage that finds enough, else from the stage that finds most."""
        name, held_in = attribute.name, find_held_attribute(attribute)
        values = {(page, value) for page, rows in enumerate(self.before) for row in rows for value in row.get(name, ())}
        best: dict[tuple[int, str], tuple[Location, ...]] = {}
        for stage in STAGES:
            tried = {
                (page, value): tuple(finders[page].find(SoughtValue(value, attribute.type, held_in, attribute.column), stage))
                for page, value in values
            }
            found = {each: places for each, places in tried.items() if places}
            if len(found) > len(best) or name not in self.stages:
                best, self.stages[name] = found, stage
            if len(best) >= ENOUGH_FOUND * len(values):
                break
        for page, rows in enumerate(self.before):
            for row, places in zip(rows, self.places[page], strict=True):
                places[name] = tuple(best.get((page, value), ()) for value in row.get(name, ()))

    def _measure_rarity(self, name: str) -> float:
        """How many rows the attribute's values tell apart.

        A value found in n places counts 1/n. Rows without a value count against the attribute twice, because they would not be found.
        An attribute with several values in a row cannot be an anchor and has rarity 0.
        """
        rows = [row[name] for page in self.places for row in page]
        if any(len(values) > 1 for values in rows):
            return 0.0
        found = [values[0] for values in rows if values and values[0]]
        return sum(1 / len(places) for places in found) * (len(found) / len(rows)) ** 2 if rows else 0.0

    def _count_kinds(self, name: str) -> Counter[Path]:
        found: Counter[Path] = Counter()
        for page, rows in enumerate(self.places):
            for row in rows:
                found.update(sorted({trace_path(self.pages[page], place) for places in row[name][:1] for place in places[:MAX_PLACES]}))
        return found


def _keep_single_values(attributes: Sequence[AttributeRule], row: Row) -> dict[str, tuple[str, ...]]:
    """Return a row's values. If an attribute can have only one value, only the first is kept, which is the one that was meant."""
    return {each.name: row.get(each.name, ()) if each.multiple else row.get(each.name, ())[:1] for each in attributes}
