"""Tells the roles of tokens apart until nothing changes (Arasu & Garcia-Molina 2003, section 4: DIFFEQ around FINDEQ and HANDINV).

Occurrences of a token at different positions of a valid class have different roles: the "Name" after "Book" is not the one after
"Reviewer". New roles make new and larger classes, and those make new positions. The number of roles only grows, so this ends.

One step is ours. If a role occurs equally often in every occurrence of a position, at most MAX_SAME times, then its first, second, …
occurrences get roles of their own: two unlabelled spans of a row, for example. Without this step, they stay one field.
"""

from dataclasses import dataclass

import numpy as np

from extraction.algorithms.alignment.exalg import classes, nesting
from extraction.algorithms.alignment.exalg.nesting import Nest
from extraction.algorithms.alignment.exalg.tokens import TokenStream
from extraction.algorithms.arrays import I64

MAX_ROUNDS = 12
"""The largest number of rounds of telling roles apart. The evaluation sites need two to five."""

MAX_SAME = 4
"""Largest number of equal tokens in a position that are told apart by counting. A list may have ten rows on every page seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Differentiated:
    """The result of telling roles apart.

    nests: the valid classes at the end, outer ones first.
    roles: the role of each token, shape (tokens,).
    """

    nests: tuple[Nest, ...]
    roles: I64


def differentiate_roles(stream: TokenStream, *, size: int, support: int) -> Differentiated:
    """Return the valid LFEQs of pages with all roles told apart."""
    roles = stream.roles
    nests: list[Nest] = []
    for _ in range(MAX_ROUNDS):
        nests = nesting.choose_nested(classes.find_classes(roles, stream.bounds, size=size, support=support), size=size)
        context, cell = nesting.fill_positions(nests, len(roles))
        finer = _counted(_finer(roles, context), cell)
        if finer.max() == roles.max():
            return Differentiated(tuple(nests), roles)
        roles = finer
    return Differentiated(tuple(nests), roles)


def _finer(roles: I64, more: I64) -> I64:
    """Return roles, numbered from 0, that are split further by one more property of each token."""
    found: I64 = np.unique(roles * (int(more.max()) + 1) + more, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def _counted(roles: I64, cell: I64) -> I64:
    """Return the new roles. If a role occurs equally often in every cell, each of its occurrences in a cell gets a role of its own."""
    order = np.lexsort((np.arange(len(roles)), cell, roles))
    by_role, by_cell = roles[order], cell[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (by_role[1:] != by_role[:-1]) | (by_cell[1:] != by_cell[:-1])
    starts = np.flatnonzero(new)
    lengths = np.diff(np.append(starts, len(order)))
    ordinal = np.arange(len(order)) - np.repeat(starts, lengths)
    least = np.full(int(roles.max()) + 1, np.iinfo(np.int64).max)
    most = np.zeros(len(least), np.int64)
    np.minimum.at(least, by_role[starts], lengths)
    np.maximum.at(most, by_role[starts], lengths)
    least[by_role[starts[by_cell[starts] == 0]]] = 0  # tokens outside of every class are not counted
    alike = (least == most) & (most > 1) & (most <= MAX_SAME)
    ordinals = np.zeros(len(order), np.int64)
    ordinals[order] = np.where(alike[by_role], ordinal, 0)
    return _finer(roles, ordinals)
