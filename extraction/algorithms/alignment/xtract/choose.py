"""Chooses candidates for the model: those that cost least, with the sequences encoded by them (Garofalakis et al. 2000, section 6).

This is facility location. Candidates are facilities, each opened at its own cost, and each sequence is served by the open one that encodes
it most cheaply. The paper uses an approximation by local search. Here it is the greedy one of Hochbaum (1982), whose cost is within ln n of
the least: of all candidates and sets of sequences that are not served yet, the pair of least cost per sequence is taken, until all are
served. From that, and from the best single candidate, local changes follow (one candidate opened, closed or exchanged) while they save
anything.

The open candidates become one choice. Its bars cost symbols, and each sequence has to state its part of the choice. The paper's distances
leave these costs out. Here local changes are judged with them (`Joined`); otherwise four sequences would always be cheaper than
``(a|b)(c|d)``. Cost: candidates times sequences for each round.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import F64

MAX_ROUNDS = 50
"""The largest number of rounds of local changes. Each makes it cheaper, and some three are enough on real documents."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The extra cost of having several candidates open.

    bar: the cost for each candidate but the first.
    chosen: the cost for each client, by the number of open candidates.
    """

    bar: float = 0.0
    chosen: Callable[[int], float] = lambda _: 0.0

    def cost(self, count: int, clients: int) -> float:
        """Return the extra cost for `count` open candidates and the given number of clients."""
        return self.bar * (count - 1) + self.chosen(count) * clients if count > 1 else 0.0


def open_facilities(opening: Sequence[float], serving: F64, joined: Joined | None = None) -> list[int]:
    """Return the facilities to open, in ascending order. Raises ValueError if a client cannot be served by any.

    serving: cost of each facility (row) for each client; infinite if it cannot serve it.
    """
    costs, joined = np.asarray(opening, np.float64), joined or Joined()
    if serving.shape[1] and not np.isfinite(serving.min(axis=0, initial=math.inf)).all():
        raise ValueError("a sequence has no candidate that encodes it")
    starts = [_greedy(costs, serving)]
    alone = costs + serving.sum(axis=1)
    if alone.size and np.isfinite(alone.min()):
        starts.append({int(np.argmin(alone))})
    found = [_improved(start, costs, serving, joined) for start in starts]
    return sorted(min(found, key=lambda chosen: total_cost(sorted(chosen), opening, serving, joined)))


def total_cost(chosen: Sequence[int], opening: Sequence[float], serving: F64, joined: Joined) -> float:
    """Return what it costs to open these facilities and to serve each client by the cheapest of them."""
    if not chosen:
        return 0.0 if not serving.shape[1] else math.inf
    spent = float(np.asarray(opening, np.float64)[list(chosen)].sum() + serving[list(chosen)].min(axis=0).sum())
    return spent + joined.cost(len(chosen), serving.shape[1])


def _greedy(opening: F64, serving: F64) -> set[int]:
    left = np.ones(serving.shape[1], np.bool_)
    chosen: set[int] = set()
    opening = opening.copy()
    while left.any():
        sums = np.cumsum(np.sort(serving[:, left], axis=1), axis=1) + opening[:, None]
        ratios = sums / np.arange(1, sums.shape[1] + 1)
        facility, count = np.unravel_index(int(np.argmin(ratios)), ratios.shape)
        waiting = np.flatnonzero(left)
        served = waiting[np.argsort(serving[facility, waiting], kind="stable")[: int(count) + 1]]
        left[served] = False
        chosen.add(int(facility))
        opening[facility] = 0.0
    return chosen


def _improved(chosen: set[int], opening: F64, serving: F64, joined: Joined) -> set[int]:
    best = total_cost(sorted(chosen), opening.tolist(), serving, joined)
    for _ in range(MAX_ROUNDS):
        cost, changed = _best_change(chosen, opening, serving, joined)
        if changed is None or cost >= best - 1e-9:
            break
        best, chosen = cost, changed
    return chosen


def _best_change(chosen: set[int], opening: F64, serving: F64, joined: Joined) -> tuple[float, set[int] | None]:
    """Return the cheapest of all sets that differ by one candidate opened, closed or exchanged."""
    best: tuple[float, set[int] | None] = (math.inf, None)
    clients = serving.shape[1]
    for base in [chosen, *(chosen - {each} for each in sorted(chosen))]:
        rows = sorted(base)
        now = serving[rows].min(axis=0) if rows else np.full(clients, math.inf)
        spent = float(opening[rows].sum())
        with_one = spent + opening + np.minimum(serving, now).sum(axis=1) + joined.cost(len(base) + 1, clients)
        added = int(np.argmin(with_one))
        closed = spent + float(now.sum()) + joined.cost(len(base), clients)
        for cost, found in ((float(with_one[added]), base | {added}), (closed, base)):
            if cost < best[0] and found != chosen:
                best = cost, found
    return best
