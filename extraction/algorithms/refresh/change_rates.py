"""How often a page changes, estimated from visits that only see whether it has changed since the visit before.

A page that changes several times between two visits looks as if it had changed once. The share of visits that see a change
therefore underestimates the rate. Cho and Garcia-Molina, "Estimating frequency of change" (ACM Transactions on Internet Technology
3(3), 2003), take changes for a Poisson process and estimate

    rate = -log((n - X + 0.5) / (n + 0.5)) / I

from n visits at equal intervals I of which X saw a change (their equation for the bias-reduced estimator). That is the most
likely rate if half a visit that saw no change is added. We use this form, because it also covers visits at unequal intervals: the
rate at which the derivative of the log-likelihood is zero (their section on irregular visits),

    sum over visits with a change of I / (exp(rate * I) - 1)  =  sum of the intervals without a change + half a mean interval.

With equal intervals both are the same. A page that was never seen to change would have the rate 0 and would never be visited
again, so it gets the rate of half a change in the time in which it was watched.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEPS = 100
"""Bisections at most. Each halves the interval that contains the rate; 60 are enough for double precision."""

HALF_A_VISIT = 0.5


@dataclass(frozen=True, slots=True)
class PageHistory:
    """What visits of a page saw. Times are in seconds.

    changed_s: the length of each interval that ended with a change.
    quiet_s: the sum of the intervals that ended without one.
    quiet: how many there were.
    """

    changed_s: Sequence[float] = ()
    quiet_s: float = 0.0
    quiet: int = 0

    @property
    def watched_s(self) -> float:
        """The time between the first and the last visit."""
        return sum(self.changed_s) + self.quiet_s


def estimate_rate(history: PageHistory) -> float | None:
    """Return the estimated number of changes per second; None if the page was not visited twice."""
    visits = len(history.changed_s) + history.quiet
    watched_s = history.watched_s
    if not visits or watched_s <= 0:
        return None
    slack_s = HALF_A_VISIT * watched_s / visits
    least = HALF_A_VISIT / (watched_s + slack_s)
    changed_s = [each for each in history.changed_s if each > 0]
    if not changed_s:
        return least
    return max(least, _solve(changed_s, history.quiet_s + slack_s))


def _solve(changed_s: Sequence[float], quiet_s: float) -> float:
    """Return the rate at which the sum over the changed intervals equals `quiet_s`. The sum falls as the rate grows."""
    low, high = 0.0, 1.0 / min(changed_s)
    while _expect_s(changed_s, high) > quiet_s:
        low, high = high, high * 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _expect_s(changed_s, middle) > quiet_s:
            low = middle
        else:
            high = middle
        if high - low <= 1e-12 * high:
            break
    return (low + high) / 2


def _expect_s(changed_s: Sequence[float], rate: float) -> float:
    # exp overflows above 709; the quotient is 0 long before that.
    return sum(each / math.expm1(min(rate * each, 700.0)) for each in changed_s)
