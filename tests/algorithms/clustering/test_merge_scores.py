"""What a step says of the pages that have it."""

import numpy as np

from extraction.algorithms.clustering.merge_scores import PageGroups
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.site_questions import SiteQuestions


def page(*steps: int) -> PageSteps:
    rows = np.array(sorted(steps), np.uint64)
    return PageSteps(rows, np.zeros(len(rows), np.uint64), np.zeros(len(rows), np.uint64))


def test_the_sites_frame_says_nothing_also_where_a_few_pages_lack_it() -> None:
    pages = [page(1, 2, 3)] * 19 + [page(3)]
    questions = SiteQuestions(pages)
    assert questions.steps.tolist() == [1, 2, 3]
    assert questions.bits.tolist() == [0, 0, 0]


def test_a_page_type_that_has_the_frame_and_little_else_is_no_bare_form_of_another() -> None:
    frame = range(1, 121)
    one, other, odd = page(*frame, 150, 151, 152), page(*frame, 160), page(170, 171)
    questions = SiteQuestions([one] * 20 + [other] * 18 + [odd] * 2)
    groups = PageGroups(questions, [np.array([questions.row(each)] * 5) for each in (one, other)])
    assert groups.score_optional_merges(0, np.array([1]))[0] == -1, (
        "120 steps of the frame in common do not make up for the one that is not there"
    )
