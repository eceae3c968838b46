"""The screens of fetching: a new site from its address, its progress, and the lists of addresses by outcome."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from extraction.fetching import tls_probe, url_safety
from extraction.management import following
from extraction.models import CrawlAddress, Run, Site, Source
from extraction.services.core import runs
from extraction.services.intake import crawl_site
from extraction.views.core import run_progress
from tests.services import factory
from tests.views.world import World

pytestmark = pytest.mark.django_db

USUAL = {"page_limit": "500", "delay_s": "0.5", "concurrency": "4", "rendered": "never", "find_sitemaps": "on", "obey_robots": "on"}


@pytest.fixture(autouse=True)
def internet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name resolves to a public address, except those of `.invalid`, which do not resolve, and one with a private address."""
    from ipaddress import ip_address

    def resolve(host: str, port: int) -> list[Any]:
        if host.endswith(".invalid"):
            raise OSError("no such host")
        return [ip_address("10.0.0.7" if host == "inside.example" else "93.184.215.14")]

    monkeypatch.setattr(url_safety, "resolve_host", resolve)
    monkeypatch.setattr(tls_probe, "refuses_tls", lambda *_: False)


def test_a_site_is_made_of_an_address_alone_and_its_pages_are_fetched(signed_in: Any, sent: list[int]) -> None:
    answer = signed_in("editor").post(reverse("site_new"), {"address": "www.shop.example/books", **USUAL})
    site = Site.objects.get()
    assert answer.headers["Location"] == site.get_absolute_url()
    assert (site.name, site.address) == ("shop.example", "https://www.shop.example/books")
    assert site.source.addresses == ["https://www.shop.example/books"]
    assert (site.source.whole, site.source.page_limit, site.source.obey_robots) == (False, 500, True)
    run = Run.objects.get()
    assert (run.kind, run.parameters, sent) == (Run.Kind.CRAWL, {"mode": "sample"}, [])


@pytest.mark.parametrize(("typed", "plain", "address"), [
    ("shop.example", True, "http://shop.example/"),
    ("shop.example", False, "https://shop.example/"),
    ("https://shop.example", True, "https://shop.example/"),
])  # fmt: skip
def test_an_address_without_a_scheme_gets_http_if_only_that_is_spoken(
    signed_in: Any, sent: list[int], monkeypatch: pytest.MonkeyPatch, typed: str, plain: bool, address: str
) -> None:
    monkeypatch.setattr(tls_probe, "refuses_tls", lambda *_: True)
    monkeypatch.setattr(tls_probe, "accepts_connections", lambda *_: plain)
    signed_in("editor").post(reverse("site_new"), {"address": typed, **USUAL})
    assert Site.objects.get().address == address


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "Enter the address of the site."),
        ("http://127.0.0.1:8000/", "127.0.0.1, not an address of the public internet"),
        ("http://2130706433/", "not an address of the public internet"),
        ("http://[::ffff:169.254.169.254]/", "not an address of the public internet"),
        ("https://inside.example/", "inside.example is 10.0.0.7, not an address of the public internet"),
        ("file:///etc/passwd", "only http and https are fetched"),
        ("https://shop.example:6379/", "port 6379 of shop.example is not the port of a web site"),
        ("https://nowhere.invalid/", "There is no host nowhere.invalid"),
        ("http://a..org/", "there is nothing between two of its dots"),
        ("http://../../etc/passwd", "there is nothing between two of its dots"),
        ("a.org..", "there is nothing between two of its dots"),
        (f"http://{'a' * 64}.org/", "a part of it has more than 63 characters"),
        (f"http://{'a.' * 150}org/", "it has more than 253 characters"),
        ("http://exa mple.org/", "a space is not allowed in it"),
        ("https://javascript:alert(1)", "“https://javascript:alert(1)” is not the address of a web site"),
        ("https:////example.org", "“https:////example.org” names no host"),
        ("books", "“books” is not the name of a web site"),
    ],
)
def test_an_address_that_cannot_be_fetched_is_refused_at_once(signed_in: Any, address: str, said: str) -> None:
    answer = signed_in("editor").post(reverse("site_new"), {"address": address, **USUAL})
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Site.objects.exists()


def test_an_operator_allows_a_private_host_by_a_setting(signed_in: Any, settings: Any) -> None:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1:8100"]
    assert signed_in("editor").post(reverse("site_new"), {"address": "http://127.0.0.1:8100", **USUAL}).status_code == 302
    assert signed_in("editor").post(reverse("site_new"), {"address": "http://127.0.0.1:8200", **USUAL}).status_code == 400


def test_two_sites_of_one_host_have_two_names(signed_in: Any) -> None:
    for _ in range(2):
        signed_in("editor").post(reverse("site_new"), {"address": "https://shop.example", **USUAL})
    assert sorted(Site.objects.values_list("name", flat=True)) == ["shop.example", "shop.example 2"]


def test_the_source_is_edited_and_shown_as_it_was_set(signed_in: Any, world: World) -> None:
    listed = SimpleUploadedFile("list.csv", b"title,url\nOne,https://shop.example/1\nTwo,https://shop.example/2\n")
    data = USUAL | {
        "addresses": "https://shop.example/\nhttps://shop.example/de/",
        "whole": "1",
        "page_limit": "9000",
        "depth": "3",
        "include": "/book/*\n/author/**",
        "exclude": "/basket/**",
        "listed": "https://shop.example/0",
        "list_file": listed,
    }
    answer = signed_in("editor").post(reverse("source_edit", args=[world.site.slug]), data)
    assert answer.status_code == 302
    source = Source.objects.get(site=world.site)
    assert source.addresses == ["https://shop.example/", "https://shop.example/de/"]
    assert (source.whole, source.page_limit, source.depth) == (True, 9000, 3)
    assert (source.include, source.exclude) == (["/book/*", "/author/**"], ["/basket/**"])
    assert source.listed == [f"https://shop.example/{n}" for n in range(3)]
    text = signed_in("editor").get(reverse("site_settings", args=[world.site.slug])).content.decode()
    assert "/book/*\n/author/**</textarea>" in text


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("addresses", "", "Enter a start address."),
        ("addresses", "http://10.1.2.3/", "not an address of the public internet"),
        ("include", "/a*b*c/", "is not a pattern"),
        ("page_limit", "0", "Give a whole number of at least 1."),
        ("listed", "no address here", "The list contains no web addresses"),
        ("listed", "https://shop.example/1\nhttp://[", "“http://[” cannot be fetched"),
        ("listed", "http://[\nhttp://[::1\nhttp://a:b/", "3 addresses cannot be fetched, such as “http://[”"),
        ("addresses", "http://[", "is not the address of a web site"),
        ("sitemaps", "http://[::1", "is not the address of a web site"),
        ("sitemaps", "http://169.254.169.254/sitemap.xml", "not an address of the public internet"),
    ],
)
def test_a_bad_source_is_refused_with_the_reason_and_nothing_changes(
    signed_in: Any, world: World, field: str, value: str, said: str
) -> None:
    data = USUAL | {"addresses": "https://shop.example/other", field: value}
    answer = signed_in("editor").post(reverse("source_edit", args=[world.site.slug]), data)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert Source.objects.get(site=world.site).addresses == ["https://shop.example/"]


def test_the_sites_page_shows_a_crawl_and_reloads_when_it_ends(signed_in: Any, world: World) -> None:
    run = crawl_site.start_crawl(world.site)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING, done=40, total=500, summary={"templates": 3}, message="Fetching")
    rows = [CrawlAddress(run=run, url=f"https://shop.example/{n}", state="done", outcome=o) for n, o in enumerate(["ok", "ok", "timeout"])]
    CrawlAddress.objects.bulk_create(rows)
    for name in ("site", "site_now"):
        text = signed_in("viewer").get(reverse(name, args=[world.site.slug])).content.decode()
        assert "2 fetched" in text
        assert "1 timed out" in text
        assert "<b>3</b><span>templates so far" in text
        assert reverse("run_pause", args=[run.pk]) not in text, "a viewer only watches"
    assert reverse("run_pause", args=[run.pk]) in signed_in("operator").get(reverse("site", args=[world.site.slug])).content.decode()
    factory.put(Run.objects.all(), Run.State.DONE)
    assert signed_in("viewer").get(reverse("site_now", args=[world.site.slug])).headers["HX-Refresh"] == "true"


def test_a_paused_crawl_has_no_rate_and_the_site_says_that_it_is_paused(signed_in: Any, world: World) -> None:
    run = crawl_site.start_crawl(world.site)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING, done=400, total=860, started_at=timezone.now() - timedelta(seconds=200))
    texts = [signed_in("viewer").get(reverse(name, args=[world.site.slug])).content.decode() for name in ("site", "site_now")]
    assert all("<b>2.0</b><span>pages per second" in text and "remaining</span>" in text for text in texts)
    assert all('id="site-busy"' in text and "Running" in text for text in texts), "the chip and the figures above come along"
    assert 'id="site-pages" hx-swap-oob="true"' in texts[1]
    assert "hx-swap-oob" not in texts[0]
    assert runs.pause_run(run)
    for name in ("site", "site_now"):
        text = signed_in("viewer").get(reverse(name, args=[world.site.slug])).content.decode()
        assert "<b>460</b><span>addresses left so far" in text
        assert "pages per second" not in text
        assert "remaining</span>" not in text
        assert "Running" not in text
        assert text.count("Paused") == 2, "the site's chip and the run's"


def test_the_rate_of_a_crawl_counts_from_its_last_start_and_pauses_take_no_time(world: World) -> None:
    began = timezone.now() - timedelta(hours=5)
    run = Run(kind=Run.Kind.CRAWL, site=world.site, done=60, total=160, started_at=began, heartbeat_at=began + timedelta(seconds=10))
    run.state, run.finished_at = Run.State.CANCELLED, timezone.now()
    ended = run_progress.describe_progress(run)
    assert (ended.elapsed_s, ended.rate) == (10.0, 6.0), "it was cancelled long after it was paused"
    run.summary = {"before": 60}
    assert run_progress.describe_progress(run).rate is None, "nothing is done of it yet"
    run.state, run.finished_at, run.summary = Run.State.QUEUED, None, {}
    assert (run_progress.describe_progress(run).rate, run_progress.describe_progress(run).left_s) == (None, None)


def test_a_crawl_can_be_paused_and_resumed_by_its_owner_and_by_operators(signed_in: Any, world: World, person: Any) -> None:
    run = crawl_site.start_crawl(world.site, person("editor"))
    pause, resume = reverse("run_pause", args=[run.pk]), reverse("run_resume", args=[run.pk])
    Run.objects.filter(pk=run.pk).update(created_by=person("operator"))
    assert signed_in("editor").post(pause).status_code == 403
    Run.objects.filter(pk=run.pk).update(created_by=person("editor"))
    assert signed_in("editor").post(pause, {"from": "site"}).headers["Location"] == world.site.get_absolute_url()
    run.refresh_from_db()
    assert run.state == Run.State.PAUSED
    assert "Resume" in signed_in("editor").get(reverse("site", args=[world.site.slug])).content.decode()
    assert signed_in("operator").post(resume).headers["Location"] == run.get_absolute_url()
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED
    runs.cancel_run(run)
    assert "Continue" in signed_in("editor").get(run.get_absolute_url()).content.decode()


def test_a_table_shows_the_outcomes_and_each_links_to_its_addresses(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    text = client.get(world.crawl.get_absolute_url()).content.decode()
    assert "Refused by robots.txt" in text
    address = reverse("run_addresses", args=[world.crawl.pk])
    assert "3 addresses" in client.get(address, {"outcome": "not_found"}).content.decode()
    assert "/waits" in client.get(address).content.decode()
    assert "No address contains" in client.get(address, {"outcome": "ok", "q": "nowhere"}).content.decode()
    assert client.get(address, {"outcome": "made_up"}).status_code == 404
    assert client.get(reverse("run_addresses", args=[world.run.pk])).status_code == 404, "no crawl"


def test_a_page_that_is_gone_is_listed_as_gone(signed_in: Any, world: World) -> None:
    world.site.pages.filter(pk=world.page.pk).update(gone_at=world.crawl.created_at)
    client = signed_in("viewer")
    text = client.get(reverse("site_pages", args=[world.site.slug]), {"part": "gone"}).content.decode()
    assert "Gone (1)" in text
    assert "1 page<" in text
    assert "A crawl found it missing" in client.get(reverse("page", args=[world.site.slug, world.page.pk])).content.decode()


def test_a_page_that_was_not_kept_says_so_and_shows_its_record(signed_in: Any, world: World) -> None:
    world.page.snapshots.update(kept=False)
    text = signed_in("viewer").get(reverse("page", args=[world.site.slug, world.page.pk])).content.decode()
    assert "The page itself was not kept" in text
    assert "Book 0" in text
    assert "<iframe" not in text


def test_the_whole_site_is_offered_only_where_a_rule_is_live(signed_in: Any, world: World) -> None:
    address = reverse("crawl_extract", args=[world.site.slug])
    assert address in signed_in("editor").get(reverse("site", args=[world.site.slug])).content.decode()
    assert signed_in("editor").post(address).status_code == 302
    assert Run.objects.filter(kind=Run.Kind.CRAWL, parameters__mode="extract").exists()
    bare = Site.objects.create(name="Bare", slug="bare")
    text = signed_in("editor").get(reverse("site", args=["bare"])).content.decode()
    assert reverse("crawl_extract", args=["bare"]) not in text
    assert reverse("crawl_start", args=["bare"]) not in text
    assert signed_in("editor").post(reverse("crawl_start", args=["bare"]), follow=True).redirect_chain[-1][0].endswith("/settings/")
    assert not Run.objects.filter(site=bare).exists()


def test_a_crawl_cannot_be_resumed_while_another_runs(signed_in: Any, world: World) -> None:
    factory.put(Run.objects.filter(pk=world.crawl.pk), Run.State.CANCELLED)
    crawl_site.start_crawl(world.site)
    answer = signed_in("operator").post(reverse("run_resume", args=[world.crawl.pk]), follow=True)
    assert "Another crawl of this site is running" in answer.content.decode()


def test_paused_runs_are_counted_separately_from_active_ones(signed_in: Any, world: World) -> None:
    factory.put(Run.objects.filter(pk=world.crawl.pk), Run.State.PAUSED)
    factory.put(Run.objects.exclude(pk=world.crawl.pk), Run.State.DONE)
    client, place = signed_in("editor"), [world.site.slug]
    head = client.get(reverse("site_runs", args=place)).content.decode()
    assert "1 paused" in head
    assert " active</span>" not in head
    home = client.get(reverse("home")).content.decode()
    assert "<h2>Paused</h2>" in home
    assert "<h2>Running</h2>" not in home
    runs.start_run(Run.Kind.COMPARE, world.site)
    head = client.get(reverse("site_runs", args=place)).content.decode()
    assert "1 active</span>" in head
    assert "1 paused" in head
    assert "<h2>Running</h2>" in client.get(reverse("home")).content.decode()


def test_the_progress_of_a_crawl_does_not_count_addresses_as_pages(signed_in: Any, world: World) -> None:
    factory.put(Run.objects.filter(pk=world.crawl.pk), Run.State.RUNNING)
    Run.objects.filter(pk=world.crawl.pk).update(done=63, total=234)
    for name in ("site_runs", "site"):
        shown = " ".join(signed_in("editor").get(reverse(name, args=[world.site.slug])).content.decode().split())
        assert "63 pages, 234 addresses so far" in shown
        assert "63 of 234" not in shown and "of 234</span> pages" not in shown
    world.crawl.refresh_from_db()
    assert "63 pages, 234 addresses so far" in following._line(world.crawl)
