"""A template's card shows a picture of its page, drawn from the page without its scripts, by a browser without a network."""

import struct
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction import pipeline
from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.demo.images import png
from extraction.display.pictures import DrawingError
from extraction.fetching import chromium
from extraction.models import Page, Preview, Run
from extraction.services.core.runs import Progress
from extraction.services.intake import assets, previews
from extraction.services.templates import clusters
from tests.fixtures.hostile import hostile_html
from tests.services import factory

pytestmark = pytest.mark.django_db

PAGE = b"<html><head><link rel=stylesheet href=/s.css></head><body><h1>One</h1><img src=/i.png><img src=/none.png></body></html>"


@pytest.fixture
def template(sent):
    cluster = factory.cluster(factory.site("Shop"))
    snapshot = factory.snapshot(cluster.site, "https://shop.example/1", PAGE, cluster=cluster)
    factory.samples(cluster, [snapshot])
    room = assets.Room.of(cluster.site)
    sheet = b"@import 'more.css'; h1{background:url(i.png)}"
    assets.keep_asset(cluster.site, NeededResource("https://shop.example/s.css", ResourceKind.STYLE), sheet, room)
    assets.keep_asset(cluster.site, NeededResource("https://shop.example/more.css", ResourceKind.STYLE), b"i{color:red}", room)
    assets.keep_asset(cluster.site, NeededResource("https://shop.example/i.png", ResourceKind.IMAGE), png(1), room)
    return cluster


def drawing(cluster) -> Run:
    run = factory.run(cluster.site, Run.Kind.PREVIEW, Run.State.RUNNING)
    run.summary = previews.run_drawing(run, Progress(run)).as_json()
    factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE)
    return run


def test_the_file_that_is_drawn_needs_nothing_else_and_runs_nothing(template):
    text = previews.write_document(template.samples.get().snapshot)
    assert text.index("Content-Security-Policy") < text.index('rel="stylesheet"') and "script-src" not in text
    assert "default-src 'none'" in text and "<script" not in text and "/assets/" not in text and "shop.example" not in text
    assert text.count("data:text/css;base64,") == 1 and "data:image/png;base64," in text


def test_a_template_is_drawn_once_and_again_when_its_look_changed(template, monkeypatch):
    drawn: list[str] = []

    def draw(text: str) -> bytes:
        drawn.append(text)
        return png(len(drawn) % 8)

    monkeypatch.setattr(previews, "draw_page", draw)
    assert drawing(template).summary == {"drawn": 1} and drawing(template).summary == {"drawn": 0}
    assets.keep_asset(
        template.site, NeededResource("https://shop.example/none.png", ResourceKind.IMAGE), png(2), assets.Room.of(template.site)
    )
    assert drawing(template).summary == {"drawn": 1} and len(drawn) == 2 and Preview.objects.count() == 1


def test_shared_parts_are_dimmed_on_a_second_picture(template, monkeypatch, signed_in):
    menu = b"<html><body><div id=menu><a href=/>Home</a> <a href=/b>News</a></div><div><h1>%s</h1></div></body></html>"
    pages = [
        factory.snapshot(template.site, f"https://shop.example/m{n}", menu % word, cluster=template)
        for n, word in enumerate((b"Tea", b"Jam"))
    ]
    template.samples.update(snapshot=pages[0])
    texts: list[str] = []

    def draw(text: str) -> bytes:
        texts.append(text)
        return png(len(texts))

    monkeypatch.setattr(previews, "draw_page", draw)
    drawing(template)
    held = Preview.objects.get()
    assert held.dimmed not in {"", held.sha256}
    assert "opacity:.3!important" not in texts[0] and '[data-v="2"]{opacity:.3!important}' in texts[1]
    assert 'data-v="2" id="menu"' in texts[1], "the menu is what is dimmed"
    client = signed_in("viewer")
    for sha256 in (held.sha256, held.dimmed):
        assert client.get(reverse("cluster_picture", args=[template.site.slug, template.number, sha256])).status_code == 200
    assert f'data-dimmed="{reverse("cluster_picture", args=[template.site.slug, template.number, held.dimmed])}"' in " ".join(
        client.get(reverse("site", args=[template.site.slug])).content.decode().split()
    )
    frame = client.get(reverse("frame", args=[pages[1].pk]), {"preview": 1, "dim": 1}).content.decode()
    assert '[data-v="2"]{opacity:.3!important}' in frame and "<script" not in frame
    assert "opacity:.3!important}" not in client.get(reverse("frame", args=[pages[1].pk]), {"preview": 1}).content.decode()


def test_pictures_leave_out_the_menu_that_the_pages_of_other_templates_have_too(template, monkeypatch):
    page = b"<html><body><ul id=menu><li>Home<li>News</ul><h1>%s</h1></body></html>"
    other = factory.cluster(template.site, number=2)
    for cluster, word in ((template, b"Tea"), (other, b"All teas")):
        snapshot = factory.snapshot(template.site, f"https://shop.example/{cluster.number}", page % word, cluster=cluster)
        cluster.samples.all().delete()
        factory.samples(cluster, [snapshot])
    texts: list[str] = []

    def draw(text: str) -> bytes:
        texts.append(text)
        return png(len(texts))

    monkeypatch.setattr(previews, "draw_page", draw)
    assert drawing(template).summary == {"drawn": 2}
    assert all('[data-v="2"]{display:none!important}' in text and 'data-v="2" id="menu"' in text for text in texts)
    assert drawing(template).summary == {"drawn": 0}
    Page.objects.filter(current__cluster=other).delete()
    other.delete()
    assert drawing(template).summary == {"drawn": 1}, "alone, it is drawn whole"
    assert "display:none!important}" not in texts[-1]


def test_a_template_that_cannot_be_drawn_is_reported_and_the_others_are_drawn(template, monkeypatch):
    other = factory.cluster(template.site, number=2)
    factory.samples(other, [factory.snapshot(template.site, "https://shop.example/2", b"<p>Two</p>", cluster=other)])

    def draw(text: str) -> bytes:
        if "One" in text:
            raise DrawingError("the browser drew nothing")
        return png(1)

    monkeypatch.setattr(previews, "draw_page", draw)
    run = drawing(template)
    assert run.summary == {"drawn": 1} and run.problems.get().reason == "the browser drew nothing"


def test_without_a_browser_nothing_is_started_and_the_card_shows_the_page(template, monkeypatch, signed_in):
    monkeypatch.setattr(chromium, "find_executable", lambda: None)
    assert previews.start_drawing(template.site) is None
    with pytest.raises(DrawingError, match="no browser"):
        previews.draw_page("<html/>")
    page = signed_in("viewer").get(reverse("site", args=[template.site.slug])).content.decode()
    assert "<iframe" in page and "preview=1" in page


def test_the_card_shows_the_picture(template, monkeypatch, signed_in, client):
    monkeypatch.setattr(previews, "draw_page", lambda _: png(3))
    drawing(template)
    held = Preview.objects.get()
    address = reverse("cluster_picture", args=[template.site.slug, template.number, held.sha256])
    assert client.get(address).status_code == 302 and client.post(address).status_code == 302
    viewer = signed_in("viewer")
    page = viewer.get(reverse("site", args=[template.site.slug])).content.decode()
    assert f'<img src="{address}"' in page and "<iframe" not in page
    answer = viewer.get(address)
    assert answer.content == png(3) and answer.headers["Content-Type"] == "image/png" and "immutable" in answer.headers["Cache-Control"]
    assert viewer.get(address.replace(held.sha256, "0" * 64)).status_code == 404 and viewer.post(address).status_code == 405


def test_the_cards_cost_no_query_each(template, django_assert_num_queries, monkeypatch):
    monkeypatch.setattr(previews, "draw_page", lambda _: png(3))
    drawing(template)
    rows = clusters.list_templates(template.site).rows
    with django_assert_num_queries(0):
        assert [row.cluster.picture.sha256 for row in rows]


@pytest.mark.e2e
def test_a_real_browser_draws_the_page_with_its_styles_and_makes_no_request(template):
    if not previews.can_draw():
        pytest.skip("no Chromium")
    asked: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        page = hostile_html().replace(b"http://evil.example", here.encode())
        snapshot = factory.snapshot(template.site, f"{here}/page", page)
        picture = previews.draw_page(previews.write_document(snapshot))
        server.shutdown()
    width, height = struct.unpack(">II", picture[16:24])
    assert (width, height) == (600, 300) and len(picture) > 2_000 and asked == []


def test_drawing_stops_for_an_upload_and_another_run_draws_the_rest(template, monkeypatch):
    monkeypatch.setattr(previews, "draw_page", lambda _: png(1))
    other = factory.cluster(template.site, number=2)
    factory.samples(other, [factory.snapshot(template.site, "https://shop.example/2", PAGE, cluster=other)])
    waiting = factory.run(factory.site("Books"), Run.Kind.IMPORT, sent_at=timezone.now())
    first = drawing(template)
    assert (first.read_summary().drawn, first.read_summary().left) == (1, 1)
    monkeypatch.setattr(previews, "can_draw", lambda: True)
    pipeline.start_successors(first)
    (rest,) = Run.objects.filter(kind=Run.Kind.PREVIEW, state=Run.State.QUEUED)
    factory.put(Run.objects.filter(pk__in=[waiting.pk, rest.pk]), Run.State.CANCELLED)
    assert drawing(template).read_summary().left is None
    assert Preview.objects.count() == 2
