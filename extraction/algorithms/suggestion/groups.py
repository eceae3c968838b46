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
from collections.abc import Iterator, Sequence
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


def group_units(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], labels: TemplateLabels, paths: UnitPaths) -> dict[Key, Group]:
    """Return all groups of the pages. keys: `make_label_key` of each page's texts."""
    groups: dict[Key, Group] = defaultdict(lambda: defaultdict(list))
    for number, (page, row) in enumerate(zip(pages, keys, strict=True)):
        for key, found in _list_keys(page, row, labels, paths):
            groups[key][number].append(found)
    return groups


def _list_keys(page: PageUnits, row: Sequence[str], labels: TemplateLabels, paths: UnitPaths) -> Iterator[tuple[Key, UnitOccurrence]]:
    """Yield the units of one page with each of their keys, in document order."""
    seen: Counter[Key] = Counter()
    wholes: dict[int, list[Unit]] = defaultdict(list)
    for unit in page.wholes:
        wholes[unit.first].append(unit)
    label, gap = "", 0
    for unit, key in zip(page.texts, row, strict=True):
        if key not in labels.marked:
            yield from _key_by_surroundings(unit, paths, "all around")
        if key in labels:
            if key in labels.constant:
                same = Key("constant", unit.path, label="" if gap else label)
                seen[same] += 1
                yield same._replace(nth=seen[same]), UnitOccurrence(unit)
            if not paths.named:  # in XML elements are named, and a constant value names nothing
                label, gap = key, 0
            continue
        yield from _key_by_surroundings(unit, paths, "around")
        yield from _key_by_shape(unit)
        for each in (unit, *wholes.get(unit.first, ())):
            yield from _key_by_place(each, label, gap, seen, paths)
        gap += 1


def _key_by_place(unit: Unit, label: str, gap: int, seen: Counter[Key], paths: UnitPaths) -> Iterator[tuple[Key, UnitOccurrence]]:
    """Yield a unit by its path and by the label before it."""
    whole = unit.place.kind == "element"
    here = Key("all", unit.path, whole=whole)
    seen[here] += 1
    yield here, UnitOccurrence(unit)
    yield Key("nth", unit.path, nth=seen[here], whole=whole), UnitOccurrence(unit)
    if label:
        after = Key("all after", steps=paths.tail(unit.path), label=label, whole=whole)
        yield after, UnitOccurrence(unit, gap)
        if not seen[after]:
            yield after._replace(kind="first after"), UnitOccurrence(unit, gap)
        seen[after] += 1


def _key_by_surroundings(unit: Unit, paths: UnitPaths, kind: Kind) -> Iterator[tuple[Key, UnitOccurrence]]:
    """Yield a unit by the named elements one and two levels around its own."""
    path = unit.path
    for _ in range(2):
        path = paths.above[path]
        if path < 0:
            return
        if paths.names[path]:
            yield Key(kind, path), UnitOccurrence(unit)


def _key_by_shape(unit: Unit) -> Iterator[tuple[Key, UnitOccurrence]]:
    if len(unit.text) <= MAX_SHAPE:
        shape, digits = _DIGIT.subn("0", unit.text)
        if digits >= MIN_DIGITS:
            yield Key("shape", shape=shape), UnitOccurrence(unit)
