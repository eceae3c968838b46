"""An import turns each page into a row once, in whatever order they come, however often, and even if a worker dies."""

import gzip
import io
import random
import tarfile
import time
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.management import CommandError, call_command
from django.test import override_settings
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from extraction.fetching.items import ArchiveError, PageItem
from extraction.management import following
from extraction.models import Page, Run, Site, Snapshot
from extraction.services.core import runs, stored_bytes
from extraction.services.intake import import_pages
from extraction.services.sites import page_store
from tests.fetching.archive_files import make_warc
from tests.services import factory
from tests.services.importing import bring, cluster_all, detail, done, manifest, problems, site_files, tables, zip_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def site() -> Site:
    return Site.objects.create(name="Books", slug="books")


def uploads() -> list[str]:
    try:
        return default_storage.listdir("uploads")[1]
    except FileNotFoundError:
        return []


@pytest.fixture(autouse=True)
def _of_other_tests() -> None:
    for name in uploads():
        default_storage.delete(f"uploads/{name}")


def test_a_zip_becomes_pages_with_snapshots_and_their_contents(site: Site, tmp_path: Path) -> None:
    files = manifest({"0.html": detail(0), "1.html": detail(1)}) | {"style.css": b"b{}", "inner.zip": b"PK"}
    run = bring(site, zip_at(tmp_path / "site.zip", files))
    assert (run.state, run.error) == (Run.State.DONE, "")
    assert run.summary == {
        "pages": 2, "new": 2, "changed": 0, "unchanged": 0, "unreadable": 0, "partly": 0, "refused": 1, "skipped": {"style": 1},
    }  # fmt: skip
    assert (run.done, run.total) == (2, 2)
    page = Page.objects.get(site=site, url="https://example.com/1")
    assert page.current is not None
    assert stored_bytes.get_bytes(page.current.sha256) == detail(1)
    assert (page.current.title, page.current.size_bytes, page.current.error) == ("Book 1", len(detail(1)), "")
    assert len(page.current.vector) == 16
    assert problems(run) == {"inner.zip": "an archive within an archive is not opened"}
    assert uploads() == []


def test_importing_twice_changes_nothing(site: Site, tmp_path: Path) -> None:
    path = zip_at(tmp_path / "site.zip", manifest(site_files()) | {"empty.html": b""})
    first = bring(site, path)
    assert len(cluster_all(site)) == 1
    before = tables(site)
    again = bring(site, path)
    assert tables(site) == before
    assert again.pk != first.pk
    assert (again.summary["new"], again.summary["changed"], again.summary["unchanged"]) == (0, 0, 19)
    assert problems(again) == problems(first)
    assert cluster_all(site) == [], "nothing changed, so nothing is clustered"


def test_other_bytes_at_a_known_address_become_current_and_old_ones_stay(site: Site, tmp_path: Path) -> None:
    for step, content in enumerate([detail(1), detail(2), detail(1)]):
        run = bring(site, zip_at(tmp_path / f"{step}.zip", {"a.html": content}))
        assert run.summary["new" if step == 0 else "changed"] == 1
        page = Page.objects.get(site=site)
        assert page.current is not None
        assert page.current.sha256 == stored_bytes.digest_bytes(content)
    assert Snapshot.objects.count() == 2


def test_the_newest_visit_of_a_warc_is_current_in_any_order(site: Site, tmp_path: Path) -> None:
    visits = [{"url": "http://e.com/", "body": detail(n), "date": f"2024-0{month}-01T00:00:00Z"} for n, month in ((1, 3), (2, 5), (3, 4))]
    path = tmp_path / "visits.warc.gz"
    path.write_bytes(make_warc(visits))
    bring(site, path)
    page = Page.objects.get(site=site)
    assert page.current is not None
    assert page.current.sha256 == stored_bytes.digest_bytes(detail(2))
    assert page.current.fetched_at == datetime(2024, 5, 1, tzinfo=UTC)
    before = tables(site)
    bring(site, path)
    assert tables(site) == before


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([b"", b"<p>1", b"<p>2", b"<p>3"]), st.integers(0, 3)), max_size=8),
    st.randoms(use_true_random=False),
)
@hypothesis_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_dated_visits_give_the_same_state_in_any_order_and_again(site: Site, visits: list[tuple[str, bytes, int]], shuffled: Any) -> None:
    items = [
        PageItem(url, f"http://e.com/{url}", content, fetched_at=datetime(2024, 1, 1 + day, tzinfo=UTC) if day else None)
        for url, content, day in visits
    ]
    if any(item.fetched_at is None for item in items):
        items = list({item.url: item for item in items}.values())
    states = []
    for order in (items, shuffled.sample(items, len(items)), [*items, *items]):
        Page.objects.filter(site=site).delete()
        run = factory.run(site, Run.Kind.IMPORT, Run.State.DONE)
        Run.objects.filter(pk=run.pk).update(created_at=datetime(2025, 1, 1, tzinfo=UTC))
        run.refresh_from_db()
        for item in order:
            page_store.store_pages(run, [item])
        states.append(
            [(url, sha, at) for url, sha, at in Page.objects.order_by("url").values_list("url", "current__sha256", "current__fetched_at")]
        )
    assert states[0] == states[1] == states[2]


def test_a_date_in_the_future_is_ignored(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "future.warc"
    path.write_bytes(make_warc([{"url": "http://e.com/", "date": "9999-01-01T00:00:00Z"}]))
    run = bring(site, path)
    assert Snapshot.objects.get().fetched_at == run.created_at


@pytest.mark.parametrize(("first", "second"), [(timedelta(1), timedelta()), (timedelta(), timedelta(-1)), (timedelta(), timedelta())])
def test_a_later_import_counts_as_newer_although_the_clock_was_set_in_between(site: Site, first: timedelta, second: timedelta) -> None:
    runs_made = [factory.run(site, Run.Kind.IMPORT, Run.State.DONE) for _ in range(3)]
    for run, offset in zip(runs_made, (first, second, timedelta()), strict=True):
        Run.objects.filter(pk=run.pk).update(created_at=timezone.now() + offset)
        run.refresh_from_db()
    old, new, again = runs_made
    page_store.store_pages(old, [PageItem("a", "http://e.com/a", b"<p>old")])
    page_store.store_pages(new, [PageItem("a", "http://e.com/a", b"<p>new")])
    assert get_content(site) == b"<p>new"
    page_store.store_pages(old, [PageItem("a", "http://e.com/a", b"<p>old")])
    assert get_content(site) == b"<p>new", "a run that is repeated brings nothing new"
    page_store.store_pages(again, [PageItem("a", "http://e.com/a", b"<p>old")])
    assert get_content(site) == b"<p>old", "a third run saw the old content again"


def test_a_fetched_page_whose_time_turns_out_to_be_in_the_future_gives_way(site: Site) -> None:
    run = factory.run(site, Run.Kind.CRAWL, Run.State.DONE)
    page_store.store_pages(run, [PageItem("a", "http://e.com/a", b"<p>old", fetched_at=timezone.now())])
    Snapshot.objects.update(fetched_at=timezone.now() + timedelta(days=1))
    page_store.store_pages(run, [PageItem("a", "http://e.com/a", b"<p>new", fetched_at=timezone.now())])
    assert get_content(site) == b"<p>new"
    page_store.store_pages(run, [PageItem("a", "http://e.com/a", b"<p>old", fetched_at=timezone.now() - timedelta(days=1))])
    assert get_content(site) == b"<p>new", "the time of the old content was corrected"


def get_content(site: Site) -> bytes:
    page = Page.objects.get(site=site)
    assert page.current is not None
    return stored_bytes.get_bytes(page.current.sha256)


def test_the_same_bytes_are_stored_once(site: Site, tmp_path: Path) -> None:
    bring(site, zip_at(tmp_path / "a.zip", {"a.html": detail(77), "b.html": detail(77)}))
    assert Snapshot.objects.count() == 2
    assert Snapshot.objects.values("sha256").distinct().count() == 1


def test_unreadable_pages_are_kept_and_reported(site: Site, tmp_path: Path) -> None:
    run = bring(site, zip_at(tmp_path / "a.zip", {"a.html": detail(1), "empty.html": b" \n", "x\x01.html": b""}))
    assert run.state == Run.State.DONE
    assert run.summary["unreadable"] == 2
    snapshot = Snapshot.objects.get(page__url="empty.html")
    assert (snapshot.error, snapshot.vector) == ("the page is empty", "")
    assert problems(run)["empty.html"] == "the page is empty"


def test_files_that_are_not_text_or_have_no_tag_are_refused_and_listed(site: Site, tmp_path: Path) -> None:
    files = {"a.html": b"\0\xff" * 600, "b.html": detail(1), "c.html": b"just text", "d.html": detail(2).replace(b"Year", b"\0\0")}
    run = bring(site, zip_at(tmp_path / "site.zip", files))
    assert problems(run) == {
        "a.html": "it is binary, not a page: 50% of its first bytes are control characters",
        "c.html": "it contains no tags, so it is not an HTML or XML page",
    }
    assert set(Page.objects.values_list("url", flat=True)) == {"b.html", "d.html"} and run.summary["refused"] == 2


def test_a_hostile_page_is_kept(site: Site, tmp_path: Path) -> None:
    files = {
        "deep.html": b"<html><title>\0deep\0</title>" + b"<div>" * 5000 + b"x",
        "wrong.html": b"<meta charset=utf-8><title>caf\xe9</title><p>x",
        "bom.html": b"\xef\xbb\xbf<base href=x><!doctype html><title>t" + b"</title><p>x",
        "utf16.html": "<!doctype html><title>sixteen</title><p>x".encode("utf-16"),
    }
    run = bring(site, zip_at(tmp_path / "a.zip", files))
    assert run.state == Run.State.DONE, run.error
    assert Snapshot.objects.filter(error="").count() == 4
    assert Snapshot.objects.get(page__url="utf16.html").title == "sixteen"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"no archive", "x.zip: it is not a zip, tar or WARC file"), (b"", "x.zip: the file is empty")]
)
def test_a_file_that_is_not_an_archive_fails_with_the_reason_and_is_deleted(site: Site, tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    run = bring(site, path)
    assert (run.state, run.error) == (Run.State.FAILED, reason)
    assert uploads() == []


def test_an_archive_without_pages_fails(site: Site, tmp_path: Path) -> None:
    run = bring(site, zip_at(tmp_path / "x.zip", {"a.png": b"\x89PNG"}))
    assert (run.state, run.error) == (Run.State.FAILED, "x.zip: no page was found in it")


def test_the_first_pages_of_a_truncated_archive_are_imported(site: Site, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for n in range(10):
            info = tarfile.TarInfo(f"{n}.html")
            content = detail(n, extra=random.Random(n).randbytes(2000).hex())
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(gzip.compress(buffer.getvalue())[:-5000])
    run = bring(site, path)
    assert run.state == Run.State.DONE
    assert 0 < run.summary["pages"] < 10
    assert problems(run)["cut.tar.gz"] == "it was cut off; the part before that was read"


def test_an_upload_is_moved_to_the_storage_and_two_clicks_start_one_import(site: Site, tmp_path: Path) -> None:
    data = zip_at(tmp_path / "a.zip", {"a.html": detail(1)}).read_bytes()
    started = []
    for _ in range(2):
        file = TemporaryUploadedFile("a.zip", "application/zip", len(data), None)
        file.write(data)
        file.seek(0)
        started.append(import_pages.start_import(site, file, name="a.zip"))
        file.close()
    assert started[0] == started[1]
    assert len(uploads()) == 1
    assert done(started[0]).state == Run.State.DONE
    assert uploads() == []


@override_settings(VERTEX_UPLOAD_MAX_BYTES=10)
def test_an_upload_over_the_limit_is_refused(site: Site, tmp_path: Path) -> None:
    with pytest.raises(runs.JobError, match="at most 10 are accepted"):
        import_pages.start_import(site, zip_at(tmp_path / "a.zip", {"a.html": detail(1)}), name="a.zip")
    assert uploads() == []


def test_the_limits_are_those_of_the_settings(site: Site, tmp_path: Path) -> None:
    with override_settings(VERTEX_IMPORT_MAX_PAGES=3):
        run = bring(site, zip_at(tmp_path / "a.zip", site_files()))
    assert run.summary["pages"] == 3
    assert "more than 3 pages" in problems(run)["a.zip"]


def test_a_cancelled_import_keeps_whole_batches_and_drops_the_upload(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "BATCH_PAGES", 5)
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.0)
    run = import_pages.start_import(site, zip_at(tmp_path / "a.zip", site_files()), name="a.zip")
    store = page_store.store_pages

    def cancel_then_store(run: Run, items: Any, **how: Any) -> Any:
        runs.cancel_run(run)
        return store(run, items, **how)

    monkeypatch.setattr(page_store, "store_pages", cancel_then_store)
    done(run)
    assert run.state == Run.State.CANCELLED
    assert Page.objects.count() == 5
    assert uploads() == []


def test_an_import_whose_worker_died_after_the_last_page_is_finished(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = import_pages.start_import(site, zip_at(tmp_path / "a.zip", site_files()), name="a.zip")
    monkeypatch.setattr(runs, "_finish", lambda *_, **__: None)
    runs.execute_run(run.pk, {Run.Kind.IMPORT: import_pages.run_import})
    monkeypatch.undo()
    assert uploads() == []
    factory.put(Run.objects.filter(pk=run.pk), Run.State.QUEUED)
    done(run)
    assert (run.state, run.summary["new"]) == (Run.State.DONE, 18)


@pytest.mark.parametrize("left", ["a file", "an empty folder"])
def test_an_upload_is_not_given_up_while_the_storage_is_away(left: str, site: Site, tmp_path: Path, settings: Any) -> None:
    settings.STORAGES = settings.STORAGES | {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path / "storage")}}
    }
    run = import_pages.start_import(site, zip_at(tmp_path / "a.zip", {"a.html": detail(1)}), name="a.zip")
    (tmp_path / "storage").rename(tmp_path / "away")
    (tmp_path / "storage").touch() if left == "a file" else (tmp_path / "storage").mkdir()
    with pytest.raises(NotADirectoryError) as raised:
        runs.execute_run(run.pk, {Run.Kind.IMPORT: import_pages.run_import})
    runs.end_broken_run(raised.value)
    run.refresh_from_db()
    assert (run.state, run.message) == (
        Run.State.QUEUED,
        "The disk or the folder of the stored pages cannot be used; trying again soon",
    )
    (tmp_path / "storage").unlink() if left == "a file" else (tmp_path / "storage").rmdir()
    (tmp_path / "away").rename(tmp_path / "storage")
    assert done(run).state == Run.State.DONE


def test_uploads_that_nobody_needs_are_deleted_after_a_day(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zip_at(tmp_path / "a.zip", {"a.html": detail(1)})
    forgotten = import_pages.start_import(site, path, name="a.zip")
    runs.cancel_run(forgotten)
    bring(site, path)
    assert len(uploads()) == 1, "young ones may belong to a request that has not written its run yet"
    monkeypatch.setattr(import_pages, "ORPHAN_AGE", timedelta(0))
    bring(site, path)
    assert uploads() == []


def test_a_command_imports_a_folder(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in manifest(site_files()).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    call_command("import_pages", "Other books", str(tmp_path), "--here")
    made = Site.objects.get(slug="other-books")
    assert made.pages.count() == 18
    assert made.clusters.count() == 2
    out = capsys.readouterr().out
    assert "done: 18 of 18 pages" in out
    assert "2 templates" in out
    call_command("cluster_site", "Other books", "--here", "--threshold", "7")
    assert made.clusters.count() == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["import_pages", "books", "/nowhere/x.zip"], "no file or folder /nowhere/x.zip"),
        (["import_pages", "books", "{bad}", "--here"], "it is not a zip, tar or WARC file"),
        (["cluster_site", "nobody"], "no site 'nobody'. Sites: books"),
        (["cluster_site", "books", "--threshold", "0"], "the minimum is 1 page per template"),
        (["cluster_site", "books", "--threshold", "99999999999"], "has 0 pages; with a minimum of 99,999,999,999 pages per template"),
        (["import_pages", "…", "{bad}"], "no letter or digit"),
    ],
)
def test_a_command_that_fails_says_why(site: Site, tmp_path: Path, arguments: list[str], reason: str) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no archive")
    with pytest.raises(CommandError, match=reason):
        call_command(*[argument.format(bad=tmp_path / "bad.zip") for argument in arguments])


def test_an_ambiguous_site_name_is_refused_with_the_candidates(db: None) -> None:
    for name, slug in (("xml", "xml"), ("XML", "xml-2")):
        Site.objects.create(name=name, slug=slug)
    assert [following.find_site(text).slug for text in ("xml", "XML", "xml-2")] == ["xml", "xml-2", "xml-2"]
    with pytest.raises(CommandError, match=r"'xMl' matches several sites. Name one of them: xml \(xml\), xml-2 \(XML\)"):
        following.find_site("xMl", create=True)
    Site.objects.filter(slug="xml-2").delete()
    assert following.find_site("xMl", create=True).slug == "xml"


def test_a_file_without_a_page_leaves_no_empty_site_behind(db: None, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no archive")
    zip_at(tmp_path / "none.zip", {"style.css": b"p {}"})
    for name in ("bad.zip", "none.zip"):
        with pytest.raises(CommandError, match=name):
            call_command("import_pages", "New", str(tmp_path / name), "--here")
        assert not Site.objects.exists(), name


def test_a_truncated_archive_is_imported_and_the_exit_code_says_so(db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = zip_at(tmp_path / "whole.zip", site_files()).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CommandError, match=r"cut.zip was cut off") as caught:
        call_command("import_pages", "New", str(tmp_path / "cut.zip"), "--here")
    assert caught.value.returncode == 2
    assert "it was cut off" in capsys.readouterr().err
    assert Site.objects.get().pages.exists()


def test_problems_are_printed_up_to_ten(db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = {f"empty/{n:02}.html": b"" for n in range(13)}
    call_command("import_pages", "New", str(zip_at(tmp_path / "a.zip", site_files() | empty)), "--here")
    lines = capsys.readouterr().err.splitlines()
    assert sum("empty/" in line for line in lines) == 10
    assert "  and 3 more" in lines


def test_a_waiting_command_says_once_that_no_worker_is_running(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(following, "HINT_AFTER_S", 0.0)
    monkeypatch.setattr(following, "LOOK_EVERY_S", 0.01)
    looks = iter(range(9))

    def look(_: float) -> None:
        if next(looks) == 3:
            factory.put(Run.objects.all(), Run.State.CANCELLED)

    monkeypatch.setattr(time, "sleep", look)
    with pytest.raises(CommandError):
        call_command("import_pages", "books", str(zip_at(tmp_path / "a.zip", site_files())), "--wait")
    assert capsys.readouterr().err.count("no worker has started the run yet; start one with make run, or use --here") == 1


def test_an_upload_in_object_storage_is_copied_to_a_file_first(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = import_pages.start_import(site, zip_at(tmp_path / "a.zip", site_files()), name="a.zip")
    monkeypatch.setattr(import_pages, "default_storage", _Remote(default_storage))
    assert done(run).summary["pages"] == 18


class _Remote:
    """A storage whose files are not on this machine."""

    def __init__(self, storage: Any) -> None:
        self._storage = storage

    def path(self, name: str) -> str:
        raise NotImplementedError("elsewhere")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)


def test_of_two_uploads_of_the_same_bytes_at_the_same_moment_one_is_kept(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, started = zip_at(tmp_path / "a.zip", {"a.html": detail(1)}), list[Run]()

    def save_late(name: str, file: Any) -> str:
        if not started:
            monkeypatch.undo()
            started.append(import_pages.start_import(site, path, name="a.zip"))
        return default_storage.save(name, file)

    monkeypatch.setattr(import_pages, "default_storage", SimpleNamespace(save=save_late))
    assert import_pages.start_import(site, path, name="a.zip") == started[0]
    assert [f"uploads/{name}" for name in uploads()] == [started[0].read_parameters().upload]


def test_a_folder_that_is_not_there_is_not_imported(site: Site, tmp_path: Path) -> None:
    with pytest.raises(runs.JobError, match="there is no folder"):
        import_pages.start_folder_import(site, tmp_path / "none")
    assert not Run.objects.exists()


def test_an_import_that_another_worker_took_over_keeps_its_upload(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = import_pages.start_import(site, zip_at(tmp_path / "a.zip", site_files()), name="a.zip")

    def take_over(*_: Any, **__: Any) -> None:
        raise runs.Cancelled

    monkeypatch.setattr(page_store, "store_pages", take_over)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING)
    run.refresh_from_db()
    with pytest.raises(runs.Cancelled):
        import_pages.run_import(run, runs.Progress(run))
    assert len(uploads()) == 1


def test_answers_of_a_server_that_are_no_pages_are_counted_by_their_status(site: Site, tmp_path: Path) -> None:
    records = [{"url": f"https://books.example/{n}", "status": "404 Not Found"} for n in range(2)] + [{"url": "https://books.example/9"}]
    (tmp_path / "a.warc.gz").write_bytes(make_warc(records))
    run = bring(site, tmp_path / "a.warc.gz")
    assert (run.state, run.summary["pages"]) == (Run.State.DONE, 1)
    assert [reason for reason in problems(run).values() if "answered" in reason] == [
        "pages not imported because the server had answered with this status: 2"
    ]


def test_an_upload_is_looked_at_before_it_is_stored(tmp_path: Path) -> None:
    def check(files: dict[str, bytes]) -> None:
        with zip_at(tmp_path / "a.zip", files).open("rb") as file:
            opened = File(file, name="a.zip")
            import_pages.check_archive(opened)
            assert opened.tell() == 0

    check({"style.css": b"b{}", "a.html": detail(1)})
    with pytest.raises(ArchiveError, match="no page was found in it"):
        check({"style.css": b"b{}"})
    with pytest.raises(ArchiveError, match=r"no page was found in it; inner\.zip: "):
        check({"inner.zip": b"PK", "other.zip": b"PK"})


def test_an_upload_with_many_other_files_first_gets_the_benefit_of_the_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "LOOK_ITEMS", 3)
    for count, refused in ((2, True), (3, False), (4, False)):
        path = zip_at(tmp_path / f"{count}.zip", {f"{n}.css": b"b{}" for n in range(count)})
        with path.open("rb") as file, pytest.raises(ArchiveError) if refused else nullcontext():
            import_pages.check_archive(File(file, name=path.name))
