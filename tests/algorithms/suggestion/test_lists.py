"""Lists are named after headers, labels and classes; a sheet of fields is no list; methods that see the same agree."""

import random
from collections.abc import Sequence

import pytest
from lxml import etree

from extraction.algorithms.alignment.exalg import exalg
from extraction.algorithms.alignment.mse import mse, structure
from extraction.algorithms.alignment.schema import Structure, Tuple
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.lists import agrees, rows_to_mark, suggest_lists
from tests.algorithms.learning.listings import MARKUPS, items

NAMES = {
    "table with thead": ["title", "price", "author"],
    "list items": ["title", "field", "price"],
    "plain list": ["name", "price"],
    "definitions": ["title", "price", "field"],
    "labelled cards": ["title", "author", "pages", "price"],
    "a table a record": ["title", "price"],
}


def made(name: str, counts: Sequence[int] = (7, 12, 9, 5)) -> list[etree._Element]:
    markup = next(each for each in MARKUPS if each.name == name)
    roots = []
    for page, count in enumerate(counts):
        rng = random.Random(f"{name} {page}")
        roots.append(parse(markup.body(items(rng, count, markup.missing), rng).encode()).root)
    return roots


@pytest.mark.parametrize("name", NAMES)
def test_fields_are_named(name: str) -> None:
    (found,) = suggest_lists(made(name))
    assert sorted(field.name for field in found.fields) == sorted(NAMES[name])
    assert found.rows == 33
    assert {field.filled == 33 for field in found.fields if field.name in ("title", "name")} == {True}


def test_a_list_of_one_field_and_a_sheet_of_one_record_are_no_lists() -> None:
    assert suggest_lists(made("one field")) == []
    names = ("Publisher", "Pages", "Language", "ISBN")
    sheets = ["".join(f"<tr><th>{name}</th><td>{name[:2]}{n}</td></tr>" for name in names[n % 2 :]) for n in range(6)]
    assert suggest_lists([parse(f"<body><h1>Book {n}</h1><table>{sheet}</table>".encode()).root for n, sheet in enumerate(sheets)]) == []


def test_the_same_names_in_another_order_on_each_page_are_a_list() -> None:
    pages = []
    for seed in range(5):
        names = random.Random(seed).sample(["Chad", "Mali", "Peru", "Oman", "Cuba", "Fiji"], 6)
        rows = "".join(f"<tr><td>{name}</td><td>{seed}{n}.5</td></tr>" for n, name in enumerate(names))
        pages.append(parse(f"<body><h1>Ranks {seed}</h1><table>{rows}</table>".encode()).root)
    (found,) = suggest_lists(pages)
    assert found.rows == 30


def test_what_agrees_has_as_many_rows_with_the_same_texts() -> None:
    roots = made("plain list")
    sections = [section for section in mse(roots) if section.several]
    assert agrees(sections[0], structure(sections, len(roots)))
    assert not agrees(sections[0], Structure(Tuple(()), tuple({} for _ in roots)))
    assert not agrees(sections[0], structure([section for section in mse(made("definitions")) if section.several], len(roots)))
    (found,) = suggest_lists(roots, others={"ExAlg": exalg(roots), "nobody": Structure(Tuple(()), tuple({} for _ in roots))})
    assert found.agree == ("ExAlg",)


def test_rows_that_have_most_of_the_fields_are_marked_in_their_order() -> None:
    (found,) = suggest_lists(made("plain list"))
    numbers = [field.number for field in found.fields]
    every = found.section.rows[0]
    rows = rows_to_mark(found, 0, numbers, most=2)
    assert len(rows) == 2 and all(len(row.values) == 2 for row in rows)
    assert [row.first for row in rows] == sorted(row.first for row in rows)
    assert rows_to_mark(found, 0, numbers, most=200) == list(every)
    assert rows_to_mark(found, 99, numbers, most=2) == []


def test_fewer_than_two_pages_have_no_lists() -> None:
    assert suggest_lists([]) == suggest_lists(made("plain list", (5,))) == []
