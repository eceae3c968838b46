"""`vertex-spark extract`: the records of pages by bundles, as files on any path that Hadoop writes."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from extraction.algorithms.bundles.bundle import BundleError, digest_bundle, read_bundle
from extraction.algorithms.errors import VertexError
from vertex_spark.errors import SparkJobError
from vertex_spark.extract_pages import SCHEMA, ExtractSettings, extract_batches, list_tables, open_readers
from vertex_spark.found_files import FoundFile, group_by_ending
from vertex_spark.hadoop import Files
from vertex_spark.inputs import PageSource
from vertex_spark.output_folder import STAGING, OutputFolder
from vertex_spark.outputs import COUNTS, ENDS

WAVES_PER_CORE = 4
"""Input files per core that are read before their files take their places. More lose more work when a job is stopped, fewer leave cores
without work at the end of each wave."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ExtractJob:
    """What to extract.

    bundles: {name: the file}.
    inputs: paths, folders or patterns. listed: paths of single files.
    at_once: input files per wave, 0 to choose it.
    """

    bundles: dict[str, bytes]
    inputs: tuple[str, ...]
    listed: tuple[str, ...]
    output: str
    source: PageSource
    settings: ExtractSettings
    at_once: int = 0


def run_extract(session: SparkSession, job: ExtractJob, tell: Tell) -> dict[str, Any]:
    """Extract what is not extracted yet, and return the summary of all. Raises SparkJobError."""
    files = Files(session)
    _check_bundles(job)
    found = find_inputs(files, job.inputs, job.listed)
    folder = OutputFolder(files, job.output.rstrip("/"), f".{job.settings.format}")
    folder.begin(_describe_job(job))
    done = folder.find_done()
    stale = folder.clean(done)
    waiting = [each for each in found if each.key not in done]
    tell(
        f"{len(found):,} input files, {len(found) - len(waiting):,} done before"
        + (f"; {stale:,} unfinished files deleted" if stale else "")
    )
    bundles = tuple(job.bundles.values())
    ready = 0
    for wave in plan_waves(waiting, job.at_once or WAVES_PER_CORE * session.sparkContext.defaultParallelism):
        started = time.monotonic()
        _read_wave(session, folder, wave, bundles, job)
        entries = folder.settle(wave, COUNTS, ENDS[job.settings.format])
        ready += len(wave)
        pages = sum(each["pages"] for each in entries)
        seconds = time.monotonic() - started
        tell(f"{ready:,} of {len(waiting):,} input files: {pages:,} pages in {seconds:,.1f} s, {pages / max(seconds, 1e-3):,.0f} a second")
    summary = summarize(folder.read_entries({each.key for each in found}))
    folder.finish(summary)
    return summary


def find_inputs(files: Files, patterns: Sequence[str], listed: Sequence[str]) -> list[FoundFile]:
    """Return the input files by path, each once. Raises SparkJobError for a pattern that names none. Listed files are not looked for."""
    found = {each.path: each for each in map(files.name_file, listed)}
    for pattern in patterns:
        named = files.find(pattern)
        if not named:
            raise SparkJobError(f"{pattern} names no file")
        found |= {each.path: each for each in named}
    return [found[path] for path in sorted(found)]


def plan_waves(files: Sequence[FoundFile], most: int) -> list[list[FoundFile]]:
    """Return the files in waves of at most so many, each of one ending, because one read takes files of one ending only."""
    groups = group_by_ending(files)
    return [group[first : first + most] for group in groups for first in range(0, len(group), most)]


def summarize(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums of entries, with the commonest reasons first: [outcome, site, template, reason, pages]."""
    outcomes, skipped, unread, rows = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    reasons: Counter[tuple[str, ...]] = Counter()
    for entry in entries:
        outcomes.update(entry["outcomes"])
        skipped.update(entry.get("skipped", {}))
        unread.update(entry.get("unread", {}))
        reasons.update({tuple(each[:4]): each[4] for each in entry.get("reasons", ())})
        for each in entry.get("files", ()):
            rows[each["table"]] += each["rows"]
    return {
        "input_files": len(entries),
        "empty_files": sum("note" in entry for entry in entries),
        "pages": sum(entry["pages"] for entry in entries),
        "outcomes": dict(sorted(outcomes.items())),
        "rows": dict(sorted(rows.items())),
        "skipped": dict(sorted(skipped.items())),
        "unread_values": dict(sorted(unread.items())),
        "failures_by_reason": [[*key, count] for key, count in sorted(reasons.items(), key=lambda each: (-each[1], each[0]))],
        "failures_of_other_reasons": sum(entry.get("other_reasons", 0) for entry in entries),
    }


def _check_bundles(job: ExtractJob) -> None:
    slugs = set()
    for name, data in job.bundles.items():
        try:
            slug = read_bundle(data).slug
        except BundleError as error:
            raise SparkJobError(f"{name}: {error}") from error
        if slug in slugs:
            raise SparkJobError(f"two bundles are of the site {slug}")
        slugs.add(slug)
    try:
        tables = list_tables(open_readers(tuple(job.bundles.values())), job.settings)
    except (VertexError, KeyError) as error:
        raise SparkJobError(f"the columns cannot be planned: {error}") from error
    if not tables:
        raise SparkJobError("the bundles have no live rule")


def _describe_job(job: ExtractJob) -> dict[str, Any]:
    """Return what must stay the same for a job to go on."""
    return {
        "bundles": sorted(digest_bundle(data) for data in job.bundles.values()),
        "format": job.settings.format,
        "columns": list(job.settings.about),
        "input": {"kind": job.source.kind, "page_bytes": job.source.page_bytes, **asdict(job.source.columns)},
    }


def _read_wave(session: SparkSession, folder: OutputFolder, wave: Sequence[FoundFile], bundles: tuple[bytes, ...], job: ExtractJob) -> None:
    held = session.sparkContext.broadcast(bundles)
    source, settings = job.source, job.settings

    def extract(batches: Any) -> Any:
        return extract_batches(batches, held.value, source, settings)

    made = source.read(session, wave).mapInArrow(extract, SCHEMA)
    written = made.select("source", "table", "part", col("value").cast("string").alias("value")).write.mode("overwrite")
    try:
        written.partitionBy("source", "table", "part").option("lineSep", ENDS[settings.format].decode()).text(f"{folder.path}/{STAGING}")
    finally:
        held.destroy()
