"""The schema and rows that alignment methods give."""

import pytest

from extraction.algorithms.alignment.schema import Optional, Repeated, Row, SchemaField, Structure, Tuple, Value, column_name
from extraction.algorithms.dom.nodes import Location

EDITIONS = Repeated("F", Tuple((SchemaField("D"), Optional(Tuple((SchemaField("E"),))))))
BOOKS = Repeated("G", Tuple((SchemaField("B"), Optional(Tuple((SchemaField("C"),))), EDITIONS)))
AUTHORS = Tuple((SchemaField("A"), BOOKS))


def value(text: str) -> Value:
    return Value(text, Location(0, "text", 1))


ROWS: tuple[Row, ...] = (
    {
        "A": value("John Smith"),
        "G": (
            {"B": value("Primer"), "F": ({"D": value("1st"), "E": value("1998")}, {"D": value("2nd")})},
            {"B": value("Systems"), "C": value("New"), "F": ({"D": value("only")},)},
        ),
    },
    {"A": value("Nobody")},
)


def test_columns_have_every_field_by_page_in_document_order() -> None:
    columns = Structure(AUTHORS, ROWS).columns()
    texts = {name: {page: [each.text for each in values] for page, values in pages.items()} for name, pages in columns.items()}
    assert texts == {
        "A": {0: ["John Smith"], 1: ["Nobody"]},
        "B": {0: ["Primer", "Systems"]},
        "C": {0: ["New"]},
        "D": {0: ["1st", "2nd", "only"]},
        "E": {0: ["1998"]},
    }


def test_a_set_within_a_set_is_one_table_for_each_page() -> None:
    tables = Structure(AUTHORS, ROWS).tables()
    assert {name: {page: len(rows) for page, rows in pages.items()} for name, pages in tables.items()} == {"G": {0: 2}, "F": {0: 3}}


def test_a_field_that_no_page_has_is_an_empty_column() -> None:
    assert Structure(Tuple((SchemaField("A"), Repeated("B", Tuple((SchemaField("C"),))))), ({},)).columns() == {"A": {}, "C": {}}


def test_fields_of_a_row_are_those_outside_its_sets() -> None:
    assert list(BOOKS.part.fields(within_sets=False)) == ["B", "C"]
    assert list(AUTHORS.fields()) == ["A", "B", "C", "D", "E"]
    assert [each.name for each in AUTHORS.sets()] == ["G", "F"]


@pytest.mark.parametrize(("number", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")])
def test_names_continue_with_aa_after_z(number: int, name: str) -> None:
    assert column_name(number) == name
