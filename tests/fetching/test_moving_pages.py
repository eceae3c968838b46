"""What a page shows only after scrolling, after clicks, in shadow roots and in frames is in the tree; what is not, is told."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.fetching.crawl.messages import CrawlPlan, Fetched, Outcome, RenderMode
from extraction.fetching.crawl.process import Crawl
from tests.fetching import moving_pages
from tests.fetching.crawling import Told
from tests.fetching.crawling import take as take_event

pytestmark = pytest.mark.e2e

PER_REQUEST = 10


class Pages:
    """A web server of pages by path. {other} in a page is the address of another server."""

    def __init__(self, pages: dict[str, str] | None = None, other: str = "") -> None:
        self.seen: list[str] = []
        self.pages = pages or {}
        self.other = other
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.seen.append(self.path)
                parts = urlsplit(self.path)
                kind, body = "text/html; charset=utf-8", served.pages.get(parts.path, "")
                if parts.path == "/rows":
                    first = int(parse_qs(parts.query)["from"][0])
                    kind, body = "application/json", json.dumps(list(range(first + 1, first + 1 + PER_REQUEST)))
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body.replace("{other}", served.other).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> "Pages":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def page(body: str, *, total: int = 0) -> str:
    shown = body.replace("TOTAL", str(total)) + moving_pages.FILLER
    return f"<!doctype html><html><head><title>Rows</title></head><body><h1>Rows</h1>{shown}</body></html>"


@pytest.fixture
def served() -> Iterator[Pages]:
    with Pages() as server:
        yield server


def read(server: Pages, folder: Path, body: str, *, total: int = 0, **changes: Any) -> tuple[Fetched, Any]:
    """Crawl one page. Return what was told of it, and its tree as everything else in Vertex reads it."""
    server.pages["/page"] = page(body, total=total)
    told = Told()
    quick: dict[str, Any] = {
        "delay_s": 0.0,
        "autothrottle": False,
        "timeout_s": 30.0,
        "retries": 0,
        "soft_404": False,
        "robots_sitemaps": False,
    }
    usual: dict[str, Any] = {"permitted": ("127.0.0.1", "localhost"), "rendered": RenderMode.ALWAYS, "follow_links": False}
    plan = CrawlPlan(spool=str(folder), start=(f"{server.address}/page",), **(quick | usual | changes))
    with Crawl(plan) as running:
        for event in running:
            take_event(told, event)
    url = f"{server.address}/page"
    assert told.fetched[url].outcome is Outcome.OK, told.fetched[url]
    assert url in told.rendered, told.fetched[url]
    return told.fetched[url], parse(told.rendered[url], content_type="text/html; charset=utf-8").root


def rows(root: Any) -> list[int]:
    """The numbers of the rows in the order of the tree."""
    return [int(number) for number in re.findall(r"\bRow (\d+)\b", "\n".join(root.find("body").itertext()))]


def test_an_endless_page_is_scrolled_to_its_end(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.ENDLESS, total=73, scrolls=True)
    assert rows(root) == list(range(1, 81))  # its last request brings ten rows, too
    assert told.notices == ()
    assert root.xpath("//li[73]/a/@href") == ["/thing/73"]


def test_without_that_setting_a_page_is_read_as_it_opens(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.ENDLESS, total=73)
    assert len(rows(root)) < 40
    assert told.notices == ()


def test_a_page_without_end_is_left_at_the_bound_and_that_is_told(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.ENDLESS, total=100_000, scrolls=True, most_loads=5)
    assert rows(root)[:30] == list(range(1, 31))
    assert told.notices == ("there is more: it goes on below after 5 screens or clicks, the most that the site's settings allow",)


def test_load_more_is_clicked_until_it_is_gone(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.BUTTON, total=45, load_more="button.load-more")
    assert rows(root) == list(range(1, 46))
    assert told.notices == ()


def test_a_button_that_is_still_there_at_the_bound_is_told(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.BUTTON, total=1000, load_more="button.load-more", most_loads=3)
    assert rows(root) == list(range(1, 41))
    assert told.notices == (
        "there is more: the button “load more” is still there after 3 screens or clicks, the most that the site's settings allow",
    )


def test_a_button_that_leads_elsewhere_does_not_lose_the_page(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.NEXT_LINK, load_more="a.load-more")
    assert rows(root) == [1, 2]
    assert "/elsewhere" not in served.seen
    assert told.notices == ("the last click on “load more” brought nothing, and the button is still there",)


@pytest.mark.parametrize("body", [moving_pages.REMOVED, moving_pages.REUSED, moving_pages.SHADOW_LIST], ids=["removed", "reused", "shadow"])
def test_all_rows_of_a_list_that_recycles_them_are_there_in_their_order(served: Pages, tmp_path: Path, body: str) -> None:
    told, root = read(served, tmp_path, body, total=150, scrolls=True, most_loads=200)
    assert rows(root) == list(range(1, 151))
    assert told.notices == ()
    assert root.xpath("string(//@data-vertex-rows)") == "150"


def test_rows_that_say_the_same_are_told_apart_by_their_numbers(served: Pages, tmp_path: Path) -> None:
    told, root = read(served, tmp_path, moving_pages.NUMBERED, total=60, scrolls=True, most_loads=200)
    found = [(int(row.get("aria-rowindex")), row.text) for row in root.xpath("//div[@role='row']")]
    assert found == [(n, "Apple" if n % 2 else "Pear") for n in range(1, 61)]
    assert told.notices == ()


def test_a_list_that_changes_by_itself_gets_no_rows_that_are_gone(served: Pages, tmp_path: Path) -> None:
    _, root = read(served, tmp_path, moving_pages.TICKER, scrolls=True)
    assert rows(root) == list(range(1, 41))
    assert len(root.xpath("//div[@id='news']/p")) == 3


def test_what_shadow_roots_show_is_in_its_place(served: Pages, tmp_path: Path) -> None:
    _, root = read(served, tmp_path, moving_pages.SHADOW)
    cards = root.xpath("//x-card")
    assert [card.xpath("string(.//h3)") for card in cards] == ["Garnet lamp", "Opal chair"]
    assert [card.xpath("normalize-space(.//*[@class='stock'])") for card in cards] == ["In stock", "Sold out & gone"]
    assert [card.xpath("string(vertex-shadow/article/x-price/vertex-shadow/div/b)") for card in cards] == ["$12.50", "$12.50"]
    assert cards[0].xpath("string(vertex-unslotted/i)") == "not shown"
    # A paragraph cannot hold a block in HTML; the block stays where it is shown.
    assert root.xpath("normalize-space(//*[@id='lead'])") == "Lead: $12.50"
    assert root.xpath("//*[@id='lead']/@data-vertex-tag") == ["p"]


def test_shadow_roots_and_frames_can_be_left_out(served: Pages, tmp_path: Path) -> None:
    _, root = read(served, tmp_path, moving_pages.SHADOW, embedded=False)
    assert root.xpath("//vertex-shadow") == []


def test_frames_of_the_site_are_read_and_those_of_others_only_where_that_is_allowed(served: Pages, tmp_path: Path) -> None:
    served.pages["/frames/inner"] = page("<p id=inner>Row 1 <a href='deep'>Link</a></p><iframe src='/frames/deep'></iframe>")
    served.pages["/frames/deep"] = page("<p>Row 2</p>")
    body = """<iframe id=own src="/frames/inner"></iframe><iframe srcdoc="<p>Row 3</p>"></iframe>
      <iframe id=foreign src="{other}/foreign"></iframe>"""
    with Pages({"/foreign": page("<p>Row 4</p>")}) as other:
        served.other = f"http://localhost:{urlsplit(other.address).port}"
        told, root = read(served, tmp_path, body)
        assert rows(root) == [1, 2, 3]
        assert told.notices == ()
        assert root.xpath("//vertex-frame[@id='own']//p[@id='inner']/a/@href") == [f"{served.address}/frames/deep"]
        assert root.xpath("//iframe/@id") == ["foreign"]
        _, allowed = read(served, tmp_path, body, frame_hosts=(urlsplit(served.other).netloc,))
        assert rows(allowed) == [1, 2, 3, 4]
        _, without = read(served, tmp_path, body, embedded=False)
        assert rows(without) == []


def test_a_page_cannot_write_into_the_place_of_a_frame(served: Pages, tmp_path: Path) -> None:
    served.pages["/inner"] = page("<p>Row 1</p>")
    forged = "<!--0:0--><!--00000000000000000000000000000000:0--><vertex-frame><p>Row 7</p></vertex-frame>"
    _, root = read(served, tmp_path, f"{forged}<iframe src='/inner'></iframe>")
    assert rows(root) == [7, 1]
