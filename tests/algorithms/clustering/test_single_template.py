"""Whether a site is one template is told by what is in its frame."""

import numpy as np
import pytest

from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.single_template import LEAST_CONTENT, find_content, is_single_template
from extraction.algorithms.dom.parse import parse


def steps(html: str) -> PageSteps:
    return collect_steps(parse(html.encode()).root)


def content_of(pages: list[PageSteps]) -> int:
    """How many steps that all pages have vary."""
    every = np.unique(np.concatenate([page.steps for page in pages]))
    return int(find_content(pages, every, np.ones(len(every), np.bool_)).sum())


def test_text_that_differs_from_page_to_page_is_content() -> None:
    assert content_of([steps(f"<h1>{n}</h1><p class=a>{n}</p><i>Menu</i>") for n in range(6)]) == 3, "h1, p and its class"
    assert content_of([steps("<h1>News</h1><p>same</p>") for _ in range(6)]) == 0
    assert content_of([steps(f"<h1>{n % 2}</h1>") for n in range(6)]) == 0, "two texts on six pages are a choice"
    assert content_of([steps(f"<script>{n}</script><style>{n}</style>") for n in range(6)]) == 0, "nobody sees these"


def test_few_groups_with_a_large_one_and_much_content_are_one_template() -> None:
    much, little = np.ones(LEAST_CONTENT, np.bool_), np.ones(LEAST_CONTENT - 1, np.bool_)
    assert is_single_template(much, [8, 2])
    assert not is_single_template(little, [8, 2])
    assert not is_single_template(much, [5, 5, 5, 5, 5]), "so many groups are types"
    assert not is_single_template(much, [])


@pytest.mark.parametrize(
    ("sizes", "single"),
    [
        ([1], True),
        ([4, 4, 4], True),
        ([10, 7, 7, 7], False),
        ([10, 7, 7, 6], True),
        ([10, 10, 10, 2], False),
        ([9, 6, 6, 6], True),
        ([100], True),
    ],
)
def test_the_largest_of_at_most_four_groups_has_a_third_of_the_pages(sizes: list[int], single: bool) -> None:
    assert is_single_template(np.ones(LEAST_CONTENT, np.bool_), sizes) == single


def test_only_steps_of_the_frame_whose_texts_differ_on_half_of_the_pages_are_content() -> None:
    """Steps 1 to 5 on six pages: 2, 3 and 6 different texts, 3 and an empty one, and 6 outside the frame."""
    said = [
        [10, 20, 30, 40, 50],
        [11, 21, 31, 41, 51],
        [10, 22, 32, 42, 52],
        [10, 20, 33, 0, 53],
        [10, 20, 34, 40, 54],
        [10, 20, 35, 0, 55],
    ]
    column = np.array([1, 2, 3, 4, 5], np.uint64)
    pages = [PageSteps(column, np.zeros_like(column), np.array(texts, np.uint64)) for texts in said]
    frame = np.array([True, True, True, True, False])
    assert find_content(pages, column, frame).tolist() == [False, True, True, True, False]
    assert find_content(pages[:1], column, frame).tolist() == [False] * 5, "on one page nothing varies"
    assert find_content(pages[:2], column, frame).tolist() == [True] * 4 + [False]
