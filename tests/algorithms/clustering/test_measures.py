"""Measures of a clustering: by hand, and what holds of all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.measures import measure_quality
from tests.quality import scores


def test_a_small_clustering_is_measured_as_counted_by_hand() -> None:
    truth = {"1": "book", "2": "book", "3": "book", "4": "list", "5": "list"}
    found = measure_quality(truth, {"1": 1, "2": 1, "3": 2, "4": 2, "5": 3})
    assert found.purity == pytest.approx(4 / 5)
    assert found.pair_precision == pytest.approx(1 / 2), "of two pairs together, books 1 and 2 are right"
    assert found.pair_recall == pytest.approx(1 / 4), "of four pairs with one label"


def test_pages_that_are_all_alone_put_nothing_together_that_is_wrong() -> None:
    found = measure_quality({"1": "a", "2": "b"}, {"1": 1, "2": 2})
    assert (found.purity, found.pair_precision, found.pair_recall, found.v_measure) == (1, 1, 1, 1)


def test_without_labels_or_clusters_nothing_is_measured() -> None:
    with pytest.raises(ValueError, match="labelled"):
        measure_quality({}, {})
    with pytest.raises(KeyError):
        measure_quality({"1": "a"}, {})


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_it_is_between_0_and_1_and_as_the_quality_task_scores_it(rows: list[tuple[int, int]]) -> None:
    truth = {str(page): label for page, (label, _) in enumerate(rows)}
    cluster = {str(page): group for page, (_, group) in enumerate(rows)}
    found, other = measure_quality(truth, cluster), scores.clustering(truth, cluster)
    assert measure_quality(truth, truth).v_measure == pytest.approx(1)
    assert found.purity == pytest.approx(other["purity"])
    if len({label for label, _ in rows}) > 1:
        assert found.v_measure == pytest.approx(other["V"], abs=1e-9)
    assert 0 <= found.pair_precision <= 1 and 0 <= found.pair_recall <= 1 and -1e-9 <= found.v_measure <= 1 + 1e-9
