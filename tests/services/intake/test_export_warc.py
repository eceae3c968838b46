"""A site that is exported as a WARC file can be imported again unchanged."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from warcio.archiveiterator import ArchiveIterator

from extraction.fetching.items import PageItem, RecordedAnswer
from extraction.models import Run, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.intake import export_warc
from extraction.services.sites import page_store
from tests.services.importing import bring, detail, listing, site_files, tables, zip_at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(sent: list[int]) -> Site:
    """Pages that were fetched, one of them in two versions, one made by a browser, one that was not kept."""
    made = Site.objects.create(name="Bücher & Co", slug="books")
    run = Run.objects.create(site=made, kind=Run.Kind.CRAWL, parameters={"mode": "sample"})
    fetched = [("https://e.example/a?x=1&y=ü", detail(1), None), ("https://e.example/b", listing(2), b"<html><script></script></html>")]
    for url, content, received in [*fetched, ("https://e.example/a?x=1&y=ü", detail(3), None)]:
        answer = RecordedAnswer(200, {"content-type": "text/html", "etag": '"1"'}, received)
        page_store.store_pages(run, [PageItem(url, url, content, "text/html; charset=utf-8", timezone.now(), answer)])
    page_store.store_pages(run, [PageItem("https://e.example/c", "https://e.example/c", detail(9))], keep_new=False)
    return made


def written(site: Site, path: Path) -> Path:
    path.write_bytes(b"".join(export_warc.write_records(site)))
    return path


def test_an_export_that_is_imported_gives_the_same_pages(site: Site, tmp_path: Path) -> None:
    again = Site.objects.create(name="Again", slug="again")
    run = bring(again, written(site, tmp_path / "books.warc.gz"))
    assert (run.state, run.error, run.problems.count()) == (Run.State.DONE, "", 0)
    Snapshot.objects.filter(kept=False).delete()
    site.pages.filter(current=None).delete()
    assert tables(again, times=False) == tables(site, times=False)
    times = [list(each.pages.order_by("url").values_list("url", "snapshots__sha256", "snapshots__fetched_at")) for each in (site, again)]
    assert sorted(times[0]) == sorted(times[1])


def test_pages_that_have_names_only_keep_them(sent: list[int], tmp_path: Path) -> None:
    named = Site.objects.create(name="Named", slug="named")
    bring(named, zip_at(tmp_path / "a.zip", site_files(3, 2) | {"a b/100% ü.html": detail(5)}))
    again = Site.objects.create(name="Again", slug="again")
    bring(again, written(named, tmp_path / "named.warc.gz"))
    assert tables(again, times=False)["pages"] == tables(named, times=False)["pages"]
    assert again.pages.filter(url="a b/100% ü.html").exists()


def test_the_file_is_what_other_readers_expect(site: Site, tmp_path: Path) -> None:
    with written(site, tmp_path / "books.warc.gz").open("rb") as file:
        records = [
            (each.rec_type, each.rec_headers.get_header("WARC-Target-URI"), each.content_stream().read()) for each in ArchiveIterator(file)
        ]
    assert [kind for kind, _, _ in records] == ["warcinfo", "response", "resource", "response"]
    assert records[1][2] == detail(1)
    assert b"Vertex" in records[0][2]


def test_records_are_streamed_one_by_one(site: Site) -> None:
    pieces = list(export_warc.write_records(site))
    assert len(pieces) == 4
    assert all(gzip.decompress(piece).startswith(b"WARC/1.1") for piece in pieces)


def test_a_page_whose_bytes_are_gone_is_skipped_and_the_others_are_exported(site: Site) -> None:
    sha256 = stored_bytes.digest_bytes(detail(1))
    stored_bytes.throw_away(sha256)
    stored_bytes.empty_trash(sha256, wanted=False)  # another test may have thrown the same bytes away, and they would be found there
    assert len(list(export_warc.write_records(site))) == 3
    stored_bytes.put_bytes(detail(1))


def test_the_dashboard_and_the_command_line_give_the_same_file(site: Site, signed_in: Any, tmp_path: Path, capsys: Any) -> None:
    answer = signed_in("viewer").get(reverse("site_warc", args=[site.slug]))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="books.warc.gz"'
    call_command("export_warc", "books", str(tmp_path / "out.warc.gz"))
    assert "3 pages in" in capsys.readouterr().out

    def payloads(data: Any) -> list[bytes]:
        return [each.content_stream().read() for each in ArchiveIterator(data)][1:]

    with (tmp_path / "out.warc.gz").open("rb") as file:
        assert payloads(file) == payloads(io.BytesIO(answer.getvalue()))
