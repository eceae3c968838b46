"""The CSV file: the csv module reads back every value, no cell runs in a spreadsheet, and memory stays constant."""

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.records import csv_text
from extraction.algorithms.records.csv_text import Layout, guard_formula
from extraction.models import Cluster, Record, Rule
from extraction.models.record_values import RecordValue
from extraction.services.learning import workspaces
from extraction.services.records import export_csv
from tests.services import factory
from tests.services.records.test_records import State, fill, typed

VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text("=+-@\t\r\n\"',; 0.1aＡ＝", max_size=12)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@given(st.lists(st.lists(VALUES, min_size=2, max_size=4), min_size=1, max_size=5))
def test_every_value_can_be_read_back_apart_from_the_added_apostrophe(rows: list[list[str]]) -> None:
    text = "".join(csv_text.write_line(map(guard_formula, row)) for row in rows)
    back = read(text)
    assert [len(row) for row in back] == [len(row) for row in rows]
    for cell, value in zip(chain(*back), chain(*rows), strict=True):
        assert cell == value or (cell == f"'{value}" and value.lstrip(" ").startswith(csv_text.DANGEROUS))
    assert text.endswith("\r\n")


@given(st.lists(VALUES, max_size=4), st.sampled_from(["join", "json"]))
def test_no_cell_and_no_joined_value_begins_like_a_formula(values: list[str], several: Any) -> None:
    rows = [typed(value) for value in values]
    cell = csv_text.write_cell("x", rows, Layout(("x",), several=several, separator="|"))
    assert not cell.startswith(("=", "@", "\t", "\r")), cell
    if several == "json" and len(values) > 1:
        assert json.loads(cell) == values
    elif not any("|" in value for value in values):
        assert cell.split("|")[1:] == [guard_formula(value) for value in values[1:]]


@pytest.mark.parametrize(
    "text",
    [
        "-12.50",
        "+3",
        "-1",
        "-1,234.56",
        "-.5",
        "-5%",
        "+1e6",
        "+49 30 123",
        "+44 (0) 20 7946",
        "3",
        "-0",
        "- text"[2:],
        "a=b",
        "1-2",
        "",
        "'quoted",
        "−5",
    ],
)
def test_numbers_and_harmless_texts_stay_unchanged(text: str) -> None:
    assert guard_formula(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            "=HYPERLINK(1)",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "-cmd",
            "@SUM(1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "  =1",
            "-",
            "+",
            "--1",
            "-1-1",
        ),
        *("+44-20-7946", "+49/30", "+49 30-1", "+49 30 x", "+49 =1", "-1 2", "-١", "＝1", "＋1", "－1", "＠x", "-12.50 eur()", "+3=1"),
    ],
)
def test_a_cell_that_a_spreadsheet_may_run_gets_an_apostrophe(text: str) -> None:
    assert guard_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5.00 EUR", "-1234.5 USD", "+3 CHF"])
def test_an_amount_with_its_currency_stays_as_it_is(text: str) -> None:
    assert guard_formula(text) == text


@given(st.lists(st.text(alphabet="a;\\ ,=-", max_size=6), min_size=1, max_size=4), st.sampled_from(["; ", ",", " | "]))
def test_joined_values_can_be_told_apart(values: list[str], separator: str) -> None:
    layout = Layout(("a",), separator=separator, multiple=frozenset("a"), guarded=False)
    cell = csv_text.write_cell("a", [RecordValue(raw=value, value=None) for value in values], layout)
    assert split_cell(cell, separator) == values


def split_cell(cell: str, separator: str) -> list[str]:
    """The values of a cell as a program reads them: a backslash stands before what belongs to a value."""
    values, at = [""], 0
    while at < len(cell):
        if cell[at] == "\\":
            values[-1] += cell[at + 1]
            at += 2
        elif cell.startswith(separator, at):
            values.append("")
            at += len(separator)
        else:
            values[-1] += cell[at]
            at += 1
    return values


def test_fields_with_a_character_that_may_be_a_separator_are_quoted() -> None:
    assert csv_text.write_line(["a", "b,c", 'd"e', "f;g", "h\ti", "j\r\nk", " l ", "m n"]) == (
        'a,"b,c","d""e","f;g","h\ti","j\r\nk"," l ",m n\r\n'
    )


@pytest.fixture
def shop(db: None) -> Iterator[Cluster]:
    kind = factory.record_type()
    cluster = factory.cluster(factory.site(), kind=kind)
    fill(
        cluster,
        [
            (
                "https://x.example/1",
                State.COMPLETE,
                {"author": [typed("A"), typed("=B")], "title": [typed("T, 1")], "price": [typed("£9.50", "9.50 GBP")]},
            ),
            ("=file.html", State.INCOMPLETE, {"title": [typed("-12.50")], "price": [RecordValue("free")]}),
            ("https://x.example/3", State.FAILED, {}),
        ],
    )
    workspaces.forget_workspaces()
    yield cluster


def text_of(cluster: Cluster, **changes: Any) -> str:
    return "".join(export_csv.write_rows(cluster, export_csv.get_default_layout(cluster, **changes)))


def test_the_file_has_the_record_types_columns_and_the_url(shop: Cluster) -> None:
    assert "".join(export_csv.write_rows(shop)) == (
        'title,price,author,source_url\r\n"T, 1",9.50 GBP,"A; \'=B",https://x.example/1\r\n-12.50,free,,\'=file.html\r\n'
    )


def test_columns_order_values_and_lists_are_chosen(shop: Cluster) -> None:
    assert read(text_of(shop, columns=("source_url", "author"), several="json"))[1:] == [
        ["https://x.example/1", '["A", "=B"]'],
        ["'=file.html", "[]"],
    ]
    assert read(text_of(shop, columns=("price",), normalised=False))[1:] == [["£9.50"], ["free"]]
    assert read(text_of(shop, columns=("author",), separator=" | "))[1] == ["A | '=B"]


def test_the_file_has_a_byte_order_mark_only_on_request(shop: Cluster) -> None:
    assert text_of(shop, bom=True).encode().startswith(b"\xef\xbb\xbftitle,")
    assert text_of(shop).startswith("title,")


def test_without_a_record_type_the_rules_attributes_are_the_columns(shop: Cluster) -> None:
    Cluster.objects.update(record_type=None)
    shop.refresh_from_db()
    definition = {"format": 1, "attributes": [{"name": "title", "type": "text", "multiple": False, "mandatory": True, "alternatives": []}]}
    Rule.objects.update(definition=definition)
    assert export_csv.get_default_layout(shop).columns == ("title", "source_url")


def test_records_need_a_layout(shop: Cluster) -> None:
    with pytest.raises(TypeError, match="need a layout"):
        export_csv.write_rows(Record.objects.all())


def test_blocks_give_the_same_text_in_larger_pieces(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(export_csv.write_rows(shop))
    assert "".join(csv_text.join_lines(lines)) == "".join(lines)
    monkeypatch.setattr(csv_text, "BLOCK_CHARACTERS", 1)
    assert list(csv_text.join_lines(lines)) == lines


def test_exporting_many_records_needs_the_memory_of_one_chunk(db: None) -> None:
    cluster = factory.cluster(factory.site(), kind=factory.record_type())
    fill(
        cluster,
        [(f"https://x.example/{n}", State.COMPLETE, {"title": [typed("T" * 3000)], "author": [typed("A" * 3000)]}) for n in range(1_800)],
    )
    next(csv_text.join_lines(export_csv.write_rows(cluster)))
    tracemalloc.start()
    size = sum(len(block) for block in csv_text.join_lines(export_csv.write_rows(cluster)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 10_000_000
    assert peak < 8_000_000, "chunks of 200 records of 12 kB each"


def run(*arguments: Any) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_the_commands_go_from_labels_to_a_csv(db: None, sent: list[int], tmp_path: Any) -> None:
    workspaces.forget_workspaces()
    shop = factory.shop(12)
    factory.mark(shop, 0, title=["Book 0"], price=["£0.50"])
    factory.mark(shop, 1, title=["Book 1"], price=["£1.50"])
    assert "done" in run("learn_rule", "books", "1", "--here")
    assert "Version 1 of the rule of Template 1 is live." in run("publish_rule", "Books", "Template 1" if shop.name else "1")
    assert "12 records" in run("extract", "books", "1", "--here")
    assert "done" in run("extract", "books", "--here")
    path = tmp_path / "books.csv"
    assert str(path) in run("export_csv", "books", "1", "--output", str(path), "--columns", "price, title")
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside the file"
    rows = read(path.read_bytes().decode())
    assert rows[:2] == [["price", "title"], ["0.50 GBP", "Book 0"]]
    assert len(rows) == 13
    assert run("export_csv", "books", "1", "--raw").splitlines()[1] == "Book 0,£0.50,,https://shop.example/book/0"


def test_a_record_whose_only_column_is_empty_is_not_a_blank_line() -> None:
    assert csv_text.write_line([""]) == '""\r\n'
    assert csv_text.write_line(["", ""]) == ",\r\n"
    assert read(csv_text.write_line([""])) == [[""]]


def test_the_apostrophes_can_be_switched_off() -> None:
    rows = [typed("=1+1"), typed("-2+3")]
    assert csv_text.write_cell("x", rows, Layout(("x",))) == "'=1+1; '-2+3"
    assert csv_text.write_cell("x", rows, Layout(("x",), guarded=False)) == "=1+1; -2+3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn_rule", "nowhere", "1"), "There is no site 'nowhere'"),
        (("learn_rule", "books", "7"), "books has no template '7'. Templates: 1 (Template 1)"),
        (("learn_rule", "books", "1"), "No values are marked"),
        (("publish_rule", "books", "1"), "Template 1 has no draft of a rule."),
        (("publish_rule", "books", "1", "--rule-version", "3"), "Template 1 has no version 3 of its rule."),
        (("extract", "books"), "Books has no live rule"),
        (("extract", "books", "1"), "Template 1 has no live rule"),
        (
            ("export_csv", "books", "1", "--columns", "title,weight"),
            "There is no column 'weight'. Columns: title, price, author, source_url",
        ),
        (("export_csv", "books", "1"), "Template 1 has no records. Run its rule with the command extract first."),
    ],
)
def test_the_commands_say_what_is_wrong(db: None, arguments: tuple[str, ...], message: str) -> None:
    factory.shop(2)
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert message in str(caught.value)
