"""Columns suggested for pages of one template of which nothing is known.

    suggest_columns([page.root for page in pages])

Texts are grouped by keys (`groups`), and the groups are ranked (`ranking`). The best groups are taken, each of which adds something
(`taking`). Familiar ones come first (`familiarity`), and all are named (`naming`). The order of the pages makes no difference. The cost is
linear in the texts, about 5 µs for each of their eight keys, and in the candidates' values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.suggestion.familiarity import order_by_familiarity
from extraction.algorithms.suggestion.groups import group_units
from extraction.algorithms.suggestion.labels import find_labels, list_label_keys
from extraction.algorithms.suggestion.naming import Namer
from extraction.algorithms.suggestion.ranking import ColumnCandidate, Ranking
from extraction.algorithms.suggestion.table_headers import find_headers
from extraction.algorithms.suggestion.taking import take_columns
from extraction.algorithms.suggestion.units import Unit, read_units

COLUMNS = 60
"""The largest number of columns suggested unless the caller says otherwise."""

PARTED = 0.9
"""The share of a column's texts that must begin with a colon for it to be left out. Otherwise it belongs to the values."""

_COLON = re.compile(r"[:：]\s*(?=\S)")


@dataclass(frozen=True, slots=True, eq=False)
class SuggestedColumn:
    """A suggested column.

    name: an identifier, unique among the columns.
    words: the label that its values stand after, empty for none.
    score: above 0, higher is better.
    values: {number of the page: its values in document order}, without pages that have none.
    constant: whether it is the same on every page seen.
    """

    name: str
    words: str
    score: float
    values: Mapping[int, tuple[Value, ...]]
    constant: bool

    @property
    def multiple(self) -> bool:
        """Whether some page has several values."""
        return any(len(row) > 1 for row in self.values.values())


def suggest_columns(roots: Sequence[etree._Element], *, most: int = COLUMNS) -> list[SuggestedColumn]:
    """Return at most `most` columns for pages of one template, the best first; none for fewer than two pages."""
    if len(roots) < 2:
        return []
    pages, paths = read_units(roots)
    keys = list_label_keys(pages)
    labels = find_labels(pages, keys, paths)
    namer = Namer(pages, keys, labels, paths)
    pool = Ranking(group_units(pages, keys, labels, paths), pages, labels, paths).list_candidates()
    taken = order_by_familiarity(list(take_columns(pool, max(most, COLUMNS))), paths)[:most]
    columns = [each for _, each in taken]
    names = namer.name_columns(columns, find_headers(roots, columns))
    return [
        _make_column(name, namer.written.get(each.key.label, ""), score, each) for name, (score, each) in zip(names, taken, strict=True)
    ]


def _make_column(name: str, words: str, score: float, each: ColumnCandidate) -> SuggestedColumn:
    units = [found.unit for row in each.group.values() for found in row]
    parted = sum(_find_start(unit) > 0 for unit in units) >= PARTED * len(units)
    values = {page: tuple(_make_value(found.unit, parted=parted) for found in row) for page, row in sorted(each.group.items())}
    return SuggestedColumn(name, words, score, values, each.constant)


def _make_value(unit: Unit, *, parted: bool) -> Value:
    """Return a unit as a value. parted: without the colon at its beginning, which belongs to the label before it."""
    start = _find_start(unit) if parted else 0
    place = replace(unit.place, start=start, end=len(unit.text)) if start else unit.place
    return Value(unit.text[start:], place)


def _find_start(unit: Unit) -> int:
    """Return where the value begins in a text that begins with a colon; 0 for other texts."""
    colon = _COLON.match(unit.text) if unit.place.kind == "text" and unit.place.start is None else None
    return colon.end() if colon else 0
