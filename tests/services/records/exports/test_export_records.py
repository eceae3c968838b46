"""The export as a whole: files that are complete or not there, constant memory, what is said of what is lost."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core.management import CommandError, call_command

from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import ExportAttribute, name_columns
from extraction.algorithms.records.line import Line
from extraction.models import Attribute, Cluster, Record, RecordList, RecordType
from extraction.models.record_values import RecordValue, rows_as_json
from extraction.services.records.exports import describe, excel, export_records, scopes
from extraction.services.records.exports.export_records import ExportError
from extraction.services.records.exports.formats import FORMATS
from tests.services import factory
from tests.services.records.exports.readers import READERS
from tests.services.records.test_records import State, fill, typed

MANY = 20_000


@pytest.fixture
def shop(db: None) -> Cluster:
    cluster = factory.cluster(factory.site(), kind=factory.record_type())
    price = [RecordValue("free", None, "contains no price")]
    fill(
        cluster,
        [
            ("https://x.example/1", State.COMPLETE, {"title": [typed("T")], "price": [typed("£9.50", "9.50 GBP")], "gone": [typed("x")]}),
            ("https://x.example/2", State.INCOMPLETE, {"title": [typed("U"), typed("V;W")], "price": price}),
            ("https://x.example/3", State.FAILED, {}),
        ],
    )
    return cluster


def run(*arguments: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("export_records", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    shop: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / "records"
    path.write_bytes(b"old")

    def break_off(*_: Any) -> Iterator[Line]:
        yield Line({"title": [typed("T")]}, {"source_url": "x"})
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_records, "read_lines", break_off)
    scope = scopes.find_template_scope(shop)
    export = export_records.plan_export(scope, export_records.make_default_choice(scope), FORMATS[name])
    with pytest.raises(OSError, match="No space"):
        export_records.write_export(export, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_a_pipe_gets_the_complete_file(shop: Cluster, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "records")
    run("books", "1", "--as", "jsonl", "--output", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    written = (tmp_path / "elsewhere" / "records").read_bytes()
    assert len(written.splitlines()) == 2
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit((tmp_path / "pipe").read_bytes)
        run("books", "1", "--as", "jsonl", "--output", tmp_path / "pipe")
        assert read.result(timeout=30) == written
    assert (tmp_path / "pipe").is_fifo()


MEASURE = """
import resource, sys
import django; django.setup()
from pathlib import Path
from extraction.models.record_values import RecordValue
from extraction.models import Record
from extraction.services.records.exports import export_records, scopes
from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import ExportAttribute
from extraction.services.records.exports.formats import FORMATS
from extraction.algorithms.records.line import Line

def lines(*_):
    for n in range(int(sys.argv[2])):
        yield Line({"title": [RecordValue(f"{n} " + "T" * 1000, f"{n} " + "T" * 1000)], "pages": [RecordValue(str(n), str(n))]}, {})

export_records.read_lines = lines
attributes = (ExportAttribute("title"), ExportAttribute("pages", "number"))
scope = scopes.ExportScope("x", Record.objects.none(), {"": attributes}, frozenset({"title", "pages"}))
choice = ExportChoice(columns=("title", "pages"))
export = export_records.plan_export(scope, choice, FORMATS[sys.argv[1]])
export_records.write_export(export, Path(sys.argv[3]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, export.tally.lines)
"""


@pytest.mark.simulation
@pytest.mark.parametrize("name", list(FORMATS))
def test_twenty_thousand_records_need_hardly_more_memory_than_two_thousand(tmp_path: Path, name: str) -> None:
    """The whole process is measured, because Arrow and DuckDB do not take their memory from Python."""

    def measure(count: int) -> int:
        command = [sys.executable, "-c", MEASURE, name, str(count), str(tmp_path / f"{count}")]
        peak_mb, lines = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
        assert lines == count
        return peak_mb

    few, many = measure(2_000), measure(MANY)
    assert many - few < 25 + 0.1 * few, f"{few} MB, then {many} MB; the records have 20 MB of text, each twice"


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_command_writes_a_file_and_says_what_is_lost(shop: Cluster, tmp_path: Path, name: str) -> None:
    path = tmp_path / "records"
    out, err = run("books", "1", "--as", name, "--output", path, "--describe", "--about", "run,page_id", "--split-prices")
    assert out == f"{path}: 2 lines, {path.stat().st_size:,} bytes\n"
    assert "Left out: 1 page that gave no record (failed)." in err
    assert "Left out: values of attributes that the record type does not have: gone (1)." in err
    assert "Values that could not be read are written in the columns of raw texts" in err
    assert "price (1)." in err
    assert "Lines with several values where one is expected: title (1)." in err
    found = READERS[name](path)
    assert found["title"] == ["T", "U; V\\;W"], "joined, and can be told apart"
    assert found["price_raw"][1] == "free"
    assert set(tmp_path.iterdir()) == {path, tmp_path / "records.schema.json", tmp_path / "records.dictionary.md"}
    schema = json.loads((tmp_path / "records.schema.json").read_text())
    assert list(schema["properties"]) == list(found)
    assert "| title | title | the text | text | 2 of 2 (100.0%)" in (tmp_path / "records.dictionary.md").read_text()


def test_the_command_writes_text_to_standard_output_and_losses_to_standard_error(shop: Cluster) -> None:
    out, err = run("books", "1", "--as", "jsonl", "--columns", "price,source_url")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"price": "9.50 GBP", "price_raw": None, "source_url": "https://x.example/1"},
        {"price": None, "price_raw": "free", "source_url": "https://x.example/2"},
    ]
    assert "Left out: 1 page" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("books", "1", "--as", "parquet"), "Name a file with --output. Parquet is not text."),
        (("books",), "Name a site and a template, or a record type with --type."),
        (("books", "1", "--type", "Book"), "Name either a site and a template, or --type."),
        (("--type", "Film"), "There is no record type 'Film'. Record types: Book"),
        (("--type", "Book", "--of", "gone"), "--of needs a site and a template."),
        (("books", "1", "--columns", "weight"), "There is no column 'weight'."),
        (("books", "1", "--about", "secret"), "There is no column 'secret'."),
        (("books", "1", "--list", "offers"), "There is no list 'offers'. The pages have none."),
        (("books", "1", "--of", "gone"), "There are no records. Left out: 2 records of its pages."),
        (("books", "1", "--output", "/nowhere/x"), "/nowhere/x cannot be written: No such file or directory"),
    ],
)
def test_the_command_says_what_is_wrong(shop: Cluster, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert message in str(caught.value)


def test_a_record_type_is_exported_across_sites_without_ignored_templates(shop: Cluster, tmp_path: Path) -> None:
    other = factory.cluster(factory.site("Antiquary"), kind=shop.record_type)
    fill(other, [("https://a.example/1", State.COMPLETE, {"title": [typed("Old")]})])
    ignored = factory.cluster(factory.site("Closed"), kind=shop.record_type)
    fill(ignored, [("https://c.example/1", State.COMPLETE, {"title": [typed("No")]})])
    Cluster.objects.filter(pk=ignored.pk).update(ignored=True)
    out, err = run("--type", "book", "--as", "jsonl", "--columns", "title")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["site"], line["template"], line["title"]) for line in lines] == [
        ("Antiquary", "Template 1", "Old"),
        ("Books", "Template 1", "T"),
        ("Books", "Template 1", "U; V\\;W"),
    ]
    assert "Left out: 1 record of ignored templates." in err


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_rows_of_a_list_with_any_name_are_lines(db: None, tmp_path: Path, name: str) -> None:
    kind = RecordType.objects.create(name="Shop", slug="shop")
    offers = RecordList.objects.create(record_type=kind, name="items")
    Attribute.objects.create(record_type=kind, name="keys", list=offers)
    Attribute.objects.create(record_type=kind, name="price", type="price", position=1, list=offers)
    cluster = factory.cluster(factory.site(), kind=kind)
    fill(cluster, [("https://x.example/1", State.COMPLETE, {}), ("https://x.example/2", State.COMPLETE, {})])
    rows = [{"keys": [typed("a")], "price": [typed("1 EUR")]}, {"keys": [typed("b")]}]
    first = Record.objects.order_by("pk")[0]
    Record.objects.filter(pk=first.pk).update(rows=rows_as_json({"items": rows}))
    _, err = run("books", "1", "--as", name, "--output", tmp_path / "x", "--about", "row")
    found = READERS[name](tmp_path / "x")
    assert found["keys"] == ["a", "b"]
    assert [int(each) for each in found["row"]] == [1, 2]
    assert "Pages without a row of items, which give no line: 1." in err


def test_a_format_refuses_more_columns_than_it_can_hold() -> None:
    attributes = tuple(ExportAttribute(f"a{n}") for n in range(2_001))
    scope = scopes.ExportScope("x", Record.objects.none(), {"": attributes}, frozenset())
    choice = ExportChoice(columns=tuple(each.name for each in attributes))
    with pytest.raises(ExportError, match="SQLite can hold 2,000 columns; these are 2,001"):
        export_records.plan_export(scope, choice, FORMATS["sqlite"])
    assert len(export_records.plan_export(scope, choice, FORMATS["csv"]).columns) == 2_001


def test_a_text_too_long_for_a_cell_of_excel_is_cut_and_counted(shop: Cluster, tmp_path: Path) -> None:
    values = {"title": [{"raw": "x", "value": "ab😀" * 10_000}]}
    Record.objects.filter(snapshot__page__url="https://x.example/1").update(values=values)
    _, err = run("books", "1", "--as", "xlsx", "--output", tmp_path / "x")
    cell = READERS["xlsx"](tmp_path / "x")["title"][0]
    assert len(cell.encode("utf-16-le")) <= 2 * 32_767
    assert ("ab😀" * 10_000).startswith(cell)
    assert "Texts that are too long for a cell were cut off: title (1)." in err


@pytest.mark.django_db
def test_more_rows_than_a_sheet_holds_go_on_in_the_next_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "MAX_ROWS", 4)
    monkeypatch.setattr(export_records, "read_lines", lambda *_: (Line({"a": [typed(str(n))]}, {}) for n in range(7)))
    scope = scopes.ExportScope("x", Record.objects.none(), {"": (ExportAttribute("a"),)}, frozenset("a"))
    export = export_records.plan_export(scope, ExportChoice(columns=("a",)), FORMATS["xlsx"])
    export_records.write_export(export, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert {sheet.title: [cell.value for cell in sheet["A"]] for sheet in book} == {
        "records": ["a", "0", "1", "2"],
        "records 2": ["a", "3", "4", "5"],
        "records 3": ["a", "6"],
    }


@pytest.mark.django_db
def test_half_of_a_surrogate_pair_is_replaced_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_records, "read_lines", lambda *_: iter([Line({"a": [typed("x\ud800y")]}, {})]))
    scope = scopes.ExportScope("x", Record.objects.none(), {"": (ExportAttribute("a"),)}, frozenset("a"))
    for name in FORMATS:
        export = export_records.plan_export(scope, ExportChoice(columns=("a",)), FORMATS[name])
        export_records.write_export(export, tmp_path / name)
        assert READERS[name](tmp_path / name)["a"] == ["x\ufffdy"]
        assert describe.describe_losses(export) == ["Texts in which a character that no file can hold was replaced: 1."]


def test_names_are_given_to_attributes_before_their_parts() -> None:
    names = ["price", "price_raw", "Price", "price_raw", "PRICE"]
    own = [True, False, True, True, True]
    assert name_columns(names, own=own, folds_case=True) == ["price", "price_raw_2", "Price_2", "price_raw", "PRICE_3"]
    assert name_columns(names, own=own, folds_case=False) == ["price", "price_raw_2", "Price", "price_raw", "PRICE"]
