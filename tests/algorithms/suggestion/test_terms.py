"""Definition lists: a term is one field with all its ``dd``, also if terms come and go, and what is learned from two pages is right."""

import pytest

from extraction.algorithms.learning.apriori import Example, learn_attribute
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.suggestion.languages import choose_pages, read_languages
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.algorithms.learning.pages import values
from tests.algorithms.suggestion.pages import texts
from tests.algorithms.term_pages import LABELS, LAYOUTS, MOST, TermPage, make_term_pages

SEEDS = range(4)


def suggest_by_term(pages: list[TermPage]) -> dict[str, list[SuggestedColumn]]:
    """Return the columns of each term, in either language."""
    columns = suggest_columns([each.root for each in pages], most=30, constants=12)
    return {name: [each for each in columns if each.words in {label.casefold() for label in labels}] for name, labels in LABELS.items()}


def list_values(pages: list[TermPage], name: str) -> dict[int, list[str]]:
    return {n: each.values(name) for n, each in enumerate(pages) if each.values(name)}


@pytest.mark.parametrize("languages", [1, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_term_is_one_field_with_all_its_values(seed: int, layout: str, languages: int) -> None:
    pages = make_term_pages(24 * languages, seed, languages=languages, layout=layout, in_order=languages == 2)
    for name, columns in suggest_by_term(pages).items():
        assert [texts(each) for each in columns] == [list_values(pages, name)], name


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_terms_in_any_order_make_one_field_in_each_language_or_one_for_both(seed: int, layout: str) -> None:
    pages = make_term_pages(48, seed, languages=2, layout=layout)
    for name, columns in suggest_by_term(pages).items():
        assert len(columns) <= 2, name
        found = [(page, row) for each in columns for page, row in texts(each).items()]
        assert dict(found) == list_values(pages, name), name
        assert len(found) == len(dict(found)), name


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_field_mixes_the_values_of_terms(seed: int, layout: str) -> None:
    """The third ``dd`` of each page, or the paragraph after the last one, is no field of a term."""
    pages = make_term_pages(24, seed, layout=layout)
    labels = {label.casefold() for each in LABELS.values() for label in each}
    known = [{value for row in each.shown.values() for value in row} for each in pages]
    for column in suggest_columns([each.root for each in pages], most=60, constants=12):
        if column.words not in labels:
            assert not any(known[page].intersection(row) for page, row in texts(column).items()), column.name


def test_a_term_that_is_no_label_ends_the_one_before_it() -> None:
    """A term with figures that one page has is no label of the template, but what follows is not what the term before it names."""
    pages = make_term_pages(12, 1, in_order=True)
    (care,) = suggest_by_term(pages)["care"]
    page = min(care.values)
    last = [each for each in pages[page].root.iter("dd") if each.text == care.values[page][-1].text][-1]
    for tag, text in (("dd", "Norm text"), ("dt", "DIN 4711")):
        added = last.makeelement(tag, {})
        added.text = text
        last.addnext(added)
    (again,) = suggest_by_term(pages)["care"]
    assert texts(again) == texts(care)


@pytest.mark.parametrize(("languages", "in_order"), [(1, False), (1, True), (2, False), (2, True)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_marked_pages_teach_no_wrong_value(seed: int, layout: str, languages: int, *, in_order: bool) -> None:
    """What is missing is in a language whose label no marked page shows, and that no order pairs."""
    pages = make_term_pages(24, seed, languages=languages, layout=layout, in_order=in_order)
    tables, spoken = [read_page_table(each.root) for each in pages], read_languages([each.root for each in pages])
    for name, columns in suggest_by_term(pages).items():
        for each in columns if name in MOST else ():
            marked = [n for n in choose_pages(spoken, 2, [each.values]) if n in each.values]
            examples = [Example(n, tuple(value.place for value in each.values[n])) for n in marked]
            learned = learn_attribute(tables, examples, multiple=True)
            shown = {pages[n].language for n in marked}
            for page, table in zip(pages, tables, strict=True):
                wanted = page.values(name)
                assert values(learned, table) in ([wanted] if page.language in shown else [wanted, []]), (name, marked)
