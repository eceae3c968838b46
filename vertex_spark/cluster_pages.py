"""What the tasks of `vertex-spark cluster` do: pages become vectors, and the vectors of a site become templates."""

import io
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from extraction.algorithms.bundles.crawl_templates import (
    CrawlTemplate,
    CrawlTemplates,
    cluster_distinct,
    name_site,
    write_crawl_templates,
)
from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.rules.url_patterns import learn_patterns
from extraction.algorithms.sketches.shingles import compute_vectors
from extraction.fetching.items import Item, PageItem, Refused, Skipped
from vertex_spark.found_files import make_key
from vertex_spark.inputs import PageSource
from vertex_spark.outputs import COUNTS, ENDS

VECTORS = "vectors"
"""The table of pages: site, vector (as a signed number), url."""

VECTOR_SCHEMA = pa.schema([("site", pa.string()), ("vector", pa.int64()), ("url", pa.string())])

PART_ROWS = 1_000_000

BATCH_PAGES = 64
"""Pages whose vectors are computed together."""

CLUSTER_SCHEMA = "site string, vector long, template int, mask string, pages long, site_pages long, threshold int"
"""What the clustering of a site gives: a row for each distinct vector with its template, -1 for none, and a row for each template with its
mask, in which `vector` is null."""

SHOWN_ADDRESSES = 20
"""Addresses of each template in its site's line. Patterns are learned from more."""

COUNTED_ROWS = 1_000_000
"""Vectors that are gathered before they are counted."""

Vectors = np.ndarray[Any, np.dtype[np.uint64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]


def compute_batches(batches: Iterable[pa.RecordBatch], source: PageSource) -> Iterator[pa.RecordBatch]:
    """Return the files that the input files of a task give: vectors and counts, as `extract_pages.SCHEMA`."""
    for path, items in source.group_rows(batches):
        for table, part, data in _compute_file(path, items):
            row = [pa.array([make_key(path)]), pa.array([table]), pa.array([part], pa.int32()), pa.array([data], pa.binary())]
            yield pa.RecordBatch.from_arrays(row, names=["source", "table", "part", "value"])


def _compute_file(path: str, items: Iterator[Item]) -> Iterator[tuple[str, int, bytes]]:
    started = time.monotonic()
    outcomes, skipped = Counter[str](), Counter[str]()
    reasons: Counter[str] = Counter()
    rows: list[tuple[str, int, str]] = []
    part = 0
    while batch := list(islice(items, BATCH_PAGES)):
        pages = [item for item in batch if isinstance(item, PageItem)]
        skipped.update(item.kind for item in batch if isinstance(item, Skipped))
        refused = [item.reason for item in batch if isinstance(item, Refused)]
        outcomes["refused"] += len(refused)
        reasons.update(refused)
        for item, vector in zip(pages, _compute_vectors([item.content for item in pages]), strict=True):
            url = item.url or item.name
            site = name_site(url)
            outcome = "without host" if not site else "read" if vector is not None else "failed"
            outcomes[outcome] += 1
            if site and vector is not None:
                rows.append((site, vector, url))
        if len(rows) >= PART_ROWS:
            yield VECTORS, part, _encode(rows)
            rows, part = [], part + 1
    if rows:
        yield VECTORS, part, _encode(rows)
    entry = {
        "source": path,
        "pages": sum(outcomes.values()),
        "outcomes": dict(sorted((+outcomes).items())),
        "skipped": dict(sorted(skipped.items())),
        "reasons": [["refused", "", "", reason, count] for reason, count in reasons.most_common(50)],
        "seconds": round(time.monotonic() - started, 3),
    }
    yield COUNTS, 0, json.dumps(entry).encode()


def _compute_vectors(contents: Sequence[bytes]) -> list[int | None]:
    """Return the vectors of pages; None for a page that the computation fails on."""
    try:
        return [*compute_vectors(contents)]
    except Exception:  # noqa: BLE001 - one page that nobody thought of must not end the work on millions
        if len(contents) <= 1:
            return [None] * len(contents)
        return [vector for content in contents for vector in _compute_vectors([content])]


def _encode(rows: Sequence[tuple[str, int, str]]) -> bytes:
    sites, vectors, urls = zip(*rows, strict=True)
    columns = [
        pa.array(sites, pa.string()),
        pa.array(np.array(vectors, np.uint64).view(np.int64)),
        pa.array(map(_clean, urls), pa.string()),
    ]
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(columns, schema=VECTOR_SCHEMA), file, compression="zstd")
    return file.getvalue().removesuffix(ENDS["parquet"])


def _clean(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def cluster_batches(batches: Iterable[pa.RecordBatch], threshold: int, least_pages: int) -> Iterator[pa.RecordBatch]:
    """Return the clusters of sites, as CLUSTER_SCHEMA.

    batches: site and vector of each page, sorted by site. A site is in one task.
    threshold: the fewest pages of a template; 0 to choose it by the size of the site.
    least_pages: sites with fewer pages give nothing.
    """
    for site, parts in _split_by_key(batches, "site"):
        vectors, counts = _count_distinct(part.column("vector").to_numpy().view(np.uint64) for part in parts)
        pages = int(counts.sum())
        if pages < least_pages:
            continue
        used = threshold or default_threshold(pages)
        masks, places, sizes = cluster_distinct(vectors, counts, used)
        yield _make_rows(site, vectors, places, counts, [None] * len(places), pages, used)
        if masks.masks:
            texts = [mask.text() for mask in masks.masks]
            yield _make_rows(site, None, np.arange(len(texts)), sizes, texts, pages, used)


def _count_distinct(parts: Iterable[Vectors]) -> tuple[Vectors, Counts]:
    """Return the distinct vectors in their order, and how often each comes. Besides them, COUNTED_ROWS vectors at most are in memory."""
    vectors, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    for many in _gather(parts):
        joined, places = np.unique(np.concatenate([vectors, many]), return_inverse=True)
        sums = np.bincount(places[len(vectors) :], minlength=len(joined))
        sums[places[: len(vectors)]] += counts
        vectors, counts = joined, sums
    return vectors, counts


def _gather(parts: Iterable[Vectors]) -> Iterator[Vectors]:
    held: list[Vectors] = []
    rows = 0
    for part in parts:
        if rows + len(part) > COUNTED_ROWS and held:
            yield np.concatenate(held)
            held, rows = [], 0
        held.append(part)
        rows += len(part)
    if held:
        yield np.concatenate(held)


def _make_rows(site: str, vectors: Any, places: Any, sizes: Any, masks: Sequence[str | None], pages: int, threshold: int) -> pa.RecordBatch:
    count = len(places)
    return pa.RecordBatch.from_arrays(
        [
            pa.array([site] * count, pa.string()),
            pa.nulls(count, pa.int64()) if vectors is None else pa.array(vectors.view(np.int64)),
            pa.array(places.astype(np.int32)),
            pa.array(masks, pa.string()),
            pa.array(sizes.astype(np.int64)),
            pa.array(np.full(count, pages, np.int64)),
            pa.array(np.full(count, threshold, np.int32)),
        ],
        names=["site", "vector", "template", "mask", "pages", "site_pages", "threshold"],
    )


def write_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return a line of JSON for each site. batches: the templates with their addresses, sorted by site and template."""
    for site, parts in _split_by_key(batches, "site"):
        rows = sorted((row for part in parts for row in part.to_pylist()), key=lambda row: row["template"])
        templates = tuple(_make_template(row) for row in rows if row["mask"] is not None)
        clustered = sum(each.pages for each in templates)
        pages, threshold = rows[0]["site_pages"], rows[0]["threshold"]
        found = CrawlTemplates(site=site, pages=pages, unclustered=pages - clustered, threshold=threshold, templates=templates)
        yield pa.RecordBatch.from_arrays([pa.array([write_crawl_templates(found)])], names=["value"])


def _make_template(row: dict[str, Any]) -> CrawlTemplate:
    addresses = sorted(row["addresses"] or ())
    patterns = tuple(pattern.text() for pattern in learn_patterns(addresses))
    return CrawlTemplate(mask=row["mask"], pages=row["pages"], addresses=tuple(addresses[:SHOWN_ADDRESSES]), patterns=patterns)


def _split_by_key(batches: Iterable[pa.RecordBatch], key: str) -> Iterator[tuple[str, Iterator[pa.RecordBatch]]]:
    """Return (key, its rows) of sorted batches. Take the rows of one before the next."""
    for found, runs in groupby(_find_runs(batches, key), key=itemgetter(0)):
        yield found, (rows for _, rows in runs)


def _find_runs(batches: Iterable[pa.RecordBatch], key: str) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Return (key, rows) for the rows of each batch that have the same key."""
    for batch in batches:
        keys = batch.column(key).to_numpy(zero_copy_only=False)
        edges = (np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist()
        for start, end in pairwise([0, *edges, len(keys)]):
            if start < end:
                yield keys[start], batch.slice(start, end - start)
