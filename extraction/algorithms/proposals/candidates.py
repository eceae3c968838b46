"""Columns that could hold an attribute: groups of units with what stands around them on the pages.

The groups are those of `suggestion.groups`, with the whole text of every element as a unit as well, because a step of instructions with a
link in it is one value. Groups with the same values on all pages are one candidate, which keeps some of their places.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.suggestion.groups import Group, Key, Kind, UnitOccurrence, group_units
from extraction.algorithms.suggestion.labels import TemplateLabels, find_labels, list_label_keys
from extraction.algorithms.suggestion.units import PageUnits, UnitPaths, read_units

LEAST_PAGES = 0.3
"""Share of the pages that must have a candidate."""

MAX_VALUES = 60
"""The largest number of values per page, on average. A recipe has up to 40 ingredients."""

PLACES = 4
"""The number of groups of equal values that a candidate keeps, the best described ones first."""

Texts = tuple[tuple[int, tuple[str, ...]], ...]
"""(page, its values), by page."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A column.

    groups: the groups that hold these values.
    values: what they hold.
    available: how many values a page has at the same label or path, of which this column may hold only the first or another one.
    """

    groups: tuple[tuple[Key, Group], ...]
    values: Texts
    available: float

    @property
    def group(self) -> Group:
        """The group whose places are proposed."""
        return self.groups[0][1]


@dataclass(frozen=True, slots=True, eq=False)
class TemplatePages:
    """Pages of one template as they are read for proposals."""

    roots: Sequence[etree._Element]
    nodes: Sequence[Sequence[etree._Element]]
    units: Sequence[PageUnits]
    keys: Sequence[Sequence[str]]
    labels: TemplateLabels
    paths: UnitPaths


def read_template_pages(roots: Sequence[etree._Element]) -> TemplatePages:
    """Read pages of one template."""
    units, paths = read_units(roots, every_element=True)
    keys = list_label_keys(units)
    return TemplatePages(roots, [elements(root) for root in roots], units, keys, find_labels(units, keys, paths), paths)


def list_candidates(pages: TemplatePages) -> list[Candidate]:
    """Return the candidates of a template's pages, in an order that does not depend on that of the pages."""
    groups = {**group_units(pages.units, pages.keys, pages.labels, pages.paths), **_group_everything(pages)}
    equal: dict[Texts, list[tuple[Key, Group]]] = defaultdict(list)
    for key, group in groups.items():
        if _is_possible(key, group, len(pages.roots)):
            equal[_list_texts(group)].append((key, group))
    found = []
    for texts, rows in equal.items():
        kept = tuple(sorted(rows, key=lambda row: _rank_place(row[0], pages.paths))[:PLACES])
        found.append(Candidate(kept, texts, _count_available(kept[0][0], kept[0][1], groups)))
    return sorted(found, key=lambda each: _rank_place(each.groups[0][0], pages.paths))


def _group_everything(pages: TemplatePages) -> dict[Key, Group]:
    """Return all units of a path, and all of a named step, also those that are the same on all pages.

    On a few pages of recipes "1 tsp salt" stands on each, and is an ingredient all the same.
    """
    groups: dict[Key, Group] = defaultdict(lambda: defaultdict(list))
    for number, page in enumerate(pages.units):
        for unit in (*page.texts, *page.wholes):
            whole = unit.place.kind == "element"
            groups[Key("every", unit.path, whole=whole)][number].append(UnitOccurrence(unit))
            if pages.paths.names[unit.path]:
                groups[Key("every", steps=pages.paths.steps[unit.path], whole=whole)][number].append(UnitOccurrence(unit))
    return groups


def _is_possible(key: Key, group: Group, pages: int) -> bool:
    if len(group) < max(min(2, pages), LEAST_PAGES * pages):
        return False
    return key.kind != "all around" and sum(map(len, group.values())) <= MAX_VALUES * len(group)


def _count_available(key: Key, group: Group, groups: Mapping[Key, Group]) -> float:
    kinds: Mapping[str, Kind] = {"first after": "all after", "nth": "all"}
    everything = groups.get(key._replace(kind=kinds[key.kind], nth=0), group) if key.kind in kinds else group
    return sum(map(len, everything.values())) / len(everything)


def _list_texts(group: Mapping[int, Sequence[UnitOccurrence]]) -> Texts:
    return tuple((page, tuple(found.unit.text for found in row)) for page, row in sorted(group.items()))


def _rank_place(key: Key, paths: UnitPaths) -> tuple[object, ...]:
    kinds = ("first after", "all after", "nth", "constant", "all", "every", "around", "all around", "shape")
    return (kinds.index(key.kind), key.label, key.steps, key.nth, key.whole, key.shape, paths.mark(key.path))


def list_occurrences(group: Group, *, most: int) -> Iterator[tuple[int, UnitOccurrence]]:
    """Yield the first unit of each page of a group, at most `most`, evenly over the pages."""
    numbers = sorted(group)
    for page in numbers[:: max(1, -(-len(numbers) // most))]:
        yield page, group[page][0]
