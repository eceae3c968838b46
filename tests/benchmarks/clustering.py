"""python -m tests.benchmarks.clustering [PAGES ...]: times of shingle vectors, Algorithm 1 and the second stage, as ratios within one run.

PAGES: HTML files whose vectors are timed against a bare lxml parse of the same files; pages written here when none are given.
Algorithm 1 runs on vectors drawn from templates with noise, against the paper's listing on plain dictionaries on a part of
them (its time grows with the pages), and alone on all.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from lxml import etree

from extraction.algorithms.clustering.masked_shingles import cluster_vectors
from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.refinement import refine_clusters
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.sketches.shingles import compute_vector, compute_vectors
from tests.algorithms.clustering import listing


def cpu_time_s(work: Callable[[], object], *, repeat: int = 1) -> float:
    """The fastest of some runs, in processor seconds of this process."""
    best = float("inf")
    for _ in range(repeat):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def written_pages(count: int = 60) -> list[bytes]:
    chance = np.random.default_rng(1)
    words = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur"]
    pages = []
    for _ in range(count):
        rows = []
        for row in range(int(chance.integers(200, 400))):
            text = " ".join(chance.choice(words, 12))
            rows.append(
                f'<div class="row c{row % 7}"><h3>{text[:20]}</h3><p><a href="/item/{row}.html">{text}</a> {text}</p><!-- {row} --></div>'
            )
        script = "<script>for (var i = 0; i < 9; i++) { document.write('<b>' + i); }</script>"
        pages.append(f"<!DOCTYPE html><html><head><title>t</title>{script}</head><body>{''.join(rows)}</body></html>".encode())
    return pages


def drawn_vectors(count: int, *, templates: int, noise: float, outliers: float = 0.0) -> list[int]:
    """count vectors: a template's eight bytes, each replaced at random with probability `noise`.

    outliers: the share of vectors of no template. If there are any, the sizes of the templates fall like 1, 1/2, 1/3 …
    """
    chance = np.random.default_rng(2)
    bases = chance.integers(0, 256, (templates, 8), dtype=np.uint8)
    sizes = 1 / np.arange(1, templates + 1) if outliers else np.ones(templates)
    rows = bases[chance.choice(templates, count, p=sizes / sizes.sum())]
    noises = np.where(chance.random((count, 1)) < outliers, 1.0, noise)
    rows = np.where(chance.random((count, 8)) < noises, chance.integers(0, 256, (count, 8), dtype=np.uint8), rows)
    return np.ascontiguousarray(rows).view(">u8").ravel().tolist()


def time_vectors(pages: list[bytes]) -> None:
    parse = cpu_time_s(lambda: [etree.fromstring(page, etree.HTMLParser()) for page in pages], repeat=3)
    batched = cpu_time_s(lambda: compute_vectors(pages), repeat=5)
    single = cpu_time_s(lambda: [compute_vector(page) for page in pages], repeat=5)
    size = sum(map(len, pages))
    print(f"{len(pages)} pages, {size / 1e6:.1f} MB: bare lxml parse {parse:.3f} s")
    print(f"  vectors, batched      {batched:.3f} s  {batched / parse:.2f} of the parse, {size / batched / 1e6:.0f} MB/s")
    print(f"  vectors, one by one   {single:.3f} s  {single / parse:.2f} of the parse")


def time_second_stage(pages: list[bytes]) -> None:
    """The cost of merging by cores, compared with vectors and Algorithm 1, and with reading the pages' steps, which are then cached."""
    named = {f"{number:06}": page for number, page in enumerate(pages)}
    first = cpu_time_s(lambda: cluster_vectors(dict(zip(named, compute_vectors(named.values()), strict=True))), repeat=3)
    found = cluster_vectors(dict(zip(named, compute_vectors(named.values()), strict=True)))
    asked: dict[str, PageSteps] = {}

    def steps(name: str) -> PageSteps:
        if name not in asked:
            asked[name] = collect_steps(parse(named[name]).root)
        return asked[name]

    with_reading = cpu_time_s(lambda: refine_clusters(found, steps))
    second = cpu_time_s(lambda: refine_clusters(found, steps), repeat=3)
    print(f"{len(pages)} pages: vectors and Algorithm 1 {first:.3f} s, {len(found.clusters)} clusters, {len(found.unclustered)} pages left")
    print(f"  second stage          {second:.3f} s  {second / first:.1f} of the first")
    print(f"  reading {len(asked):,} pages  {with_reading - second:.3f} s")


def time_clustering(count: int, compared: int) -> None:
    for name, templates, noise in (("1,000 templates, 15 % noise", 1000, 0.15), ("no templates", 1, 1.0)):
        drawn = drawn_vectors(count, templates=templates, noise=noise)
        part = {str(i): v for i, v in enumerate(drawn[:compared])}
        fast = cpu_time_s(partial(cluster_vectors, part), repeat=3)
        plain = cpu_time_s(partial(listing.cluster, part, 5))
        print(f"{name}: {compared:,} vectors: {fast:.2f} s, plain dictionaries {plain:.2f} s: {plain / fast:.0f} times faster")
        items = list(enumerate(drawn))
        whole = cpu_time_s(partial(cluster_vectors, items))
        tracemalloc.start()
        found = cluster_vectors(items)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"  {count:,} vectors, {len(set(drawn)):,} distinct: {whole:.2f} s, {peak / 1e6:.0f} MB, {len(found.clusters):,} clusters")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--compared", type=int, default=30_000, help="vectors given to the plain dictionaries too")
    options = parser.parse_args()
    pages = [path.read_bytes() for path in options.pages] or written_pages()
    time_vectors(pages)
    time_second_stage(pages)
    time_clustering(options.vectors, options.compared)


if __name__ == "__main__":
    main()
