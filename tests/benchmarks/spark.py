"""`python -m tests.benchmarks.spark [--pages FOLDER] [--most N]`: the jobs on Spark against two plain processes that do the same work.

Extraction: the pages of Debian's openjdk-17-doc, or of FOLDER, as eight WARC files. The plain processes read four files each, with the same
readers and writers and without Spark and its child processes. Clustering: a million vectors of 200 sites. Both are measured after the
session has started, which takes some seconds once for a job. Spark runs each job once beforehand on a part, because a JVM is slow at first.
Processor time counts the JVM and all its children.
"""

import argparse
import contextlib
import multiprocessing
import os
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import parquet

from extraction.algorithms.bundles.crawl_templates import cluster_distinct
from extraction.algorithms.bundles.site_reader import ReadPage
from extraction.fetching.items import Limits
from extraction.fetching.warcs import WarcReader
from tests.benchmarks import _javadoc

LEAST_EXTRACTION, LEAST_CLUSTERING = 0.7, 0.5
"""How fast the jobs must be, as multiples of two plain processes."""

FILES, PROCESSES = 8, 2
VECTORS, SITES = 1_000_000, 200
WARMING = 100_000
"""Vectors of the part that is clustered beforehand."""


@dataclass(frozen=True)
class Timed:
    """wall_s, cpu_s: seconds by the clock and of processors. python_mb, java_mb: the largest process of each, if they were looked at."""

    wall_s: float
    cpu_s: float
    python_mb: float = 0.0
    java_mb: float = 0.0


class MemoryWatch(threading.Thread):
    """Notes the most memory that the JVM and any of its children had."""

    def __init__(self, java: psutil.Process) -> None:
        super().__init__(daemon=True)
        self._java, self._done = java, threading.Event()
        self.java_bytes = self.python_bytes = 0

    def run(self) -> None:
        while not self._done.wait(0.5):
            self.java_bytes = max(self.java_bytes, self._java.memory_info().rss)
            for each in self._java.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    self.python_bytes = max(self.python_bytes, each.memory_info().rss)

    def stop(self) -> None:
        self._done.set()
        self.join()


class PlainProcess:
    """Stands for `PageProcess`: calls the function here."""

    def __init__(self, function: Callable[..., list[ReadPage]]) -> None:
        self.call = function


def extract_plainly(paths: Sequence[str], bundle: bytes, folder: str) -> None:
    """Extract files one after the other, in this process."""
    from vertex_spark import extract_pages

    settings = extract_pages.ExtractSettings("parquet", ("fetched_at", "state", "rule_version"), 60)
    readers = extract_pages.open_readers((bundle,))
    process: Any = PlainProcess(extract_pages.make_page_reader(readers))
    limits = Limits(pages=1 << 60, page_bytes=1 << 25, total_bytes=1 << 60, expansion=1 << 60)
    for path in paths:
        with Path(path).open("rb") as file:
            items = WarcReader(file, size_bytes=Path(path).stat().st_size, name=path, limits=limits)
            for made in extract_pages.extract_file(path, items, readers, settings, process):
                (Path(folder) / f"{Path(path).stem}-{made.table}").write_bytes(made.data)


def cluster_plainly(paths: Sequence[str]) -> None:
    """Count and cluster the vectors of files, site by site, in this process."""
    for path in paths:
        table = parquet.read_table(path, columns=["site", "vector"])
        sites, vectors = table["site"].to_numpy(), table["vector"].to_numpy().view(np.uint64)
        order = np.argsort(sites.astype("U"), kind="stable")
        _, starts = np.unique(sites[order].astype("U"), return_index=True)
        for its in np.split(vectors[order], starts[1:]):
            values, counts = np.unique(its, return_counts=True)
            cluster_distinct(values, counts.astype(np.int64), 5)


def time_processes(work: Callable[..., None], arguments: Sequence[tuple[Any, ...]]) -> Timed:
    """Run the work in a process for each of the arguments, at once."""
    context = multiprocessing.get_context("spawn")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    children = [context.Process(target=work, args=each) for each in arguments]
    for child in children:
        child.start()
    for child in children:
        child.join()
        if child.exitcode:
            raise SystemExit(f"a plain process failed: {child.exitcode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Timed(time.monotonic() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def time_spark(session: Any, work: Callable[[], object]) -> Timed:
    """Run the work on Spark."""
    java = psutil.Process(int(session._jvm.java.lang.ProcessHandle.current().pid()))
    watch = MemoryWatch(java)
    watch.start()
    before, started = _count_cpu(java), time.monotonic()
    work()
    found = time.monotonic() - started, _count_cpu(java) - before
    watch.stop()
    return Timed(*found, watch.python_bytes / 1e6, watch.java_bytes / 1e6)


def count_shuffled(session: Any) -> int:
    """The bytes that all stages so far wrote for a shuffle."""
    from py4j.protocol import Py4JJavaError

    store, total, stage = session.sparkContext._jsc.sc().statusStore(), 0, 0
    while True:
        try:
            total += store.lastStageAttempt(stage).shuffleWriteBytes()
        except Py4JJavaError:  # there is no such stage yet
            return total
        stage += 1


def _count_cpu(java: psutil.Process) -> float:
    total = 0.0
    for each in [java, *java.children(recursive=True)]:
        try:
            total += sum(each.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def measure_extraction(session: Any, pages: dict[str, bytes], folder: Path) -> tuple[Timed, Timed, dict[str, Any]]:
    """(plain, Spark, the summary of Spark's)."""
    from vertex_spark.extract_job import ExtractJob, run_extract
    from vertex_spark.extract_pages import ExtractSettings
    from vertex_spark.inputs import PageSource

    bundle = _javadoc.make_bundle(pages)
    paths = [str(path) for path in _javadoc.write_warcs(pages, folder / "in", FILES)]
    settings = ExtractSettings("parquet", ("fetched_at", "state", "rule_version"), 60)

    def run(inputs: Sequence[str], output: str) -> dict[str, Any]:
        return run_extract(
            session, ExtractJob({"java": bundle}, tuple(inputs), (), str(folder / output), PageSource("warc"), settings), lambda _line: None
        )

    few = _javadoc.write_warcs(dict(list(pages.items())[:40]), folder / "few", PROCESSES)
    run([str(path) for path in few], "first")
    (folder / "plain").mkdir()
    plain = time_processes(extract_plainly, [(paths[n::PROCESSES], bundle, str(folder / "plain")) for n in range(PROCESSES)])
    summary: dict[str, Any] = {}
    spark = time_spark(session, lambda: summary.update(run(paths, "spark")))
    _compare_records(folder)
    return plain, spark, summary


def _compare_records(folder: Path) -> None:
    """Raise SystemExit unless both gave the same files."""
    plain = sorted(each.read_bytes() + b"PAR1" for each in (folder / "plain").glob("*-java.*"))
    spark = sorted(each.read_bytes() for each in (folder / "spark").glob("java.*/[!.]*"))
    if plain != spark:
        raise SystemExit("Spark's records differ from those of the plain processes")


def measure_clustering(session: Any, folder: Path, count: int = VECTORS) -> tuple[Timed, Timed, int]:
    """(plain, Spark, bytes shuffled)."""
    from vertex_spark.cluster_job import find_clusters

    chance = np.random.default_rng(5)
    (folder / "vectors").mkdir()
    paths = []
    for number in range(PROCESSES):
        sites = np.char.add(f"site{number}.", chance.integers(0, SITES // PROCESSES, count // PROCESSES).astype("U"))
        bases = chance.integers(0, 256, (50, 8), dtype=np.uint8)
        rows = bases[chance.integers(0, 50, len(sites))]
        rows = np.where(chance.random(rows.shape) < 0.15, chance.integers(0, 256, rows.shape, dtype=np.uint8), rows)
        vectors = np.ascontiguousarray(rows).view(">i8").ravel().astype(np.int64)
        paths.append(folder / "vectors" / f"{number}.parquet")
        parquet.write_table(pa.table({"site": sites.tolist(), "vector": vectors}), paths[-1])
    few = folder / "few.parquet"
    parquet.write_table(parquet.read_table(paths[0])[:WARMING], few)

    def run(path: Path) -> None:
        find_clusters(session.read.parquet(str(path)), 5, 1).write.format("noop").mode("overwrite").save()

    run(few)
    plain = time_processes(cluster_plainly, [([str(path)],) for path in paths])
    before = count_shuffled(session)
    spark = time_spark(session, lambda: run(folder / "vectors"))
    return plain, spark, count_shuffled(session) - before


def spark_vs_processes(folder: Path | None = None, most: int = 0) -> dict[str, Any]:
    """The measurements, or why there are none."""
    try:
        from vertex_spark.hadoop import open_session
    except ImportError:
        return {"skipped": "pyspark is not installed; make test-spark installs it"}
    pages = _javadoc.find_pages(folder)
    if not pages:
        return {"skipped": "there are no pages; install Debian's openjdk-17-doc, or name a folder with --pages"}
    if most and most < len(pages):
        pages = {url: pages[url] for url in list(pages)[:: len(pages) // most]}
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    started = time.monotonic()
    conf = ("spark.ui.enabled=false", "spark.sql.shuffle.partitions=2", "spark.driver.memory=2g", "spark.driver.bindAddress=127.0.0.1")
    session = open_session("benchmark", master=f"local[{PROCESSES}]", conf=conf)
    start_s = time.monotonic() - started
    try:
        with tempfile.TemporaryDirectory() as place:
            plain, spark, summary = measure_extraction(session, pages, Path(place))
            plain_clusters, spark_clusters, shuffled = measure_clustering(session, Path(place))
    finally:
        session.stop()
    size_mb = sum(map(len, pages.values())) / 1e6
    return {
        "pages": summary["pages"],
        "outcomes": summary["outcomes"],
        "megabytes": round(size_mb, 1),
        "session_start_s": round(start_s, 1),
        "extraction": _describe(plain, spark, LEAST_EXTRACTION)
        | {"pages_per_core_hour": round(3600 * summary["pages"] / spark.cpu_s), "same_records": True},
        "clustering": _describe(plain_clusters, spark_clusters, LEAST_CLUSTERING)
        | {"vectors": VECTORS, "shuffled_bytes_per_vector": round(shuffled / VECTORS, 1)},
    }


def _describe(plain: Timed, spark: Timed, least: float) -> dict[str, Any]:
    ratio, of_cpu = plain.wall_s / spark.wall_s, plain.cpu_s / spark.cpu_s
    return {
        "plain_s": round(plain.wall_s, 2),
        "spark_s": round(spark.wall_s, 2),
        "plain_cpu_s": round(plain.cpu_s, 2),
        "spark_cpu_s": round(spark.cpu_s, 2),
        "python_mb": round(spark.python_mb),
        "java_mb": round(spark.java_mb),
        "ratio": round(ratio, 3),
        "cpu_ratio": round(of_cpu, 3),
        "least": least,
        "passed": ratio >= least,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a folder of HTML files (default: Debian's openjdk-17-doc, if it is installed)")
    parser.add_argument("--most", type=int, default=0, help="take about so many pages, evenly")
    options = parser.parse_args()
    found = spark_vs_processes(options.pages, options.most)
    for name, value in found.items():
        print(f"{name}: {value}")
    return int(any(isinstance(value, dict) and value.get("passed") is False for value in found.values()))


if __name__ == "__main__":
    raise SystemExit(main())
