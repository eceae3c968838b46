"""Several ``dd`` of a term: a rule finds all of them and those of no other term, however few pages are marked."""

import pytest

from extraction.algorithms.learning.apriori import Example, learn_attribute
from extraction.algorithms.learning.table_reader import read_page_table
from tests.algorithms.learning.pages import example, values
from tests.algorithms.term_pages import LABELS, LAYOUTS, MOST, TermPage, make_term_pages

SEEDS = range(3)


def learn(pages: list[TermPage], marked: list[int], name: str) -> list[list[str]]:
    """Return the values of each page that a rule from the marked pages finds."""
    tables = [read_page_table(each.root) for each in pages]
    xpath = "//dd[preceding-sibling::dt[1][. = '{0}']] | //div/span[position() > 1][../span[1] = '{0}']"
    xpaths = [xpath.format(LABELS[name][each.language]) for each in pages]
    examples = [example(tables, n, xpaths[n]) if pages[n].values(name) else Example(n, ()) for n in marked]
    learned = learn_attribute(tables, examples, multiple=True)
    return [values(learned, table) for table in tables]


def find_pages(pages: list[TermPage], name: str, language: int = 0) -> list[int]:
    """Return the pages of a language that have a term, one with several values first."""
    found = [n for n, each in enumerate(pages) if each.language == language and each.values(name)]
    return sorted(found, key=lambda n: len(pages[n].values(name)) == 1)


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MOST)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_page_or_two_of_one_language_teach_all_values_and_no_others(seed: int, name: str, layout: str, *, in_order: bool) -> None:
    pages = make_term_pages(24, seed, layout=layout, in_order=in_order)
    having = find_pages(pages, name)
    lacking = next(n for n, each in enumerate(pages) if not each.values(name))
    for marked in (having[:1], having[:2], [having[0], having[-1]], [having[0], lacking]):
        assert learn(pages, marked, name) == [each.values(name) for each in pages], marked


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MOST)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_page_of_each_language_teaches_all_values_and_no_others(seed: int, name: str, layout: str, *, in_order: bool) -> None:
    pages = make_term_pages(24, seed, languages=2, layout=layout, in_order=in_order)
    marked = [find_pages(pages, name, language)[0] for language in (0, 1)]
    assert learn(pages, marked, name) == [each.values(name) for each in pages]


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("name", MOST)
@pytest.mark.parametrize("seed", SEEDS)
def test_of_values_beside_a_label_of_the_same_tag_some_may_be_missing_but_none_is_wrong(seed: int, name: str, *, in_order: bool) -> None:
    pages = make_term_pages(24, seed, layout="spans", in_order=in_order)
    having = find_pages(pages, name)
    for marked in (having[:2], [having[0], having[-1]]):
        for found, each in zip(learn(pages, marked, name), pages, strict=True):
            assert set(found) <= set(each.values(name)), marked
