"""`vertex-spark`, also for spark-submit: the arguments of the jobs."""

import argparse
import sys
from collections.abc import Sequence

from extraction.algorithms.bundles.record_tables import ABOUT, POSSIBLE_ABOUT
from vertex_spark.cluster_job import ClusterJob, run_cluster
from vertex_spark.errors import SparkJobError
from vertex_spark.extract_job import ExtractJob, run_extract
from vertex_spark.extract_pages import ExtractSettings
from vertex_spark.hadoop import Files, open_session
from vertex_spark.inputs import KINDS, PAGE_BYTES, PageColumns, PageSource
from vertex_spark.outputs import FORMATS
from vertex_spark.page_process import PAGE_SECONDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job. Return 0 if it was done, and 1 if it could not be, with the reason on standard error."""
    options = _make_parser().parse_args(arguments)
    try:
        options.run(options)
    except SparkJobError as error:
        sys.stderr.write(f"vertex-spark: {error}\n")
        return 1
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vertex-spark", description="Vertex over more pages than one machine reads (docs/spark.md).")
    jobs = parser.add_subparsers(required=True, metavar="JOB")
    extract = jobs.add_parser("extract", help="extract records by the bundles of sites")
    extract.set_defaults(run=_extract)
    extract.add_argument("--bundle", action="append", required=True, help="a site's bundle; may be given several times")
    extract.add_argument("--as", choices=FORMATS, default="parquet", dest="form", help="the format of the tables (default: parquet)")
    extract.add_argument(
        "--about",
        default=",".join(ABOUT),
        help=f"columns about the page, separated by commas, of {', '.join(POSSIBLE_ABOUT)} (default: %(default)s)",
    )
    extract.add_argument("--page-seconds", type=float, default=PAGE_SECONDS, help="give up a page that takes longer (default: %(default)g)")
    cluster = jobs.add_parser("cluster", help="find the templates of the sites of a crawl")
    cluster.set_defaults(run=_cluster)
    cluster.add_argument("--threshold", type=int, default=0, help="the fewest pages of a template (default: by the size of the site)")
    cluster.add_argument("--least-pages", type=int, default=10, help="leave out sites with fewer pages (default: %(default)s)")
    for job in (extract, cluster):
        _add_common(job)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input", action="append", default=[], help="a path, folder or pattern that Hadoop reads; may be given several times"
    )
    parser.add_argument("--input-list", help="a file of paths, one a line, as Common Crawl's warc.paths.gz")
    parser.add_argument("--prefix", default="", help="what to put before each path of --input-list, such as s3a://commoncrawl/")
    parser.add_argument("--output", required=True, help="a folder on a path that Hadoop writes; a job that was stopped goes on in it")
    parser.add_argument("--kind", choices=KINDS, default="warc", help="what the input is: WARC files, or tables of pages (default: warc)")
    parser.add_argument("--url-column", default="url", help="tables: the column of the address (default: %(default)s)")
    parser.add_argument("--content-column", default="content", help="tables: the column of the page's bytes or text (default: %(default)s)")
    parser.add_argument("--type-column", default="", help="tables: the column of the Content-Type header, if there is one")
    parser.add_argument("--time-column", default="", help="tables: the column of the time of fetching, if there is one")
    parser.add_argument("--max-page-bytes", type=int, default=PAGE_BYTES, help="refuse larger pages (default: %(default)s)")
    parser.add_argument("--files-at-once", type=int, default=0, help="input files that are read before their results take their places")
    parser.add_argument("--master", help="where to run, as for spark-submit (default: what the environment says)")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark; may be given several times")


def _extract(options: argparse.Namespace) -> None:
    about = tuple(name.strip() for name in options.about.split(",") if name.strip())
    unknown = [name for name in about if name not in POSSIBLE_ABOUT]
    if unknown:
        raise SparkJobError(f"there is no column {unknown[0]!r}; choose of {', '.join(POSSIBLE_ABOUT)}")
    if options.page_seconds <= 0:
        raise SparkJobError("--page-seconds must be more than 0")
    session = open_session("vertex-spark extract", master=options.master, conf=options.conf)
    files = Files(session)
    job = ExtractJob(
        bundles={name: files.read(name) for name in options.bundle},
        inputs=tuple(options.input),
        listed=_read_list(files, options),
        output=options.output,
        source=_make_source(options),
        settings=ExtractSettings(options.form, about, options.page_seconds),
        at_once=options.files_at_once,
    )
    summary = run_extract(session, job, _tell)
    outcomes = ", ".join(f"{count:,} {name}" for name, count in summary["outcomes"].items())
    _tell(f"{summary['pages']:,} pages: {outcomes or 'none'}")
    for outcome, site, template, reason, count in summary["failures_by_reason"][:20]:
        _tell(f"  {count:,} {outcome}{f' ({site}, {template})' if template else ''}: {reason}")


def _cluster(options: argparse.Namespace) -> None:
    session = open_session("vertex-spark cluster", master=options.master, conf=options.conf)
    files = Files(session)
    job = ClusterJob(
        inputs=tuple(options.input),
        listed=_read_list(files, options),
        output=options.output,
        source=_make_source(options),
        threshold=options.threshold,
        least_pages=options.least_pages,
        at_once=options.files_at_once,
    )
    run_cluster(session, job, _tell)


def _read_list(files: Files, options: argparse.Namespace) -> tuple[str, ...]:
    listed = files.read_lines(options.input_list) if options.input_list else []
    if not options.input and not listed:
        raise SparkJobError("name the input with --input or --input-list")
    return tuple(options.prefix + line for line in listed)


def _make_source(options: argparse.Namespace) -> PageSource:
    columns = PageColumns(options.url_column, options.content_column, options.type_column, options.time_column)
    return PageSource(options.kind, columns, options.max_page_bytes)


def _tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
