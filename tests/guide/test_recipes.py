"""The recipes for news and for Common Crawl, done as their readers do them, against stand-ins on this machine."""

import html
import io
import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from django.urls import reverse
from django.utils import timezone
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction import pipeline
from extraction.models import Page, RefreshSchedule, Run, Site, Snapshot
from extraction.services.core import stored_pages
from extraction.services.refresh import start_refreshes
from tests.guide.test_snippets import list_blocks
from tests.services import factory
from tests.test_docs import ROOT
from vertex.command_line import local
from vertex.command_line.__main__ import main

WARC = ROOT / "docs" / "recipes" / "warc.md"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch, sent: list[int], settings: Any) -> None:
    """The tests have loaded Django already. The stand-ins are on this machine."""
    monkeypatch.setattr(local, "set_up", lambda: None)
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]


def run(*words: str) -> str:
    """What a command says that does its runs here."""
    done = CliRunner().invoke(main, ["--here", *words])
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


Answer = tuple[int, str, bytes]
"""Status, content type, body."""


@contextmanager
def serve(answer: Callable[[str, str], Answer]) -> Iterator[str]:
    """Serve what a function answers to (address, its header Range) while the block runs. Yields the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = answer(self.path, self.headers.get("Range", ""))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


# Common Crawl

NAMES = ["Käse", "Brücke", "Façade", "Straße", "Señor", "Ærø"]


@dataclass
class CommonCrawl:
    """A crawl as Common Crawl publishes it: one WARC file in which each record is a gzip member, and the lines of its index."""

    content: bytes = b""
    lines: list[dict[str, str]] = field(default_factory=list)
    busy: int = 2
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str, wanted: str) -> Answer:
        """As the index and as the server of the files, which is busy for the first two times."""
        self.asked.append(path)
        parts = urlsplit(path)
        if parts.path.endswith("-index"):
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            assert (query["url"], query["output"]) == ("shop.example/*", "json")
            status = query["filter"].removeprefix("status:")
            found = [each for each in self.lines if each["status"] == status]
            return 200, "text/x-ndjson", "".join(json.dumps(each) + "\n" for each in found).encode()
        if self.busy:
            self.busy -= 1
            return 503, "text/xml", b"<Error><Code>SlowDown</Code></Error>"
        first, last = map(int, wanted.removeprefix("bytes=").split("-"))
        return 206, "application/octet-stream", self.content[first : last + 1]


def make_crawl() -> CommonCrawl:
    """A shop with pages in three charsets, a page that moved, one that is gone and one that was fetched again unchanged."""
    crawl, buffer = CommonCrawl(), io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)

    def write(kind: str, url: str, body: bytes = b"", *, status: str = "200 OK", charset: str = "utf-8", day: int = 4) -> None:
        sent = [("Content-Type", f"text/html; charset={charset}" if charset else "text/html")]
        protocol, line = ("HTTP/1.1", status) if kind != "request" else ("GET / HTTP/1.1", "")
        headers = StatusAndHeaders(line, sent, protocol=protocol)
        at = buffer.tell()
        dated = {"WARC-Date": f"2026-03-{day:02}T05:06:07Z"}
        record = writer.create_warc_record(url, kind, payload=io.BytesIO(body), http_headers=headers, warc_headers_dict=dated)
        writer.write_record(record)
        if kind in ("response", "revisit"):
            place = {"filename": "crawl-data/CC-MAIN-2026-10/warc/00000.warc.gz", "offset": str(at), "length": str(buffer.tell() - at)}
            crawl.lines.append({"url": url, "status": status[:3] if kind == "response" else "304", "mime": "text/html", **place})

    writer.write_record(writer.create_warcinfo_record("00000.warc.gz", {"software": "Apache Nutch", "isPartOf": "CC-MAIN-2026-10"}))
    for number, name in enumerate(NAMES):
        url, text = f"https://shop.example/book/{number}", factory.book_html(name, price=f"£{number}.50", pad=number % 3).decode()
        write("request", url)
        if number < 2:
            write("response", url, text.encode())
        elif number < 4:  # the server says nothing, and the page says it wrongly: browsers read both as windows-1252
            said = text.replace("<head>", '<head><meta charset="iso-8859-1">')
            write("response", url, said.encode("windows-1252"), charset="")
        else:
            write("response", url, text.encode(), charset="UTF8")
    write("response", "https://shop.example/old", b"", status="301 Moved Permanently")
    write("response", "https://shop.example/gone", b"<p>gone", status="404 Not Found")
    write("revisit", "https://shop.example/book/0", day=9)
    newer = factory.book_html("Brücke 2", price="£1.50")
    write("response", "https://shop.example/book/1", newer, day=9)
    crawl.content = buffer.getvalue()
    return crawl


def test_the_recipe_for_common_crawl_gives_the_pages_of_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    own, asking, doing = list_blocks(WARC, "sh")
    (program,) = list_blocks(WARC, "python")
    crawl = make_crawl()
    with serve(crawl.answer) as address:
        subprocess.run(
            ["bash", "-ec", asking.replace("https://index.commoncrawl.org", address)], check=True, timeout=60, capture_output=True
        )
        Path("load_parts.py").write_text(program.replace("https://data.commoncrawl.org", address))
        exec(compile(Path("load_parts.py").read_text(), "load_parts.py", "exec"), {})
    assert [each for each in waited if each >= 1] == [1, 10]
    assert len(crawl.asked) == 1 + 2 + len(NAMES) + 1, "nothing but pages is loaded"
    python, *commands = re.split(r"\n|&&", doing.strip())
    assert python == "python3 load_parts.py"
    for command in commands:
        name, *words = command.split()
        assert name == "vertex"
        run(*words)
    pages = {each.url: each.current for each in Page.objects.select_related("current")}
    assert list(pages) == [f"https://shop.example/book/{number}" for number in range(len(NAMES))]
    titles = [stored_pages.read_root(each).findtext(".//h1") for each in pages.values() if each]
    assert [title.strip() for title in titles if title] == ["Käse", "Brücke 2", *NAMES[2:]]
    assert Snapshot.objects.count() == len(NAMES) + 1
    assert "wget" in own


def test_a_server_that_gives_whole_files_is_not_asked_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = list_blocks(WARC, "python")
    Path("index.jsonl").write_text(json.dumps({"filename": "a.warc.gz", "offset": "10", "length": "20"}))
    with serve(lambda *_: (200, "application/octet-stream", b"x" * 100)) as address, pytest.raises(SystemExit, match="does not give parts"):
        exec(program.replace("https://data.commoncrawl.org", address), {})
    assert Path("shop.warc.gz").read_bytes() == b""


# News


@dataclass
class News:
    """A news site: articles, live blogs, galleries and overviews. It has a feed of the newest articles and no sitemap."""

    articles: int = 24
    asked: list[str] = field(default_factory=list)

    def describe(self, n: int) -> dict[str, Any]:
        """What is true of an article."""
        words = ["Harbour", "council", "votes", "bridge", "storm", "museum", "ferry", "school", "market", "election"]
        paragraphs = [
            f"Paragraph {p} of story {n} is about the {words[(n + p) % 10]} and the {words[(n * 3 + p) % 10]}." for p in range(3 + n % 4)
        ]
        return {
            "path": f"/2026/11/{1 + n % 28:02}/story-{n}",
            "headline": f"{words[n % 10]} {words[(n * 7 + 3) % 10]} number {n}",
            "authors": [f"Ann Author{n % 5}"] + ([f"Bo Writer{n % 3}"] if n % 3 == 0 else []),
            "published": f"2026-11-{1 + n % 28:02}T0{n % 10}:15:00+00:00",
            "section": ("Politics", "Sport", "Culture")[n % 3],
            "paragraphs": paragraphs,
        }

    def article(self, n: int) -> str:
        """The page of an article."""
        found = self.describe(n)
        byline = " and ".join(f'<span class="author">{name}</span>' for name in found["authors"])
        half = len(found["paragraphs"]) // 2
        text = [f"<p>{each}</p>" for each in found["paragraphs"]]
        text.insert(half, '<div class="ad"><span>Advertisement</span></div>')
        return self.frame(
            found["headline"],
            f'<article><p class="section">{found["section"]}</p><h1>{found["headline"]}</h1><p class="byline">By {byline}, '
            f'<time datetime="{found["published"]}">{n} hours ago</time></p><div class="text">{"".join(text)}</div></article>',
        )

    def frame(self, title: str, body: str) -> str:
        """A page of the site."""
        menu = "".join(
            f'<li><a href="/{name}">{name.title()}</a></li>' for name in ("", "politics", "sport", "culture", "live/1", "gallery/1")
        )
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} | Daily Lamp</title></head><body>'
            f"<header><ul>{menu}</ul></header>{body}<footer>© Daily Lamp</footer></body></html>"
        )

    def answer(self, path: str, _: str) -> Answer:
        """As the web server of the site."""
        self.asked.append(path)
        kind, body = "text/html; charset=utf-8", ""
        if path == "/robots.txt":
            kind, body = "text/plain", "User-agent: *\nAllow: /\n"
        elif path == "/feed.xml":
            newest = [self.describe(n) for n in range(self.articles - 8, self.articles)]
            items = "".join(f"<item><title>{each['headline']}</title><link>{self.address}{each['path']}</link></item>" for each in newest)
            kind, body = (
                "application/rss+xml",
                f'<?xml version="1.0"?><rss version="2.0"><channel><title>Lamp</title>{items}</channel></rss>',
            )
        elif path in ("/", "/politics", "/sport", "/culture"):
            chosen = [self.describe(n) for n in range(24) if path == "/" or self.describe(n)["section"].lower() == path[1:]]
            links = "".join(f'<div class="card"><a href="{each["path"]}"><h3>{each["headline"]}</h3></a></div>' for each in chosen)
            body = self.frame("News", f"<main><h2>Latest</h2>{links}</main>")
        elif match := re.fullmatch(r"/(live|gallery)/(\d)", path):
            more = "".join(f'<a href="/{match[1]}/{n}">{n}</a>' for n in range(1, 7))
            body = self.frame(f"{match[1]} {match[2]}", f"<section><ol><li><b>10:0{match[2]}</b> news</li></ol><nav>{more}</nav></section>")
        elif (match := re.fullmatch(r"/2026/11/\d\d/story-(\d+)", path)) and int(match[1]) < self.articles:
            body = self.article(int(match[1]))
        return (200 if body else 404), kind, (body or "<p>Nothing here").encode()

    address: str = ""


def finish(run_: Run) -> None:
    """Do a run and what follows it, as workers do."""
    pipeline.execute_run(run_.pk)
    while (queued := Run.objects.queued().order_by("pk").first()) is not None:
        pipeline.execute_run(queued.pk)


def test_the_recipe_for_news_gives_every_article_and_new_ones_within_the_hour(signed_in: Callable[[str], Any], tmp_path: Path) -> None:
    news = News()
    with serve(news.answer) as address:
        news.address = address
        usual = {"page_limit": "500", "delay_s": "0", "concurrency": "4", "rendered": "never", "obey_robots": "on", "whole": "on"}
        more = {"feeds": f"{address}/feed.xml", "include": "/2026/**", "name": "Lamp", "find_sitemaps": "on"}
        answer = signed_in("operator").post(reverse("site_new"), {"address": f"{address}/", **usual, **more})
        assert answer.status_code == 302, re.findall(r"field-error[^>]*>([^<]*)", answer.content.decode())
        site = Site.objects.get()
        finish(Run.objects.queued().get(kind=Run.Kind.CRAWL))
        fetched = set(Page.objects.values_list("url", flat=True))
        assert fetched - {f"{address}/"} == {address + news.describe(n)["path"] for n in range(24)}
        assert not [path for path in news.asked if path.startswith(("/live", "/gallery", "/sport"))], "the pattern saves requests"
        first = Page.objects.get(url=address + news.describe(0)["path"])
        assert first.current is not None and first.current.cluster is not None
        number = str(first.current.cluster.number)
        run("add-type", "Article", "headline!", "author*", "published:date", "section", "body")
        run("template", site.slug, number, "--type", "article")
        marks = [["url", "attribute", "value", "xpath"]]
        for n in (0, 3, 4):
            found = news.describe(n)
            url = address + found["path"]
            marks += [[url, "headline", found["headline"], "//h1/text()"], [url, "section", found["section"], "//article/p[1]/text()"]]
            marks += [[url, "author", name, ""] for name in found["authors"]]
            marks += [[url, "published", "", "//time/@datetime"], [url, "body", "", "//div[@class='text']"]]
        file = tmp_path / "marks.jsonl"
        rows = [{name: text for name, text in zip(marks[0], row, strict=True) if text} for row in marks[1:]]
        file.write_text("\n".join(map(json.dumps, rows)))
        run("annotate", site.slug, number, str(file))
        run("learn", site.slug, number, "--publish")
        run("extract", site.slug, number)
        check(tmp_path, site.slug, number, news, 24)
        schedule = {"mode": "interval", "every_hours": "1", "times": "", "cron": "", "zone": "UTC", "max_pages": "50"}
        answer = signed_in("operator").post(reverse("site_refresh_schedule", args=[site.slug]), schedule)
        assert answer.status_code == 302
        assert RefreshSchedule.objects.get().every_hours == 1
        news.articles = 27
        start_refreshes.start_refresh(site, now=timezone.now())
        finish(Run.objects.queued().get())
        check(tmp_path, site.slug, number, news, 27)


def check(folder: Path, slug: str, number: str, news: News, articles: int) -> None:
    """Fail unless the export has all articles, with all of their values."""
    target = folder / "articles.jsonl"
    run("export", slug, number, "--output", str(target), "--format", "jsonl")
    found = {each["source_url"]: each for each in map(json.loads, target.read_text().splitlines())}
    for n in range(articles):
        true = news.describe(n)
        line = found.pop(news.address + true["path"])
        assert (line["headline"], line["section"], line["author"]) == (true["headline"], true["section"], true["authors"])
        assert line["published"][:10] == true["published"][:10]
        text = " ".join(line["body"].split())
        assert [each for each in true["paragraphs"] if each not in text] == []
    assert not found
