"""The share of killed mutants, and how sure it is."""

from math import sqrt

Z_95 = 1.959964
"""The 97.5 % quantile of the normal distribution: 95 % lie between it and its negative."""


def estimate_share(killed: int, tried: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the share of killed mutants among all, of which those tried are an even sample."""
    if not tried:
        return 0.0, 1.0
    share, z2 = killed / tried, Z_95**2
    middle = (share + z2 / (2 * tried)) / (1 + z2 / tried)
    half = Z_95 / (1 + z2 / tried) * sqrt(share * (1 - share) / tried + z2 / (4 * tried**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def write_share(killed: int, tried: int) -> str:
    """Return "52 of 60 killed (87%, 95% interval 76–93%)"."""
    low, high = estimate_share(killed, tried)
    return f"{killed} of {tried} killed ({killed / max(tried, 1):.0%}, 95% interval {100 * low:.0f}–{high:.0%})"
