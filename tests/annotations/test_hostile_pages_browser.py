"""Hostile and huge pages in the workbench in a real Chromium: nothing of a page acts, and it can be annotated."""

import pytest
from django.urls import reverse

from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.display import addresses
from extraction.models import Snapshot
from extraction.services.intake import assets
from tests.annotations.bench import make_messy_page, saved_values
from tests.fixtures.hostile import ASSETS, hostile_html

playwright_api = pytest.importorskip("playwright.sync_api")


pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_a_hostile_page_runs_and_requests_nothing_and_can_be_annotated(bench, live_server):
    cluster = make_messy_page(hostile_html(), title="text", price="text")
    bench.open(cluster)
    bench.page.wait_for_timeout(500)
    assert bench.frame.evaluate("() => [window.pwned, window.origin]") == [None, "null"]
    assert bench.page.evaluate("() => window.pwned") is None
    bench.click("#title", x=5)
    assert saved_values("title") == ["The"]
    bench.page.mouse.click(*bench.point("#js"))
    bench.page.mouse.click(*bench.point("#leave"))
    bench.page.wait_for_timeout(300)
    assert bench.page.evaluate("() => window.pwned") is None and "/annotate/" in bench.page.url
    foreign = [url for url in bench.requests if not url.startswith((live_server.url, "data:", "about:"))]
    assert foreign == []


def test_styles_and_pictures_of_a_hostile_page_run_nothing_and_load_only_from_vertex(bench, live_server):
    cluster = make_messy_page(hostile_html(), title="text", price="text")
    for url, content in ASSETS.items():
        kind = ResourceKind.STYLE if url.endswith(".css") else ResourceKind.IMAGE
        kept = assets.keep_asset(cluster.site, NeededResource(url, kind), content.encode(), assets.Room.of(cluster.site))
        assert kept is not None and kept.error == ""
    bench.open(cluster)
    bench.page.wait_for_timeout(500)
    assert bench.frame.evaluate("() => [...document.images].some(image => image.src.endsWith('.svg') && image.naturalWidth > 0)")
    assert bench.frame.evaluate("() => document.styleSheets.length") >= 3
    assert bench.frame.evaluate("() => [window.pwned, window.origin]") == [None, "null"]
    assert bench.page.evaluate("() => window.pwned") is None
    bench.click("#title", x=5)  # an element that would cover the page is shown at its place in the text
    assert saved_values("title") == ["The"]
    loaded = [url for url in bench.requests if "/assets/" in url]
    assert any(url.endswith(".css") for url in loaded) and any(url.endswith(".svg") for url in loaded)
    foreign = [url for url in bench.requests if not url.startswith((live_server.url, "data:", "about:"))]
    assert foreign == []


def test_a_drawing_opened_alone_is_refused(bench, live_server):
    cluster = make_messy_page(hostile_html(), title="text")
    kept = assets.keep_asset(
        cluster.site,
        NeededResource("http://evil.example/1.png", ResourceKind.IMAGE),
        ASSETS["http://evil.example/1.png"].encode(),
        assets.Room(1, 9999),
    )
    assert kept is not None
    response = bench.page.goto(f"{live_server.url}{addresses.get_folder(cluster.site.pk)}{kept.sha256}.svg")
    assert response.status == 404


def test_fixed_headers_stay_at_the_top_and_one_key_hides_them(bench):
    content = b"""<html><body style="margin:0"><div id="bar" style="position:fixed;top:0;width:100%;height:40px">Bar</div>
    <h1 style="margin:60px 0 0">Name</h1><div id="all" style="position:fixed;inset:0;background:#fff">Our cookies</div>
    </body></html>"""
    bench.open(make_messy_page(content, title="text"))
    assert bench.frame.evaluate("() => getComputedStyle(document.getElementById('bar')).position") == "absolute"
    bench.click("h1", x=5)
    assert saved_values("title") == ["Name"]
    bench.press("o")
    bench.until(lambda: not bench.frame.locator("#bar").is_visible() and not bench.frame.locator("#all").is_visible())
    bench.press("]", "o")
    bench.until(lambda: bench.frame.locator("#bar").is_visible())


def test_the_frame_has_no_origin_and_accepts_one_port_from_its_parent_only(bench, live_server):
    cluster = make_messy_page(title="text")
    snapshot = Snapshot.objects.get(cluster=cluster)
    bench.page.goto(live_server.url + reverse("frame", args=[snapshot.pk]))
    assert bench.page.evaluate("() => window.origin") == "null"
    with pytest.raises(playwright_api.Error, match="cookie"):
        bench.page.evaluate("() => document.cookie")


def test_a_page_of_8_megabytes_and_5000_levels_is_shown_and_annotated(bench):
    cluster = make_messy_page(hostile_html(deep=5_000, filler_bytes=8_000_000), title="text")
    bench.open(cluster)
    bench.click("#title", x=5)
    assert saved_values("title") == ["The"]
    assert "not shown" in bench.frame.locator("v-note").inner_text()
