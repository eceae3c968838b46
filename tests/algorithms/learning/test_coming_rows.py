"""Rows that come and go, in two languages: the label decides, not the place and not the form, also if the label is rare."""

import pytest

from extraction.algorithms.learning.apriori import Example, learn_attribute
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from tests.algorithms.learning.pages import places, values
from tests.algorithms.parts_shop import LABELS, MARKUPS, NAMES, Part, list_parts

VALUES = {
    "spans": "//div[@class='row'][span[1]='{0}']/span[2]/text()",
    "terms": "//dt[.='{0}']/following-sibling::dd[1]/text()",
    "items": "//li[b='{0}:']/text()",
}


def read_pages(parts: list[Part], markup: str) -> list[PageTable]:
    return [read_page_table(each.write(MARKUPS[markup])) for each in parts]


def mark(tables: list[PageTable], parts: list[Part], number: int, name: str, markup: str) -> Example:
    """Return what an editor says of an attribute on a page."""
    label = LABELS[parts[number].language][NAMES.index(name)]
    found = places(tables[number], VALUES[markup].format(label)) if parts[number].values(name) else []
    return Example(number, tuple(place for place, _ in found))


@pytest.mark.parametrize("markup", MARKUPS)
@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", ["finish", "weight"])
def test_one_page_of_one_language_teaches_both(name: str, language: str, markup: str) -> None:
    parts = list_parts(16)
    tables = read_pages(parts, markup)
    number = next(n for n, each in enumerate(parts) if each.language == language and each.values(name))
    learned = learn_attribute(tables, [mark(tables, parts, number, name, markup)])
    assert [values(learned, table) for table in tables] == [each.values(name) for each in parts]


@pytest.mark.parametrize("markup", MARKUPS)
@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", ["finish", "socket"])
def test_the_place_of_the_marked_rows_is_no_rule_if_other_labels_stand_there(name: str, language: str, markup: str) -> None:
    parts = list_parts(16)
    tables = read_pages(parts, markup)
    numbers = [n for n, each in enumerate(parts) if each.language == language and each.values(name)][:2]
    learned = learn_attribute(tables, [mark(tables, parts, number, name, markup) for number in numbers])
    for each, table in zip(parts, tables, strict=True):
        assert values(learned, table) in (each.values(name), []), each
        assert values(learned, table) == each.values(name) or each.language != language, each


@pytest.mark.parametrize("markup", MARKUPS)
def test_a_rare_label_among_labels_counts_more_than_the_form_of_the_value(markup: str) -> None:
    """Two pages of 32 have a socket. The marked one is written otherwise than the other one."""
    parts = [each for each in list_parts(20, with_socket=0) if each.number not in (3, 4)]
    others = {"finish": ("poliert",), "weight": ("350 g",)}
    sockets = [Part(50 + n, "de", {**others, "socket": (value,)}) for n, value in enumerate(("GU10", "E14"))]
    parts = [*sockets, *parts]
    tables = read_pages(parts, markup)
    absent = next(n for n, each in enumerate(parts) if n > 1 and each.language == "de")
    learned = learn_attribute(tables, [mark(tables, parts, n, "socket", markup) for n in (0, absent)])
    assert [values(learned, table) for table in tables] == [each.values("socket") for each in parts]
