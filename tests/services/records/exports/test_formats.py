"""The same records in every format: the usual programs read equal values of the right types."""

import csv
import json
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.records.line import Line
from extraction.models import Cluster, Record
from extraction.models.record_values import RecordValue
from extraction.services.records import export_csv
from extraction.services.records.exports import export_records, scopes
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.formats import FORMATS
from tests.services import factory
from tests.services.records.exports.readers import READERS, bring_back
from tests.services.records.test_records import State, fill, typed

TYPED = [name for name in FORMATS if FORMATS[name].typed]

TYPES = {"title": "text", "ean": "text", "price": "price", "pages": "number", "published": "date", "stock": "boolean", "link": "url"}


@pytest.fixture
def shop(db: None) -> Cluster:
    kind = factory.record_type({**TYPES, "tag": "text", "size": "number"}, multiple=("tag", "size"))
    cluster = factory.cluster(factory.site(), kind=kind)
    full = {
        "title": [typed("Zoë, “a”\nb;c")],
        "ean": [typed("0012345678905")],
        "price": [typed("£1,234.50", "1234.50 GBP")],
        "pages": [typed("1,000", "1000")],
        "published": [typed("12 Sept. 2018", "2018-09-12")],
        "stock": [typed("yes", "true")],
        "link": [typed("/a", "https://x.example/a")],
        "tag": [typed("a; b"), typed("1-2")],
        "size": [typed("1.5"), typed("2")],
    }
    odd = {
        "title": [typed("=1+1")],
        "ean": [typed("1-2")],
        "price": [RecordValue("free", None, "contains no price")],
        "pages": [typed("0.1000000000000000001")],
        "published": [typed("2018")],
        "stock": [RecordValue("maybe", None, "no")],
        "size": [typed("3"), RecordValue("big", None, "no")],
    }
    fill(cluster, [("https://x.example/1", State.COMPLETE, full), ("https://x.example/2", State.INCOMPLETE, odd), ("b", State.FAILED, {})])
    return cluster


def write(scope: scopes.ExportScope, name: str, path: Path, **changes: Any) -> Export:
    choice = export_records.make_default_choice(scope, changes.get("list", ""))
    chosen = ExportChoice(**{"columns": choice.columns, "about": choice.about, **changes})
    export = export_records.plan_export(scope, chosen, FORMATS[name])
    export_records.write_export(export, path)
    return export


def read_back(name: str, path: Path, export: Export) -> dict[str, list[Any]]:
    found = READERS[name](path)
    assert list(found) == [column.name for column in export.columns]
    return {column.name: [bring_back(name, column, cell) for cell in found[column.name]] for column in export.columns}


@pytest.mark.parametrize("name", TYPED)
def test_every_typed_format_gives_the_same_values(shop: Cluster, tmp_path: Path, name: str) -> None:
    export = write(scopes.find_template_scope(shop), name, tmp_path / "x", split_prices=True)
    found = read_back(name, tmp_path / "x", export)
    assert found["title"] == ["Zoë, “a”\nb;c", "=1+1"]
    assert found["ean"] == ["0012345678905", "1-2"]
    assert (found["price_amount"], found["price_currency"], found["price_raw"]) == ([1234.5, None], ["GBP", None], [None, "free"])
    assert (found["pages"], found["pages_raw"]) == ([1000, None], [None, "0.1000000000000000001"])
    assert (found["published"], found["published_raw"]) == ([date(2018, 9, 12), None], [None, "2018"])
    assert (found["stock"], found["stock_raw"]) == ([True, None], [None, "maybe"])
    assert type(found["stock"][0]) is bool
    lists = FORMATS[name].lists
    assert found["tag"] == ([["a; b", "1-2"], []] if lists else ["a\\; b; 1-2", None])
    assert found["size"] == ([[1.5, 2.0], [3.0]] if lists else ["1.5; 2", "3"])
    assert found["size_raw"] == ([[], ["big"]] if lists else [None, "big"])
    assert found["source_url"] == ["https://x.example/1", "https://x.example/2"]
    assert export.tally.unread == {"price": 1, "stock": 1, "size": 1}
    assert export.tally.misfits == {"pages": 1, "published": 1}


def test_parquet_and_duckdb_and_sqlite_name_the_types(shop: Cluster, tmp_path: Path) -> None:
    scope = scopes.find_template_scope(shop)
    asked = {"columns": ("title", "price", "pages", "published", "stock", "size"), "about": ("fetched_at", "run"), "split_prices": True}
    write(scope, "parquet", tmp_path / "p", **asked)
    schema = parquet.read_schema(tmp_path / "p")
    kinds = {field.name: field.type for field in schema if not field.name.endswith("_raw")}
    assert kinds == {
        "title": pa.string(),
        "price_amount": pa.float64(),
        "price_currency": pa.string(),
        "pages": pa.float64(),
        "published": pa.date32(),
        "stock": pa.bool_(),
        "size": pa.list_(pa.float64()),
        "fetched_at": pa.timestamp("us", tz="UTC"),
        "run": pa.int64(),
    }
    write(scope, "duckdb", tmp_path / "d", **asked)
    with duckdb.connect(str(tmp_path / "d"), read_only=True) as database:
        rows = database.execute("SELECT column_name, data_type FROM information_schema.columns").fetchall()
    assert dict(rows).items() >= {
        ("published", "DATE"),
        ("stock", "BOOLEAN"),
        ("pages", "DOUBLE"),
        ("size", "DOUBLE[]"),
        ("fetched_at", "TIMESTAMP WITH TIME ZONE"),
    }
    write(scope, "sqlite", tmp_path / "s", **asked)
    with closing(sqlite3.connect(tmp_path / "s")) as database:
        types = database.execute("SELECT typeof(title), typeof(pages), typeof(stock), typeof(published) FROM records").fetchall()
    assert types == [("text", "real", "integer", "text"), ("text", "null", "null", "null")]


def test_excel_keeps_texts_as_texts_and_dates_as_dates(shop: Cluster, tmp_path: Path) -> None:
    write(scopes.find_template_scope(shop), "xlsx", tmp_path / "x.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx")["records"]
    head = [cell.value for cell in sheet[1]]
    cells = {name: (sheet.cell(2, place), sheet.cell(3, place)) for place, name in enumerate(head, 1)}
    assert [cell.data_type for cell in cells["ean"]] == ["s", "s"]
    assert [cell.value for cell in cells["ean"]] == ["0012345678905", "1-2"]
    assert cells["ean"][0].number_format == "@", "an edited cell stays a text"
    assert (cells["title"][1].value, cells["title"][1].data_type) == ("=1+1", "s"), "no formula"
    assert cells["published"][0].is_date
    assert cells["published"][0].value == datetime(2018, 9, 12)
    assert cells["stock"][0].data_type == "b"


def test_the_default_csv_has_the_bytes_that_it_always_had(shop: Cluster, tmp_path: Path) -> None:
    scope = scopes.find_template_scope(shop)
    write(scope, "csv", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == "".join(export_csv.write_rows(shop)).encode()
    asked: dict[str, Any] = {"several": "json", "guarded": False, "bom": True, "columns": ("tag", "source_url", "ean")}
    write(scope, "csv", tmp_path / "x.csv", **asked)
    layout = export_csv.get_default_layout(shop, **asked)
    assert (tmp_path / "x.csv").read_bytes() == "".join(export_csv.write_rows(shop, layout)).encode()
    write(scope, "csv", tmp_path / "x.csv", values="raw")
    layout = export_csv.get_default_layout(shop, normalised=False)
    assert (tmp_path / "x.csv").read_bytes() == "".join(export_csv.write_rows(shop, layout)).encode()


def test_a_csv_has_amounts_currencies_and_raw_texts_on_request(shop: Cluster, tmp_path: Path) -> None:
    scope = scopes.find_template_scope(shop)
    write(scope, "csv", tmp_path / "x.csv", columns=("price", "pages"), split_prices=True)
    assert list(csv.reader((tmp_path / "x.csv").open(newline=""))) == [
        ["price_amount", "price_currency", "price_raw", "pages"],
        ["1234.50", "GBP", "", "1000"],
        ["", "", "free", "0.1000000000000000001"],
    ]
    write(scope, "csv", tmp_path / "x.csv", columns=("price",), values="both", about=("rule_version", "page_id"))
    page = Record.objects.order_by("pk")[0].snapshot.page_id
    assert list(csv.reader((tmp_path / "x.csv").open(newline="")))[:2] == [
        ["price", "price_raw", "rule_version", "page_id"],
        ["1234.50 GBP", "£1,234.50", "1", str(page)],
    ]


@pytest.mark.parametrize("name", TYPED)
def test_columns_about_the_page_say_where_a_record_comes_from(shop: Cluster, tmp_path: Path, name: str) -> None:
    about = ("site", "template", "page_id", "fetched_at", "extracted_at", "state", "rule_version", "run")
    export = write(scopes.find_template_scope(shop), name, tmp_path / "x", columns=("title",), about=about)
    found = read_back(name, tmp_path / "x", export)
    record = Record.objects.select_related("snapshot").order_by("pk")[0]
    assert [found[key][0] for key in ("site", "template", "page_id", "state", "rule_version", "run")] == [
        "Books",
        "Template 1",
        record.snapshot.page_id,
        "complete",
        1,
        None,
    ]
    fetched = found["fetched_at"][0]
    fetched = fetched.replace(tzinfo=UTC) if fetched.tzinfo is None else fetched
    assert abs((fetched - record.snapshot.fetched_at).total_seconds()) < (0.002 if name == "xlsx" else 1e-6)


@pytest.mark.parametrize("name", list(FORMATS))
def test_names_of_any_kind_make_different_columns(db: None, tmp_path: Path, name: str) -> None:
    names = {"items": "text", "Items": "text", "select": "text", 'a"b': "text", "price": "price", "price_raw": "text", "run": "number"}
    cluster = factory.cluster(factory.site(), kind=factory.record_type(names, multiple=()))
    values = {each: [typed(each)] for each in names} | {"price": [RecordValue("free")], "run": [typed("7")]}
    fill(cluster, [("https://x.example/1", State.COMPLETE, values)])
    export = write(scopes.find_template_scope(cluster), name, tmp_path / "x", about=("run", "page_id"))
    read_back(name, tmp_path / "x", export)
    sources = {column.name: (column.source, column.part) for column in export.columns}
    folded = FORMATS[name].folds_case
    assert ("Items" in sources) is not folded
    assert ("Items_2" in sources) is folded
    assert sources["price_raw"] == ("price_raw", "value")
    assert sources["run"] == ("run", "value")
    assert sources["run_2"] == ("run", "page")


HOSTILE = "=+-@\t\r\n\"',;\\_x000D_\x00\x0b\x1f\ufffe\u2028<&>"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.text(HOSTILE, max_size=12)
NORMAL = st.none() | TEXT | st.sampled_from(["12.90 EUR", "7", "1e5", "2018-02-29", "2018-02-28", "true"])
VALUE = st.builds(RecordValue, raw=TEXT, value=NORMAL)
ATTRIBUTES = tuple(
    ExportAttribute(f"{kind}{'s' * many}", kind, many) for kind in ("text", "price", "number", "date", "boolean") for many in (False, True)
)
LINES = st.lists(
    st.fixed_dictionaries({each.name: st.lists(VALUE, max_size=3 if each.multiple else 1) for each in ATTRIBUTES}), min_size=1, max_size=4
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", list(FORMATS))
@given(lines=LINES)
@settings(max_examples=25)
def test_no_text_is_lost_whatever_its_characters(tmp_path_factory: pytest.TempPathFactory, name: str, lines: list[Any]) -> None:
    """Each value is in the file: as its type, or as its raw text. The oracle knows only the values and the rows of the other formats."""
    scope = scopes.ExportScope("x", Record.objects.none(), {"": ATTRIBUTES}, frozenset(each.name for each in ATTRIBUTES))
    choice = ExportChoice(columns=tuple(each.name for each in ATTRIBUTES), values="both", several="json", guarded=False)
    export = export_records.plan_export(scope, choice, FORMATS[name])
    path = tmp_path_factory.mktemp("x") / "x"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_records, "read_lines", lambda *_: (Line(each, {}) for each in lines))
        export_records.write_export(export, path)
    found = READERS[name](path)
    for column in export.columns:
        if column.part == "raw":
            for line, cell in zip(lines, found[column.name], strict=True):
                raws = [each.raw for each in line[column.source]]
                back = json.loads(cell) if isinstance(cell, str) and column.several and name != "csv" else cell
                if column.several and name == "csv":
                    back = json.loads(cell)
                expected: Any = raws if column.several else (raws[0] if raws else None)
                assert (back or None) == (expected or None), (name, column.name)
