"""Named measurements, each a ratio with the least or largest value that it must have: `python -m tests.benchmarks --json [NAME ...]`."""

import json
import math
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from datasketch import MinHash, MinHashLSH
from lxml import etree

from extraction.algorithms.clustering.masked_shingles import VectorCounts, cluster_vectors
from extraction.algorithms.sampling.greedy import PagePaths, choose_pages
from extraction.algorithms.sketches.shingles import compute_vectors
from tests.benchmarks import _javadoc, extraction
from tests.benchmarks.clustering import cpu_time_s, drawn_vectors, written_pages
from tests.benchmarks.spark import spark_vs_processes


def shingle_vs_parse(pages: int = 100) -> dict[str, Any]:
    """Shingle vectors of pages from their bytes, against a bare lxml parse of the same pages: of pages written here, of evaluation pages
    and of Debian's openjdk-17-doc. The ratio is that of the pages with the smallest."""
    folders = (Path(".data/extraction"), Path(".data/modern"), Path(".data/clustering"), *_javadoc.PLACES[:1])
    works = {"written": written_pages()} | {folder.name: _some_pages(folder, pages) for folder in folders}
    found = {}
    for name, contents in works.items():
        if contents:
            parse, vectors = extraction.alternate(partial(_parse_all, contents), partial(compute_vectors, contents))
            found[name] = round(parse / vectors, 2)
    return _at_least(min(found.values()), 7, pages=found)


def _some_pages(folder: Path, count: int) -> list[bytes]:
    """About so many pages of a folder, evenly drawn from all of its HTML files."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".htm") and path.is_file())
    return [content for path in paths[:: max(1, len(paths) // count)] if (content := path.read_bytes())]


def _parse_all(contents: list[bytes]) -> None:
    for content in contents:
        etree.fromstring(content, etree.HTMLParser())


def clustering_vs_minhashlsh(count: int = 100_000) -> dict[str, Any]:
    """Algorithm 1 on vectors, against finding the pages alike with datasketch's MinHashLSH on eight permutations: insert all, query all.

    The vectors are of 200 templates of very different sizes; 5 % of the pages are of none. A byte of a page differs from its
    template's with a probability of 5 %.
    """
    drawn = drawn_vectors(count, templates=200, noise=0.05, outliers=0.05)
    rows = np.array(drawn, ">u8").view(np.uint8).reshape(-1, 8).astype(np.uint64)
    hashes = [MinHash(num_perm=8, hashvalues=row, permutations=_PERMUTATIONS, scheme=_EMPTY.scheme) for row in rows]
    found = MinHashLSH(threshold=0.75, num_perm=8)

    def search() -> None:
        for page, each in enumerate(hashes):
            found.insert(page, each, check_duplication=False)
        for each in hashes:
            found.query(each)

    theirs = cpu_time_s(search)
    ours = cpu_time_s(lambda: cluster_vectors(list(enumerate(drawn))), repeat=3)
    return _at_least(theirs / ours, 80, vectors=count, datasketch_s=round(theirs, 2), ours_s=round(ours, 3))


_EMPTY = MinHash(num_perm=8)
_PERMUTATIONS = _EMPTY.permutations


def clustering_growth(sizes: tuple[int, ...] = (1_000_000, 2_000_000, 5_000_000)) -> dict[str, Any]:
    """How the time of Algorithm 1 grows with the pages (the exponent), and its peak memory for each page."""
    times = []
    for size in sizes:
        drawn = np.array(drawn_vectors(size, templates=1000, noise=0.15), np.uint64)
        times.append(cpu_time_s(lambda drawn=drawn: _cluster_stream(drawn), repeat=2))  # type: ignore[misc]
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    tracemalloc.start()
    _cluster_stream(drawn)
    peak = tracemalloc.get_traced_memory()[1] / sizes[-1]
    tracemalloc.stop()
    seconds = {f"{size:,}": round(each, 2) for size, each in zip(sizes, times, strict=True)}
    passed = exponent <= 1.05 and peak <= 150
    return {
        "exponent": round(exponent, 3),
        "most": 1.05,
        "bytes_per_page": round(peak, 1),
        "most_bytes": 150,
        "seconds": seconds,
        "passed": passed,
    }


def _cluster_stream(vectors: "np.ndarray[Any, np.dtype[np.uint64]]") -> None:
    """Pages as a stream: counted in one reading, placed block by block in a second one."""
    counts = VectorCounts()
    for first in range(0, len(vectors), 1 << 16):
        counts.extend(vectors[first : first + (1 << 16)].tolist())
    masks = counts.select(threshold=5)
    for first in range(0, len(vectors), 1 << 16):
        masks.assign(vectors[first : first + (1 << 16)])


def sampling_vs_loop(pages: int = 1_000, paths: int = 500, k: int = 20) -> dict[str, Any]:
    """Choosing sample pages, against the plain greedy loop over sets with the same weights. Both must choose the same pages."""
    chance = np.random.default_rng(4)
    shares = chance.random(paths)
    cluster = []
    for _ in range(pages):
        there = np.flatnonzero(chance.random(paths) < shares).astype(np.uint64)
        cluster.append(PagePaths(there, chance.integers(0, 40, len(there)).astype(np.uint64)))
    ours, theirs = extraction.alternate(partial(choose_pages, cluster, k=k), partial(_choose_plainly, cluster, k))
    same = [each.page_index for each in choose_pages(cluster, k=k)] == _choose_plainly(cluster, k)
    found = _at_least(theirs / ours, 20, loop_s=round(theirs, 3), ours_s=round(ours, 4), same_pages=same)
    return found | {"passed": found["passed"] and same}


def _choose_plainly(cluster: list[PagePaths], k: int) -> list[int]:
    """Algorithm 2 as the paper has it: in each step, sum the weights of the uncovered paths of every page."""
    held = [dict(zip(page.paths.tolist(), page.contents.tolist(), strict=True)) for page in cluster]
    pages_of: dict[int, list[int]] = {}
    for page in held:
        for path, content in page.items():
            pages_of.setdefault(path, []).append(content)
    weights = {path: round(len(many) * (1 - len(many) / (len(held) * len(set(many)))) * 65536) for path, many in pages_of.items()}
    covered: set[int] = set()
    chosen: list[int] = []
    for _ in range(k):
        best, most = -1, -1
        for number, page in enumerate(held):
            if number not in chosen:
                gain = sum(weights[path] for path in page if path not in covered)
                if gain > most:
                    best, most = number, gain
        if most <= 0 and chosen:
            break
        chosen.append(best)
        covered |= held[best].keys()
    return chosen


def dashboard_vs_empty(pages: int = 100_000) -> dict[str, Any]:
    """The slowest page of the dashboard with many pages in the database, against a bare page. `tests.benchmarks.dashboard` lists all of
    them, with a million pages unless told otherwise."""
    command = [sys.executable, "-m", "tests.benchmarks.dashboard", "--json", "--pages", str(pages)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=False, stdout=subprocess.PIPE).stdout)
    return found | {"rows": pages}


def _at_least(ratio: float, least: float, **more: Any) -> dict[str, Any]:
    return {"ratio": round(ratio, 2), "least": least, "passed": math.isfinite(ratio) and ratio >= least} | more


MEASURES: dict[str, Callable[[], dict[str, Any]]] = {
    "shingle_vs_parse": shingle_vs_parse,
    "clustering_vs_minhashlsh": clustering_vs_minhashlsh,
    "clustering_growth": clustering_growth,
    "sampling_vs_loop": sampling_vs_loop,
    "reading_vs_parse": extraction.reading_vs_parse,
    "extraction_vs_parse": extraction.extraction_vs_parse,
    "extraction_vs_parsel": extraction.extraction_vs_parsel,
    "two_processes": extraction.two_processes,
    "dashboard_vs_empty": dashboard_vs_empty,
    "spark_vs_processes": spark_vs_processes,
}


def measure(name: str) -> dict[str, Any]:
    """Take one measurement. It says how long that took."""
    started = time.monotonic()
    return MEASURES[name]() | {"took_s": round(time.monotonic() - started, 1)}


def main() -> int:
    failed = 0
    for name in ("shingle_vs_parse", "clustering_vs_minhashlsh", "clustering_growth", "sampling_vs_loop"):
        found = measure(name)
        failed += not found["passed"]
        print(f"{name}: {found}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
