"""A crawl turns what its process fetches into pages and rows. After a crash or a pause it continues, and nothing is done twice."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from extraction.fetching.crawl import process
from extraction.fetching.crawl.messages import Address, Done, EndReason, Fetched, FetchedAsset, Outcome
from extraction.fetching.crawl.process import Crawl
from extraction.models import Cluster, CrawlAddress, Page, Record, Rule, Run, Site, Snapshot, Source
from extraction.models.run_values import EXTRACT
from extraction.services.core import runs, stored_bytes
from extraction.services.intake import crawl_frontier, crawl_site, rest
from extraction.services.intake.crawl_intake import Intake
from extraction.services.records import extract_records
from tests.services import factory
from tests.services.importing import cluster_all, detail, done, listing, tables
from tests.services.intake.conftest import Net
from tests.views import world as worlds

pytestmark = pytest.mark.django_db(transaction=True)

HOME = "https://shop.example/"


def shop(books: int = 12, lists: int = 6) -> dict[str, dict[str, Any]]:
    """A site of two templates behind its home page."""
    urls = [f"{HOME}book/{n}" for n in range(books)]
    pages = {url: {"html": detail(n).decode(), "headers": {"etag": f'"{n}"'}} for n, url in enumerate(urls)}
    for n in range(lists):
        pages[f"{HOME}list/{n}"] = {"html": listing(n).decode(), "links": urls[n::lists]}
    pages[HOME] = {"html": "<html><title>Shop</title><p>Welcome</p></html>", "links": [f"{HOME}list/{n}" for n in range(lists)]}
    return pages


@pytest.fixture
def site(db: None, sent: list[int]) -> Site:
    made = Site.objects.create(name="Shop", slug="shop", address=HOME)
    Source.objects.create(site=made, addresses=[HOME], whole=True)
    return made


def crawl(site: Site) -> Run:
    return done(crawl_site.start_crawl(site))


def current(url: str) -> Snapshot:
    """The page as it was last seen."""
    found = Page.objects.select_related("current").get(url=url).current
    assert found is not None
    return found


def test_a_site_is_crawled_from_its_address_and_its_templates_are_found(site: Site, net: Net) -> None:
    net(shop(24, 12))
    run = crawl(site)
    assert (run.state, run.error) == (Run.State.DONE, "")
    assert (run.summary["pages"], run.summary["new"], run.summary["reason"]) == (37, 37, "finished")
    (clustering,) = cluster_all(site)
    assert clustering.parameters["after"] == run.pk
    assert clustering.summary["clusters"] == 2
    page = current(f"{HOME}book/3")
    assert stored_bytes.get_bytes(page.sha256) == detail(3)
    assert (page.status, page.headers["etag"], page.title) == (200, '"3"', "Book 3")
    address = CrawlAddress.objects.get(run=run, url=f"{HOME}book/3")
    assert (address.state, address.outcome, address.depth, address.via) == ("done", "ok", 2, f"{HOME}list/3")


def test_each_failure_has_its_outcome_and_addresses_without_a_page_make_none(site: Site, net: Net) -> None:
    pages = shop()
    pages[HOME]["links"] += [f"{HOME}missing", f"{HOME}private", f"{HOME}slow"]
    pages[f"{HOME}private"] = {"outcome": "refused_by_robots", "status": None, "message": "Disallow: /private"}
    pages[f"{HOME}slow"] = {"outcome": "timeout", "status": None}
    net(pages)
    run = crawl(site)
    assert run.summary["outcomes"] == {"ok": 19, "not_found": 1, "refused_by_robots": 1, "timeout": 1}
    assert run.summary["missed"] == 3
    assert not Page.objects.filter(url__in=[f"{HOME}missing", f"{HOME}private", f"{HOME}slow"]).exists()
    assert CrawlAddress.objects.get(url=f"{HOME}private").message == "Disallow: /private"


def test_a_page_has_the_address_that_redirects_led_to(site: Site, net: Net) -> None:
    net({HOME: {"html": detail(1).decode(), "final_url": f"{HOME}en/"}})
    crawl(site)
    assert list(Page.objects.values_list("url", flat=True)) == [f"{HOME}en/"]
    assert CrawlAddress.objects.get(url=HOME).final_url == f"{HOME}en/"


def test_a_rendered_page_is_stored_as_rendered_and_as_received(site: Site, net: Net) -> None:
    net({HOME: {"html": "<html><script src=app.js></script></html>", "rendered": detail(7).decode()}})
    crawl(site)
    snapshot = Snapshot.objects.get()
    assert snapshot.title == "Book 7"
    assert stored_bytes.get_bytes(snapshot.sha256) == detail(7)
    assert stored_bytes.get_bytes(snapshot.received) == b"<html><script src=app.js></script></html>"


def test_a_second_crawl_tells_unchanged_changed_new_and_gone_pages_apart(site: Site, net: Net, asked: Callable[[], list[str]]) -> None:
    pages = shop()
    net(pages)
    crawl(site)
    seen = current(f"{HOME}book/1").fetched_at
    pages[f"{HOME}book/0"] = {"html": detail(0, extra="<p>Sold</p>").decode(), "headers": {"etag": '"new"'}}
    del pages[f"{HOME}book/5"]
    pages[HOME]["links"] += [f"{HOME}book/99"]
    pages[f"{HOME}book/99"] = {"html": detail(99).decode()}
    net(pages)
    before = len(asked())
    run = crawl(site)
    figures = {name: run.summary.get(name) for name in ("pages", "new", "changed", "unchanged", "gone")}
    assert figures == {"pages": 19, "new": 1, "changed": 1, "unchanged": 17, "gone": 1}
    assert run.summary["outcomes"]["not_modified"] == 10, "their server was told what we have"
    assert sorted(asked()[before:]) == sorted({*pages, f"{HOME}book/5"}), "each address once"
    assert Page.objects.get(url=f"{HOME}book/5").gone_at
    assert Page.objects.get(url=f"{HOME}book/0").snapshots.count() == 2
    assert current(f"{HOME}book/1").fetched_at >= seen

    pages[f"{HOME}book/5"] = {"html": detail(5).decode()}
    net(pages)
    crawl(site)
    assert Page.objects.get(url=f"{HOME}book/5").gone_at is None, "it came back"


def test_a_process_that_dies_is_restarted_and_continues(site: Site, net: Net, asked: Callable[[], list[str]], monkeypatch: Any) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 1)
    net(shop(), die_after=8)
    run = crawl(site)
    assert (run.state, run.summary["pages"]) == (Run.State.DONE, 19)
    assert len(asked()) - len(set(asked())) <= 1, "what was in hand and nothing else was fetched again"
    net(shop())
    calm = Site.objects.create(name="Calm", slug="calm")
    Source.objects.create(site=calm, addresses=[HOME], whole=True)
    crawl(calm)
    assert tables(site, times=False) == tables(calm, times=False)


def test_a_page_that_hangs_the_process_is_named_and_the_crawl_goes_on(site: Site, net: Net, monkeypatch: Any) -> None:
    monkeypatch.setattr(process, "SILENT_S", 1.5)
    monkeypatch.setattr(process, "GRACE_S", 0.5)
    net(shop(), hang_on=f"{HOME}book/3")
    run = crawl(site)
    assert (run.state, run.summary["pages"]) == (Run.State.DONE, 18)
    hung = run.addresses.get(url=f"{HOME}book/3")
    assert hung.outcome == "unreadable"
    assert "hung 2 times" in hung.message


def test_a_process_that_keeps_dying_ends_the_run_with_its_last_words(site: Site, monkeypatch: Any) -> None:
    monkeypatch.setattr(crawl_site, "Crawl", partial(Crawl, program=("sh", "-c", "read plan; echo no reactor >&2; exit 3")))
    run = crawl(site)
    assert run.state == Run.State.FAILED
    assert "died 3 times" in run.error
    assert "no reactor" in run.error


def test_a_paused_crawl_keeps_open_requests_and_continues_where_it_stopped(
    site: Site, net: Net, asked: Callable[[], list[str]], monkeypatch: Any
) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 3)
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.0)
    net(shop(), hold_after=8)
    run = crawl_site.start_crawl(site)
    show = crawl_site._show

    def pausing(intake: Any, *args: Any) -> None:
        if intake.pages >= 5:
            runs.pause_run(run)
        show(intake, *args)

    monkeypatch.setattr(crawl_site, "_show", pausing)
    paused = done(run)
    assert paused.state == Run.State.PAUSED
    assert CrawlAddress.objects.filter(run=run, state="done").count() == len(asked()) < 19
    assert paused.done == len(asked()), "what came in after the pause counts as well"
    monkeypatch.setattr(crawl_site, "_show", show)
    assert runs.resume_run(run) is runs.Resumption.RESUMED
    run = done(run)
    assert (run.state, run.summary["pages"], run.summary["new"]) == (Run.State.DONE, 19, 19)
    assert len(asked()) == len(set(asked())), "nothing was fetched twice"


def test_a_resumed_crawl_counts_the_pages_it_already_has_and_can_be_cancelled(
    site: Site, net: Net, asked: Callable[[], list[str]], monkeypatch: Any
) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 3)
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.0)
    net(shop(), hold_after=8)
    run, said = crawl_site.start_crawl(site), []
    show = crawl_site._show

    def resting(intake: Any, *args: Any) -> None:
        if intake.pages >= 5:
            runs.pause_run(run)
        show(intake, *args)

    monkeypatch.setattr(crawl_site, "_show", resting)
    paused = done(run)
    write = runs.Progress._write

    def cancelling(progress: Any) -> None:
        said.append((progress.run.done, progress.run.total))
        runs.cancel_run(run)
        write(progress)

    monkeypatch.setattr(runs.Progress, "_write", cancelling)
    assert runs.resume_run(run) is runs.Resumption.RESUMED
    cancelled = done(run)
    assert cancelled.state == Run.State.CANCELLED
    assert cancelled.done == paused.done == len(asked())
    assert said == [(paused.done, paused.total)]


def test_a_crawl_may_resume_while_its_former_worker_stores_the_last_pages(site: Site, net: Net, monkeypatch: Any) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 3)
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.0)
    net(shop(), hold_after=8)
    run = crawl_site.start_crawl(site)
    show = crawl_site._show

    def overtaken(intake: Any, *args: Any) -> None:
        if intake.pages > 3:
            monkeypatch.setattr(crawl_site, "_show", show)
            assert runs.pause_run(run)
            assert runs.resume_run(run) is runs.Resumption.RESUMED
            assert done(run).state == Run.State.DONE
        show(intake, *args)

    monkeypatch.setattr(crawl_site, "_show", overtaken)
    assert done(run).state == Run.State.DONE
    assert Page.objects.filter(site=site).count() == 19


def test_the_page_limit_counts_all_restarts_of_a_crawl(site: Site, net: Net, monkeypatch: Any) -> None:
    monkeypatch.setattr(crawl_site, "BATCH_PAGES", 1)
    Source.objects.update(page_limit=9)
    net(shop(), die_after=6)
    run = crawl(site)
    assert (run.summary["pages"], run.summary["reason"]) == (9, "page_limit")


def test_addresses_that_a_crawl_left_out_are_counted_until_it_has_fetched_all(site: Site, net: Net) -> None:
    Source.objects.update(page_limit=9)
    net(shop())
    run = crawl(site)
    left = CrawlAddress.objects.filter(run=run, state=CrawlAddress.State.QUEUED).count()
    assert left and run.summary["left"] == rest.count_left_out(site) == left
    Source.objects.update(page_limit=500)
    assert crawl(site).summary["reason"] == "finished"
    assert rest.count_left_out(site) == 0


def test_a_crawl_that_brings_nothing_says_why(site: Site, net: Net) -> None:
    net({HOME: {"outcome": "unreachable", "status": None, "message": "no such host"}})
    run = crawl(site)
    assert run.state == Run.State.FAILED
    assert run.error == "No page could be fetched. https://shop.example/: unreachable (no such host)."


def test_a_site_without_an_address_is_not_crawled(sent: list[int]) -> None:
    with pytest.raises(runs.JobError, match="no start address"):
        crawl_site.start_crawl(Site.objects.create(name="None", slug="none"))


def test_one_crawl_of_a_site_at_a_time(site: Site) -> None:
    assert crawl_site.start_crawl(site) == crawl_site.start_crawl(site)


def books(count: int) -> dict[str, dict[str, Any]]:
    """The shop of the factory on the net: more pages of its template, one of another."""
    pages = {f"https://shop.example/book/{n}": {"html": factory.book_html(f"Book {n}", price=f"£{n}.50").decode()} for n in range(count)}
    pages["https://shop.example/about"] = {"html": "<html><body><h2>About</h2><table><tr><td>us</td></tr></table></body></html>"}
    return pages | {HOME: {"html": "<html><p>Home</p></html>", "links": list(pages)}}


def test_the_whole_site_gives_records_without_its_pages_being_kept(sent: list[int], net: Net) -> None:
    world = worlds.make()
    Cluster.objects.update(masks=["**.**.**.**.**.**.**.**"])
    net(books(40))
    kept = Snapshot.objects.filter(kept=True).count()
    run = done(crawl_site.start_extracting_crawl(world.site))
    assert (run.state, run.error) == (Run.State.DONE, "")
    assert (run.summary["records"], run.summary["complete"]) == (40, 40)
    assert run.summary["unmatched"] == 2, "the home page and the one about the shop are of no template"
    record = Record.objects.select_related("snapshot").get(snapshot__page__url="https://shop.example/book/33")
    assert record.values["title"][0]["raw"] == "Book 33"
    assert record.rule == world.rule
    assert not record.snapshot.kept
    with pytest.raises(FileNotFoundError):
        stored_bytes.get_bytes(record.snapshot.sha256)
    changed = run.summary["changed"]
    assert Snapshot.objects.filter(kept=True).count() == kept + changed, "of pages kept before the new content is kept, and no other"
    assert not Run.objects.filter(kind=Run.Kind.CLUSTER, state=Run.State.QUEUED).exists()
    again = done(extract_records.start_extraction(world.cluster))
    assert again.summary["removed"] == 0, "the crawl replaced those of earlier contents; the records of pages not kept stay"
    assert Record.objects.filter(cluster=world.cluster).count() == 40


def test_the_whole_site_is_not_extracted_without_a_live_rule(site: Site) -> None:
    with pytest.raises(runs.JobError, match="no live rule"):
        crawl_site.start_extracting_crawl(site)
    assert not Rule.objects.exists()


def test_a_crawl_whose_source_is_gone_or_that_has_all_its_pages_ends_at_once(site: Site, net: Net, asked: Callable[[], list[str]]) -> None:
    net(shop())
    Source.objects.filter(site=site).update(page_limit=3)
    run = crawl_site.start_crawl(site)
    crawl_frontier.add_addresses(run, [Address(url=f"{HOME}book/{n}") for n in range(3)])
    CrawlAddress.objects.filter(run=run).update(state=CrawlAddress.State.DONE, outcome="ok")
    assert done(run).summary["reason"] == EndReason.PAGE_LIMIT and asked() == []
    other = crawl_site.start_crawl(site)
    Source.objects.filter(site=site).delete()
    assert done(other).error == "Shop no longer has a start address. Enter one under Settings."


def test_a_renewal_makes_the_crawl_that_is_under_way_extract(site: Site) -> None:
    going = crawl_site.start_crawl(site)
    assert going.read_parameters().then != EXTRACT
    renewed = crawl_site.start_renewal(site)
    assert renewed == going and renewed.read_parameters().then == EXTRACT
    assert crawl_site.start_renewal(site).read_parameters() == renewed.read_parameters()


def test_a_process_that_ends_without_a_last_word_has_failed(site: Site) -> None:
    intake = Intake(crawl_site.start_crawl(site))
    intake.begin(crawl_frontier.read_standing(intake.run, conditional=True))
    with pytest.raises(process.CrawlFailed, match="its events ended without the final one"):
        crawl_site._consume(iter(()), intake, None, 10)
    with pytest.raises(runs.JobError, match="The crawl could not go on: the browser is missing"):
        crawl_site._consume(iter([Done(reason=EndReason.FAILED, message="the browser is missing")]), intake, None, 10)
    assert crawl_site._consume(iter([Done(reason=EndReason.FINISHED)]), intake, None, 10) is EndReason.FINISHED


def test_a_file_that_was_fetched_beside_the_pages_is_not_kept(site: Site, tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"b{}")
    intake = Intake(crawl_site.start_crawl(site))
    intake.begin(crawl_frontier.read_standing(intake.run, conditional=True))
    style = FetchedAsset(url=f"{HOME}a.css", page_url=HOME, content_type="text/css", body=str(tmp_path / "body"), size_bytes=3)
    crawl_site._consume(iter([style, Done(reason=EndReason.FINISHED)]), intake, None, 10)
    assert not (tmp_path / "body").exists()


def test_folders_of_workers_that_died_are_removed_and_those_of_others_stay(site: Site, settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = str(tmp_path)
    run = crawl_site.start_crawl(site)
    old, new = tmp_path / "spool" / "crawl-1-x", tmp_path / "spool" / "crawl-2-x"
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "page").write_text("x")
    ages_ago = time.time() - crawl_site.ORPHAN_AGE_S - 1
    os.utime(old, (ages_ago, ages_ago))
    with crawl_site._spool(run) as folder:
        assert {each.name for each in folder.parent.iterdir()} == {new.name, folder.name}
    assert not folder.exists()


def test_pages_of_hosts_that_are_not_fetched_from_are_left_alone(site: Site, net: Net, asked: Callable[[], list[str]]) -> None:
    factory.snapshot(site, "https://archive.example/1", detail(1))
    factory.snapshot(site, f"{HOME}book/0", detail(0))
    net(shop(2, 1))
    crawl(site)
    assert f"{HOME}book/0" in asked() and not any("archive.example" in url for url in asked())


def test_another_etag_of_the_same_content_is_kept(site: Site, net: Net) -> None:
    net({HOME: {"html": "<p>Welcome</p>", "headers": {"etag": '"1"'}}})
    crawl(site)
    run = crawl_site.start_crawl(site)
    at = current(HOME).fetched_at + timedelta(hours=1)
    event = Fetched(url=HOME, outcome=Outcome.NOT_MODIFIED, status=304, fetched_at=at.isoformat(), headers={"etag": '"2"', "x": "y"})
    crawl_frontier.note_unchanged(run.site, [event])
    assert current(HOME).headers["etag"] == '"2"' and "x" not in current(HOME).headers and current(HOME).fetched_at == at


def test_new_pages_lose_the_query_keys_that_the_crawl_found_to_say_nothing(site: Site, net: Net) -> None:
    """Pages that were known keep their addresses, and so does a page whose shorter address is another page."""
    html = {"html": detail(0).decode()}
    known = f"{HOME}book/1?ref=home"
    net({HOME: html | {"links": [known]}, known: {"html": detail(1).decode()}})
    crawl(site)
    urls = [f"{HOME}book/2?ref=home", f"{HOME}book/3?page=2&ref=list", f"{HOME}book/4", f"{HOME}book/4?ref=home"]
    pages = {url: {"html": detail(2 + number).decode()} for number, url in enumerate(urls)}
    net({HOME: html | {"links": [known, *urls]}, known: {"html": detail(1).decode()}} | pages, ignored=["ref"])
    crawl(site)
    assert set(Page.objects.exclude(url=HOME).values_list("url", flat=True)) == {
        known,
        f"{HOME}book/2",
        f"{HOME}book/3?page=2",
        f"{HOME}book/4",
        f"{HOME}book/4?ref=home",
    }
    assert Page.objects.filter(search_text__contains="ref=home").count() == 2
