"""Whether a site is one template is told by what is in its frame."""

import numpy as np

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
