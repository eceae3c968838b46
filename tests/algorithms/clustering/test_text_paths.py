"""What of the pages' paths is content and frame: counted out on small examples, and by plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering.text_paths import drop_content, drop_frame, find_essential_paths

Pages = list[frozenset[int]]
some_pages = st.lists(st.frozensets(st.integers(0, 12), max_size=9), max_size=12)


def packed(pages: Pages) -> list[np.ndarray]:
    return [np.array(sorted(page), np.uint64) for page in pages]


def sets(pages: list[np.ndarray]) -> Pages:
    return [frozenset(page.tolist()) for page in pages]


def supports(pages: Pages) -> dict[int, int]:
    return {path: sum(path in page for page in pages) for page in pages for path in page}


@settings(max_examples=150)
@given(some_pages, st.sampled_from([0.0, 0.25, 0.5]))
def test_what_a_single_page_or_too_few_have_is_content(pages: Pages, share: float) -> None:
    count = supports(pages)
    least = max(share * len(pages), 2 if len(pages) > 1 else 1)
    wanted = [frozenset(path for path in page if count[path] >= least) for page in pages]
    assert sets(drop_content(packed(pages), share=share)) == wanted


@settings(max_examples=300)
@given(some_pages)
def test_the_frame_is_left_out_unless_most_pages_would_keep_too_little(pages: Pages) -> None:
    count = supports(pages)
    shared = [frozenset(path for path in page if count[path] > 1 or len(pages) == 1) for page in pages]
    inner = [frozenset(path for path in page if count[path] < 0.9 * len(pages)) for page in shared]
    emptied = sum(4 * len(kept) < len(whole) for kept, whole in zip(inner, shared, strict=True))
    wanted = shared if emptied > len(pages) / 2 else [kept or whole for kept, whole in zip(inner, shared, strict=True)]
    assert sets(drop_frame(packed(pages))) == wanted


@settings(max_examples=150)
@given(some_pages)
def test_essential_paths_have_at_least_the_most_frequent_support_of_their_page(pages: Pages) -> None:
    """Of supports that are as frequent, the smallest."""
    count = supports(pages)
    found = find_essential_paths(packed(pages))
    for page, threshold, essential in zip(pages, found.thresholds, found.pages, strict=True):
        row = [count[path] for path in page]
        if row:
            assert threshold == min(row, key=lambda support: (-row.count(support), support))
        assert frozenset(essential.tolist()) == frozenset(path for path in page if count[path] >= threshold)
    assert found.paths == len(count)


@pytest.mark.parametrize("pages", [[], [[]], [[], []]])
def test_pages_without_paths_stay_without(pages: list[list[int]]) -> None:
    empty = packed([frozenset(page) for page in pages])
    assert sets(drop_frame(empty)) == sets(drop_content(empty)) == [frozenset()] * len(pages)
