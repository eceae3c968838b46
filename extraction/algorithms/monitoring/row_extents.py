"""Finds the part of a new page that belongs to each old row of a list, once it is known where the anchors are (see `list_places`)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.relearning import Path, trace_path

MAX_PLACES = 16
"""The largest number of places of one anchor's value that are compared. A value that stands on a page more often does not tell rows
apart."""

MAX_LEVELS = 100
"""The largest number of levels from a row's anchor up to the row. Real pages have about ten; hostile ones are nested two thousand levels
deep."""

RARE_PATH = 0.1
"""Share of the most frequent path's rows below which another path is taken for chance."""

Row = Mapping[str, tuple[str, ...]]
"""{attribute: old values} of a row."""

Places = tuple[tuple[Location, ...], ...]
"""Places of each of an attribute's values."""


@dataclass(frozen=True, slots=True)
class FoundRow:
    """An old row on the new page.

    fields: {attribute: the places of all its values}, () if the row had no value. An attribute with a lost value has no entry.
    """

    old: Row
    fields: Mapping[str, tuple[Location, ...]]


class Extents:
    """The anchors of a page, the part of the page that belongs to each, and the places of the other values in it."""

    def __init__(self, table: PageTable, old: Sequence[Row], places: Sequence[Mapping[str, Places]], *, name: str, kind: Path) -> None:
        self.table, self.old, self.places, self.name = table, old, places, name
        self.parents, self.ends = self.table.elements.parent, self.table.elements.end
        self._tops: dict[tuple[int, int], int] = {}
        options = [_list_of_kind(self.table, row[self.name], kind) for row in self.places]
        self.nodes = sorted(place.node for place in {place for places in options for place in places})
        self.own = [sorted(place.node for place in places) for places in options]
        self.chosen = self._choose_anchors(options)
        self.tops = {row: self._find_top(place.node, row) for row, place in self.chosen.items()}
        self.stops = self._find_stops()
        self.inside = {row: self._find_inside(row) for row in self.chosen}

    def paths(self) -> list[tuple[str, Path]]:
        """Yield each value's (attribute, path within its row's extent), each pair once for a row."""
        return [(name, path) for row in self.inside.values() for name, places in row.items() for path in {p for v in places for _, p in v}]

    def rows(self, paths: Counter[tuple[str, Path]]) -> list[FoundRow]:
        most = Counter[str]()
        for (name, _), count in paths.items():
            most[name] = max(most[name], count)
        found = []
        for row in sorted(self.chosen, key=lambda row: self.chosen[row]):
            fields: dict[str, tuple[Location, ...]] = {self.name: (self.chosen[row],)}
            for name, values in self.inside[row].items():
                usual = [[(paths[name, path], place) for place, path in value] for value in values]
                usual = [[each for each in value if each[0] >= RARE_PATH * most[name]] for value in usual]
                if all(usual):
                    fields[name] = _choose_places(usual)
            found.append(FoundRow(self.old[row], fields))
        return found

    def _choose_anchors(self, options: Sequence[Sequence[Location]]) -> dict[int, Location]:
        """Chooses a place for each row: with most of its other values around it, then among most other rows, then after the last row."""
        company, around = dict[tuple[int, Location], int](), Counter[int]()
        for row, places in enumerate(options):
            for place in places:
                top = self._find_top(place.node, row)
                others = (values for name, values in self.places[row].items() if name != self.name and values)
                company[row, place] = sum(all(_list_within(v, top, int(self.ends[top])) for v in values) for values in others)
                around[int(self.parents[top])] += 1
        chosen, taken, last = dict[int, Location](), set[Location](), Location(-1)
        for row, places in enumerate(options):
            free = [place for place in places if place not in taken]
            if free:
                last = max(
                    free, key=lambda place: (company[row, place], self._count_neighbours(around, row, place), place > last, -place.node)
                )
                chosen[row] = last
                taken.add(last)
        return chosen

    def _count_neighbours(self, around: Counter[int], row: int, place: Location) -> int:
        return around[int(self.parents[self._find_top(place.node, row)])]

    def _find_top(self, node: int, row: int) -> int:
        """Return the highest element above a row's anchor that holds no anchor of another value."""
        key, low = (node, row), node
        for _ in range(MAX_LEVELS) if key not in self._tops else ():
            above = int(self.parents[low])
            end = int(self.ends[above])
            if not low or _count_between(self.nodes, above, end) > _count_between(self.own[row], above, end):
                break
            low = above
        return self._tops.setdefault(key, low)

    def _find_stops(self) -> dict[int, int]:
        """Return where each row must end if it consists of siblings: before the next row in the same parent, or at the parent's end."""
        found = {}
        order = sorted(self.tops, key=lambda row: self.tops[row])
        for place, row in enumerate(order):
            parent = int(self.parents[self.tops[row]])
            after = self.tops[order[place + 1]] if place + 1 < len(order) else -1
            found[row] = after if after >= 0 and int(self.parents[after]) == parent else int(self.ends[parent])
        return found

    def _find_inside(self, row: int) -> dict[str, list[list[tuple[Location, Path]]]]:
        """Return the places, with their paths, of the other attributes whose values are all in the row's extent."""
        top, found = self.tops[row], {}
        for name, values in self.places[row].items():
            if name == self.name:
                continue
            within = [_list_within(places, top, int(self.ends[top])) for places in values]
            if not all(within):
                within = [_list_within(places, top, self.stops[row]) for places in values]
            if all(within):
                found[name] = [[(p, self._trace_inner_path(p, top)) for p in places if p != self.chosen[row]] for places in within]
        return found

    def _trace_inner_path(self, place: Location, top: int) -> Path:
        """Return the tags from a place up to its row's element, or to a sibling of that element."""
        tags, node = [str(place.kind)], place.node
        parent = int(self.parents[top])
        while node not in (top, parent) and node:
            tags.append(str(self.table.nodes[node].tag))
            node = int(self.parents[node])
        return (*tags, "" if node == top else "beside")


def _list_of_kind(table: PageTable, values: Places, kind: Path) -> list[Location]:
    return [place for place in (values[0][:MAX_PLACES] if values else ()) if trace_path(table, place) == kind]


def _list_within(places: Sequence[Location], low: int, high: int) -> Sequence[Location]:
    """Return the places whose elements are in [low, high). The given places must be in document order."""
    node = attrgetter("node")
    return places[bisect_left(places, low, key=node) : bisect_left(places, high, key=node)]


def _count_between(numbers: Sequence[int], low: int, high: int) -> int:
    """Counts the numbers in [low, high). The given numbers must be sorted."""
    return bisect_left(numbers, high) - bisect_left(numbers, low)


def _choose_places(values: Sequence[Sequence[tuple[int, Location]]]) -> tuple[Location, ...]:
    """Chooses for each value the place with the most frequent path. Places that no other value has taken are preferred."""
    chosen: list[Location] = []
    for places in values:
        free = [each for each in places if each[1] not in chosen] or list(places)
        chosen.append(max(free, key=lambda each: (each[0], -each[1].node))[1])
    return tuple(chosen)
