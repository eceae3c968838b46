"""Which addresses are the same, which are in the scope of a crawl, and which have the same shape."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.fetching.crawl.frontier import Frontier, Queue
from extraction.fetching.crawl.messages import Address, CrawlPlan
from extraction.fetching.crawl.sampling import LEAST, RUN, Novelty, ShapeQueue
from extraction.fetching.crawl.scope import Scope, key
from extraction.fetching.crawl.shapes import MAX_CHILDREN, Shapes, text

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/x?b=2&a=1", "http://A.example:80/x/?a=1&b=2#top"),
        ("https://a.example/x", "https://a.example/x?utm_source=news&gclid=1"),
        ("https://a.example/x?id=7", "https://a.example/x?PHPSESSID=0123456789abcdef&id=7"),
        ("https://a.example/x", "https://a.example/x;jsessionid=0123456789abcdef"),
        ("https://a.example/%7Eada", "https://a.example/~ada"),
    ],
)
def test_different_notations_of_one_address_are_the_same(one, other):
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/x?id=7", "https://a.example/x?id=8"),
        ("https://a.example/x", "https://b.example/x"),
        ("https://a.example:8443/x", "https://a.example/x"),
        ("https://a.example/X", "https://a.example/x"),
        ("https://a.example/x?sid=3", "https://a.example/x?sid=4"),  # too short to be a session
    ],
)
def test_different_addresses_stay_different(one, other):
    assert key(one) != key(other)


@settings(max_examples=40)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_address_has_a_key_or_is_refused(path, query):
    url = f"{SITE}/{path}?{query}"
    if not Scope(frozenset({"a.example"})).refusal(url, given=True):
        assert key(url) == key(url)


def scope(**changes: object) -> Scope:
    return Scope.of(CrawlPlan(spool="", start=(f"{SITE}/",), **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["https://a.example/b", "http://www.a.example/b?c", "https://a.example:8443/b"])
def test_the_start_addresses_host_is_in_scope(url):
    assert scope().refusal(url) == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://b.example/",
        "https://a.example.b.example/",
        "https://ba.example/",
        "ftp://a.example/",
        "https://a.example/x.pdf",
        "https://a.example/x/y/x/y/x/y",
        "https://a.example/" + "x" * 3000,
        "https://a.example:99999/",
        "mailto:ada@a.example",
    ],
)
def test_other_hosts_and_files_that_are_not_pages_are_out_of_scope(url):
    assert scope().refusal(url)


def test_subdomains_are_in_scope_when_they_are_named_so():
    assert scope(allowed_hosts=(".a.example",)).refusal("https://shop.a.example/") == ""
    assert scope(allowed_hosts=("a.example",)).refusal("https://shop.a.example/")


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("/book/*", "https://a.example/book/7", True),
        ("/book/*", "https://a.example/books/7", False),
        ("/book/*/reviews", "https://a.example/book/7/x/reviews", True),
        ("*page=*", "https://a.example/list?page=3", True),
        ("a.example/list", "https://a.example/list/", True),
        ("https://a.example/*.html", "http://a.example/x/y.html", True),
        ("*.html", "https://a.example/x.htm", False),
        ("/ab*ba", "https://a.example/aba", False),
    ],
)
def test_patterns_are_globs(pattern, url, fits):
    assert (scope(include=(pattern,)).refusal(url) == "") is fits
    assert bool(scope(exclude=(pattern,)).refusal(url)) is fits


def test_a_hostile_address_does_not_make_a_pattern_slow():
    patterns = scope(exclude=("/" + "a*" * 30 + "b",))
    begin = time.process_time()
    for _ in range(50):
        patterns.refusal(f"{SITE}/" + "a" * 1900)
    assert time.process_time() - begin < 2


def test_numbers_and_identifiers_are_not_part_of_a_shape():
    shapes = Shapes()
    assert shapes.see(f"{SITE}/book/17?page=3") == shapes.see(f"{SITE}/book/9?page=12")
    assert shapes.see(f"{SITE}/i/deadbeef01") == shapes.see(f"{SITE}/i/0badcafe22")
    assert text(shapes.see(f"{SITE}/book/17?page=3")) == "a.example/book/*?page=*"


def test_sections_keep_their_own_shapes_and_names_share_one():
    shapes = Shapes()
    for number in range(60):
        for section in ("films", "books"):
            shapes.see(f"{SITE}/{section}/{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]}-story")
    found = {text(shapes.shape(f"{SITE}/{section}/never-seen-before")) for section in ("films", "books")}
    assert found == {"a.example/films/*", "a.example/books/*"}


def test_a_level_with_many_names_keeps_those_that_many_addresses_have():
    shapes = Shapes()
    for number in range(40):
        shapes.see(f"{SITE}/shop/item-{number}/info")
    for letter in "abcdefghijklmnop"[: MAX_CHILDREN + 1]:
        shapes.see(f"{SITE}/{letter}/x/info")
    assert text(shapes.shape(f"{SITE}/shop/item-3/info")).startswith("a.example/shop/")
    assert text(shapes.shape(f"{SITE}/zzz/x/info")).startswith("a.example/*/")


def popped_address(queue: Queue) -> Address:
    popped = queue.pop()
    assert popped is not None
    return popped[0]


def test_a_sample_takes_addresses_from_each_shape_in_turn():
    shapes = Shapes()
    queue = ShapeQueue(shapes)
    for kind, number in (("book", 500), ("film", 40), ("about", 1)):
        for each in range(number):
            queue.push(Address(url=f"{SITE}/{kind}/{each}"))
    taken = [popped_address(queue).url for _ in range(41)]
    assert sum("/book/" in url for url in taken) == 20
    assert sum("/film/" in url for url in taken) == 20


def test_a_sample_ends_when_pages_bring_nothing_new():
    shapes = Shapes()
    queue = ShapeQueue(shapes)
    for each in range(500):
        queue.push(Address(url=f"{SITE}/book/{each}"))
    taken = 0
    while popped := queue.pop():
        taken += 1
        queue.kept(popped[1], 0x0102030405060708)
    assert taken == max(LEAST, RUN + 1)


def test_wanted_addresses_are_fetched_whatever_the_sample_has():
    queue = ShapeQueue(Shapes())
    for each in range(100):
        queue.push(Address(url=f"{SITE}/book/{each}", wanted=each >= 50))
    taken = []
    while popped := queue.pop():
        taken.append(popped[0])
        queue.kept(popped[1], 1)
    assert [address.wanted for address in taken[:50]] == [True] * 50
    assert not any(address.wanted for address in taken[50:])
    assert len(taken) == 50


def test_a_vector_is_new_unless_six_bytes_agree():
    novelty = Novelty()
    assert novelty.is_new(0x0102030405060708)
    assert not novelty.is_new(0x01020304050607FF)
    assert not novelty.is_new(0xFF020304050607FE)
    assert novelty.is_new(0x0102030405AAAAAA)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=12), st.randoms(use_true_random=False))
def test_novelty_agrees_with_a_comparison_of_all_vectors(vectors, chance):
    vectors += [vector ^ (0xFF << 8 * chance.randrange(8)) for vector in vectors]
    novelty = Novelty()
    seen: list[int] = []
    for vector in vectors:
        agreeing = [sum((vector ^ other) >> 8 * place & 0xFF == 0 for place in range(8)) for other in seen]
        assert novelty.is_new(vector) == (not agreeing or max(agreeing) < 6)
        seen.append(vector)


def test_no_address_is_lost_or_fetched_twice_while_shapes_change():
    chance = random.Random(3)
    shapes = Shapes()
    queue = ShapeQueue(shapes)
    given_urls, taken = set(), []
    for number in range(600):
        url = f"{SITE}/{chance.choice('abcdefghijklmnopqrstuvwxyz')}{number}/{chance.choice('xyz')}"
        given_urls.add(url)
        queue.push(Address(url=url))
        if number % 3 == 0:
            taken.append(popped_address(queue).url)
    while popped := queue.pop():
        taken.append(popped[0].url)
    assert sorted(taken) == sorted(given_urls)
    assert len(queue) == 0


def test_a_restored_frontier_knows_what_was_fetched():
    plan = CrawlPlan(spool="", start=(f"{SITE}/",), known=(f"{SITE}/1",), queued=(Address(url=f"{SITE}/2", depth=3),))
    frontier = Frontier(plan)
    found = frontier.follow([f"{SITE}/1", f"{SITE}/2", f"{SITE}/3"], depth=1, via=f"{SITE}/")
    assert [address.url for address in found] == [f"{SITE}/3"]
    assert [popped_address(frontier.queue).depth for _ in range(2)] == [1, 3]
    assert frontier.arrive(f"{SITE}/2") and not frontier.arrive(f"{SITE}/2") and not frontier.arrive(f"{SITE}/1")


def test_a_sitemap_that_is_too_long_is_queued_in_part_and_spread_over_it():
    for limit, many in ((150, 600_000), (5_000, 100_000), (150, 100)):
        frontier = Frontier(CrawlPlan(spool="", start=(f"{SITE}/",), page_limit=limit, sample=True))
        urls = [f"{SITE}/{'abcdef'[number * 6 // many]}/{number}" for number in range(many)]
        chosen = frontier.choose(urls)
        assert len(chosen) == min(many, frontier.room // 2) and frontier.room >= 5 * limit
        sections = {url.split("/")[3]: 0 for url in chosen}
        assert len(sections) == 6
        assert len(frontier.give(chosen, via=f"{SITE}/sitemap.xml")) == len(chosen)
        assert len(frontier.choose(urls)) <= (frontier.room - len(chosen)) // 2 or many == 100, "later sitemaps still have room"


def test_links_beyond_the_room_are_counted_and_not_queued():
    frontier = Frontier(CrawlPlan(spool="", start=(f"{SITE}/",), page_limit=10))
    found = frontier.follow((f"{SITE}/{number}" for number in range(frontier.room + 500)), depth=1, via=SITE)
    assert len(found) == len(frontier) == frontier.room
    assert frontier.overflow == 500
