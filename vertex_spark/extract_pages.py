"""What a task of `vertex-spark extract` does: the pages of an input file become records and failures."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from extraction.algorithms.bundles.bundle import read_bundle
from extraction.algorithms.bundles.record_tables import RecordTable, plan_tables
from extraction.algorithms.bundles.site_reader import ReadPage, SiteReader
from extraction.algorithms.rules import apply
from extraction.fetching.items import Item, PageItem, Refused, Skipped
from extraction.services.core.careful_calls import run_carefully
from vertex_spark.found_files import make_key
from vertex_spark.inputs import PageSource
from vertex_spark.outputs import FileOutput, OutputFile, OutputFormat
from vertex_spark.page_process import PageProcess

SCHEMA = "source string, `table` string, part int, value binary"
"""The rows that a task gives: one for each file."""

GAVE_UP = "gave up"
"""The outcome of a page that reached a limit of time or memory."""

WITHOUT_REASON = frozenset({"complete", "elsewhere", "without rule"})
"""Outcomes that are no failures."""


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How to extract. about: columns of the records about the page. page_seconds: the time for one page."""

    format: OutputFormat
    about: tuple[str, ...]
    page_seconds: float


@lru_cache(maxsize=4)
def open_readers(bundles: tuple[bytes, ...]) -> tuple[SiteReader, ...]:
    """Return readers of bundles. Rules are compiled once in each process."""
    apply.call_carefully = run_carefully
    return tuple(SiteReader(read_bundle(data)) for data in bundles)


def list_tables(readers: Iterable[SiteReader], settings: ExtractSettings) -> list[RecordTable]:
    """Return the tables of records."""
    typed = settings.format == "parquet"
    return [table for reader in readers for table in plan_tables(reader.bundle, typed=typed, about=settings.about)]


def extract_batches(
    batches: Iterable[pa.RecordBatch], bundles: tuple[bytes, ...], source: PageSource, settings: ExtractSettings
) -> Iterator[pa.RecordBatch]:
    """Return the files that the input files of a task give, as rows of SCHEMA."""
    readers = open_readers(bundles)
    with PageProcess(make_page_reader(readers), give_up, seconds=settings.page_seconds) as process:
        for path, items in source.group_rows(batches):
            for made in extract_file(path, items, readers, settings, process):
                row = [[make_key(path)], [made.table], pa.array([made.part], pa.int32()), pa.array([made.data], pa.binary())]
                yield pa.RecordBatch.from_arrays([pa.array(each) for each in row], names=["source", "table", "part", "value"])


def extract_file(
    path: str, items: Iterable[Item], readers: Sequence[SiteReader], settings: ExtractSettings, process: PageProcess[list[ReadPage]]
) -> Iterator[OutputFile]:
    """Return the files that an input file gives; the counts are the last."""
    started = time.monotonic()
    output = FileOutput(list_tables(readers, settings), settings.format)
    size_bytes = 0
    for item in items:
        if isinstance(item, PageItem):
            size_bytes += len(item.content)
            yield from _extract_page(item, readers, output, process)
        elif isinstance(item, Refused):
            output.outcomes["refused"] += 1
            output.add_failure("refused", item.reason, url=item.name)
        elif isinstance(item, Skipped):
            output.skipped[item.kind] += 1
    yield from output.finish({"source": path, "page_bytes": size_bytes, "seconds": round(time.monotonic() - started, 3)})


def _extract_page(
    item: PageItem, readers: Sequence[SiteReader], output: FileOutput, process: PageProcess[list[ReadPage]]
) -> Iterator[OutputFile]:
    url = item.url or item.name
    numbers = [number for number, reader in enumerate(readers) if reader.is_of_site(url)]
    if not numbers:
        output.outcomes["elsewhere"] += 1
        return
    for number, page in zip(numbers, process.call(numbers, url, item.content, item.content_type), strict=False):
        reader = readers[number]
        outcome = GAVE_UP if page.outcome == "failed" and page.record is None else page.outcome
        output.outcomes[outcome] += 1
        template = reader.templates[page.template].label if page.template is not None else ""
        if outcome not in WITHOUT_REASON:
            output.add_failure(outcome, page.reason, url=url, site=reader.bundle.site, template=template, at=item.fetched_at)
        if page.record is not None and page.template is not None:
            yield from output.add_record(reader.bundle.site, page.template, url, item.fetched_at, page.record)


def make_page_reader(readers: Sequence[SiteReader]) -> Callable[[Sequence[int], str, bytes, str], list[ReadPage]]:
    """Return the function that reads a page for the sites whose places in `readers` are given."""

    def read(numbers: Sequence[int], url: str, content: bytes, content_type: str) -> list[ReadPage]:
        return [readers[number].read_page(url, content, content_type) for number in numbers]

    return read


def give_up(reason: str) -> list[ReadPage]:
    """Return what a page gives that reached a limit, for the first site that it may be of."""
    return [ReadPage("failed", reason=reason)]
