"""Orders the columns that were taken: those that look like what records usually have come first.

Which columns are taken does not depend on this. A page with eighty labelled figures would otherwise fill the list with them, and leave out
columns whose label nobody knows. The factors were set in coarse steps on real pages.
"""

from collections.abc import Mapping, Sequence

from extraction.algorithms.suggestion.concepts import find_owners
from extraction.algorithms.suggestion.kinds import find_kind
from extraction.algorithms.suggestion.ranking import ColumnCandidate
from extraction.algorithms.suggestion.units import UnitPaths
from extraction.algorithms.suggestion.words import split_identifier, split_label

FACTORS: Mapping[str, float] = {"label": 1.25, "name": 1.1, "kind": 1.15, "title": 1.2}
"""label: the label before the values is what a known concept is called. name: their element is named so, such as ``class="job-location"``.
kind: they are telephone numbers, prices, dates or the like. title: factor where all pages' titles contain the value."""

VALUES = 40
"""The number of values of a column that are looked at for their kind."""

Scored = tuple[float, ColumnCandidate]


def order_by_familiarity(taken: Sequence[Scored], paths: UnitPaths) -> list[Scored]:
    """Return the columns with their scores raised by the factors, the best first. Ties keep their order."""
    return sorted(((score * measure_familiarity(each, paths), each) for score, each in taken), key=lambda pair: -pair[0])


def measure_familiarity(column: ColumnCandidate, paths: UnitPaths) -> float:
    """Return the product of the factors that apply to a column."""
    founds = [found for row in column.group.values() for found in row]
    factor = 1 + (FACTORS["title"] - 1) * column.titled
    if find_kind([found.unit.text for found in founds[:VALUES]]):
        factor *= FACTORS["kind"]
    if column.key.label:
        return factor * (FACTORS["label"] if find_owners(split_label(column.key.label)) else 1)
    names = (split_identifier(value) for _, value in paths.names[founds[0].unit.path])
    return factor * (FACTORS["name"] if any(find_owners(words[-1:]) for words in names) else 1)
