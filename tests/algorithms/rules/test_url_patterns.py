"""URL patterns are specific, match what they were learned from, and never list it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.rules.url_patterns import MAX_PATTERNS, MAX_TEXT, UrlPattern, learn_patterns


def texts(urls: list[str]) -> list[str]:
    return [pattern.text() for pattern in learn_patterns(urls)]


words = ["book", "film", "x", "item-1", "item-22", "a.html", "b.html", "Café", "**", "*", "a*b", "%2A", "..", "long" * 40]
addresses = st.builds(
    lambda host, path, query: host + "/".join(path) + ("?" + "&".join(query) if query else ""),
    st.sampled_from(
        ["http://example.com/", "https://www.Example.com:443/", "http://other.org:8080/", "//x/", "", "/", "http://[::1]/", "http://[bad/"]
    ),
    st.lists(st.sampled_from(words), max_size=5),
    st.lists(st.sampled_from(["id=1", "id=2", "page", "q=a=b", "=", "*=*", "id=", "r=" + "v" * 150]), max_size=4),
)
urls = st.lists(st.one_of(addresses, st.text(max_size=30)), max_size=30)


@settings(deadline=None, max_examples=200)
@given(urls, st.integers(1, 7))
def test_every_url_matches_one_of_few_short_patterns(row: list[str], most: int) -> None:
    patterns = learn_patterns(row, max_patterns=most)
    assert all(any(pattern.matches(url) for pattern in patterns) for url in row if url.strip())
    assert len(patterns) <= most
    assert all(len(pattern.text()) <= MAX_TEXT for pattern in patterns)
    assert patterns == learn_patterns(row[::-1], max_patterns=most)


@settings(deadline=None, max_examples=200)
@given(st.lists(addresses, max_size=30))
def test_text_and_pattern_are_the_same(row: list[str]) -> None:
    for pattern in learn_patterns(row):
        assert UrlPattern.from_text(pattern.text()) == pattern


def test_what_varies_becomes_a_wildcard() -> None:
    assert texts([f"http://example.com/book/{n}" for n in range(20)]) == ["example.com/book/*"]


def test_common_beginnings_and_endings_of_a_segment_stay() -> None:
    assert texts([f"http://example.com/product/item-{n * 7}/detail.html" for n in range(20)]) == ["example.com/product/item-*/detail.html"]
    assert texts([f"https://example.com/tt{n:07}.html" for n in range(20, 90, 9)]) == ["example.com/tt*.html"]


def test_letters_shared_by_chance_are_no_beginning() -> None:
    assert texts([f"http://example.com/wine/{name}" for name in ("sam", "sue", "saul", "sid", "sonja", "silke")]) == ["example.com/wine/*"]


def test_few_addresses_keep_only_the_extension() -> None:
    assert texts([f"http://example.com/the-{name}.html" for name in ("lord", "ring")]) == ["example.com/*.html"]


def test_query_keys_count_and_others_do_not_disturb() -> None:
    (pattern,) = learn_patterns([f"http://example.com/show.php?op=302&id={n}" + ("&from=mail" if n == 3 else "") for n in range(20)])
    assert pattern.text() == "example.com/show.php?id=*&op=302"
    assert pattern.matches("https://example.com/show.php?x=1&id=&op=302#top")
    assert not pattern.matches("http://example.com/show.php?id=5&op=303")
    assert not pattern.matches("http://example.com/show.php?op=302")


def test_sections_with_many_pages_get_patterns_of_their_own() -> None:
    row = [f"http://example.com/{section}/{n}" for section in ("book", "film") for n in range(10)]
    assert texts(row) == ["example.com/book/*", "example.com/film/*"]


def test_values_with_a_long_tail_are_not_listed() -> None:
    row = [f"http://example.com/{brand}/{n}" for brand, count in (("canon", 30), ("nikon", 20), ("sony", 2)) for n in range(count)]
    assert texts(row) == ["example.com/*/*"]


def test_pages_that_differ_by_a_query_key_are_told_apart() -> None:
    row = [f"http://example.com/index.php?{key}={n}" for key in ("book", "author") for n in range(10)]
    assert texts(row) == ["example.com/index.php?author=*", "example.com/index.php?book=*"]


def test_many_path_lengths_are_joined_between_what_is_constant() -> None:
    row = [f"http://docs.example/api/{'p/' * n}q{n % 3}/class-use/Type{n}{x}.html" for n in range(8) for x in "abc"]
    assert texts(row) == ["docs.example/api/**/class-use/Type*.html"]


def test_many_hosts_are_joined() -> None:
    assert texts([f"http://shop{n}.example.com/item/{n}" for n in range(9)]) == ["shop*.example.com/item/*"]


def test_a_long_pattern_gives_way_in_its_longest_part() -> None:
    (pattern,) = learn_patterns(["http://example.com/a/" + "b" * 300 + "/c"])
    assert pattern.text() == "example.com/a/*/c"


def test_scheme_port_case_of_host_slash_and_fragment_do_not_matter() -> None:
    pattern = UrlPattern.from_text("example.com/book/*")
    for url in (
        "http://EXAMPLE.com/book/1",
        "https://example.com:443/book/1/",
        "http://example.com:80/book/1?q=2#x",
        "//example.com//book/1",
    ):
        assert pattern.matches(url)
    for url in (
        "http://example.com/book",
        "http://example.com/book/1/2",
        "http://example.com:81/book/1",
        "http://www.example.com/book/1",
        "book/1",
    ):
        assert not pattern.matches(url)


def test_file_names_stand_in_for_urls() -> None:
    (pattern,) = learn_patterns([f"pages/{n:04}.html" for n in range(30)])
    assert pattern.text() == "/pages/*.html"
    assert pattern.matches("pages/9999.html")


def test_a_literal_star_is_no_wildcard() -> None:
    (pattern,) = learn_patterns(["http://example.com/a*b"])
    assert pattern.matches("http://example.com/a*b")
    assert not pattern.matches("http://example.com/acb")


def test_specificity_orders_patterns_from_narrow_to_wide() -> None:
    ordered = ["example.com/book/item-*", "example.com/book/*", "example.com/*/*", "example.com/*", "example.com/**", "*/**"]
    ranks = [UrlPattern.from_text(text).specificity for text in ordered]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize("text", ["", " ", "?", "e.com/a*b*c", "e.com/**/x/**", "*.*.com/", "e.com/?a=*b*", "e.com/?*=1", "e.com/***"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"more than one \*|empty"):
        UrlPattern.from_text(text)


def test_no_urls_no_patterns() -> None:
    assert learn_patterns(["", "  "]) == ()
    with pytest.raises(ValueError, match="not 0"):
        learn_patterns([], max_patterns=0)


def test_patterns_stay_few_on_a_varied_site() -> None:
    row = [f"http://{'abc'[n % 3]}.com/{'/'.join(str(n * 7 % m) for m in range(2, 2 + n % 6))}" for n in range(400)]
    assert len(learn_patterns(row)) <= MAX_PATTERNS


def expression(pattern: UrlPattern) -> str:
    """A pattern's path as a regular expression: * is any text without a slash, ** any number of segments."""
    written = "/".join(pattern.segments)
    parts = re.split(r"(/?\*\*/?|\*)", written)
    return "".join("[^/]*" if part == "*" else "(?:/[^/]+)*" if "**" in part else re.escape(part) for part in parts)


segments = st.lists(st.sampled_from(["a", "b", "ab", "aab", "c.a", "aa"]), max_size=5)
stars = st.lists(st.sampled_from(["a", "b", "*", "a*", "*b", "a*b", "a*a", "aa*a"]), max_size=4)


@settings(max_examples=400)
@given(stars, st.integers(0, 4), segments, st.booleans())
def test_a_path_matches_as_a_regular_expression_says(written: list[str], place: int, path: list[str], any_depth: bool) -> None:
    whole = [*written[:place], "**", *written[place:]] if any_depth else written
    pattern = UrlPattern("e.com", tuple(whole))
    if not any_depth:
        wanted = re.fullmatch("/".join(re.escape(part).replace(r"\*", "[^/]*") for part in whole), "/".join(path)) is not None
        assert pattern.matches("http://e.com/" + "/".join(path)) == (wanted and len(path) == len(whole))
        return
    ends = written[:place], written[place:]
    head, tail = ("".join("/" + re.escape(part).replace(r"\*", "[^/]*") for part in end) for end in ends)
    wanted = re.fullmatch(f"{head}(?:/[^/]+)*{tail}", "".join(f"/{part}" for part in path)) is not None
    assert pattern.matches("http://e.com/" + "/".join(path)) == wanted


@pytest.mark.parametrize("sections", [2, 3, 4])
def test_as_many_sections_are_told_apart_as_there_may_be_patterns(sections: int) -> None:
    row = [f"http://example.com/{'abcd'[section]}x/{n}" for section in range(sections) for n in range(6)]
    assert [pattern.text() for pattern in learn_patterns(row, max_patterns=sections)] == [
        f"example.com/{'abcd'[n]}x/*" for n in range(sections)
    ]
    assert [pattern.text() for pattern in learn_patterns(row, max_patterns=sections - 1)] == ["example.com/*x/*"]


def test_a_section_of_four_pages_is_too_small_for_a_pattern_and_one_of_five_is_not() -> None:
    many = [f"http://example.com/book/{n}" for n in range(5)]
    assert texts([*many, *(f"http://example.com/film/{n}" for n in range(4))]) == ["example.com/*/*"]
    assert texts([*many, *(f"http://example.com/film/{n}" for n in range(5))]) == ["example.com/book/*", "example.com/film/*"]


def test_the_split_into_fewer_parts_comes_first_and_then_that_on_the_left() -> None:
    row = [f"http://example.com/{one}/{other}/{n}" for one in ("aa", "bb") for other in ("xx", "yy", "zz") for n in range(6)]
    assert [pattern.text() for pattern in learn_patterns(row, max_patterns=3)] == ["example.com/aa/*/*", "example.com/bb/*/*"]
    equal = [f"http://example.com/{one}/{other}/{n}" for one in ("aa", "bb") for other in ("xx", "yy") for n in range(6)]
    assert [pattern.text() for pattern in learn_patterns(equal, max_patterns=2)] == ["example.com/aa/*/*", "example.com/bb/*/*"]
    assert len(learn_patterns(equal, max_patterns=4)) == 4


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (["item-1-a", "item-2-a", "item-3-a", "item-4-a", "item-55-a"], "item-*-a"),
        (["tt11", "tt12", "tt13", "tt14", "tt15"], "tt*"),
        (["item", "items", "item-x", "itemy", "item1"], "*"),
        (["item", "item-s", "item-x", "item_y", "item1"], "item*"),
        (["a.htm", "b.html", "c.htm"], "*"),
        (["a.html", "b.html", "c.html"], "*.html"),
        (["a.longer", "b.longer"], "*"),
        (["a.", "b."], "*."),
    ],
)
def test_what_stays_of_a_segment_that_varies(values: list[str], pattern: str) -> None:
    assert texts([f"http://e.com/{value}" for value in values]) == [f"e.com/{pattern}"]


@pytest.mark.parametrize(
    ("url", "most", "pattern"),
    [
        ("http://e.com/ab/" + "c" * 10, 19, "e.com/ab/cccccccccc"),
        ("http://e.com/ab/" + "c" * 10, 18, "e.com/ab/*"),
        ("http://e.com/abcd/ef?k=" + "v" * 9, 25, "e.com/abcd/ef?k=vvvvvvvvv"),
        ("http://e.com/abcd/ef?k=" + "v" * 9, 24, "e.com/abcd/ef?k=*"),
        ("http://e.com/?a=1&b=22222&c=3", 20, "e.com/?a=1&b=*&c=3"),
        ("http://e.com/?a=1&bbbb=2&c=3", 20, "e.com/?a=1&c=3"),
        ("http://e.com/x/?a=1&bbbb=2&c=3", 20, "e.com/x?a=1&c=3"),
        ("http://e.com/x/?a=1&b=22222&c=3", 20, "e.com/x?a=1&b=*&c=3"),
        ("http://e.com/ab/cd/ef", 12, "e.com/**"),
        ("http://example.com/a", 11, "*/**"),
    ],
)
def test_a_pattern_is_shortened_by_its_longest_part_until_it_fits(url: str, most: int, pattern: str) -> None:
    (found,) = learn_patterns([url], max_text=most)
    assert found.text() == pattern
    assert len(found.text()) <= most
    assert found.matches(url)


def test_the_end_of_paths_of_many_lengths_does_not_reach_into_their_beginning() -> None:
    row = ["http://e.com/a/b", "http://e.com/a/b/b", "http://e.com/a/b/x/b"]
    (pattern,) = learn_patterns(row, max_patterns=1)
    assert pattern.text() == "e.com/a/b/**"
    assert all(pattern.matches(url) for url in row)
