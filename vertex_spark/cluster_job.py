"""`vertex-spark cluster`: Algorithm 1's three passes over a crawl of many sites (docs/algorithms.md#page-clustering).

Pass 1 reads each page once and keeps its vector. Pass 2 brings the vectors of a site into one task, which counts the distinct ones and
chooses the masks from them. Pass 3 joins the pages with the masks of their vectors. Reading is resumable by input file; the passes after
it read vectors only, and are done again if they were stopped.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql.functions import col, collect_list, row_number, xxhash64

from vertex_spark.cluster_pages import CLUSTER_SCHEMA, VECTORS, cluster_batches, compute_batches, write_batches
from vertex_spark.extract_job import WAVES_PER_CORE, find_inputs, plan_waves, summarize
from vertex_spark.extract_pages import SCHEMA
from vertex_spark.found_files import FoundFile
from vertex_spark.hadoop import Files
from vertex_spark.inputs import PageSource
from vertex_spark.output_folder import STAGING, OutputFolder
from vertex_spark.outputs import COUNTS, ENDS

LEARNED_ADDRESSES = 200
"""Addresses of a template from which its URL patterns are learned, drawn by their hash."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ClusterJob:
    """What to cluster. threshold: the fewest pages of a template, 0 to choose it by the size of the site. at_once: as in `ExtractJob`."""

    inputs: tuple[str, ...]
    listed: tuple[str, ...]
    output: str
    source: PageSource
    threshold: int = 0
    least_pages: int = 10
    at_once: int = 0


def run_cluster(session: SparkSession, job: ClusterJob, tell: Tell) -> dict[str, Any]:
    """Find the templates, and return the summary. Raises SparkJobError.

    The output has `templates/` (a line of JSON for each site, which the dashboard takes in), `assignments/` (Parquet: site, template, url),
    and `vectors/` (Parquet: site, vector, url).
    """
    files = Files(session)
    found = find_inputs(files, job.inputs, job.listed)
    folder = OutputFolder(files, job.output.rstrip("/"), ".parquet")
    folder.begin(
        {"threshold": job.threshold, "least_pages": job.least_pages, "input": {"kind": job.source.kind, **asdict(job.source.columns)}}
    )
    done = folder.find_done()
    folder.clean(done)
    waiting = [each for each in found if each.key not in done]
    tell(f"{len(found):,} input files, {len(found) - len(waiting):,} done before")
    for wave in plan_waves(waiting, job.at_once or WAVES_PER_CORE * session.sparkContext.defaultParallelism):
        started = time.monotonic()
        _read_wave(session, folder, wave, job.source)
        pages = sum(each["pages"] for each in folder.settle(wave, COUNTS, ENDS["parquet"]))
        tell(f"{len(wave):,} input files: {pages:,} pages in {time.monotonic() - started:,.1f} s")
    summary = summarize(folder.read_entries({each.key for each in found}))
    if folder.files.list_names(f"{folder.path}/{VECTORS}"):
        vectors = session.read.parquet(f"{folder.path}/{VECTORS}")
        summary |= cluster_vectors(vectors, folder, job, tell)
    folder.finish(summary)
    return summary


def cluster_vectors(vectors: DataFrame, folder: OutputFolder, job: ClusterJob, tell: Tell) -> dict[str, Any]:
    """Write the templates and assignments of vectors, and return their figures. vectors: site, vector, url."""
    started = time.monotonic()
    clusters = f"{folder.path}/{STAGING}/clusters"
    find_clusters(vectors, job.threshold, job.least_pages).write.mode("overwrite").parquet(clusters)
    found = vectors.sparkSession.read.parquet(clusters)
    placed = found.where(col("vector").isNotNull()).select("site", "vector", "template")
    assigned = vectors.join(placed, ["site", "vector"]).select("site", "template", "url")
    assigned.write.mode("overwrite").option("compression", "zstd").parquet(f"{folder.path}/assignments")
    stored = vectors.sparkSession.read.parquet(f"{folder.path}/assignments")
    _describe_sites(found, stored).write.mode("overwrite").text(f"{folder.path}/templates")
    masks = found.where(col("vector").isNull())
    figures = {
        "sites": found.select("site").distinct().count(),
        "templates": masks.count(),
        "clustered": stored.where(col("template") >= 0).count(),
        "unclustered": stored.where(col("template") < 0).count(),
    }
    folder.files.delete(f"{folder.path}/{STAGING}")
    tell(f"{figures['sites']:,} sites, {figures['templates']:,} templates in {time.monotonic() - started:,.1f} s")
    return figures


def find_clusters(vectors: DataFrame, threshold: int, least_pages: int) -> DataFrame:
    """Return the clusters of sites as CLUSTER_SCHEMA (passes 1 and 2)."""

    def cluster(batches: Any) -> Any:
        return cluster_batches(batches, threshold, least_pages)

    pages = vectors.select("site", "vector").repartition("site").sortWithinPartitions("site")
    return pages.mapInArrow(cluster, CLUSTER_SCHEMA)


def _describe_sites(found: DataFrame, assigned: DataFrame) -> DataFrame:
    place = row_number().over(Window.partitionBy("site", "template").orderBy(xxhash64("url"), "url"))
    chosen = assigned.where(col("template") >= 0).withColumn("place", place).where(col("place") <= LEARNED_ADDRESSES)
    addresses = chosen.groupBy("site", "template").agg(collect_list("url").alias("addresses"))
    masks = found.where(col("vector").isNull()).drop("vector")
    described = masks.join(addresses, ["site", "template"], "left")
    return described.repartition("site").sortWithinPartitions("site", "template").mapInArrow(write_batches, "value string")


def _read_wave(session: SparkSession, folder: OutputFolder, wave: Sequence[FoundFile], source: PageSource) -> None:
    def compute(batches: Any) -> Any:
        return compute_batches(batches, source)

    made = source.read(session, wave).mapInArrow(compute, SCHEMA)
    written = made.select("source", "table", "part", col("value").cast("string").alias("value")).write.mode("overwrite")
    written.partitionBy("source", "table", "part").option("lineSep", ENDS["parquet"].decode()).text(f"{folder.path}/{STAGING}")
