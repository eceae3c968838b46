import pytest

from extraction.algorithms.monitoring.bellwethers import choose_bellwethers
from extraction.algorithms.sampling.greedy import read_paths
from tests.algorithms.monitoring.shops import BOOKS, old, page

PAGES = [read_paths(old(*book).root) for book in BOOKS]
WIDE = read_paths(page("<body><h1>x</h1><table><tr><td>1</td><td>2</td></tr></table><dl><dt>a</dt><dd>b</dd></dl></body>").root)


def test_the_page_with_most_to_see_is_watched():
    assert 8 in choose_bellwethers([*PAGES, WIDE], answered_fractions=[1.0] * 9, k=2)


def test_pages_that_often_did_not_answer_only_fill_up():
    answered = [0.5, 0.1, *[1.0] * 6]
    assert 0 not in choose_bellwethers(PAGES, answered_fractions=answered, k=6)
    assert choose_bellwethers(PAGES, answered_fractions=answered, k=7)[-1] == 0
    assert sorted(choose_bellwethers(PAGES, answered_fractions=answered, k=20)) == list(range(8))


def test_wants_a_share_a_page():
    with pytest.raises(ValueError, match="8 pages but 1 shares"):
        choose_bellwethers(PAGES, answered_fractions=[1.0])
