"""What a task makes of an input file, without Spark: items, records, failures, limits, damaged files."""

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.bundles.site_reader import ReadPage
from tests.vertex_spark import pages
from vertex_spark.chunk_file import SEPARATOR, ChunkFile
from vertex_spark.extract_pages import ExtractSettings, extract_batches, give_up
from vertex_spark.inputs import PageSource
from vertex_spark.outputs import ENDS
from vertex_spark.page_process import PageProcess

SETTINGS = ExtractSettings("csv", ("state", "rule_version"), 20)


def split(data: bytes) -> list[bytes]:
    """The pieces that Spark's reader of text files gives: there is no empty one behind a separator at the end."""
    parts = data.split(SEPARATOR)
    return parts[:-1] if not parts[-1] else parts


def as_batches(path: str, data: bytes) -> Iterator[pa.RecordBatch]:
    for first in range(0, len(pieces := split(data)), 3):
        part = pieces[first : first + 3]
        columns = [pa.array([path] * len(part)), pa.array([len(data)] * len(part)), pa.array(part, pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, names=["path", "size", "content"])


def extract(data: bytes, bundles: tuple[bytes, ...] | None = None) -> dict[str, Any]:
    """{table: its lines}, and the counts."""
    found: dict[str, Any] = {}
    for batch in extract_batches(as_batches("file:///in/a.warc.gz", data), bundles or (pages.make_bundle(),), PageSource("warc"), SETTINGS):
        for row in batch.to_pylist():
            text = (row["value"] + (b"" if row["table"] == "_counts" else ENDS["csv"])).decode()
            found[row["table"]] = json.loads(text) if row["table"] == "_counts" else list(csv.DictReader(io.StringIO(text)))
    return found


def test_pages_become_records_rows_and_failures(tmp_path: Path) -> None:
    content = pages.make_pages(range(1, 7)) | {
        "https://shop.example/about": b"<html><body><h1>About</h1></body></html>",
        "https://shop.example/book/9": b"   ",
        "https://elsewhere.example/book/1": b"<p>x</p>",
    }
    found = extract(pages.write_warc(tmp_path / "a.warc.gz", content).read_bytes())
    counts = found["_counts"]
    assert counts["outcomes"] == {"complete": 5, "elsewhere": 1, "failed": 1, "incomplete": 1, "unmatched": 1}
    assert [row["title"] for row in found["shop.1"]] == [f"Book {n}" for n in range(1, 7)]
    assert found["shop.1"][0] == {
        "title": "Book 1",
        "price": "1.50 GBP",
        "source_url": "https://shop.example/book/1",
        "state": "complete",
        "rule_version": "3",
    }
    assert [(row["name"], row["title"]) for row in found["shop.1.1"][:3]] == [("A", "Book 1"), ("B", "Book 1"), ("A", "Book 2")]
    assert {row["outcome"]: row["reason"] for row in found["failures"]} == {
        "incomplete": "price is missing",
        "unmatched": "No template of the site fits the page",
        "failed": "The page cannot be read: the page is empty",
    }
    assert counts["pages"] == 9 and sum(each["rows"] for each in counts["files"] if each["table"] == "shop.1") == 6


@pytest.mark.parametrize("packed", [True, False])
def test_a_damaged_file_gives_what_comes_before_and_says_so(tmp_path: Path, packed: bool) -> None:
    data = pages.write_warc(tmp_path / "a", pages.make_pages(range(1, 40)), packed=packed).read_bytes()
    found = extract(data[: len(data) // 2])
    assert 10 < len(found["shop.1"]) < 39
    assert found["_counts"]["outcomes"]["refused"] >= 1 and found["failures"][-1]["outcome"] == "refused"


def test_pages_of_several_sites_go_to_their_own_tables(tmp_path: Path) -> None:
    content = pages.make_pages([1, 2]) | pages.make_pages([3], "other.example")
    bundles = (pages.make_bundle(), pages.make_bundle("other", "other.example"))
    found = extract(pages.write_warc(tmp_path / "a", content).read_bytes(), bundles)
    assert [len(found[name]) for name in ("shop.1", "other.1")] == [2, 1]


def answer(what: str) -> list[ReadPage]:
    if what == "sleep":
        time.sleep(60)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raise":
        raise ValueError("unforeseen")
    if what == "memory":
        return [ReadPage("failed", reason=str(len(bytearray(1 << 40))))]
    return [ReadPage("complete", reason=str(os.getpid()))]


def test_a_page_that_reaches_a_limit_costs_only_itself() -> None:
    with PageProcess(answer, give_up, seconds=0.5) as process:
        first = process.call("fine")
        assert process.call("fine") == first, "one process reads many pages"
        for what, reason in (
            ("sleep", "longer than 0.5 seconds"),
            ("crash", "SIGKILL"),
            ("raise", "ValueError: unforeseen"),
            ("memory", "MB"),
        ):
            assert reason in process.call(what)[0].reason
            assert process.call("fine")[0].outcome == "complete"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([b"\r\n", b"\n", b"\r", b"a", b"bcd"]), max_size=12), st.randoms(use_true_random=False))
def test_a_file_in_pieces_reads_like_the_file(parts: list[bytes], chance: random.Random) -> None:
    data = b"".join(parts)
    file, plain = ChunkFile(iter(split(data)), len(data)), io.BytesIO(data)
    start = file.read(4)
    assert start == plain.read(4)
    assert file.seek(0) == plain.seek(0)
    while data:
        size = chance.randint(1, 5)
        piece = file.read(size)
        assert piece == plain.read(size) and file.tell() == plain.tell()
        if not piece:
            break
    assert b"".join(iter(lambda: file.read(3), b"")) == plain.read()


def test_workers_need_no_django() -> None:
    code = "import sys, vertex_spark.extract_pages, vertex_spark.cluster_pages; sys.exit({'django', 'pyspark'} & {*sys.modules} != set())"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
