"""One export, opened by the programs that people use: equal values, and types that are right.

The hard cases are texts that look like something else: an EAN with leading zeros, a range that looks like a date, a formula, quotes and
line ends. LibreOffice and pandas are tried where they are installed.
"""

import csv
import shutil
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from extraction.algorithms.records.choice import ExportChoice
from extraction.models import Cluster
from extraction.services.records.exports import export_records, scopes
from extraction.services.records.exports.formats import FORMATS
from tests.services import factory
from tests.services.records.test_records import State, fill, typed

TYPES = {"ean": "text", "size": "text", "title": "text", "pages": "number", "published": "date", "stock": "boolean", "link": "url"}

EXPECTED: dict[str, list[Any]] = {
    "ean": ["0012345678905", "007", "1e5"],
    "size": ["1-2", "3/4", "00:15"],
    "title": ["Zoë, “a”\nb;c", '=1+1 "x"', "−5 €"],
    "pages": [1000, 12.5, -3],
    "published": [date(2018, 9, 12), date(1999, 1, 2), date(2026, 11, 30)],
    "stock": [True, False, True],
    "link": ["https://x.example/a?b=1&c=2", "https://x.example/ü", "https://x.example/"],
}
"""{column: the values of the three records}. The raw texts of typed values are others."""

RAW = {
    "pages": ["1,000", "12.5", "-3"],
    "published": ["12 Sept. 2018", "2 Jan 1999", "30.11.2026"],
    "stock": ["yes", "no", "yes"],
}


def normal(value: Any) -> str:
    """The normal form of a value, as records store it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.fixture
def folder(db: None, tmp_path: Path) -> Path:
    """A folder with one export in all formats: books.csv, books.xlsx, …"""
    cluster: Cluster = factory.cluster(factory.site(), kind=factory.record_type(TYPES, mandatory=(), multiple=()))
    rows = [
        {name: [typed(RAW[name][n] if name in RAW else values[n], normal(values[n]))] for name, values in EXPECTED.items()}
        for n in range(3)
    ]
    fill(cluster, [(f"https://x.example/{n}", State.COMPLETE, row) for n, row in enumerate(rows)])
    scope = scopes.find_template_scope(cluster)
    choice = ExportChoice(columns=tuple(EXPECTED), about=(), guarded=False)
    for name, form in FORMATS.items():
        export_records.write_export(export_records.plan_export(scope, choice, form), tmp_path / f"books.{name}")
    return tmp_path


def test_csv_has_the_normal_form_of_every_value(folder: Path) -> None:
    with (folder / "books.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert {name: [row[name] for row in rows] for name in EXPECTED} == {
        name: [normal(value) for value in values] for name, values in EXPECTED.items()
    }


def test_openpyxl_reads_texts_as_texts_and_numbers_dates_and_booleans_as_what_they_are(folder: Path) -> None:
    with (folder / "books.xlsx").open("rb") as file:
        head, *rows = openpyxl.load_workbook(file).worksheets[0].iter_rows()
    found = {cell.value: [row[place] for row in rows] for place, cell in enumerate(head)}
    kinds = {name: {cell.data_type for cell in cells} for name, cells in found.items() if name in EXPECTED}
    text, number, day, truth = {"s"}, {"n"}, {"d"}, {"b"}
    assert kinds == {"ean": text, "size": text, "title": text, "pages": number, "published": day, "stock": truth, "link": text}
    values = {name: [cell.value for cell in found[name]] for name in EXPECTED}
    values["published"] = [value.date() if isinstance(value, datetime) else value for value in values["published"]]
    assert values == EXPECTED


def test_pyarrow_reads_typed_columns(folder: Path) -> None:
    table = parquet.read_table(folder / "books.parquet").select(list(EXPECTED))
    assert table.to_pydict() == EXPECTED
    assert [field.type for field in table.schema] == [pa.string()] * 3 + [pa.float64(), pa.date32(), pa.bool_(), pa.string()]


def test_pyarrow_reads_the_csv_with_the_types_that_it_guesses_for_columns_that_are_no_texts(folder: Path) -> None:
    texts = {name: pa.string() for name, type_ in TYPES.items() if type_ in ("text", "url")}
    options = arrow_csv.ConvertOptions(column_types=texts, include_columns=list(EXPECTED))
    table = arrow_csv.read_csv(folder / "books.csv", parse_options=arrow_csv.ParseOptions(newlines_in_values=True), convert_options=options)
    assert table.to_pydict() == EXPECTED


def test_duckdb_reads_its_own_file_the_parquet_and_the_csv_alike(folder: Path) -> None:
    names = ", ".join(EXPECTED)
    wanted = list(zip(*EXPECTED.values(), strict=True))
    with duckdb.connect(str(folder / "books.duckdb"), read_only=True) as database:
        asked = database.execute(f"SELECT {names} FROM records")
        assert [str(each[1]) for each in asked.description or ()] == ["VARCHAR"] * 3 + ["DOUBLE", "DATE", "BOOLEAN", "VARCHAR"]
        assert asked.fetchall() == wanted
    with duckdb.connect() as database:
        assert database.execute(f"SELECT {names} FROM read_parquet(?)", [str(folder / "books.parquet")]).fetchall() == wanted
        types = {name: "VARCHAR" for name, type_ in TYPES.items() if type_ in ("text", "url")}
        rows = database.execute(f"SELECT {names} FROM read_csv(?, types = ?)", [str(folder / "books.csv"), types]).fetchall()
        assert rows == wanted


def test_pandas_reads_equal_values(folder: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; Vertex does not need it")
    texts = {name: str for name, type_ in TYPES.items() if type_ in ("text", "url")}
    for frame in (
        pandas.read_csv(folder / "books.csv", dtype=texts, parse_dates=["published"]),
        pandas.read_parquet(folder / "books.parquet"),
        pandas.read_excel(folder / "books.xlsx"),
    ):
        found = {name: frame[name].tolist() for name in EXPECTED}
        found["published"] = [pandas.Timestamp(each).date() for each in found["published"]]
        assert found == EXPECTED


def test_libreoffice_shows_the_workbook_as_it_is(folder: Path) -> None:
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    home = f"-env:UserInstallation=file://{folder / 'home'}"
    command = [office, home, "--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76", "--outdir", str(folder / "out")]
    subprocess.run([*command, str(folder / "books.xlsx")], check=True, capture_output=True, timeout=120)
    with (folder / "out" / "books.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, type_ in TYPES.items():
        if type_ in ("text", "url"):
            assert [row[name] for row in rows] == EXPECTED[name]
    assert [float(row["pages"].replace(",", "")) for row in rows] == EXPECTED["pages"]
    assert [row["stock"] for row in rows] == ["TRUE", "FALSE", "TRUE"]


def test_times_are_in_utc_in_every_format(folder: Path) -> None:
    cluster = Cluster.objects.get()
    choice = ExportChoice(columns=("ean",), about=("fetched_at",))
    scope = scopes.find_template_scope(cluster)
    for name in ("csv", "parquet"):
        export_records.write_export(export_records.plan_export(scope, choice, FORMATS[name]), folder / f"times.{name}")
    typed_times = parquet.read_table(folder / "times.parquet")["fetched_at"].to_pylist()
    with (folder / "times.csv").open(encoding="utf-8", newline="") as file:
        written = [datetime.fromisoformat(row["fetched_at"]) for row in csv.DictReader(file)]
    assert written == typed_times
    assert {each.tzinfo for each in written} == {UTC}
