"""A page in the frame looks like the page on the web, and everything it shows comes from us."""

import base64
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.algorithms.dom import references
from extraction.algorithms.dom.parse import parse
from extraction.demo import site as demo_site
from extraction.demo.server import DemoServer
from extraction.models import RecordType, Run
from extraction.services.intake import assets, load_assets
from tests.e2e import browser as chromium
from tests.services import factory

playwright_api = pytest.importorskip("playwright.sync_api")

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

WIDTH, HEIGHT = 1280, 900

SAME = 0.01
"""Mean difference of two pictures of 160 × 112 pixels, 0 to 1, up to which pages look alike. Seen: 0 to 0.003 for the demo's pages; a
page without its styles 0.16."""

DIFFERENCE = """async pictures => {
  const [a, b] = await Promise.all(pictures.map(async address => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 112 });
    const draw = canvas.getContext("2d");
    draw.drawImage(image, 0, 0, 160, 112);
    return draw.getImageData(0, 0, 160, 112).data;
  }));
  let sum = 0;
  for (let n = 0; n < a.length; n += 1) sum += Math.abs(a[n] - b[n]);
  return sum / (160 * 112 * 3 * 255);
}"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoServer]:
    with DemoServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def tab(chrome: Any, live_server: Any, client: Any, person: Any) -> Iterator[Any]:
    client.force_login(person("editor"))
    context = chrome.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    yield context.new_page()
    context.close()


def picture(page: Any, address: str) -> str:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return "data:image/png;base64," + base64.b64encode(page.screenshot()).decode()


def difference(page: Any, one: str, other: str) -> float:
    page.goto("about:blank")
    return float(page.evaluate(DIFFERENCE, [one, other]))


def stored(server: DemoServer, template: str, design: int, *, styled: bool = True) -> Any:
    """One of the demo's pages with what it needs, as the server gives it."""
    page = next(each for each in demo_site.pages(design=design, base_url=server.address) if each.template == template)
    site = factory.site(f"Demo{template}{design}")
    snapshot = factory.snapshot(site, page.url, page.content)
    snapshot.content_type = page.content_type
    snapshot.save()
    needed = (
        references.resolve_references(references.find_references(parse(page.content, content_type=page.content_type).root), page.url)
        if styled
        else []
    )
    room = assets.Room.of(site)
    while needed:
        kept = []
        for need in needed:
            answer = server.answer(need.url.removeprefix(server.address))
            assert answer is not None
            asset = assets.keep_asset(site, need, answer.content, room)
            assert asset is not None and not asset.error
            kept.append(asset)
        needed = assets.find_missing(site, [need for asset in kept for need in assets.find_needs_of_sheet(asset)])
    return snapshot


@pytest.mark.parametrize(("template", "design"), [("book", 1), ("author", 2), ("listing", 2)])
def test_a_page_in_the_frame_looks_like_the_page(tab, live_server, demo, template, design):
    demo.switch(design=design)
    snapshot = stored(demo, template, design)
    original = picture(tab, snapshot.page.url)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    shown = picture(tab, live_server.url + reverse("frame", args=[snapshot.pk]))
    assert all(url.startswith((live_server.url, "data:")) for url in asked) and sum("/assets/" in url for url in asked) > 1
    found = difference(tab, original, shown)
    assert found <= SAME


def test_the_measure_tells_a_page_without_its_styles(tab, live_server, demo):
    demo.switch(design=1)
    snapshot = stored(demo, "book", 1, styled=False)
    original = picture(tab, snapshot.page.url)
    found = difference(tab, original, picture(tab, live_server.url + reverse("frame", args=[snapshot.pk])))
    assert found > 2 * SAME


def test_the_workbench_offers_to_load_what_is_missing_and_shows_it(tab, live_server, demo, settings):
    demo.switch(design=1)
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = [demo.address.removeprefix("http://")]
    snapshot = stored(demo, "book", 1, styled=False)
    site = snapshot.page.site
    site.address = demo.address
    site.save()
    cluster = factory.cluster(site, kind=RecordType.objects.create(name="Thing", slug="thing"))
    snapshot.cluster = cluster
    snapshot.save()
    factory.samples(cluster, [snapshot])
    tab.goto(live_server.url + reverse("workbench", args=[site.slug, cluster.number]))
    tab.locator("#load-looks", has_text="missing").click()
    run = None
    while run is None:
        tab.wait_for_timeout(50)
        run = Run.objects.filter(kind=Run.Kind.ASSETS).first()
    pipeline.execute_run(run.pk)
    tab.locator("#load-looks").wait_for(state="hidden")
    coloured = "head => head && getComputedStyle(head).backgroundColor == 'rgb(74, 28, 42)'"
    tab.frames[1].wait_for_function(f"() => ({coloured})(document.querySelector('#header'))")
    assert load_assets.find_missing([snapshot]) == []
