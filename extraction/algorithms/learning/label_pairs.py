"""Which label of one language stands for which of another (docs/algorithms.md#rule-learning).

A template in two languages has the same rows in the same order, though single rows come and go. So the labels of both languages are
written in the order in which they stand, and these two sequences are aligned: what is paired may not cross, and values after paired
labels must be alike. A pair counts only if no other alignment is nearly as good without it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

ALIKE = 0.3
"""The share of the values of the label with fewer, without their figures, that must be those of the other for the two to share values."""

FIGURES = 0.5
"""The largest difference between the shares of values with figures under paired labels."""

PLAIN, SHARED, SAME = 1.0, 2.0, 4.0
"""What a pair is worth, what it is worth more if its labels share values, and if its labels are equal."""

STRONG = PLAIN + SHARED
"""A pair of this worth holds alone. A weaker one needs company: most labels in pairs, MIN_PAIRS of them, one of them strong."""

MIN_PAIRS = 3

IN_ORDER = 0.95
"""The smallest share of the pairs of labels that stand on a page in the usual order. With a smaller one the order says nothing."""

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class LabelledPages:
    """The labels on pages in one language.

    rows: the labels of each page, in the order of the page.
    values: {label: the texts that stand after it}.
    """

    rows: Sequence[Sequence[int]]
    values: Mapping[int, Sequence[str]]


def find_partner(label: int, mine: LabelledPages, theirs: LabelledPages) -> int | None:
    """Return the label of the other language that stands for a label, None if there is none or more than one might."""
    if label not in mine.values:
        return None
    one, other = sort_labels(mine.rows), sort_labels(theirs.rows)
    if one is None or other is None:
        return None
    worth = {(a, b): found for a in one for b in other if (found := _compare(a, b, mine, theirs))}
    best, pairs = _align(one, other, worth)
    partner = next((b for a, b in pairs if a == label), None)
    if partner is None:
        return None
    without, _ = _align(one, other, {pair: found for pair, found in worth.items() if pair != (label, partner)})
    is_clear = best - without >= PLAIN
    return partner if is_clear and _holds(worth[label, partner], [worth[pair] for pair in pairs], min(len(one), len(other))) else None


def sort_labels(rows: Iterable[Sequence[int]]) -> list[int] | None:
    """Return the labels in the order in which they stand on pages; None if pages differ in it."""
    before = Counter[tuple[int, int]]()
    labels = dict[int, None]()
    for row in rows:
        labels.update(dict.fromkeys(row))
        before.update(combinations(dict.fromkeys(row), 2))
    met = {tuple(sorted(pair)) for pair in before}
    usual = sum(max(before[a, b], before[b, a]) for a, b in met)
    if usual < IN_ORDER * before.total():
        return None
    left, ordered = list(labels), list[int]()
    while left:  # next comes a label before which none of those left stands, else one before which the fewest do
        after = [sum(before[other, label] > before[label, other] for other in left) for label in left]
        ordered.append(left.pop(after.index(min(after))))
    return ordered


def _holds(own: float, worths: Sequence[float], labels: int) -> bool:
    return own >= STRONG or (len(worths) >= max(MIN_PAIRS, labels) and max(worths) >= STRONG)


def _compare(a: int, b: int, mine: LabelledPages, theirs: LabelledPages) -> float:
    """Return what a pair is worth, 0 if its values cannot be those of one attribute."""
    texts = set(mine.values[a]), set(theirs.values[b])
    with_figures = [sum(any(map(str.isdigit, text)) for text in each) / len(each) for each in texts]
    if abs(with_figures[0] - with_figures[1]) > FIGURES:
        return 0.0
    plain = [{_FIGURE.sub("0", text) for text in each} for each in texts]
    shares = len(plain[0] & plain[1]) >= ALIKE * min(map(len, plain))
    return PLAIN + SHARED * shares + SAME * (a == b)


def _align(one: Sequence[int], other: Sequence[int], worth: Mapping[tuple[int, int], float]) -> tuple[float, list[tuple[int, int]]]:
    """Return the best alignment's worth and its pairs, none of which cross."""
    best: list[list[tuple[float, list[tuple[int, int]]]]] = [[(0.0, [])] * (len(other) + 1)]
    for a in one:
        row = [best[-1][0]]
        for place, b in enumerate(other):
            total, pairs = best[-1][place]
            paired = (total + worth[a, b], [*pairs, (a, b)]) if (a, b) in worth else (0.0, [])
            row.append(max(row[-1], best[-1][place + 1], paired, key=lambda each: each[0]))
        best.append(row)
    return best[-1][-1]
