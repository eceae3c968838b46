"""One crawl of a site with 2,000 pages and everything that is hard for crawlers: each address ends with the right outcome."""

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.fetching.crawl.messages import EndReason, Outcome
from tests.fetching.crawling import Told, crawl
from tests.fetching.site_pages import OUTSIDE, Site
from tests.fetching.site_server import SiteServer


@pytest.fixture(scope="module")
def site():
    with SiteServer(Site()) as server:
        told = crawl(server, feeds=(f"{server.address}/feed.xml",), url_lists=(f"{server.address}/list.csv",), contact="ada@example.com")
        yield server, told


def outcome(site: tuple[SiteServer, Told], path: str) -> Outcome:
    server, told = site
    return told.fetched[server.address + path].outcome


def test_a_crawl_ends_when_nothing_is_left_and_reports_each_address_once(site):
    _, told = site
    assert told.done.reason is EndReason.FINISHED
    assert told.twice == []
    assert {address.url for address in told.found} == set(told.fetched)


def test_every_page_of_the_site_is_fetched_with_its_bytes(site):
    server, told = site
    for number in (1, 750, 1500):
        url = f"{server.address}/product/{number}"
        assert told.fetched[url].outcome is Outcome.OK
        assert told.bodies[url] == server.site.answer(f"/product/{number}", {}).body
    pages = [url for url, each in told.fetched.items() if "/product/" in url or "/articles/" in url]
    assert len(pages) == 1801
    assert {told.fetched[url].outcome for url in pages} == {Outcome.OK}


def test_robots_txt_is_obeyed_and_the_user_agent_names_us(site):
    server, _told = site
    assert outcome(site, "/private/1") is Outcome.REFUSED_BY_ROBOTS
    assert "/private/1" not in server.paths()
    assert {seen.headers["user-agent"] for seen in server.requests} == {"Vertex/0.1 (+ada@example.com)"}


def test_pages_are_found_through_sitemaps_in_robots_txt_feeds_and_lists(site):
    assert {outcome(site, path) for path in ("/mapped/1", "/mapped/2", "/mapped/3", "/feed-item/1")} == {Outcome.OK}
    assert "https://other.example/x" not in site[1].fetched


def test_a_busy_server_is_asked_again_and_a_broken_one_only_a_few_times(site):
    assert outcome(site, "/flaky/1") is Outcome.OK
    assert outcome(site, "/broken") is Outcome.SERVER_ERROR
    assert site[0].paths().count("/broken") == 3


def test_redirects_are_followed_once_and_no_page_is_fetched_twice(site):
    server, told = site
    assert outcome(site, "/old/1") is Outcome.DUPLICATE or told.fetched[f"{server.address}/old/1"].final_url.endswith("/product/1")
    assert server.paths().count("/product/1") == 1
    assert outcome(site, "/cookie") is Outcome.OK
    assert outcome(site, "/loop/a") is Outcome.MOVED
    assert "without end" in told.fetched[f"{server.address}/loop/a"].message


def test_a_redirect_out_of_scope_counts_as_moved_and_is_not_followed(site):
    assert outcome(site, "/elsewhere") is Outcome.MOVED
    assert outcome(site, "/refresh") is Outcome.MOVED
    assert outcome(site, "/refreshed") is Outcome.OK


@pytest.mark.parametrize("path", ["/to-private", "/to-metadata", "/to-decimal"])
def test_a_redirect_to_a_private_address_is_refused(site, path):
    server, told = site
    assert outcome(site, path) is Outcome.REFUSED_ADDRESS
    assert "public internet" in told.fetched[server.address + path].message


def test_a_redirect_to_a_file_reads_no_file(site):
    assert outcome(site, "/to-file") is Outcome.MOVED
    assert not any(b"root:" in body for body in site[1].bodies.values())
    assert OUTSIDE not in site[1].fetched


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_compressed_pages_are_stored_unpacked(site, encoding):
    server, told = site
    assert b"<title>Packed by" in told.bodies[f"{server.address}/{encoding}"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_a_compression_bomb_counts_as_too_large(site, encoding):
    assert outcome(site, f"/bomb/{encoding}") is Outcome.TOO_LARGE


def test_bytes_and_charsets_are_kept_as_received(site):
    server, told = site
    for path, title in (("/charset/header", "Кириллица"), ("/charset/meta", "日本語")):
        url = server.address + path
        page = parse(told.bodies[url], content_type=told.fetched[url].headers["content-type"])
        assert page.root.findtext(".//title") == title


@pytest.mark.parametrize("path", ["/huge", "/huge-chunked"])
def test_fifty_megabytes_are_too_large(site, path):
    assert outcome(site, path) is Outcome.TOO_LARGE


def test_a_page_that_drips_endlessly_is_given_up(site):
    assert outcome(site, "/drip") is Outcome.TIMEOUT


def test_a_truncated_page_does_not_count_as_complete(site):
    assert outcome(site, "/cut") is Outcome.UNREACHABLE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/nothing", Outcome.NOT_FOUND),
        ("/gone", Outcome.GONE),
        ("/wall", Outcome.LOGIN_OR_BOT),
        ("/challenge", Outcome.LOGIN_OR_BOT),
        ("/login-needed", Outcome.LOGIN_OR_BOT),
        ("/blank", Outcome.EMPTY),
        ("/hollow", Outcome.EMPTY),
        ("/file", Outcome.NOT_HTML),
        ("/soft/1", Outcome.OK),
        ("/soft/3", Outcome.OK),
        ("/soft/7", Outcome.SOFT_404),
        ("/soft/8", Outcome.SOFT_404),
    ],
)
def test_each_kind_of_failure_has_its_own_outcome(site, path, expected):
    assert outcome(site, path) is expected


def test_the_same_page_at_many_paths_counts_as_a_login_or_bot_page(site):
    found = [outcome(site, f"/shared/{number}") for number in range(12)]
    assert found.count(Outcome.OK) == 1
    assert found.count(Outcome.LOGIN_OR_BOT) == 7


def test_an_endless_calendar_does_not_keep_the_crawl_going(site):
    server, _ = site
    assert 60 <= sum(path.startswith("/calendar/") for path in server.paths()) <= 90, "its first year has new figures"


def test_sessions_in_addresses_give_no_new_pages(site):
    server, told = site
    assert sum(path.startswith("/session/") and "?" in path for path in server.paths()) <= 2
    assert sum(path.startswith("/visit/") for path in server.paths()) <= 24
    ok = [url for url, each in told.fetched.items() if "/visit/" in url and each.outcome is Outcome.OK]
    assert len(ok) == 3


def test_the_crawl_says_at_its_end_which_query_keys_say_nothing(site):
    _, told = site
    assert told.done.ignored == ("tok",)


def test_tracking_parameters_do_not_make_another_page(site):
    assert sum(path.startswith("/noise") for path in site[0].paths()) == 1


def test_users_and_passwords_in_addresses_are_not_sent(site):
    server, told = site
    url = server.address.replace("http://", "http://ada:secret@") + "/named"
    assert told.fetched[url].outcome is Outcome.OK
    assert told.fetched[url].final_url == f"{server.address}/named"
    assert not any("authorization" in seen.headers for seen in server.requests)
    assert not any("referer" in seen.headers for seen in server.requests)


def test_progress_adds_up(site):
    _, told = site
    last = told.progress[-1]
    assert last.fetched == len(told.fetched) == sum(last.by_outcome.values())
    assert last.queued == 0
    assert last.bytes == sum(each.size_bytes for each in told.fetched.values())
