"""Chooses equivalence classes that go together: the nested half of HANDINV (Arasu & Garcia-Molina 2003, section 4).

Two classes are *nested* if no occurrence of one overlaps an occurrence of the other, or if every occurrence of one lies between the same
two neighbouring tokens of an occurrence of the other (at the same *position* of it). Classes of one template are pairwise nested. If two
classes are not, at least one of them came about by chance: the one on fewer pages, then the one with fewer tokens, is dropped or broken up.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.alignment.exalg.classes import EqClass
from extraction.algorithms.alignment.schema import MAX_NESTING
from extraction.algorithms.arrays import I64

MAX_CLASSES = 250
"""The largest number of classes that are compared pair by pair, the best first. The evaluation sites have 20 to 150."""

MANY = 2_000
"""With more occurrences than this, a class is compared with one class after the other: all at once would need too much memory."""


@dataclass(frozen=True, slots=True)
class Nest:
    """A class at its place.

    parent: the number of the class it is inside, -1 for none.
    position: the number of the parent's tokens before it.
    depth: the number of classes around it.
    """

    each: EqClass
    parent: int
    position: int
    depth: int


def choose_nested(classes: Sequence[EqClass], *, size: int) -> list[Nest]:
    """Return a choice of pairwise nested classes, the largest first, with outer ones before those inside.

    A class that is not nested with a better one is broken up into parts of at least `size` roles, which may be nested.
    """
    waiting = [(_worth(each), number, each) for number, each in enumerate(classes)]
    heapq.heapify(waiting)
    kept: list[EqClass] = []
    inside: dict[tuple[int, int], int] = {}
    for number in range(len(waiting), len(waiting) + MAX_CLASSES):
        if not waiting:
            break
        each = heapq.heappop(waiting)[2]
        found = find_relations(each, kept)
        if isinstance(found, EqClass):
            for at, part in enumerate(_broken(each, found, size)):
                heapq.heappush(waiting, (_worth(part), number * MAX_CLASSES + at, part))
            continue
        inside |= {(len(kept), other): position for other, position in found[0].items()}
        inside |= {(other, len(kept)): position for other, position in found[1].items()}
        kept.append(each)
    return _tree(kept, inside)


def _worth(each: EqClass) -> tuple[bool, int, int, int]:
    return not each.root, -each.support, -each.size, int(each.first[0])


def find_relations(each: EqClass, kept: Sequence[EqClass]) -> tuple[dict[int, int], dict[int, int]] | EqClass:
    """Return ({class it is inside: position}, {class inside it: position}), or a class with which it is not nested."""
    outer: dict[int, int] = {}
    inner: dict[int, int] = {}
    begins_in = _find_begun_in(each, kept)
    holds = _find_holding(each, kept)
    for number in np.flatnonzero(begins_in | holds).tolist():
        pair = (kept[number], each) if begins_in[number] else (each, kept[number])
        position = find_position(*pair)
        if position is None:
            return kept[number]
        (outer if begins_in[number] else inner)[number] = position
    return outer, inner


def _find_begun_in(each: EqClass, kept: Sequence[EqClass]) -> NDArray[np.bool_]:
    """Return, for each kept class, whether an occurrence of `each` begins inside one of its occurrences. Most classes lie apart."""
    found = np.zeros(len(kept), bool)
    if len(each.first) > MANY:
        for number, other in enumerate(kept):
            found[number] = _begin_inside(other.first, other.last, each.first).any()
        return found
    if not kept:
        return found
    # The tokens of the nth kept class are moved by n times the number of all tokens, so that one search finds places in all classes.
    moved = max(int(each.last.max()), *(int(other.last.max()) for other in kept)) + 1
    numbers = np.arange(len(kept)) * moved
    lengths = [len(other.first) for other in kept]
    shift = np.repeat(numbers, lengths)
    first = np.concatenate([other.first for other in kept]) + shift
    last = np.concatenate([other.last for other in kept]) + shift
    begun: NDArray[np.bool_] = _begin_inside(first, last, (numbers[:, None] + each.first).ravel()).reshape(len(kept), -1)
    return np.asarray(begun.any(axis=1))


def _find_holding(each: EqClass, kept: Sequence[EqClass]) -> NDArray[np.bool_]:
    """Return, for each kept class, whether one of its occurrences begins inside an occurrence of `each`."""
    if not kept:
        return np.zeros(0, bool)
    first = np.concatenate([other.first for other in kept])
    starts = np.cumsum([0, *(len(other.first) for other in kept[:-1])])
    return np.asarray(np.logical_or.reduceat(_begin_inside(each.first, each.last, first), starts))


def _begin_inside(first: I64, last: I64, tokens: I64) -> NDArray[np.bool_]:
    """Return, for each token, whether it stands inside an occurrence. first, last: of the occurrences, in document order."""
    occurrence = np.searchsorted(first, tokens, "right") - 1
    inside: NDArray[np.bool_] = (occurrence >= 0) & (tokens < last[np.maximum(occurrence, 0)])
    return inside


def _broken(each: EqClass, other: EqClass, size: int) -> list[EqClass]:
    """Return the parts of a class at the positions of another. If the other stands in the class, the parts are its roles before and after
    it."""
    around = np.searchsorted(other.first, each.places, "right") - 1
    numbers = np.maximum(around, 0)
    within = (around >= 0) & (each.places < other.last[numbers])
    spots = _count_before(other, numbers, each.places)
    spots[~within] = -1
    one = (spots == spots[:, :1]).all(axis=1)
    choices = [one & (spots[:, 0] == spot) for spot in np.unique(spots[one, 0])]
    if not within.any():
        cut = np.unique(_intruding(each, other))
        choices = [np.arange(each.size) < cut[0], np.arange(each.size) >= cut[0]] if len(cut) == 1 else []
    parts = [EqClass(each.places[rows], each.support, False) for rows in choices]
    return [part for part in parts if size <= part.size < each.size]


def _intruding(each: EqClass, other: EqClass) -> I64:
    """For each occurrence of `other` that begins inside one of `each`, return the number of tokens of `each` before it."""
    around = np.searchsorted(each.first, other.first, "right") - 1
    numbers = np.maximum(around, 0)
    inside = (around >= 0) & (other.first < each.last[numbers])
    return _count_before(each, numbers[inside], other.first[inside])


def _count_before(each: EqClass, occurrence: I64, tokens: I64) -> I64:
    """Return how many tokens of the given occurrences stand before each of the given tokens. Arrays of one shape."""
    found: I64 = np.searchsorted(each.places.T.ravel(), tokens) - occurrence * each.size
    return np.clip(found, 0, each.size)


def find_position(outer: EqClass, inner: EqClass) -> int | None:
    """Return the position of `outer` at which all occurrences of `inner` are: how many of its tokens stand before them.

    -1 means that all are outside `outer`. None means that there is no such position, and not all are outside.
    """
    occurrence = np.searchsorted(outer.first, inner.first, "right") - 1
    around = np.maximum(occurrence, 0)
    begins = (occurrence >= 0) & (inner.first < outer.last[around])
    ends = (occurrence >= 0) & (inner.last < outer.last[around])
    if not begins.any():
        # An occurrence that begins outside may still overlap the next one of the other class, which then begins inside it.
        return -1
    if not (begins & ends).all():
        return None
    spots = _count_before(outer, around, inner.first)
    same = (spots == spots[0]).all() and (_count_before(outer, around, inner.last) == spots).all()
    return int(spots[0]) if same else None


def _tree(kept: Sequence[EqClass], inside: dict[tuple[int, int], int]) -> list[Nest]:
    """Return each class with the innermost class around it, sorted so that parents come first."""
    outer: list[list[int]] = [[] for _ in kept]
    for inner, around in inside:
        outer[inner].append(around)
    order = sorted((number for number in range(len(kept)) if len(outer[number]) < MAX_NESTING), key=lambda number: len(outer[number]))
    place = {number: at for at, number in enumerate(order)}
    nests = []
    for number in order:
        parent = max(outer[number], key=lambda each: len(outer[each]), default=-1)
        position = inside.get((number, parent), 0)
        nests.append(Nest(kept[number], place.get(parent, -1), position, len(outer[number])))
    return nests


def fill_positions(nests: Sequence[Nest], tokens: int) -> tuple[I64, I64]:
    """Return (context, cell) of every token, both of shape (tokens,).

    The context is the innermost position a token stands in, numbered from 1 over all classes. The cell is the occurrence of that position.
    The tokens of a class itself are in the position around the class. 0 means outside of every class.
    """
    context, cell = np.zeros(tokens, np.int64), np.zeros(tokens, np.int64)
    positions = cells = 1
    for nest in nests:
        places = nest.each.places
        starts, lengths = places[:-1].ravel() + 1, (places[1:] - places[:-1] - 1).ravel()
        count, occurrences = len(places) - 1, places.shape[1]
        within = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) + np.arange(lengths.sum()) if count else starts
        context[within] = np.repeat(np.repeat(np.arange(positions, positions + count), occurrences), lengths)
        cell[within] = np.repeat(np.arange(cells, cells + count * occurrences), lengths)
        positions, cells = positions + count, cells + count * occurrences
    return context, cell
