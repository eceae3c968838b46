"""How often each page is visited when not all can be visited each time.

Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers" (ACM Transactions on Database Systems 28(4), 2003), show
that visiting pages in proportion to how often they change is worse than visiting all equally often, and give the best rates
between the two. We minimise their *age*, the time for which a stored page has been out of date, and not maximise their
*freshness*, the share of pages that are up to date. Freshness would give up the pages that change most often, because they are soon
out of date again. With age, a page that changes more often is always visited more often, and no page is given up.

A page that changes at the rate c and is visited every I seconds has the mean age

    A(I) = I / 2 - 1 / c + (1 - exp(-c I)) / (c² I)

(their section 4.2). For a given number of visits per second f = 1 / I, summed over all pages, the total age is smallest where
-dA/df is the same for every page:

    -dA/df = I² h(c I),    h(r) = 1/2 + exp(-r) / r - (1 - exp(-r)) / r²

Written with r = c I, this is K(r) = r² h(r) = m c² for one number m. K grows from 0 without bound, so each page has one solution for
each m, which we look up in a table, and the visits fall as m grows. A bisection finds m.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 80
"""Bisections of the logarithm of m. They leave an error of less than 1e-9."""

_SMALL = 1e-3
"""Below this, the difference in h loses its digits, and its series is used."""


def divide_visits(change_rates: Sequence[float], *, visits_per_s: float) -> list[float]:
    """Return the visits per second of each page, so that the mean age is smallest and their sum is `visits_per_s`.

    change_rates: changes per second, all above 0.
    Raises ValueError for a rate or a sum that is not above 0.
    """
    rates = np.asarray(change_rates, dtype=np.float64)
    if not len(rates):
        return []
    if not (rates > 0).all() or visits_per_s <= 0:
        raise ValueError("the rates and the number of visits must be above 0")
    # In units in which the pages are visited once per unit of time on average, all numbers have a moderate size.
    unit = visits_per_s / len(rates)
    scaled = rates / unit
    low, high = -80.0, 80.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _visit(scaled, middle).mean() > 1:
            low = middle
        else:
            high = middle
    visits = _visit(scaled, (low + high) / 2)
    return [float(each) for each in visits * (visits_per_s / visits.sum())]


def measure_age(change_rate: float, *, interval_s: float) -> float:
    """Return the mean age in seconds of a page that is visited every `interval_s` seconds."""
    changes = change_rate * interval_s
    return float(interval_s * _h_of_age(np.asarray([changes]))[0])


def _visit(rates: Floats, log_m: float) -> Floats:
    """Return the visits of each page at the multiplier m. `log_m` is its logarithm."""
    grid, values = _table()
    found: Floats = rates / np.exp(np.interp(log_m + 2 * np.log(rates), values, grid))
    return found


@lru_cache(maxsize=1)
def _table() -> tuple[Floats, Floats]:
    """Return (logarithms of r, logarithms of K(r)). At both ends K is a power of r, so that lines between the points fit well."""
    grid = np.arange(-60.0, 60.0, 0.005)
    return grid, 2 * grid + np.log(_h(np.exp(grid)))


def _h(r: Floats) -> Floats:
    small = r < _SMALL
    safe = np.where(small, 1.0, r)
    exact = 0.5 + np.exp(-safe) / safe + np.expm1(-safe) / safe**2
    return np.where(small, r / 3 - r**2 / 8, exact)


def _h_of_age(r: Floats) -> Floats:
    """Return A(I) / I."""
    small = r < _SMALL
    safe = np.where(small, 1.0, r)
    exact = 0.5 - 1 / safe - np.expm1(-safe) / safe**2
    return np.where(small, r / 6 - r**2 / 24, exact)
