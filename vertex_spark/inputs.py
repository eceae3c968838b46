"""What a job reads: WARC files, or tables with a row for each page. Each file is read as a whole by one task, in its order."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast, get_args

import pyarrow as pa

from extraction.algorithms.dom.content_sniffing import explain_non_page
from extraction.fetching.items import Item, Limits, PageItem, Refused
from extraction.fetching.warcs import WarcReader
from vertex_spark.chunk_file import SEPARATOR, ChunkFile
from vertex_spark.errors import SparkJobError
from vertex_spark.found_files import FoundFile, find_ending, read_spark_path

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

InputKind = Literal["warc", "parquet", "orc", "json", "csv"]
KINDS: tuple[InputKind, ...] = get_args(InputKind)

PAGE_BYTES = 32 * 1024**2
"""The largest page that is read, as in an import of the dashboard."""

PACKED_ENDINGS = (".gz", ".zst")
"""Endings of files that our own reader unpacks, so that what comes before a damaged place is kept."""

_NO_LIMIT = 1 << 60


@dataclass(frozen=True, slots=True)
class PageColumns:
    """The columns of a table of pages. content_type and fetched_at may be empty: there is no such column then.

    content: bytes, or text.
    fetched_at: a timestamp, or a text as ISO 8601.
    """

    url: str = "url"
    content: str = "content"
    content_type: str = ""
    fetched_at: str = ""


@dataclass(frozen=True, slots=True)
class PageSource:
    """How to read files. page_bytes: the largest page."""

    kind: InputKind
    columns: PageColumns = PageColumns()
    page_bytes: int = PAGE_BYTES

    def read(self, session: "SparkSession", files: Sequence[FoundFile]) -> "DataFrame":
        """Return the rows of files, which must have the same ending if they are WARC files (`group_by_ending`)."""
        from pyspark.sql.functions import col

        from vertex_spark.hadoop import keep_packed

        paths = [_escape_pattern(each.path) for each in files]
        if self.kind == "warc":
            ending = find_ending(files[0].name)
            if ending in PACKED_ENDINGS:
                keep_packed(session, ending)
            pieces = session.read.text(paths, lineSep=SEPARATOR.decode())
            return pieces.select(_select_path(), col("_metadata.file_size").alias("size"), col("value").cast("binary").alias("content"))
        reader = session.read.option("header", True).option("multiLine", True) if self.kind == "csv" else session.read
        table = reader.format(self.kind).load(paths)
        return table.select(_select_path(), *self._choose_columns(table))

    def _choose_columns(self, table: "DataFrame") -> "Iterator[Column]":
        from pyspark.sql.functions import col, lit

        for name, column in (
            ("url", self.columns.url),
            ("content", self.columns.content),
            ("content_type", self.columns.content_type),
            ("fetched_at", self.columns.fetched_at),
        ):
            if column and column not in table.columns:
                raise SparkJobError(f"the table has no column {column!r}; it has {', '.join(table.columns)}")
            found = col(f"`{column}`") if column else lit(None)
            kind = {"content": "binary", "fetched_at": "timestamp"}.get(name, "string")
            yield found.cast(kind).alias(name)

    def group_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, Iterator[Item]]]:
        """Return (path of a file, its items). The items of a file must be taken before the next file."""
        rows = itertools.chain.from_iterable(batch.to_pylist() for batch in batches)
        for text, its in itertools.groupby(rows, key=lambda row: str(row["path"])):
            path = read_spark_path(text)
            name = path.rpartition("/")[2]
            items = self._read_warc(name, its) if self.kind == "warc" else self._read_table(its)  # noqa: B031 - only one of them
            yield path, self._refuse_non_pages(items)

    def _read_warc(self, name: str, rows: Iterator[dict[str, Any]]) -> Iterator[Item]:
        first = next(rows)
        chunks = (row["content"] for row in itertools.chain((first,), rows))
        limits = Limits(pages=_NO_LIMIT, page_bytes=self.page_bytes, total_bytes=_NO_LIMIT, expansion=_NO_LIMIT)
        file = ChunkFile(chunks, first["size"])
        yield from WarcReader(cast(BinaryIO, file), size_bytes=first["size"], name=name, limits=limits)
        for _ in chunks:  # a reader that stopped early leaves the rest
            pass

    def _read_table(self, rows: Iterator[dict[str, Any]]) -> Iterator[Item]:
        for place, row in enumerate(rows, 1):
            url, content = row["url"], row["content"]
            if not url:
                yield Refused(f"row {place}", "it has no address")
            elif content is None:
                yield Refused(url, "it has no content")
            elif len(content) > self.page_bytes:
                yield Refused(url, f"it has more than {self.page_bytes:,} bytes, the largest page that is read")
            else:
                fetched_at = row["fetched_at"] if isinstance(row["fetched_at"], datetime) else None
                yield PageItem(url, url, bytes(content), row["content_type"] or "", fetched_at)

    def _refuse_non_pages(self, items: Iterable[Item]) -> Iterator[Item]:
        """Return the items, with files that are no pages refused as an import refuses them."""
        for item in items:
            reason = explain_non_page(item.content) if isinstance(item, PageItem) else ""
            yield Refused(item.name, reason) if reason else item


def _select_path() -> "Column":
    from pyspark.sql.functions import col

    return col("_metadata.file_path").alias("path")


def _escape_pattern(path: str) -> str:
    return "".join(f"\\{character}" if character in "{}[]*?\\" else character for character in path)
