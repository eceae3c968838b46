"""Pages that look out of place in their template, found without anybody pointing at one.

A page is odd by the typical steps that it lacks and by the steps that it has and few others have. Starting from the oddest one, pages that
differ from the rest in the same way are put together (as `contrast` does for a page that a person names). Such a group is reported if it
lacks much of what the rest has, or has much that the rest lacks. Optional sections alone do not make a page odd.

Calibrated on labelled sites (javadoc17, stackoverflow): 1, 3 or 6 pages of one template were put among up to 30 of another. Of 490 such
pages 417 were found; most of the others were of templates that one cannot tell apart by their structure. On 25 sites and templates of one
kind of page, four had a group, and each of those lacked at least a fifth of what the others have.

Cost: linear in pages times steps, for each of `SEEDS` starting pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import F64, Flags
from extraction.algorithms.clustering.contrast import ALIKE, LEAST_DIFFERENCE
from extraction.algorithms.clustering.page_steps import PageSteps

TYPICAL, RARE = 0.7, 0.3
"""Shares of a group's pages from which on a step is typical of it, and up to which it is rare. Other odd pages may be among the rest."""

LARGEST = 1 / 3
"""The largest share of the pages that is odd. A larger group is a second kind of page, and nobody can say which of the two is odd."""

LACKING, TOGETHER, OWN = 0.15, 0.3, 0.45
"""A group is odd if it lacks the first share of what is typical of the rest and differs by the second share in all, or if the third share
of what is typical of it is its own. The largest optional section on a site of one kind of page was .38 of a page's steps."""

FEWEST = 8
"""With fewer pages, what is typical is not known."""

SEEDS, ROUNDS = 20, 3
"""Starting pages that are tried, the oddest first, and the rounds in which a group grows."""


@dataclass(frozen=True, slots=True)
class OddGroup:
    """Pages that differ from the rest of their template in the same way.

    pages: their places, ascending.
    lacking: the share of what is typical of the rest that they lack.
    own: the share of what is typical of them that the rest lacks.
    """

    pages: tuple[int, ...]
    lacking: float
    own: float

    @property
    def is_odd(self) -> bool:
        """Whether they differ by more than optional sections."""
        return (self.lacking >= LACKING and self.lacking + self.own >= TOGETHER) or self.own >= OWN


def find_odd_groups(pages: Sequence[PageSteps]) -> list[OddGroup]:
    """Return the groups of odd pages among those of one template, the oddest first. No page is in two of them."""
    if len(pages) < FEWEST:
        return []
    table = _tabulate(pages)
    rest = np.ones(len(table), np.bool_)
    found = []
    for seed in np.argsort(-_measure_oddness(table), kind="stable")[:SEEDS]:
        if not rest[seed]:
            continue
        members = _grow(table, rest, int(seed))
        group = _describe(table, members, rest & ~members)
        if group.is_odd:
            found.append(group)
            rest &= ~members
    return sorted(found, key=lambda each: (-each.lacking - each.own, each.pages))


def _tabulate(pages: Sequence[PageSteps]) -> Flags:
    """Return which page (row) has which step (column)."""
    steps = np.unique(np.concatenate([page.steps for page in pages]))
    table = np.zeros((len(pages), len(steps)), np.bool_)
    for row, page in enumerate(pages):
        table[row, np.searchsorted(steps, page.steps)] = True
    return table


def _measure_oddness(table: Flags) -> F64:
    """Return for each page the share of typical steps that it lacks plus the share of its own steps that are rare."""
    shares = table.mean(axis=0)
    lacking = _average(~table[:, shares >= TYPICAL])
    own: F64 = (table & (shares <= RARE)).sum(axis=1) / np.maximum(1, table.sum(axis=1))
    return lacking + own


def _average(flags: Flags) -> F64:
    return flags.mean(axis=1) if flags.shape[1] else np.zeros(len(flags))


def _grow(table: Flags, rest: Flags, seed: int) -> Flags:
    """Return the pages that differ from the others as the seed does; the seed alone if too many do."""
    members = np.zeros(len(table), np.bool_)
    members[seed] = True
    for _ in range(ROUNDS):
        difference = table[members].mean(axis=0) - table[rest & ~members].mean(axis=0)
        telling = np.abs(difference) >= LEAST_DIFFERENCE
        if not telling.any():
            break
        weights = np.abs(difference[telling])
        likeness = (table[:, telling] == (difference[telling] > 0)) @ weights / weights.sum()
        grown = rest & (likeness > ALIKE)
        grown[seed] = True
        if grown.sum() > LARGEST * len(table) or bool((grown == members).all()):
            break
        members = grown
    return members


def _describe(table: Flags, members: Flags, rest: Flags) -> OddGroup:
    inside, outside = table[members].mean(axis=0), table[rest].mean(axis=0)
    lacking = np.sum((outside >= TYPICAL) & (inside <= RARE)) / max(1, np.sum(outside >= TYPICAL))
    own = np.sum((inside >= TYPICAL) & (outside <= RARE)) / max(1, np.sum(inside >= TYPICAL))
    return OddGroup(tuple(np.flatnonzero(members).tolist()), float(lacking), float(own))
