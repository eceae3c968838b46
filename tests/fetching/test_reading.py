"""What a crawler reads in answers: links, sources, walls, missing pages, repetitions."""

import asyncio
import gzip
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.fetching.crawl import outcomes, sources
from extraction.fetching.crawl.frontier import Frontier
from extraction.fetching.crawl.messages import CrawlPlan, Outcome, RenderMode
from extraction.fetching.crawl.near import NearDuplicates
from extraction.fetching.crawl.needs import MORE_WORDS, Needs
from extraction.fetching.crawl.pages import MAX_LINKS, ParsedView, view
from extraction.fetching.crawl.repeats import TRAP_RUN, Repeats
from extraction.fetching.crawl.soft_404 import ProbeAnswer, Soft404
from extraction.fetching.url_safety import MAX_URL

URL = "https://a.example/folder/page"
LOREM = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))


def page(body: str, *, head: str = "", url: str = URL):
    return view(f"<html><head>{head}</head><body>{body}</body></html>".encode(), url=url)


def test_links_are_absolute_web_addresses_each_given_once():
    found = page("<a href='x'>1</a><a href='../y#z'>2</a><a href='x'>3</a><a href='mailto:a@b'>4</a><a href='JavaScript:x()'>5</a><a>6</a>")
    assert [link.url for link in found.links] == ["https://a.example/folder/x", "https://a.example/y"]


def test_the_base_of_a_page_is_used_unless_it_is_nonsense():
    assert page("<a href='x'>1</a>", head="<base href='/other/'>").links[0].url == "https://a.example/other/x"
    assert page("<a href='x'>1</a>", head="<base href='http://[bad'>").links[0].url == "https://a.example/folder/x"


@pytest.mark.parametrize(
    "link",
    [
        "<a href='?p=2' rel='next'>2</a>",
        "<a href='?p=2'> Next </a>",
        "<a href='?p=2'><span>Weiter</span></a>",
        "<a href='?p=2' aria-label='Next page'><i></i></a>",
        "<a href='?p=2'>»</a>",
        "<link rel='next' href='?p=2'>",
    ],
)
def test_links_to_the_next_page_of_a_list_are_recognised(link):
    assert [each.url for each in page(link).links if each.is_next] == ["https://a.example/folder/page?p=2"]


def test_a_link_that_only_begins_with_next_is_not_a_next_link():
    assert not any(link.is_next for link in page("<a href='/x'>Next week's events</a>").links)


def test_the_words_of_a_page_are_those_that_people_see():
    found = page("<p>One two</p><script>var three</script><style>four</style><noscript>five</noscript><!-- six --><b>Seven</b> eight")
    assert found.words == ("one", "two", "seven", "eight")


def test_sitemaps_sitemap_indexes_and_compressed_sitemaps_are_read():
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    urls = f"<urlset {space}><url><loc> https://a.example/1 </loc></url><url><loc>https://a.example/2?a=1&amp;b=2</loc></url></urlset>".encode()
    for content in (urls, gzip.compress(urls), b"\xef\xbb\xbf" + urls):
        pages = sources.read_sitemap(content, url=URL, max_bytes=10**6).pages
        assert pages == ("https://a.example/1", "https://a.example/2?a=1&b=2")
    index = f"<sitemapindex {space}><sitemap><loc>/s.xml.gz</loc></sitemap></sitemapindex>".encode()
    assert sources.read_sitemap(index, url=URL, max_bytes=10**6).sitemaps == ("https://a.example/s.xml.gz",)
    assert sources.read_sitemap(b"https://a.example/1\nhttps://a.example/2\n", url=URL, max_bytes=10**6).pages[1] == "https://a.example/2"


@pytest.mark.parametrize(
    "content", [b"", b"<", b"<html><body>404</body></html>", b"\x1f\x8bnonsense", b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"]
)
def test_a_file_that_is_not_a_sitemap_gives_no_addresses(content):
    try:
        found = sources.read_sitemap(content, url=URL, max_bytes=10**6)
    except OSError:
        return
    assert found == sources.Listing()


def test_a_sitemap_that_is_a_bomb_is_refused():
    with pytest.raises(OSError, match="more than"):
        sources.read_sitemap(gzip.compress(b" " * 10**7), url=URL, max_bytes=10**6)


def test_entities_of_a_sitemap_are_not_read_from_files():
    content = b"<!DOCTYPE u [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><urlset><url><loc>https://a.example/&e;</loc></url></urlset>"
    assert all(url == "https://a.example/" for url in sources.read_sitemap(content, url=URL, max_bytes=10**6).pages)


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><link>https://a.example/</link><item><link>https://a.example/1</link></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/><entry><link rel='edit' href='/e'/><link href='/1'/></entry></feed>",
        "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'><item><link>https://a.example/1</link></item></rdf:RDF>",
    ],
)
def test_feeds_name_their_entries(feed):
    assert sources.read_feed(feed.encode(), url=URL).pages == ("https://a.example/1",)


@pytest.mark.parametrize(
    "listed",
    [
        "https://a.example/1\nhttps://a.example/2\n",
        "name,url\nx,https://a.example/1\ny,https://a.example/2\n",
        "\ufeffurl;n\r\nhttps://a.example/1;3\r\nhttps://a.example/2;4\r\nhttps://a.example/1;3\r\n",
        '"see https://a.example/1"\n# note\nhttps://a.example/2',
    ],
)
def test_lists_of_addresses_are_read(listed):
    assert sources.read_url_list(listed.encode()).pages == ("https://a.example/1", "https://a.example/2")


def wall(body: str, *, head: str = "", final_url: str = URL) -> Outcome | None:
    content = f"<html><head>{head}</head><body>{body}</body></html>".encode()
    verdict = outcomes.judge_wall(content, view(content, url=final_url), final_url=final_url, asked_url=URL)
    return verdict.outcome if verdict else None


def test_login_walls_and_bot_checks_are_recognised_but_a_captcha_in_a_form_is_not_one():
    captcha = "<div class='g-recaptcha'></div>"
    login = "<form><input type='password'></form>"
    assert wall(captcha) is Outcome.LOGIN_OR_BOT
    assert wall("", head="<title>Attention Required! | Cloudflare</title>") is Outcome.LOGIN_OR_BOT
    assert wall(login + "Sign in") is Outcome.LOGIN_OR_BOT
    assert wall(login + LOREM, final_url="https://a.example/login?next=x") is Outcome.LOGIN_OR_BOT
    assert wall(captcha + LOREM) is None
    assert wall(login + LOREM) is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, None),
        (304, Outcome.NOT_MODIFIED),
        (302, Outcome.MOVED),
        (401, Outcome.LOGIN_OR_BOT),
        (403, Outcome.LOGIN_OR_BOT),
        (404, Outcome.NOT_FOUND),
        (410, Outcome.GONE),
        (429, Outcome.LOGIN_OR_BOT),
        (451, Outcome.NOT_FOUND),
        (500, Outcome.SERVER_ERROR),
        (999, Outcome.SERVER_ERROR),
    ],
)
def test_statuses_are_outcomes(status, expected):
    verdict = outcomes.judge_status(status, headers={})
    assert (verdict.outcome if verdict else None) is expected


@pytest.mark.parametrize(
    ("content", "content_type", "expected"),
    [
        (b"<p>x", "text/html; charset=utf-8", True),
        (b"<!DOCTYPE html><p>x", "text/plain", True),
        (b"\xef\xbb\xbf <!-- x --><html>", "", True),
        (b"plain words", "text/plain", False),
        (b"<rss></rss>", "application/xml", False),
        (b"<urlset></urlset>", "text/xml", False),
        (b"<?xml version='1.0'?><product/>", "text/xml", True),
        (b"<a:product xmlns:a='x'/>", "application/vnd.shop+xml; charset=utf-8", True),
        (b"<?xml version='1.0'?><product/>", "", True),
        (b"<product/>", "image/svg+xml", False),
        (b"<html>", "image/png", False),
    ],
)
def test_pages_are_told_from_files(content, content_type, expected):
    assert outcomes.is_page(content, content_type=content_type) is expected


def judged_missing(folder: str, nothing: str, pages: list[tuple[str, str]]) -> list[bool]:
    """Return whether pages count as missing on a site that answers 404 everywhere except in one folder."""
    asked: list[str] = []

    async def ask(url: str) -> ProbeAnswer:
        asked.append(url)
        sought = url.rpartition("/")[2]
        return ProbeAnswer(page(nothing.format(sought), url=url), url) if url.startswith(folder) else ProbeAnswer(None, url)

    async def run() -> list[bool]:
        soft = Soft404(ask, seed=1)
        return [bool(await soft.reason(page(body, url=url), url=url, final_url=url)) for url, body in pages]

    found = asyncio.run(run())
    assert len(asked) == len(set(asked)) == len({url.rpartition("/")[0] for url, _ in pages})
    return found


def test_the_look_of_missing_pages_is_learned_folder_by_folder():
    nothing = "<p>We could not find what you asked for: {}. Have a look at our other pages, or go back to where you came from.</p>"
    pages = [
        ("https://a.example/soft/1", "<p>A page about amber, which is old resin.</p>"),
        ("https://a.example/soft/gone-thing", nothing.format("gone thing")),
        ("https://a.example/hard/gone-thing", nothing.format("gone thing")),
    ]
    assert judged_missing("https://a.example/soft/", nothing, pages) == [False, True, False]


def test_a_page_that_redirects_like_a_made_up_address_is_missing():
    async def ask(url: str) -> ProbeAnswer:
        return ProbeAnswer(page("<p>Home</p>", url="https://a.example/"), "https://a.example/")

    found = Soft404(ask).reason(page("<p>Home, other words</p>"), url="https://a.example/x/1", final_url="https://a.example/")
    assert asyncio.run(found) != ""


def test_a_query_key_is_ignored_only_if_it_never_changes_the_page():
    repeats = Repeats()
    for number in range(5):
        repeats.same(page(f"<p>product {number}</p>"), f"https://a.example/p?id={number}")
    for number in range(5, 12):
        repeats.same(page("<p>sold out</p>"), f"https://a.example/p?id={number}")
        repeats.same(page("<p>home</p>"), f"https://a.example/?tok={number}")
    assert repeats.ignored == {"tok"}


def product(number: int, canonical: str) -> ParsedView:
    return view(f"<link rel=canonical href='{canonical}'><p>product {number}</p>".encode(), url="https://a.example/")


def test_the_address_of_a_page_is_its_own_without_who_sent_the_visitor():
    repeats = Repeats()
    assert repeats.strip(product(1, "/p/1?size=2"), "https://a.example/p/1?ref=home&size=2") == "https://a.example/p/1?size=2"
    for same in ("https://a.example/p/1?ref=home", "https://a.example/p/1"):  # the page does not confirm it, or confirms the key
        assert repeats.strip(product(1, "/p/2"), same) == same
        assert repeats.strip(product(1, "/p/1?ref=home"), same) == same
    assert repeats.strip(product(1, "/p/1"), "https://a.example/p/1?id=1") == "https://a.example/p/1?id=1"


def test_a_key_that_changes_the_page_stays_in_its_address_whatever_the_page_says():
    repeats = Repeats()
    for number, url in enumerate(["https://a.example/p?ref=1", "https://a.example/p?ref=2", "https://a.example/p?ref=3"]):
        repeats.canonical(product(number, "/p"), url)
        repeats.same(product(number, "/p"), url)
    assert repeats.strip(product(3, "/p"), "https://a.example/p?ref=4") == "https://a.example/p?ref=4"


BROKEN = ["http://[", "http://[::1", "https://a.example:port/", "http://[x]/", "http://a.example]/"]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_address_costs_a_sitemap_a_feed_or_a_list_only_that_address(broken: str):
    good = ["https://a.example/1", "https://a.example/2?x=1&y=2"]
    entries = [good[0], broken, good[1]]
    sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + "".join(f"<url><loc>{url}</loc></url>" for url in entries)
    feed = "<rss><channel>" + "".join(f"<item><link>{url}</link></item>" for url in entries) + "</channel></rss>"
    found = [
        sources.read_sitemap(f"{sitemap}</urlset>".encode(), url=URL, max_bytes=10**6),
        sources.read_feed(feed.encode(), url=URL),
        sources.read_url_list("\n".join(entries).encode()),
    ]
    for each in found:
        assert [url for url in each.pages if url in good] == good
        assert len(each.pages) + len(each.unreadable) == 3
        frontier = Frontier(CrawlPlan(spool="", start=("https://a.example/",)))
        assert {address.url for address in frontier.give([*each.pages, broken], via=URL)} >= set(good)
    if broken != "http://[x]/":
        assert all(each.unreadable == (broken,) for each in found)


@given(st.lists(st.text("htps:/.[]@?#% \\a1é", min_size=1, max_size=30), max_size=6))
def test_no_list_of_addresses_raises(parts: list[str]):
    text = "\n".join(f"http://{part}" for part in parts)
    sources.read_url_list(text.encode())
    sources.read_feed(f"<rss><item><link>{text}</link></item></rss>".encode(), url=URL)
    sources.read_sitemap(f"<urlset><url><loc>{text}</loc></url></urlset>".encode(), url=URL, max_bytes=10**6)


def test_a_page_of_many_links_is_read_at_once_and_says_that_links_are_left_out():
    for link in ("<a href='/{}'>x</a>", "<a href='javascript:{}'>x</a>", "<img src='/{}'>"):
        started = time.process_time()
        found = page("".join(link.format(number) for number in range(60_000)))
        assert time.process_time() - started < 4  # in quadratic time it would be minutes
        assert found.links_left_out and len(found.links) <= MAX_LINKS
    assert not page("<a href='/1'>x</a>").links_left_out


def test_a_trap_is_a_part_that_brings_neither_new_words_nor_new_addresses():
    months = [f"<p>month {number}</p>" for number in range(TRAP_RUN + 2)]
    assert trapped_at(months) == TRAP_RUN
    assert trapped_at(months, brought=True) is None
    assert trapped_at(months, chained=False) is None, "a sitemap or a list page leads to each of them"
    assert trapped_at([f"<p>stone {'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}</p>" for number in range(80)]) is None


def trapped_at(bodies: list[str], *, brought: bool = False, chained: bool = True, path: str = "/p/") -> int | None:
    """Return the number of the page that shows that its shape is a trap."""
    repeats, shape = Repeats(), ("a.example", "1", "", "*")
    for number, body in enumerate(bodies):
        url = f"https://a.example{path}{number}"
        if repeats.is_trap(shape, page(body), url=url, brought=brought, chained=chained):
            return number
    return None


def test_a_catalogue_whose_pages_differ_in_figures_is_no_trap():
    chance = random.Random(3)
    for _ in range(5):
        stock = [(chance.randrange(100), chance.randrange(100), chance.randrange(60)) for _ in range(251)]
        assert trapped_at([f"<h1>Bolt {n}</h1><p>£{a}.{b:02} {c} in stock</p>" for n, (a, b, c) in enumerate(stock)]) is None
        assert trapped_at([f"<h1>Part x{a}b{b}</h1><p>£9.99</p>" for a, b, _ in stock]) is None


def test_calendars_in_many_forms_are_traps():
    def month(number: int, form: int) -> str:
        year, place = 2000 + number // 12, number % 12 + 1
        days = " ".join(str(day) for day in range(1, 28 + number % 4))
        forms = (f"<p>{place} / {year}</p>", f"<p>{year - 1} {year} {year + 1}</p><p>{days}</p>", f"<p>{days}</p><a>{place:02}.{year}</a>")
        return forms[form]

    for form in range(3):
        repeats, shape = Repeats(), ("a.example", "1", "", "*")
        found = (
            repeats.is_trap(
                shape, page(month(n, form)), url=f"https://a.example/{2000 + n // 12}/{n % 12 + 1}", brought=False, chained=True
            )
            for n in range(TRAP_RUN + 150)
        )
        assert any(found), form


def test_results_without_end_that_are_counted_end_the_crawl_of_them_later():
    bodies = [f"<p>Results {number * 10 + 1} to {number * 10 + 10}</p>" for number in range(25 * TRAP_RUN)]
    found = trapped_at(bodies, path="/list/page/")
    assert found is not None and 15 * TRAP_RUN < found < 25 * TRAP_RUN


def test_pages_with_the_same_title_and_nearly_the_same_words_are_near_duplicates():
    near = NearDuplicates()
    title = "<title>Stone</title>"
    assert near.earlier(page(LOREM, head=title), "https://a.example/1") == ""
    assert near.earlier(page(LOREM + " more", head=title), "https://a.example/2") == "https://a.example/1"
    assert near.earlier(page(LOREM + " more", head="<title>Pebble</title>"), "https://a.example/3") == ""
    assert near.earlier(page(" ".join(reversed(LOREM.split())), head=title), "https://a.example/4") == ""


def test_a_browser_is_used_where_it_shows_more():
    shell = page("<div id='root'></div><script>x</script>")
    full = page(f"<p>{LOREM}</p><script>x</script>")
    more = page(f"<p>{LOREM} {LOREM} {'x ' * MORE_WORDS}</p>")
    shape = ("a.example", "1", "", "*")
    assert not Needs(RenderMode.NEVER).rendering(shell, shape)
    assert Needs(RenderMode.ALWAYS).rendering(full, shape)
    needs = Needs(RenderMode.WHEN_NEEDED)
    assert needs.rendering(shell, shape) and needs.compare(shell, full, shape)
    for _ in range(3):
        assert needs.rendering(full, shape)
        assert not needs.compare(full, full, shape)
    assert not needs.rendering(full, shape), "three pages showed the same in a browser"
    gaining = Needs(RenderMode.WHEN_NEEDED)
    assert [gaining.rendering(full, shape) and gaining.compare(full, more, shape) for _ in range(6)] == [True] * 6


def test_long_addresses_are_not_followed():
    assert len(page(f"<a href='/{'x' * MAX_URL}'>1</a>").links) == 1


def test_a_bare_ampersand_in_a_sitemap_is_one() -> None:
    content = (
        b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.example/?x=1&y=2</loc></url>"
        b"<url><loc>https://a.example/?x=1&amp;z=2</loc></url><url><loc><![CDATA[https://a.example/?u=1&v=2]]></loc></url></urlset>"
    )
    found = sources.read_sitemap(content, url=URL, max_bytes=10**6).pages
    assert found == ("https://a.example/?x=1&y=2", "https://a.example/?x=1&z=2", "https://a.example/?u=1&v=2")


@pytest.mark.parametrize("broken", ['"', '"an open quote', f'"{"x" * 200_000}"', '"a"b'], ids=["quote", "text", "long", "inside"])
def test_a_broken_or_endless_cell_of_a_list_costs_no_other_row(broken: str) -> None:
    listed = f"address,note\nhttps://a.example/1,{broken}\nhttps://a.example/2,x\nhttps://a.example/3,y\n"
    assert sources.read_url_list(listed.encode()).pages == tuple(f"https://a.example/{n}" for n in (1, 2, 3))


def test_a_cell_of_several_lines_is_one_cell() -> None:
    listed = 'address,note\nhttps://a.example/1,"two\nhttps://a.example/no lines"\nhttps://a.example/2,\n'
    assert sources.read_url_list(listed.encode()).pages == ("https://a.example/1", "https://a.example/2")
