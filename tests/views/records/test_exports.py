"""Downloads of records in every format, and what the dialog says that a file would hold."""

import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Record, RecordType
from extraction.services.records.exports import export_records
from extraction.services.records.exports.formats import FORMATS
from extraction.views.core import keyset
from extraction.views.records import exports
from tests.services.records.exports.readers import READERS
from tests.views.addresses import address
from tests.views.world import World


def body(answer: Any) -> bytes:
    content: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_downloaded_with_the_rows_of_the_table(signed_in: Any, world: World, tmp_path: Path, name: str) -> None:
    asked = {"format": name, "q": "Book 2", "columns": ["price", "title"], "split": "1"}
    answer = signed_in("viewer").get(address(world, "records_export"), asked)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == FORMATS[name].content_type
    assert answer.headers["Content-Disposition"] == f'attachment; filename="books-template-1{FORMATS[name].suffix}"'
    content = body(answer)
    if FORMATS[name].stream is None:
        assert int(answer.headers["Content-Length"]) == len(content), "a download that breaks off is noticed"
    (tmp_path / "x").write_bytes(content)
    found = READERS[name](tmp_path / "x")
    assert list(found) == ["price_amount", "price_currency", "price_raw", "title"]
    assert (float(found["price_amount"][0]), found["price_currency"], found["title"]) == (2.5, ["GBP"], ["Book 2"])


def test_a_workbook_is_a_complete_archive(signed_in: Any, world: World) -> None:
    content = body(signed_in("viewer").get(address(world, "records_export"), {"format": "xlsx"}))
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None


def test_nothing_is_left_behind_when_a_download_fails(
    signed_in: Any, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(export_records, "read_lines", lambda *_: 1 / 0)
    client = signed_in("viewer")
    client.raise_request_exception = False
    assert client.get(address(world, "records_export"), {"format": "parquet"}).status_code == 500
    assert list(tmp_path.iterdir()) == []


def test_the_dialog_says_what_is_left_out_and_what_cannot_be_read(signed_in: Any, world: World) -> None:
    records = Record.objects.order_by("pk")
    records.filter(pk=records[0].pk).update(state="failed", reason="it is empty", values={})
    records.filter(pk=records[1].pk).update(values={"title": [{"raw": "x", "value": "x"}], "price": [{"raw": "<free>", "value": None}]})
    text = signed_in("viewer").get(address(world, "records_export_figures"), {"format": "parquet"}).content.decode()
    assert "<b>5</b> lines from 5" in " ".join(text.split())
    assert "Left out: 1 page that gave no record (failed)." in text
    assert "Values that could not be read are written in the columns of raw texts: price (1)." in text


def test_figures_of_a_filter_that_no_index_serves_are_of_the_first_records_and_say_so(
    signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (keyset, exports):
        monkeypatch.setattr(module, "MOST_LOOKED", 2)
    figures, client = address(world, "records_export_figures"), signed_in("viewer")

    def read(**asked: str) -> str:
        return " ".join(client.get(figures, asked).content.decode().split())

    assert "<b>2</b> lines from the first 2 records. The others were not looked through" in read(has="price")
    assert "<b>0</b> lines from the first 2 records." in read(missing="price")
    assert "<b>6</b> lines from 6 records" in read(sort="-title")
    assert len(body(client.get(address(world, "records_export"), {"format": "csv", "has": "price"})).splitlines()) == 6


def test_the_schema_and_the_dictionary_describe_the_columns(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    asked = {"format": "jsonl", "columns": ["title", "price", "author"], "split": "1"}
    answer = client.get(address(world, "records_export"), {**asked, "part": "schema"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="books-template-1.schema.json"'
    schema = json.loads(answer.content)
    lines = [json.loads(line) for line in body(client.get(address(world, "records_export"), asked)).decode().splitlines()]
    assert all(list(line) == schema["required"] == list(schema["properties"]) for line in lines)
    assert schema["properties"]["price_amount"]["type"] == ["number", "null"]
    assert schema["properties"]["author"]["type"] == "array"
    text = client.get(address(world, "records_export"), {**asked, "part": "dictionary"}).content.decode()
    assert "| title | title | the text | text | 6 of 6 (100.0%) | Book 0; Book 1; Book 2 |" in text
    assert "| price\\_amount | price | the amount of the price | number | 5 of 6 (83.3%) | 0.5; 1.5; 2.5 |" in text


@pytest.mark.parametrize("wrong", [{"format": "doc"}, {"columns": "nothing"}, {"list": "nothing"}, {"about": "secret"}, {"part": "x"}])
def test_a_wrong_choice_is_refused_in_words(signed_in: Any, world: World, wrong: dict[str, str]) -> None:
    client = signed_in("viewer")
    assert client.get(address(world, "records_export"), wrong).status_code == 400
    assert "field-error" in client.get(address(world, "records_export_figures"), wrong).content.decode()


def test_the_records_of_a_type_come_from_all_sites(signed_in: Any, world: World) -> None:
    answer = signed_in("viewer").get(reverse("record_type_export", args=[world.record_type.slug]), {"format": "jsonl"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="book.jsonl"'
    lines = [json.loads(line) for line in body(answer).decode().splitlines()]
    assert [(line["site"], line["template"], line["title"]) for line in lines][:2] == [
        ("Books", "Template 1", "Book 0"),
        ("Books", "Template 1", "Book 1"),
    ]
    chosen = {"format": "jsonl", "about_chosen": "1"}
    line = body(signed_in("viewer").get(reverse("record_type_export", args=[world.record_type.slug]), chosen)).decode().splitlines()[0]
    assert "site" not in json.loads(line)
    assert RecordType.objects.count() == 1
