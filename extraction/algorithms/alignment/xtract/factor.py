"""Factors candidates: those with a common beginning or end become one candidate with a choice in it (Garofalakis et al. 2000, section 5).

    ac, ad, bc, bd                  →  (a|b)(c|d)
    b, c, ab, ac, df, dg, ef, eg    →  a?(b|c)|(d|e)(f|g)

`factor_candidates` follows the paper, after Wang's factoring of logic expressions: it takes the divisor whose result is the shortest to
write, and then factors divisor, quotient and remainder. `factor_subsets` chooses which candidates are factored together: those that share
much and whose sequences differ. Cost: the square of the symbols for each divisor taken, with at most `MAX_TOGETHER` candidates.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from extraction.algorithms.alignment.xtract.models import EMPTY, Model, Symbols, choose_one, concatenate

SEEDS = 10
"""k: one subset is started for every so many candidates (N/10 in the paper)."""

MAX_OVERLAP = 0.0
"""δ: share of sequences that two candidates of a subset may both accept. The paper's value."""

MAX_TOGETHER = 24
"""The largest number of candidates factored together. More make no shorter model on real documents and take quadratic time."""

Numbers = tuple[int, ...]
"""A candidate with numbers in place of its symbols, because numbers are compared and hashed quickly even where symbols are large."""

Set = frozenset[Numbers]


def factor_candidates(candidates: Collection[Symbols]) -> Model:
    """Return one model of all the candidates (FACTOR)."""
    numbers: dict[Model, int] = {}
    numbered = [tuple(numbers.setdefault(symbol, len(numbers)) for symbol in each) for each in candidates]
    return _factored(frozenset(numbered), list(numbers))


def _factored(whole: Set, symbols: Sequence[Model]) -> Model:
    best = min(_divisions(whole), key=lambda each: (sum(map(_size, each)), *map(sorted, each)), default=None)
    if best is None:
        return choose_one([concatenate([symbols[number] for number in each]) if each else EMPTY for each in sorted(whole)])
    divisor, quotient, rest = best
    product = concatenate([_factored(divisor, symbols), _factored(quotient, symbols)])
    return choose_one([product, _factored(rest, symbols)]) if rest else product


def factor_beginnings(candidates: Collection[Symbols]) -> Model:
    """Return one model of all the candidates in which only common beginnings are put together. For plain sequences it is always
    deterministic."""
    following: dict[Model, list[Symbols]] = {}
    for each in candidates:
        if each:
            following.setdefault(each[0], []).append(each[1:])
    rows = [concatenate([symbol, factor_beginnings(rest)]) for symbol, rest in following.items()]
    return choose_one([*rows, EMPTY] if any(not each for each in candidates) else rows)


def factor_subsets(candidates: Sequence[Symbols], covers: Mapping[Symbols, frozenset[int]]) -> list[Model]:
    """Return a model of each subset that is worth factoring (FACTORSUBSETS).

    covers: which sequences each candidate accepts.
    """
    shared = _Shared(candidates)
    scores = {each: shared.score(each) for each in candidates}
    left = sorted(candidates, key=lambda each: (-scores[each], len(each)))
    seeds: list[Symbols] = []
    for each in left:
        if len(seeds) * SEEDS >= len(left):
            break
        if all(_overlap(covers[each], covers[seed]) <= MAX_OVERLAP for seed in seeds):
            seeds.append(each)
    return list(dict.fromkeys(factor_candidates(_subset(seed, left, covers, shared)) for seed in seeds))


def _subset(seed: Symbols, order: Sequence[Symbols], covers: Mapping[Symbols, frozenset[int]], shared: "_Shared") -> list[Symbols]:
    """Return the seed and the candidates that share most with it, as long as their sequences differ."""
    ranked = sorted(order, key=lambda each: -shared.with_seed(each, seed))
    chosen, covered = [seed], covers[seed]
    for each in ranked:
        if len(chosen) >= MAX_TOGETHER:
            break
        if covers[each] and _overlap(covers[each], covered) <= MAX_OVERLAP:
            chosen.append(each)
            covered |= covers[each]
    return chosen


class _Shared:
    """Counts how many candidates have each beginning and each end."""

    def __init__(self, candidates: Sequence[Symbols]) -> None:
        numbers: dict[Model, int] = {}
        self._numbers = {each: tuple(numbers.setdefault(symbol, len(numbers)) for symbol in each) for each in candidates}
        self._begins, self._ends = Counter[Numbers](), Counter[Numbers]()
        for each in self._numbers.values():
            self._begins.update(_beginnings(each))
            self._ends.update(_endings(each))

    def score(self, each: Symbols) -> int:
        """Return the paper's score: the highest product of the length of a beginning or end and the number of candidates that have it."""
        numbers = self._numbers[each]
        begins = (len(part) * self._begins[part] for part in _beginnings(numbers))
        ends = (len(part) * self._ends[part] for part in _endings(numbers))
        return max((*begins, *ends), default=0)

    def with_seed(self, each: Symbols, seed: Symbols) -> int:
        """Return how many symbols a candidate shares with the seed at the beginning and at the end."""
        one, other = self._numbers[each], self._numbers[seed]
        return _same(one, other) + _same(one[::-1], other[::-1])


def _divisions(whole: Set) -> Iterator[tuple[Set, Set, Set]]:
    """Yield (divisor, quotient, remainder) for each divisor: what stands before a common end, or a common beginning (FINDALLDIVISORS,
    DIVIDE)."""
    before, after = defaultdict[Numbers, set[Numbers]](set), defaultdict[Numbers, set[Numbers]](set)
    for each in whole:
        for cut in range(len(each) + 1):
            before[each[cut:]].add(each[:cut])
            after[each[:cut]].add(each[cut:])
    divisors = {frozenset(starts) for end, starts in before.items() if end and len(starts) > 1}
    divisors |= {frozenset((start,)) for start, ends in after.items() if start and len(ends) > 1}
    for divisor in divisors:
        quotient = frozenset.intersection(*(frozenset(after[start]) for start in divisor))
        product = frozenset((*start, *end) for start in divisor for end in quotient)
        yield divisor, quotient, whole - product


def _size(part: Set) -> int:
    return sum(map(len, part)) + max(0, len(part) - 1)


def _overlap(one: frozenset[int], other: frozenset[int]) -> float:
    both = len(one | other)
    return len(one & other) / both if both else 0.0


def _beginnings(each: Numbers) -> Iterator[Numbers]:
    return (each[:cut] for cut in range(1, len(each) + 1))


def _endings(each: Numbers) -> Iterator[Numbers]:
    return (each[cut:] for cut in range(len(each)))


def _same(one: Numbers, other: Numbers) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
