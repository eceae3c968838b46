"""Columns that hold the same on all or nearly all pages. They are suggested apart from the others, because few people want them.

A text that is on nearly all pages is a label or a constant (`labels`), so the pages that have something else in its place are not in its
group. They are added here: where nine pages say "In stock" after a label, the column has what the tenth says there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from extraction.algorithms.suggestion.groups import Group, Key
from extraction.algorithms.suggestion.ranking import ColumnCandidate
from extraction.algorithms.suggestion.units import UnitPaths

MOSTLY = 0.8
"""Share of a column's pages with the same values from which it says nearly the same everywhere."""


def take_constants(
    pool: Iterable[ColumnCandidate], taken: Sequence[ColumnCandidate], groups: Mapping[Key, Group], paths: UnitPaths, most: int
) -> Iterator[ColumnCandidate]:
    """Yield at most `most` constants of the pool that stand where no column taken before stands, the best first."""
    held = {place for each in taken for place in _list_places(each.group)}
    for each in pool:
        if most <= 0:
            return
        if each.constant and held.isdisjoint(_list_places(each.group)):
            full = replace(each, group=_add_other_pages(each, groups, paths))
            held |= _list_places(full.group)
            most -= 1
            yield full


def measure_sameness(contents: Sequence[tuple[str, ...]]) -> float:
    """Return the share of the contents that the most common one has; 0 for none."""
    return max(Counter(contents).values(), default=0) / max(1, len(contents))


def _list_places(group: Group) -> set[tuple[int, int]]:
    return {(page, place) for page, row in group.items() for found in row for place in range(found.unit.first, found.unit.end)}


def _add_other_pages(each: ColumnCandidate, groups: Mapping[Key, Group], paths: UnitPaths) -> Group:
    """Return the group with the pages that have another value directly after the same label."""
    if not each.key.label:
        return each.group
    others = groups.get(Key("first after", steps=paths.tail(each.key.path), label=each.key.label), {})
    beside = {page: row for page, row in others.items() if page not in each.group and row[0].gap == 0}
    return {**beside, **each.group}
