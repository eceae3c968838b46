"""Leaves out candidates that others explain better: those after a label, where labels stand beside the values.

"The first text after the label" and "all texts after it" are two groups. If pages differ in how many values they have, the values are a
list, and the second group is the field. In rows that come and go, the third value of each page is a mixture of what the labels name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from extraction.algorithms.suggestion.groups import Group, Key, UnitOccurrence
from extraction.algorithms.suggestion.ranking import ColumnCandidate
from extraction.algorithms.suggestion.units import UnitPaths

MIXED = 0.1
"""The share of a candidate's values that must stand after other labels than most of them for it to be a mixture."""

LABELLED = 0.9
"""The share of its values that must stand after labels."""

MANY_LABELS = 4
"""With so many labels, none of them before half of the values, it is a mixture, too, although no page has two: they are no words of two or
three languages for one thing."""

Place = tuple[int, int]
"""(number of the page, first text)"""


def leave_out_redundant(pool: Sequence[ColumnCandidate], groups: Mapping[Key, Group], paths: UnitPaths) -> list[ColumnCandidate]:
    """Return the candidates without first values of several, values that only follow those of their label, and mixtures.

    groups: all groups, from which the labels of values are read.
    """
    labels = _read_labels(groups, paths)
    return _leave_out_mixtures(_leave_out_beyond(_leave_out_first_values(pool, paths), labels), labels)


def is_list(rows: Sequence[Sequence[UnitOccurrence]], paths: UnitPaths) -> bool:
    """Return whether the values after a label are of one kind. rows: those of each page.

    Pages differ in how many they have, and some page has only one, or the values are ``dd``. Otherwise each of them may be a field.
    """
    counts = {len(row) for row in rows}
    return len(counts) > 1 and (1 in counts or all(is_in_term(found, paths) for row in rows for found in row))


def is_in_term(found: UnitOccurrence, paths: UnitPaths) -> bool:
    """Return whether a value is the text of a ``dd``, or the ``dd``."""
    return paths.tags[found.unit.path] == "dd"


def _leave_out_first_values(pool: Sequence[ColumnCandidate], paths: UnitPaths) -> list[ColumnCandidate]:
    """Return the candidates without those that have only the first of the several values of another one after the same label.

    The other one is as good as the better of the two.
    """
    several: dict[str, list[int]] = {}
    for number, each in enumerate(pool):
        if each.key.label and not each.single:
            several.setdefault(each.key.label, []).append(number)
    wholes: dict[int, float] = {}
    firsts: set[int] = set()
    for number, each in enumerate(pool):
        others = several.get(each.key.label, ()) if each.single else ()
        whole = next((other for other in others if _begins(each, pool[other], paths)), None)
        if whole is not None:
            firsts.add(number)
            wholes[whole] = max(each.merit, pool[whole].merit, wholes.get(whole, 0.0))
    return [replace(each, merit=wholes.get(number, each.merit)) for number, each in enumerate(pool) if number not in firsts]


def _begins(one: ColumnCandidate, several: ColumnCandidate, paths: UnitPaths) -> bool:
    """Return whether one candidate has, on the same pages, the first value of each row of the other, and the rows are lists."""
    if one.group.keys() != several.group.keys():
        return False
    firsts_match = all(row[0].unit is several.group[page][0].unit for page, row in one.group.items())
    return firsts_match and is_list(list(several.group.values()), paths)


def _leave_out_beyond(pool: Sequence[ColumnCandidate], labels: Mapping[Place, str]) -> list[ColumnCandidate]:
    """Return the candidates without those that only follow the value of their label, and that pages without this label have, too.

    An example is a paragraph after the last row, whichever label that row has.
    """
    far = {number: _list_places(each) for number, each in enumerate(pool) if _is_far(each, labels)}
    wanted = {place for places in far.values() for place in places}
    holders: dict[Place, set[int]] = {place: set() for place in wanted}
    for number, each in enumerate(pool if wanted else ()):
        if not each.key.label and not each.constant:
            for place in wanted.intersection(_list_places(each)):
                holders[place].add(number)
    return [each for number, each in enumerate(pool) if number not in far or not _is_elsewhere(each, far[number], holders, pool)]


def _is_far(each: ColumnCandidate, labels: Mapping[Place, str]) -> bool:
    """Return whether other values stand between a candidate's label and nearly all its own values."""
    label = each.key.label
    if not label or each.constant:
        return False
    firsts = [(page, found.unit.first - found.gap) for page, row in each.group.items() for found in row if found.gap]
    return sum(labels.get(place) == label for place in firsts) >= LABELLED * sum(map(len, each.group.values()))


def _is_elsewhere(
    each: ColumnCandidate, places: Sequence[Place], holders: Mapping[Place, Set[int]], pool: Sequence[ColumnCandidate]
) -> bool:
    """Return whether another candidate has all of a candidate's values, and more pages. holders: the candidates at each place."""
    common = frozenset.intersection(*(frozenset(holders[place]) for place in places))
    return any(len(pool[number].group) > len(each.group) for number in common)


def _leave_out_mixtures(pool: Sequence[ColumnCandidate], labels: Mapping[Place, str]) -> list[ColumnCandidate]:
    """Return the candidates without those whose values stand directly after labels of different things."""
    pages: dict[str, set[int]] = {}
    for (page, _), label in labels.items():
        pages.setdefault(label, set()).add(page)
    return [each for each in pool if each.key.label or each.constant or not _is_mixture(each, labels, pages)]


def _read_labels(groups: Mapping[Key, Group], paths: UnitPaths) -> dict[Place, str]:
    """Return the label that each value stands directly after."""
    return {
        (page, found.unit.first): key.label
        for key, group in groups.items()
        if key.kind == "all after" and not key.whole
        for page, row in group.items()
        for found in row
        if found.gap == 0 or is_in_term(found, paths)
    }


def _is_mixture(each: ColumnCandidate, labels: Mapping[Place, str], pages: Mapping[str, Set[int]]) -> bool:
    places = _list_places(each)
    held = Counter(labels[place] for place in places if place in labels)
    if len(held) < 2 or held.total() < LABELLED * len(places):
        return False
    most = min(held, key=lambda label: (-held[label], label))
    foreign = sum(count for label, count in held.items() if label != most and not pages[label].isdisjoint(pages[most]))
    return foreign >= MIXED * held.total() or (len(held) >= MANY_LABELS and 2 * held[most] < held.total())


def _list_places(each: ColumnCandidate) -> list[Place]:
    return [(page, found.unit.first) for page, row in each.group.items() for found in row]
