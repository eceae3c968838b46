"""Generalises sequences: repetitions and alternations become starred parts (Garofalakis et al. 2000, section 4).

    s = abababcababc  →  (ab)*c(ab)*c  →  ((ab)*c)*        `discover_repetitions`, r = 2
    s = abcbac        →  a(b|c)*ac                         `discover_alternations`, d = 2

Each sequence yields itself and, for r in `REPEATS` and d in `REACHES` (as shares of its length), the result of both steps. Cost: the square
of a sequence's length for each round of `discover_repetitions`.
"""

from collections.abc import Iterator, Sequence

from extraction.algorithms.alignment.xtract.models import Model, Name, Symbols, choose_one, concatenate, repeat

REPEATS = (2, 3, 4)
"""r: how often a part must stand in a row to be a repetition. The paper's values."""

REACHES = (0.1, 0.5, 1.0)
"""d, as shares of the sequence's length: how near a symbol must recur to be part of an alternation. The paper's values."""

MAX_ROUNDS = 20
"""The largest number of rounds of `discover_repetitions`. Each puts one star around another, and real documents nest lists a few levels
deep."""


def generalise_sequence(sequence: Sequence[str]) -> list[Symbols]:
    """Return the sequence itself and its generalisations, each once (GENERALIZE)."""
    known = {name: Name(name) for name in set(sequence)}
    plain: Symbols = tuple(known[name] for name in sequence)
    found: dict[Symbols, None] = {plain: None}
    for r in REPEATS:
        repeated = discover_repetitions(plain, r)
        for reach in REACHES:
            found[discover_alternations(repeated, reach * len(repeated))] = None
    return list(found)


def discover_repetitions(symbols: Symbols, r: int) -> Symbols:
    """Return the symbols with repetitions starred (DISCOVERSEQPATTERN).

    The part with the most repetitions in a row, at least r, becomes ``(part)*`` wherever it is repeated that often. This goes on until
    there is no such part. Of equally frequent parts the shortest is taken, and of those the first.
    """
    for _ in range(MAX_ROUNDS):
        part = _most_repeated(symbols, r)
        if not part:
            break
        symbols = tuple(_replaced(symbols, part, r))
    return symbols


def discover_alternations(symbols: Symbols, d: float) -> Symbols:
    """Return the symbols, with ``(a|b|…)*`` for each stretch in which symbols recur within d places (DISCOVERORPATTERN)."""
    found: list[Model] = []
    for start, end in _stretches(symbols, d):
        stretch = symbols[start:end]
        found += [repeat(choose_one(stretch))] if len(set(stretch)) > 1 else stretch
    return tuple(found)


def _most_repeated(symbols: Symbols, r: int) -> Symbols:
    best: tuple[int, int, int] | None = None
    for period in range(1, len(symbols) // r + 1):
        for start, same in _runs(symbols, period):
            times = same // period + 1
            if times >= r and (best is None or (-times, period, start) < best):
                best = -times, period, start
    return symbols[best[2] : best[2] + best[1]] if best else ()


def _runs(symbols: Symbols, period: int) -> Iterator[tuple[int, int]]:
    """Yield (start, number of places from there that agree with those a period later) for each maximal run."""
    start = 0
    for place in range(len(symbols) - period + 1):
        if place == len(symbols) - period or symbols[place] != symbols[place + period]:
            if place - start >= period:
                yield start, place - start
            start = place + 1


def _replaced(symbols: Symbols, part: Symbols, r: int) -> Iterator[Model]:
    place = 0
    while place < len(symbols):
        times = 0
        while symbols[place + times * len(part) : place + (times + 1) * len(part)] == part:
            times += 1
        if times >= r:
            yield repeat(concatenate(part))
            place += times * len(part)
        else:
            yield symbols[place]
            place += 1


def _stretches(symbols: Symbols, d: float) -> Iterator[tuple[int, int]]:
    """Yield [start, end) of the stretches (PARTITION). A stretch goes on while a symbol in it recurs behind it within d places."""
    following: dict[Model, int] = {}
    reach = list(range(len(symbols)))  # the last place that this symbol adds to its stretch
    for place in range(len(symbols) - 1, -1, -1):
        again = following.get(symbols[place])
        if again is not None and again - place <= d:
            reach[place] = again
        following[symbols[place]] = place
    start = end = 0
    for place in range(len(symbols)):
        if place > end:
            yield start, place
            start = place
        end = max(end, reach[place])
    if symbols:
        yield start, len(symbols)
