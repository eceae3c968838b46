"""Lists in tables whose cells span rows and columns: each row has all of its values, and no value moves to another column."""

from random import Random

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.apriori import Learned
from extraction.algorithms.learning.records import LearnedRecords, MarkedRow, RowField, learn_records
from extraction.algorithms.rules import exports, outside
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.algorithms.learning.pages import page
from tests.algorithms.learning.span_tables import KINDS, SpanTable, make_table

SEEDS = range(6)


def make_list(learned: LearnedRecords) -> ListRule:
    fields = [
        AttributeRule(name, alternatives=tuple(Selector(one.xpath, one.part) for one in field.alternatives))
        for name, field in learned.fields.items()
        if isinstance(field, Learned)
    ]
    return ListRule("rows", (Selector(learned.rows.xpath),), tuple(fields))


def compiled(learned: LearnedRecords) -> Stylesheet:
    return Stylesheet.compile(write_stylesheet(RuleDefinition((), (make_list(learned),))))


def read_rows(sheet: Stylesheet, shown: SpanTable) -> list[list[str]]:
    rows = extract_values(sheet, shown.page.root).rows["rows"]
    return [[" ".join(row.get(str(n), ())) for n in range(len(shown.rows[0]))] for row in rows]


@pytest.mark.parametrize("marked", ["first rows of two groups", "first and second row of a group"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_stylesheet_gives_the_rows_of_the_grid(kind: str, marked: str) -> None:
    right = total = 0
    for seed in SEEDS:
        rng = Random(f"{kind} {seed}")
        tables = [make_table(kind, rng, name=f"Page{n}") for n in range(4)]
        first = tables[0].rows
        second = next(n for n, row in enumerate(first) if row[0] != first[0][0]) if marked.startswith("first rows") else 1
        fields = [RowField(str(n)) for n in range(len(first[0]))]
        learned = learn_records([each.page for each in tables], [tables[0].mark(0), tables[0].mark(second)], fields)
        assert isinstance(learned, LearnedRecords), learned
        for each in tables:
            given = read_rows(compiled(learned), each)
            right += sum(row in given for row in each.rows)
            total += max(len(given), len(each.rows))
    assert right / total >= 0.99, f"{right} of {total} rows"


@pytest.mark.parametrize("kind", KINDS)
def test_exported_code_gives_the_same_rows(kind: str) -> None:
    shown = make_table(kind, Random(f"{kind} export"), name="Page")
    fields = [RowField(str(n)) for n in range(len(shown.rows[0]))]
    learned = learn_records([shown.page], [shown.mark(0), shown.mark(1)], fields)
    assert isinstance(learned, LearnedRecords), learned
    content = etree.tostring(shown.page.root, encoding="utf-8", method="html")
    record = outside.read_record(content, url="", content_type="text/html", attributes=[], lists=[exports._list(make_list(learned))])
    exported = [[row[str(n)] for n in range(len(fields))] for row in record["rows"]]
    assert exported == read_rows(compiled(learned), shown) == shown.rows


def test_a_row_of_a_group_may_be_marked_without_the_group() -> None:
    shown = make_table("one group", Random(1), name="Page")
    second = shown.mark(1)
    lesser = type(second)(0, {name: places for name, places in second.fields.items() if name != "0"})
    learned = learn_records([shown.page], [shown.mark(0), lesser], [RowField(str(n)) for n in range(3)])
    assert isinstance(learned, LearnedRecords), learned
    assert read_rows(compiled(learned), shown) == shown.rows


def test_a_column_between_others_may_span_rows() -> None:
    body = "<tr><td>a</td><td rowspan=2>b</td><td>c</td></tr><tr><td>d</td><td>f</td></tr><tr><td>g</td><td>h</td><td>i</td></tr>"
    assert read_cells(body, [(0, 1, 2), (5, 6, 7)]) == [["a", "b", "c"], ["d", "b", "f"], ["g", "h", "i"]]


def test_a_column_that_no_xpath_can_follow_is_left_out() -> None:
    """Rows of two cells have the first column in one place and lack it in the other."""
    body = (
        "<tr><td rowspan=2>a</td><td>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr>"
        "<tr><td>f</td><td rowspan=2>g</td><td>h</td></tr><tr><td>i</td><td>j</td></tr>"
    )
    rows = read_cells(body, [(0, 1, 2), (5, 6, 7)])
    assert [row[0] for row in rows] in (["a", "a", "f", "i"], ["", "", "", ""])
    assert all(row[1] in ("", right) for row, right in zip(rows, "bdgg", strict=True))


def read_cells(body: str, marked: list[tuple[int, ...]]) -> list[list[str]]:
    """What is learned of a table's columns from rows marked by the numbers of their cells."""
    shown = page(f"<table>{body}</table>")
    cells = [n for n, node in enumerate(shown.nodes) if node.tag == "td"]
    rows = [MarkedRow(0, {str(n): (Location(cells[at], "text", 1),) for n, at in enumerate(numbers)}) for numbers in marked]
    learned = learn_records([shown], rows, [RowField(str(n)) for n in range(3)])
    assert isinstance(learned, LearnedRecords), learned
    given = extract_values(compiled(learned), shown.root).rows["rows"]
    return [[" ".join(row.get(str(n), ())) for n in range(3)] for row in given]
