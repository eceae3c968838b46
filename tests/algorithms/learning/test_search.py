"""The search finds what trying all sets of features finds."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.learning.costs import CALIBRATED, PAPER_ORDER, Cost
from extraction.algorithms.learning.feature_maker import RuleFeature
from extraction.algorithms.learning.search import MAX_SIZE, PLAIN_KINDS, search_features

KINDS = ["tag", "class", "label", "nth", "under-class", "heading"]


def made(rows: list[tuple[str, int, list[bool]]], cost: Cost) -> list[tuple[RuleFeature, np.ndarray]]:
    prices = [cost.features[kind].base + cost.features[kind].step * distance for kind, distance, _ in rows]
    return [
        (RuleFeature(kind, distance, "p", f"t{n}", f"feature {n}", distance, price), np.array(mask))
        for n, ((kind, distance, mask), price) in enumerate(zip(rows, prices, strict=True))
    ]


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[tuple[str, int, list[bool]]], list[int], list[bool], list[bool]]:
    """(features, page of each candidate, which are positive, which pages are annotated)."""
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    annotated = [True, *draw(st.lists(st.booleans(), min_size=len(sizes) - 1, max_size=len(sizes) - 1))]
    page = [0] + [n for n, size in enumerate(sizes) for _ in range(size)]
    positive = [n == 0 or (annotated[p] and draw(st.integers(0, 5)) == 0) for n, p in enumerate(page)]
    rows = []
    for _ in range(draw(st.integers(0, 7))):
        mask = [p or draw(st.booleans()) for p in positive]
        rows.append((draw(st.sampled_from(KINDS)), draw(st.integers(0, 3)), mask))
    return rows, page, positive, annotated


@settings(max_examples=300, deadline=None)
@given(problems(), st.booleans(), st.sampled_from([CALIBRATED, PAPER_ORDER]))
def test_no_set_of_features_is_better(problem: tuple, single: bool, cost: Cost) -> None:
    rows, page, positive, annotated = problem
    found = made(rows, cost)
    positive, annotated, page = np.array(positive), np.array(annotated), np.array(page, np.int32)

    def measured(chosen: tuple[tuple[RuleFeature, np.ndarray], ...]) -> tuple[int, float]:
        mask = np.ones(len(page), np.bool_)
        for _, feature_mask in chosen:
            mask &= feature_mask
        counts = np.bincount(page[mask & ~positive], minlength=len(annotated))
        others = counts[~annotated]
        support = float((others > 0).mean()) if len(others) else 1.0
        several = float((others > 1).mean()) if len(others) and single else 0.0
        distance = max((f.distance for f, _ in chosen), default=0)
        total = cost.price_set(float(sum(f.cost for f, _ in chosen)), float(distance), support) + cost.price_ambiguity(several)
        total += cost.bare * (not chosen)
        return int(counts[annotated].sum()), round(total, 9)

    telling = [row for row in found if row[0].kind not in PLAIN_KINDS or not row[1].all()]
    best = min(measured(chosen) for size in range(min(len(telling), MAX_SIZE) + 1) for chosen in combinations(telling, size))
    ranked = search_features(found, page, positive, annotated, single=single, cost=cost)
    assert ranked[0].wrong == best[0]
    if not best[0]:  # where no set is right, it does not matter which one is returned
        assert ranked[0].total <= best[1] + 1e-6
    by_words = {row[0].words: row for row in found}
    for result in ranked:
        again = measured(tuple(by_words[feature.words] for feature in result.features))
        assert (result.wrong, round(result.total, 6)) == (again[0], round(again[1], 6))
        assert result.total <= ranked[0].total + cost.slack + 1e-6


def test_ties_are_decided_the_same_way_whatever_the_order() -> None:
    rows = [("class", 0, [True, False]), ("class", 0, [True, False]), ("label", 1, [True, True])]
    page, positive, annotated = np.array([0, 0], np.int32), np.array([True, False]), np.array([True])
    found = made(rows, CALIBRATED)
    words = {
        search_features(order, page, positive, annotated, single=True, cost=CALIBRATED)[0].features[0].words
        for order in (found, found[::-1])
    }
    assert words == {"feature 0"}


def test_more_features_than_are_searched_for_still_tell_a_node_apart() -> None:
    size = MAX_SIZE + 2
    rows = [("nth", 0, [True, *(n != m for m in range(size))]) for n in range(size)]
    page = np.zeros(size + 1, np.int32)
    positive = np.array([True, *[False] * size])
    result = search_features(made(rows, CALIBRATED), page, positive, np.array([True]), single=True, cost=CALIBRATED)[0]
    assert (result.wrong, len(result.features)) == (0, size)
