"""`python -m tests.benchmarks.spark_parts [--pages FOLDER] [--most N]`: what a page costs in the jobs on Spark, measured without Spark.

One process does each part alone for all pages, so the figures are seconds of one processor. The pages are those of Debian's openjdk-17-doc,
or of FOLDER. They are for the capacity sheet in docs/spark.md and have no bounds.
"""

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet

from extraction.algorithms.bundles.crawl_templates import cluster_distinct
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import compute_vectors
from extraction.fetching.items import Limits
from extraction.fetching.warcs import WarcReader
from tests.benchmarks import _javadoc

LIMITS = Limits(pages=1 << 60, page_bytes=1 << 25, total_bytes=1 << 60, expansion=1 << 60)

DISTINCT = 200_000
"""Distinct vectors of one site, for the memory that choosing its masks needs."""


def measure_parts(pages: dict[str, bytes], folder: Path) -> dict[str, Any]:
    """Return milliseconds of a processor for each page, and sizes. One template of the pages has a rule; the others are only recognised."""
    from tests.benchmarks.spark import extract_plainly

    def extract(path: Path, output: Path) -> None:
        output.mkdir()
        extract_plainly([str(path)], bundle, str(output))

    (path,) = _javadoc.write_warcs(pages, folder / "in", 1)
    bundle, contents = _javadoc.make_bundle(pages), list(pages.values())
    vectors = compute_vectors(contents)
    size = sum(map(len, contents))
    found = {
        "pages": len(pages),
        "kilobytes_per_page": round(size / len(pages) / 1e3, 1),
        "packed": round(size / path.stat().st_size, 2),
        "unpack_ms": _time(lambda: _drain(_read_warc(path)), len(pages)),
        "parse_ms": _time(lambda: _drain(map(_parse, contents)), len(pages)),
        "vector_ms": _time(lambda: compute_vectors(contents), len(pages)),
        "extract_ms": _time(lambda: extract(path, folder / "out"), len(pages)),
        "distinct_vectors_per_page": round(len(set(vectors)) / len(pages), 3),
    }
    found |= _measure_files(folder / "out")
    with_record = {url: pages[url] for url in _list_addresses(folder / "out")}
    if with_record:
        (again,) = _javadoc.write_warcs(with_record, folder / "again", 1)
        found["extract_ms_of_a_page_with_a_record"] = _time(lambda: extract(again, folder / "records"), len(with_record))
    return found | {"bytes_per_distinct_vector": round(measure_distinct())}


def measure_distinct(count: int = DISTINCT) -> float:
    """Return the most memory, in bytes for each distinct vector of a site, that choosing its masks takes beside the vectors themselves."""
    chance = np.random.default_rng(5)
    rows = chance.integers(0, 256, (50, 8), dtype=np.uint8)[chance.integers(0, 50, count)]
    rows = np.where(chance.random(rows.shape) < 0.5, chance.integers(0, 256, rows.shape, dtype=np.uint8), rows)
    values, counts = np.unique(np.ascontiguousarray(rows).view("<u8").ravel(), return_counts=True)
    tracemalloc.start()
    cluster_distinct(values, counts.astype(np.int64), 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(values)


def _list_addresses(folder: Path) -> list[str]:
    """Return the addresses of the pages with a record."""
    return [url for each in folder.glob("*-java.1") for url in parquet.read_table(each, columns=["source_url"])["source_url"].to_pylist()]


def _measure_files(folder: Path) -> dict[str, float]:
    """Return the bytes of a line in the tables of pages and of rows. Parquet needs the four bytes that Spark writes last."""
    found: dict[str, float] = {}
    for name, of in (("java.1", "record"), ("java.1.1", "row")):
        files = list(folder.glob(f"*-{name}"))
        for each in files:
            each.write_bytes(each.read_bytes() + b"PAR1")
        lines = sum(parquet.read_metadata(each).num_rows for each in files)
        found[f"{of}s"] = lines
        found[f"bytes_per_{of}"] = round(sum(each.stat().st_size for each in files) / max(lines, 1))
    return found


def _time(work: Callable[[], object], pages: int) -> float:
    started = time.process_time()
    work()
    return round((time.process_time() - started) * 1e3 / pages, 2)


def _read_warc(path: Path) -> Iterable[object]:
    with path.open("rb") as file:
        yield from WarcReader(file, size_bytes=path.stat().st_size, name=str(path), limits=LIMITS)


def _parse(content: bytes) -> None:
    try:
        parse(content)
    except PageError:
        return


def _drain(items: Iterable[object]) -> None:
    for _ in items:
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a folder of HTML files (default: Debian's openjdk-17-doc, if it is installed)")
    parser.add_argument("--most", type=int, default=1_500, help="take about so many pages, evenly")
    options = parser.parse_args()
    pages = _javadoc.find_pages(options.pages)
    if not pages:
        print("skipped: there are no pages; install Debian's openjdk-17-doc, or name a folder with --pages")
        return 0
    chosen = {url: pages[url] for url in list(pages)[:: max(1, len(pages) // options.most)]}
    with tempfile.TemporaryDirectory() as place:
        for name, value in measure_parts(chosen, Path(place)).items():
            print(f"{name}: {value}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
