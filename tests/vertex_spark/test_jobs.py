"""The jobs on Spark: every page once however often a job is stopped, tables of pages, refusals, and the templates of a crawl."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

pytest.importorskip("pyspark", reason="pyspark is not installed; `make test-spark` installs it", exc_type=ImportError)

from extraction.algorithms.bundles.crawl_templates import name_site, read_crawl_templates
from extraction.algorithms.clustering.masked_shingles import cluster_vectors
from extraction.algorithms.sketches.shingles import compute_vectors
from tests.vertex_spark import pages
from vertex_spark import extract_job
from vertex_spark.cluster_job import ClusterJob, run_cluster
from vertex_spark.errors import SparkJobError
from vertex_spark.extract_job import ExtractJob, run_extract
from vertex_spark.extract_pages import ExtractSettings
from vertex_spark.inputs import PageColumns, PageSource
from vertex_spark.output_folder import OutputFolder
from vertex_spark.outputs import OutputFormat


def make_job(folder: Path, output: str, form: OutputFormat = "csv", /, **changes: Any) -> ExtractJob:
    values: dict[str, Any] = {
        "bundles": {"shop.json": pages.make_bundle()},
        "inputs": (str(folder / "in"),),
        "listed": (),
        "output": str(folder / output),
        "source": PageSource("warc"),
        "settings": ExtractSettings(form, ("state", "rule_version"), 60),
        "at_once": 1,
    }
    return ExtractJob(**values | changes)


def read_tables(folder: Path) -> dict[str, list[bytes]]:
    """{table/file: its lines}."""
    found = sorted(folder.glob("[!_.]*/[!.]*"))
    return {str(each.relative_to(folder)): each.read_bytes().splitlines() for each in found}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for place, name in enumerate(("a b%20.warc.gz", "c[1].warc.gz", "plain.warc")):
        pages.write_warc(tmp_path / "in" / name, pages.make_pages(range(10 * place + 1, 10 * place + 8)), packed=name.endswith("gz"))
    (tmp_path / "in" / "empty.warc.gz").touch()
    return tmp_path


def test_a_job_that_is_stopped_anywhere_goes_on_and_gives_each_page_once(spark: Any, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_extract(spark, make_job(shop, "whole"), print)
    assert (whole["pages"], whole["input_files"], whole["empty_files"]) == (21, 4, 1)
    assert whole["rows"]["shop.1"] == 21 and whole["rows"]["shop.1.1"] == 42
    settle, move = OutputFolder.settle, OutputFolder._move
    calls = {"settle": 0, "move": 0}

    def stop_settling(self: OutputFolder, *arguments: Any) -> Any:
        calls["settle"] += 1
        if calls["settle"] == 2:
            raise KeyboardInterrupt
        return settle(self, *arguments)

    def stop_moving(self: OutputFolder, *arguments: Any) -> None:
        calls["move"] += 1
        move(self, *arguments)
        if calls["move"] == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "settle", stop_settling)
        with pytest.raises(KeyboardInterrupt):
            run_extract(spark, make_job(shop, "stopped"), print)
    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "_move", stop_moving)
        with pytest.raises(KeyboardInterrupt):
            run_extract(spark, make_job(shop, "stopped"), print)
    assert not (shop / "stopped" / "_SUCCESS").exists()
    again = run_extract(spark, make_job(shop, "stopped"), print)
    assert again == whole
    assert read_tables(shop / "stopped") == read_tables(shop / "whole")
    waves: list[int] = []
    monkeypatch.setattr(extract_job, "_read_wave", lambda *_: waves.append(1))
    assert run_extract(spark, make_job(shop, "stopped"), print) == whole and not waves


def test_a_table_of_pages_gives_the_records_of_the_warc_file(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    content = pages.make_pages(range(1, 30))
    pages.write_warc(tmp_path / "in" / "a.warc.gz", content)
    table = pa.table({"address": list(content), "html": list(content.values())})
    parquet.write_table(table, tmp_path / "pages.parquet", row_group_size=5)
    run_extract(spark, make_job(tmp_path, "warc", "parquet"), print)
    source = PageSource("parquet", PageColumns("address", "html"))
    run_extract(spark, make_job(tmp_path, "table", "parquet", inputs=(str(tmp_path / "pages.parquet"),), source=source), print)
    one, other = (parquet.read_table(next((tmp_path / name / "shop.1").glob("*.parquet"))) for name in ("warc", "table"))
    assert one.equals(other) and one.num_rows == 29
    assert one["source_url"].to_pylist() == list(content)
    with pytest.raises(SparkJobError, match="no column 'url'; it has address, html"):
        run_extract(spark, make_job(tmp_path, "none", inputs=(str(tmp_path / "pages.parquet"),), source=PageSource("parquet")), print)


def test_folders_and_bundles_that_do_not_fit_are_refused(spark: Any, shop: Path) -> None:
    run_extract(spark, make_job(shop, "out", at_once=0), print)
    for changes, reason in (
        ({"bundles": {"b": pages.make_bundle("other")}}, "another bundles"),
        ({"settings": ExtractSettings("parquet", (), 60)}, "another columns and format"),
        ({"output": str(shop / "in")}, "is not empty"),
        ({"inputs": (str(shop / "nothing*"),)}, "names no file"),
        ({"bundles": {"b.json": b"{}"}}, "b.json: the file is not a bundle"),
        ({"bundles": {"a": pages.make_bundle(), "b": pages.make_bundle()}}, "two bundles are of the site shop"),
        ({"output": "nowhere://x/y"}, "nowhere"),
    ):
        with pytest.raises(SparkJobError, match=reason):
            run_extract(spark, make_job(shop, "out", **changes), print)


def test_the_templates_of_a_crawl_are_those_of_each_site_alone(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    content: dict[str, bytes] = {}
    for host, count in (("one.example", 14), ("www.two.example", 12), ("tiny.example", 3)):
        content |= pages.make_pages(range(count), host)
    names = list(content)
    for place in range(2):
        pages.write_warc(tmp_path / "in" / f"{place}.warc.gz", {name: content[name] for name in names[place::2]})
    job = ClusterJob((str(tmp_path / "in"),), (), str(tmp_path / "out"), PageSource("warc"), threshold=3)
    summary = run_cluster(spark, job, print)
    lines = [line for file in (tmp_path / "out" / "templates").glob("part*") for line in file.read_bytes().splitlines()]
    found = {each.site: each for each in map(read_crawl_templates, lines)}
    assert set(found) == {"one.example", "two.example"}
    for site, each in found.items():
        of_site = {url: page for url, page in content.items() if name_site(url) == site}
        alone = cluster_vectors(dict(zip(of_site, compute_vectors(of_site.values()), strict=True)), threshold=3)
        assert [(one.mask, one.pages) for one in each.templates] == [(one.mask.text(), len(one.members)) for one in alone.clusters]
        assert each.unclustered == len(alone.unclustered) and set(each.templates[0].addresses) <= set(of_site)
    assert summary["clustered"] + summary["unclustered"] == 26
    assigned = parquet.read_table(tmp_path / "out" / "assignments")
    assert sorted(assigned["url"].to_pylist()) == sorted(url for url in content if "tiny" not in url)
    assert json.loads((tmp_path / "out" / "_summary.json").read_text()) == summary
