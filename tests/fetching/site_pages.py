"""The pages of a made-up site to crawl: some 2,000, with an example of everything that is hard for crawlers."""

import gzip
import itertools
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qs, urlsplit

import brotli
import zstandard

ARTICLES = 300


PER_LIST = 50


OUTSIDE = "http://10.11.12.13/secret"


_WORDS = """
    amber basalt cedar delta ember fjord garnet harbour indigo juniper kelp lagoon maple nectar opal
    pebble quartz river saffron tundra umber velvet willow yarrow zephyr acorn birch clover drift elm
    fern glade heron iris jasper kestrel linden moss nettle oak
"""


WORDS = _WORDS.split()


def name_of(number: int) -> str:
    """A name of words and syllables that no other number has."""
    syllables = ("ka", "lo", "mi", "ru", "te", "sa", "no", "vi", "du", "pe")
    return "".join(syllables[int(digit)] for digit in str(number)).capitalize() + " " + WORDS[number % len(WORDS)]


@dataclass(frozen=True)
class Answer:
    """status, headers and body; pieces: what is sent instead of the body, one after the other, with a pause before each."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    pieces: Callable[[], Iterable[bytes]] | None = None
    pause_s: float = 0.0
    length: int | None = None


def page(title: str, body: str, *, head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body><h1>{title}</h1>{body}</body></html>".encode()


def html(title: str, body: str, *, head: str = "", status: int = 200) -> Answer:
    return Answer(page(title, body, head=head), status)


def redirect(target: str, *, status: int = 302, cookie: str = "") -> Answer:
    headers = [("Location", target)] + ([("Set-Cookie", cookie)] if cookie else [])
    return Answer(b"", status, tuple(headers))


def encoded(encoding: str, content: bytes) -> Answer:
    return Answer(content, headers=(("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", encoding)))


class Site:
    """The site: what each path answers."""

    def __init__(self, *, products: int = 1500, crawl_delay: float | None = None, secret: str = OUTSIDE) -> None:
        self.products = products
        self.crawl_delay = crawl_delay
        self.secret = secret
        self.address = ""
        self.tries: Counter[str] = Counter()
        self._dice = random.Random(1)

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        parts = urlsplit(target)
        section, _, rest = parts.path.strip("/").partition("/")
        query = {key: values[-1] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        method = getattr(self, f"at_{section.replace('-', '_').replace('.', '_') or 'home'}", None)
        found = method(rest, query, headers) if method else None
        return found or html("Not here", "<p>There is no such page.</p>", status=404)

    # The site proper

    def at_home(self, rest, query, headers):
        links = [
            "/list?page=1",
            "/articles/",
            "/calendar/2026/11",
            "/specials",
            "/session/1",
            "/visit/1",
            "/private/1",
            "/shared/",
            "/soft/1",
        ]
        return html("Amber & Co", "".join(f'<a href="{link}">{link}</a> ' for link in links) + "<p>A shop of stones.</p>")

    def at_list(self, rest, query, headers):
        number = int(query.get("page", 1))
        last = -(-self.products // PER_LIST)
        if not 1 <= number <= last:
            return None
        first = (number - 1) * PER_LIST + 1
        items = "".join(f'<li><a href="/product/{n}">{name_of(n)}</a></li>' for n in range(first, min(first + PER_LIST, self.products + 1)))
        more = f'<a href="/list?page={number + 1}">Next</a>' if number < last else ""
        return html(f"Stones, page {number}", f"<ul>{items}</ul>{more}")

    def at_product(self, rest, query, headers):
        if not rest.isdigit() or not 1 <= int(rest) <= self.products:
            return None
        return Answer(_product(int(rest)))

    def at_articles(self, rest, query, headers):
        if not rest:
            return html("Articles", "".join(f'<a href="/articles/{_slug(n)}">{name_of(n)}</a> ' for n in range(ARTICLES)))
        number = next((n for n in range(ARTICLES) if _slug(n) == rest), None)
        if number is None:
            return None
        text = " ".join(WORDS[(number * 7 + place * (number % 11 + 1)) % len(WORDS)] for place in range(120))
        return html(f"About {name_of(number)}", f"<article><h2>Story</h2><p>{text}</p><p>{text[::2]}</p></article>")

    def at_specials(self, rest, query, headers):
        named = """
            /old/1 /old/2 /loop/a /flaky/1 /broken /gzip /br /zstd /charset/header /charset/meta /app/1 /huge
            /huge-chunked /drip /bomb/gzip /bomb/br /bomb/zstd /to-private /to-metadata /to-file /to-decimal
            /gone /nothing /wall /login-needed /challenge /blank /hollow /file /cut /cookie /elsewhere /refresh
            /noise?utm_source=x /noise?utm_source=y /feed-item/1
        """
        paths = named.split()
        with_user = self.address.replace("http://", "http://ada:secret@") + "/named"
        return html("Specials", "".join(f'<a href="{path}">{path}</a> ' for path in [*paths, with_user]))

    def at_private(self, rest, query, headers):
        return html("Private", "<p>Robots must not see this.</p>")

    # What sites say about themselves

    def at_robots_txt(self, rest, query, headers):
        delay = f"Crawl-delay: {self.crawl_delay}\n" if self.crawl_delay else ""
        text = f"User-agent: *\nDisallow: /private/\n{delay}Sitemap: {self.address}/sitemap-index.xml\n"
        return Answer(text.encode(), headers=(("Content-Type", "text/plain"),))

    def at_sitemap_index_xml(self, rest, query, headers):
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        entries = "".join(f"<sitemap><loc>{self.address}/{name}</loc></sitemap>" for name in ("sitemap-a.xml.gz", "sitemap-b.xml"))
        return Answer(f"<sitemapindex {space}>{entries}</sitemapindex>".encode(), headers=(("Content-Type", "application/xml"),))

    def at_sitemap_a_xml_gz(self, rest, query, headers):
        return Answer(gzip.compress(self._urlset(["/mapped/1"])), headers=(("Content-Type", "application/gzip"),))

    def at_sitemap_b_xml(self, rest, query, headers):
        return Answer(self._urlset(["/mapped/2", "https://other.example/x"]), headers=(("Content-Type", "text/xml"),))

    def at_feed_xml(self, rest, query, headers):
        item = f"<item><title>t</title><link>{self.address}/feed-item/1</link></item>"
        return Answer(f"<rss version='2.0'><channel>{item}</channel></rss>".encode(), headers=(("Content-Type", "application/rss+xml"),))

    def at_list_csv(self, rest, query, headers):
        return Answer(f"name,url\none,{self.address}/mapped/3\n".encode(), headers=(("Content-Type", "text/csv"),))

    def at_mapped(self, rest, query, headers):
        return html(f"Mapped {rest}", f"<p>Only the map knows {name_of(int(rest))}.</p>") if rest in {"1", "2", "3"} else None

    def at_feed_item(self, rest, query, headers):
        return html("Fed", "<p>From the feed, and nowhere else than there.</p>") if rest == "1" else None

    # Redirects and refusals

    def at_old(self, rest, query, headers):
        return redirect(f"/product/{rest}", status=301)

    def at_loop(self, rest, query, headers):
        return redirect("/loop/b" if rest == "a" else "/loop/a")

    def at_to_private(self, rest, query, headers):
        return redirect(self.secret)

    def at_to_metadata(self, rest, query, headers):
        return redirect("http://169.254.169.254/latest/meta-data/")

    def at_to_decimal(self, rest, query, headers):
        return redirect("http://2130706433/")

    def at_to_file(self, rest, query, headers):
        return redirect("file:///etc/passwd")

    def at_elsewhere(self, rest, query, headers):
        return redirect("http://other.example/")

    def at_cookie(self, rest, query, headers):
        if "seen=1" in headers.get("cookie", ""):
            return html("With a cookie", "<p>The cookie came back.</p>")
        return redirect("/cookie", cookie="seen=1; Path=/")

    def at_refresh(self, rest, query, headers):
        return html("Moved", "<p>One moment.</p>", head='<meta http-equiv="refresh" content="0; url=/refreshed">')

    def at_refreshed(self, rest, query, headers):
        return html("Refreshed", "<p>You have been sent on to this one.</p>")

    def at_named(self, rest, query, headers):
        return html("Named", "<p>Asked for with a user.</p>")

    def at_flaky(self, rest, query, headers):
        self.tries[rest] += 1
        return html("Flaky", "<p>At the third time it works.</p>") if self.tries[rest] > 2 else html("Busy", "", status=503)

    def at_broken(self, rest, query, headers):
        self.tries["broken"] += 1
        return html("Error", "<p>Stack trace.</p>", status=500)

    def at_gone(self, rest, query, headers):
        return html("Gone", "", status=410)

    def at_wall(self, rest, query, headers):
        return Answer(page("No", ""), 403, (("Content-Type", "text/html"), ("cf-mitigated", "challenge")))

    def at_challenge(self, rest, query, headers):
        return html("Just a moment...", "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script>")

    def at_login_needed(self, rest, query, headers):
        return redirect("/login?next=/login-needed")

    def at_login(self, rest, query, headers):
        return html("Sign in", "<form><input name='user'><input type='password' name='word'><button>Go</button></form>")

    # Encodings and sizes

    def at_gzip(self, rest, query, headers):
        return encoded("gzip", gzip.compress(page("Packed by gzip", "<p>gzip</p>")))

    def at_br(self, rest, query, headers):
        return encoded("br", brotli.compress(page("Packed by brotli", "<p>brotli</p>")))

    def at_zstd(self, rest, query, headers):
        return encoded("zstd", zstandard.compress(page("Packed by zstandard", "<p>zstandard</p>")))

    def at_charset(self, rest, query, headers):
        if rest == "header":
            body = page("Кириллица", "<p>Привет, мир</p>").decode().encode("windows-1251")
            return Answer(body, headers=(("Content-Type", "text/html; charset=windows-1251"),))
        body = page("日本語", "<p>石の店</p>", head='<meta charset="shift_jis">').decode().encode("shift_jis")
        return Answer(body, headers=(("Content-Type", "text/html"),))

    def at_huge(self, rest, query, headers):
        return Answer(pieces=lambda: itertools.repeat(b"<p>more</p>" * 6000, 800), length=800 * 66_000)

    def at_huge_chunked(self, rest, query, headers):
        return Answer(pieces=lambda: itertools.repeat(b"<p>more</p>" * 6000, 800))

    def at_drip(self, rest, query, headers):
        return Answer(pieces=lambda: itertools.repeat(b"<i>.</i>"), pause_s=0.05)

    def at_bomb(self, rest, query, headers):
        return encoded(rest, _bomb(rest))

    def at_cut(self, rest, query, headers):
        return Answer(page("Cut", "<p>half</p>"), length=10_000)

    def at_blank(self, rest, query, headers):
        return Answer(b"   \n")

    def at_hollow(self, rest, query, headers):
        return Answer(b"<!doctype html><html><head><style>p{}</style></head><body><div></div></body></html>")

    def at_file(self, rest, query, headers):
        return Answer(b"%PDF-1.4", headers=(("Content-Type", "application/pdf"),))

    # Pages without end

    def at_calendar(self, rest, query, headers):
        year, _, month = rest.partition("/")
        if not (year.isdigit() and month.isdigit()):
            return None
        after = int(year) * 12 + int(month)
        days = "".join(f"<td>{day}</td>" for day in range(1, 29))
        following = f"/calendar/{after // 12}/{after % 12 + 1}"
        return html("Calendar", f"<table><tr>{days}</tr></table><p>{int(month)} {year}</p><a href='{following}'>later</a>")

    def at_session(self, rest, query, headers):
        return self._round(rest, "sid", "Session") if rest in {"1", "2", "3"} else None

    def at_visit(self, rest, query, headers):
        return self._round(rest, "tok", "Visit") if rest in {"1", "2", "3"} else None

    def at_noise(self, rest, query, headers):
        return html("Noise", "<p>The same wherever you came from.</p>")

    def at_shared(self, rest, query, headers):
        if not rest:
            return html("Shared", "".join(f'<a href="/shared/{n}">{n}</a> ' for n in range(12)))
        if not rest.isdigit():
            return None
        return html("Welcome back", "<p>We are sorry that we cannot show you this now.</p>")

    def at_soft(self, rest, query, headers):
        if rest in {"1", "2", "3"}:
            links = "".join(f"<a href='/soft/{n}'>{n}</a>" for n in (1, 2, 3, 7, 8))
            return html(f"Soft {rest}", f"<p>A page that exists, about {name_of(int(rest))}.</p>{links}")
        return html(
            "Nothing found", f"<p>Sorry, {rest} is not in our catalogue any more. Try the search, or have a look at the news of today.</p>"
        )

    # Pages made by scripts

    def at_app(self, rest, query, headers):
        built = "'<h1>Built</h1><p>' + 'made by a script '.repeat(20) + '</p><a href=/app-link>on</a>'"
        script = f"document.getElementById('root').innerHTML = {built}"
        return Answer(page("App", f"<div id='root'></div><script>{script}</script>").replace(b"<h1>App</h1>", b""))

    def at_app_link(self, rest, query, headers):
        return html("Linked", "<p>Only a browser finds the way to here.</p>")

    def at_attack(self, rest, query, headers):
        secret = self.secret
        script = f"""for (const base of ['{secret}', location.origin]) for (const step of [
          () => fetch(base + '/fetch', {{mode: 'no-cors'}}), () => new WebSocket((base + '/ws').replace('http', 'ws')),
          () => navigator.sendBeacon(base + '/beacon'), () => window.open(base + '/open'), () => new Worker(base + '/worker'),
          () => import(base + '/module')]) {{ try {{ Promise.resolve(step()).catch(() => 0) }} catch (error) {{}} }}
          const pc = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:3478'}}]}}); pc.createDataChannel('x');
          pc.createOffer().then(offer => pc.setLocalDescription(offer));"""
        body = f"<img src='{secret}/img'><iframe src='{secret}/frame'></iframe><p>{'words ' * 80}</p><script>{script}</script>"
        return html("Attack", body, head=f"<link rel=stylesheet href='{secret}/css'><link rel=prefetch href='{secret}/prefetch'>")

    def _round(self, rest: str, key: str, title: str) -> Answer:
        links = "".join(f"<a href='/{title.lower()}/{n}?{key}={self._dice.randrange(10**12):012d}'>{n}</a>" for n in (1, 2, 3))
        return html(f"{title} {rest}", f"<p>A page about {name_of(int(rest))}.</p>{links}")

    def _urlset(self, paths: list[str]) -> bytes:
        urls = (path if path.startswith("http") else self.address + path for path in paths)
        entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


@lru_cache(maxsize=64)
def _product(number: int) -> bytes:
    words = " ".join(WORDS[(number * place + place) % len(WORDS)] for place in range(1, 90))
    rows = "".join(f"<tr><th>{WORDS[place]}</th><td>{(number * (place + 3)) % 997}</td></tr>" for place in range(12))
    near = "".join(f'<a href="/product/{max(1, number - step)}">{name_of(max(1, number - step))}</a> ' for step in range(1, 9))
    title = name_of(number)
    return page(title, f"<nav><a href='/'>Home</a> <a href='/list?page=1'>All</a></nav><p>{title}: {words}</p><table>{rows}</table>{near}")


@lru_cache(maxsize=8)
def _bomb(kind: str) -> bytes:
    """A few kilobytes that unpack to 128 MB."""
    block = b"<p>a</p>" * 131_072
    if kind == "gzip":
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join([packer.compress(block) for _ in range(128)]) + packer.flush()
    if kind == "br":
        squeezer = brotli.Compressor(quality=1)
        squeezed: bytes = b"".join([squeezer.process(block) for _ in range(128)]) + squeezer.finish()
        return squeezed
    cctx = zstandard.ZstdCompressor().compressobj()
    return b"".join([cctx.compress(block) for _ in range(128)]) + cctx.flush()


def _slug(number: int) -> str:
    return f"the-story-of-{name_of(number).lower().replace(' ', '-')}"
