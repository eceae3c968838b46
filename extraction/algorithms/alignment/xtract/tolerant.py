"""A tolerant content model: the order of the children that was seen, with every child optional.

XTRACT's model is the cheapest description of the sequences that were seen, so a further page with a child less does not fit it. The
tolerant model keeps only the order that all sequences agree on. A name that always comes before another stays before it. Names that come in
either order become one group in any order. Each name may be missing, and one that was repeated may be repeated. Each name occurs once in
the model, so XML allows it. Every sequence that was seen fits, and so does any of them with children left out.

Cost: the square of the number of names for each different sequence, and its cube once.
"""

from collections.abc import Collection, Sequence

import numpy as np

from extraction.algorithms.alignment.xtract.models import Model, Name, Star, ZeroOrOne, choose_one, concatenate, repeat

Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def infer_tolerant_model(sequences: Collection[Sequence[str]]) -> Model:
    """Return the tolerant model of the sequences of an element's children, the empty content if there are no children."""
    names = sorted({name for sequence in sequences for name in sequence})
    number = {name: place for place, name in enumerate(names)}
    before = np.zeros((len(names), len(names)), np.bool_)  # whether a name was seen somewhere before another
    firsts = np.full(len(names), np.inf)
    for sequence in {tuple(each) for each in sequences}:
        first = {name: place for place, name in reversed(list(enumerate(sequence)))}
        last = {name: place for place, name in enumerate(sequence)}
        held = np.array([number[name] for name in first], np.int64)
        starts, ends = np.array([first[name] for name in first]), np.array([last[name] for name in first])
        before[np.ix_(held, held)] |= starts[:, None] < ends[None, :]
        firsts[held] = np.minimum(firsts[held], starts)
    return concatenate([_make_part(group, before, names) for group in _order_groups(_close(before), firsts)])


def _close(before: Flags) -> Flags:
    """Return the transitive closure."""
    found = before.copy()
    for middle in range(len(found)):
        found |= found[:, middle, None] & found[None, middle, :]
    return found


def _order_groups(reach: Flags, firsts: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[list[int]]:
    """Return groups of names that come in either order, each after those that come before it. Where that decides nothing, the group that
    was seen earliest comes first."""
    either = reach & reach.T
    groups = {int(np.flatnonzero(either[name] | (np.arange(len(reach)) == name))[0]): name for name in range(len(reach))}
    members = {head: [name for name in range(len(reach)) if name == head or either[head, name]] for head in groups}
    left, ordered = set(members), []
    while left:
        free = [head for head in left if not any(reach[other, head] for other in left if other != head)]
        head = min(free, key=lambda each: (min(firsts[name] for name in members[each]), each))
        ordered.append(members[head])
        left.remove(head)
    return ordered


def _make_part(group: Sequence[int], before: Flags, names: Sequence[str]) -> Model:
    if len(group) > 1:
        return repeat(choose_one([Name(names[each]) for each in group]))
    only = Name(names[group[0]])
    return Star(only) if before[group[0], group[0]] else ZeroOrOne(only)
