"""The bad pages among the good pages of a shop, on the whole way: import, clustering, marking, learning, extraction, exports.

No run fails, each page is stored or named, and the records of the good pages are those that they would be alone.
"""

import csv
import io
from pathlib import Path

import pytest

from extraction.models import Cluster, Page, Record, Run, RunProblem, Snapshot
from extraction.services.intake import import_pages
from extraction.services.learning import learn_rule
from extraction.services.records import export_csv, extract_records
from extraction.services.records.exports import export_records, formats, scopes
from extraction.services.rules import rules
from tests.hostile.bad_pages import NAMES, make_pages
from tests.services import factory
from tests.services.importing import bring, cluster_all, done, zip_at

pytestmark = pytest.mark.django_db

GOOD = 14
EVIL_TITLES = [name for name in NAMES if name.strip() and "\r" not in name and name.isprintable() and "<" not in name and "&" not in name]


def good_page(number: int) -> bytes:
    return factory.book_html(EVIL_TITLES[number].replace("<", "&lt;"), price=f"£{number}.50", authors=[f"Writer {number}"], pad=3)


def all_files() -> dict[str, bytes]:
    files = {f"book/{number:02}.html": good_page(number) for number in range(GOOD)}
    return files | {f"bad/{number:03}.html": page.content for number, page in enumerate(make_pages()) if len(page.content) < 9_000}


def test_bad_pages_cost_no_good_record_on_the_whole_way(tmp_path: Path, sent: list[int]) -> None:
    site, files = factory.site("Mixed"), all_files()
    brought = bring(site, zip_at(tmp_path / "mixed.zip", files))
    assert brought.state == Run.State.DONE, brought.error
    named = set(RunProblem.objects.filter(run=brought).values_list("name", flat=True))
    stored = {url.rpartition("upload/")[2] or url for url in Page.objects.filter(site=site).values_list("url", flat=True)}
    assert not {name for name in files if not any(name in each for each in stored | named)}
    assert not RunProblem.objects.filter(run=brought, reason__contains="reading the page failed").exists()

    assert [run.state for run in cluster_all(site)] == [Run.State.DONE]
    cluster = Cluster.objects.get(
        pk=Snapshot.objects.filter(page__site=site, page__url__contains="book/00").values_list("cluster", flat=True)[0]
    )
    books = Snapshot.objects.filter(page__site=site, page__url__contains="book/")
    assert set(books.values_list("cluster", flat=True)) == {cluster.pk}
    Cluster.objects.filter(pk=cluster.pk).update(record_type=factory.record_type())
    cluster.refresh_from_db()
    for number in (0, 1):
        shot = books.get(page__url__contains=f"book/{number:02}")
        content = good_page(number)
        for attribute in cluster.record_type.attributes.all():
            text = {"title": EVIL_TITLES[number], "price": f"£{number}.50", "author": f"Writer {number}"}[attribute.name]
            factory.label(cluster, shot, attribute, [factory.text_at(content, text)])
    learned = done(learn_rule.start_learning(cluster))
    assert learned.state == Run.State.DONE, learned.error
    rules.publish_rule(cluster.rules.latest("version"))
    extracted = done(extract_records.start_extraction(cluster))
    assert extracted.state == Run.State.DONE, extracted.error
    _check_records(cluster, tmp_path)


def _check_records(cluster: Cluster, folder: Path) -> None:
    good = Record.objects.filter(cluster=cluster, snapshot__page__url__contains="book/")
    assert good.count() == GOOD and not good.filter(state=Record.State.FAILED).exists()
    rows = list(csv.DictReader(io.StringIO("".join(export_csv.write_rows(cluster)))))
    written = {row["title"] for row in rows}
    assert all({title, f"'{title}"} & written for title in (" ".join(each.split()) for each in EVIL_TITLES[:GOOD]))
    assert not [cell for row in rows for cell in row.values() if cell and cell.startswith(("=", "+", "@", "\t"))]
    scope = scopes.find_template_scope(cluster)
    for form in formats.FORMATS.values():
        path = folder / f"records.{form.suffix}"
        export = export_records.plan_export(scope, export_records.make_default_choice(scope), form)
        export_records.write_export(export, path)
        assert path.stat().st_size > 0


def test_an_import_of_only_bad_pages_ends_and_says_what_was_wrong(tmp_path: Path, sent: list[int]) -> None:
    files = {f"{number}.html": page.content for number, page in enumerate(make_pages()) if page.refused}
    run = done(import_pages.start_import(factory.site("Bad"), zip_at(tmp_path / "bad.zip", files), name="bad.zip"))
    assert run.state == Run.State.DONE
    assert RunProblem.objects.filter(run=run).count() == len(files) > 5
