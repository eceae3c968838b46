"""Columns that could be suggested: the units of all pages, grouped by keys.

No single key finds all fields, so a unit has several keys:

- its path with its occurrence finds a field at a fixed place;
- its path alone finds a list;
- the nearest label before it with its last two steps finds a field that moves;
- the element around it finds an address in parts;
- its shape finds telephone numbers, wherever they are.

Texts that are the same on all pages have keys of their own, because a text beside a title or after a label may vary on other pages.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple

from extraction.algorithms.suggestion.labels import TemplateLabels
from extraction.algorithms.suggestion.units import PageUnits, Unit, UnitPaths

Kind = Literal["nth", "all", "first after", "all after", "around", "all around", "shape", "constant", "every"]

MIN_DIGITS = 7
"""The smallest number of digits of a shape that is a key: telephone numbers, ISBNs and dates have as many."""

MAX_SHAPE = 24
"""Longest text, in characters, with a shape."""

_DIGIT = re.compile(r"\d")


class Key(NamedTuple):
    """What the units of a column have in common. Parts that do not matter have their defaults.

    path: number of the path of the units or of what is around them, -1 for any.
    steps: the last two steps, where only they count.
    label: key of the label before them.
    nth: the occurrence, 0 for all.
    whole: whether they are elements rather than text nodes.
    shape: their shape.
    """

    kind: Kind
    path: int = -1
    steps: str = ""
    label: str = ""
    nth: int = 0
    whole: bool = False
    shape: str = ""


class UnitOccurrence(NamedTuple):
    """A unit in a column. gap: how many texts stand between it and its label."""

    unit: Unit
    gap: int = 0


Group = dict[int, list[UnitOccurrence]]
"""{number of the page: units in document order}"""


_PlainKey = tuple[Kind, int, str, str, int, bool, str]
"""A `Key` as a plain tuple. Both are equal and have the same hash, but this one is made in a fraction of the time."""


def group_units(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], labels: TemplateLabels, paths: UnitPaths) -> dict[Key, Group]:
    """Return all groups of the pages. keys: `make_label_key` of each page's texts."""
    groups: dict[_PlainKey, Group] = defaultdict(lambda: defaultdict(list))
    surroundings = cache(partial(_list_surroundings, paths))
    for number, (page, row) in enumerate(zip(pages, keys, strict=True)):
        for key, found in _list_keys(page, row, labels, paths, surroundings):
            groups[key][number].append(found)
    return {Key(*key): group for key, group in groups.items()}


def _list_keys(
    page: PageUnits, row: Sequence[str], labels: TemplateLabels, paths: UnitPaths, surroundings: Callable[[int, Kind], Sequence[_PlainKey]]
) -> Iterator[tuple[_PlainKey, UnitOccurrence]]:
    """Yield the units of one page with each of their keys, in document order.

    surroundings: `_list_surroundings` of the pages, which remembers its results: a page has few paths and many units.
    """
    seen: Counter[_PlainKey] = Counter()
    wholes: dict[int, list[Unit]] = defaultdict(list)
    for unit in page.wholes:
        wholes[unit.first].append(unit)
    label, gap = "", 0
    for unit, key in zip(page.texts, row, strict=True):
        found = UnitOccurrence(unit)
        if key not in labels.marked:
            for around in surroundings(unit.path, "all around"):
                yield around, found
        if key in labels:
            if key in labels.constant:
                beside = "" if gap else label
                same: _PlainKey = ("constant", unit.path, "", beside, 0, False, "")
                seen[same] += 1
                yield ("constant", unit.path, "", beside, seen[same], False, ""), found
            if not paths.named:  # in XML elements are named, and a constant value names nothing
                label, gap = key, 0
            continue
        if paths.tags[unit.path] == "dt":  # what follows belongs to it and not to the label before it
            label, gap = "", 0
        for around in surroundings(unit.path, "around"):
            yield around, found
        yield from _key_by_shape(unit)
        for each in (unit, *wholes.get(unit.first, ())):
            yield from _key_by_place(each, label, gap, seen, paths)
        gap += 1


def _key_by_place(
    unit: Unit, label: str, gap: int, seen: Counter[_PlainKey], paths: UnitPaths
) -> Iterator[tuple[_PlainKey, UnitOccurrence]]:
    """Yield a unit by its path and by the label before it."""
    whole, found = unit.place.kind == "element", UnitOccurrence(unit)
    here: _PlainKey = ("all", unit.path, "", "", 0, whole, "")
    seen[here] += 1
    yield here, found
    yield ("nth", unit.path, "", "", seen[here], whole, ""), found
    if label:
        steps, found = paths.tail(unit.path), UnitOccurrence(unit, gap)
        after: _PlainKey = ("all after", -1, steps, label, 0, whole, "")
        yield after, found
        if not seen[after]:
            yield ("first after", -1, steps, label, 0, whole, ""), found
        seen[after] += 1


def _list_surroundings(paths: UnitPaths, path: int, kind: Kind) -> tuple[_PlainKey, ...]:
    """Return the keys of the named elements one and two levels around the element of a path."""
    around = [paths.above[path], paths.above[paths.above[path]] if paths.above[path] >= 0 else -1]
    return tuple((kind, above, "", "", 0, False, "") for above in around if above >= 0 and paths.names[above])


def _key_by_shape(unit: Unit) -> Iterator[tuple[_PlainKey, UnitOccurrence]]:
    if len(unit.text) <= MAX_SHAPE:
        shape, digits = _DIGIT.subn("0", unit.text)
        if digits >= MIN_DIGITS:
            yield ("shape", -1, "", "", 0, False, shape), UnitOccurrence(unit)
