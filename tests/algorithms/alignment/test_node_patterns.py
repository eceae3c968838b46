"""Node extraction patterns equal a brute-force search, pages fit the pattern made from them, and news sites give title and body."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.alignment.node_patterns import generalise_pages, match_page, news, page_trees
from extraction.algorithms.alignment.node_patterns.page_trees import PlacedTree, read_page_tree
from extraction.algorithms.alignment.node_patterns.pattern_mapping import IMPOSSIBLE, PatternMapping
from extraction.algorithms.alignment.node_patterns.patterns import Pattern, write_pattern
from extraction.algorithms.alignment.trees import Forest, Tree
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from tests.fixtures import news_site

Plain = tuple[str, tuple["Plain", ...]]

plains = st.recursive(
    st.builds(lambda label: (label, ()), st.sampled_from("ab")),
    lambda below: st.builds(lambda label, children: (label, tuple(children)), st.sampled_from("ab"), st.lists(below, max_size=3)),
    max_leaves=6,
)
wild = st.recursive(
    st.builds(lambda label: (label, ()), st.sampled_from("ab.?+*")),
    lambda below: st.builds(lambda label, children: (label, tuple(children)), st.sampled_from("ab"), st.lists(below, max_size=3)),
    max_leaves=6,
)


def made(forest: Forest, plain: Plain) -> Tree:
    return forest.tree(plain[0], [made(forest, child) for child in plain[1]])


def placed(tree: Tree) -> PlacedTree:
    return PlacedTree(tree, Location(0), tuple(map(placed, tree.children)))


def page(forest: Forest, body: str) -> PlacedTree:
    return read_page_tree(parse(f"<html><body>{body}</body></html>".encode()).root, forest)


def of(forest: Forest, *bodies: str) -> Pattern:
    return generalise_pages([page(forest, body) for body in bodies], forest)


def shown(pattern: Pattern) -> str:
    return write_pattern(pattern.tree).removeprefix("html[body[").removesuffix("]]")


@pytest.mark.parametrize(
    ("bodies", "pattern"),
    [
        (("<p>A</p>", "<p>A</p>"), 'p["A"]'),
        (("<p>A</p>", "<p>B</p>"), "p[.]"),
        (("<p>Title: <b>A</b> by Ada</p>", "<p>Title: <b>B</b></p>"), 'p["Title:" b[.] ?]'),
        (("<p>Title: <b>B</b></p>", "<p>Title: <b>A</b> by Ada</p>"), 'p["Title:" b[.] ?]'),
        (("<ul><li>A<li>B<li>C</ul>", "<ul><li>A</ul>"), 'ul[li["A"] *]'),
        (("<ul><li>A</ul>", "<ul></ul>", "<ul><li>B<li>C</ul>"), "ul[*]"),
        (("<p>A</p>", "<i>A</i>"), "."),
        (("<b>x</b><i>A</i>", "<b>x</b><u>B</u>", "<b>x</b><u>B</u><i>C</i>"), 'b["x"] +'),
        (("<p>A<br>B</p>", "<p>C<br>D</p>"), "p[. br .]"),
    ],
)
def test_the_pattern_has_a_wildcard_where_pages_differ(bodies: Sequence[str], pattern: str) -> None:
    assert shown(of(Forest(), *bodies)) == pattern


def fits(pattern: Plain, plain: Plain) -> bool:
    """Try each way to distribute the children over those of the pattern."""
    return pattern[0] in page_trees.WILDCARDS or (pattern[0] == plain[0] and all_fit(pattern[1], plain[1]))


def all_fit(patterns: Sequence[Plain], plains: Sequence[Plain]) -> bool:
    if not patterns:
        return not plains
    least, most = {".": (1, 1), "?": (0, 1), "+": (1, 99), "*": (0, 99)}.get(patterns[0][0], (1, 1))
    counts = range(least, min(most, len(plains)) + 1)
    return any(all(fits(patterns[0], each) for each in plains[:count]) and all_fit(patterns[1:], plains[count:]) for count in counts)


@settings(deadline=None, max_examples=150)
@given(wild, plains)
def test_a_pattern_matches_the_same_pages_as_a_brute_force_search(pattern: Plain, plain: Plain) -> None:
    forest = Forest()
    assert PatternMapping(strict=True).fits(made(forest, pattern), made(forest, plain)) == fits(pattern, plain)


@cache
def cheapest(one: Plain, other: Plain) -> int:
    """The distance of RTDM with roots that count like any node, without dynamic programming."""
    size = nodes(one) + nodes(other)
    if one[0] != other[0]:
        return size - 1
    best = size - 2
    for count in range(1, min(len(one[1]), len(other[1])) + 1):
        for mine, theirs in product(combinations(one[1], count), combinations(other[1], count)):
            saved = sum(nodes(a) + nodes(b) - cheapest(a, b) for a, b in zip(mine, theirs, strict=True))
            best = min(best, size - 2 - saved)
    return best


def nodes(plain: Plain) -> int:
    return 1 + sum(map(nodes, plain[1]))


@settings(deadline=None, max_examples=80)
@given(plains, plains)
def test_without_wildcards_the_mapping_is_the_cheapest_of_all(one: Plain, other: Plain) -> None:
    forest = Forest()
    assert PatternMapping().pair_cost(made(forest, one), made(forest, other)) == cheapest(one, other)


@settings(deadline=None, max_examples=80)
@given(st.lists(plains, min_size=1, max_size=4))
def test_every_page_fits_the_pattern_made_from_it_and_wildcards_match_each_subtree_once(pages: list[Plain]) -> None:
    forest = Forest()
    held = [placed(made(forest, ("root", (plain,)))) for plain in pages]
    pattern = generalise_pages(held, forest)
    numbered = pattern.nodes()
    assert len(numbered) == pattern.tree.size and all(numbered[parent][0].children for _, parent in numbered[1:])
    for each in held:
        found = match_page(pattern, each)
        assert found.strict
        taken = Counter(id(tree) for number, row in found.taken.items() for tree in row)
        assert max(taken.values()) == 1
        for number, row in found.taken.items():
            label = numbered[number][0].label
            assert label in page_trees.WILDCARDS or [tree.tree.label for tree in row] == [label]


def test_the_content_of_a_wildcard_is_found_on_new_pages() -> None:
    forest = Forest()
    pattern = of(forest, "<h1>A</h1><p>by <b>Ada</b></p>", "<h1>B</h1><p>by <b>Bob</b></p><p>more</p>")
    assert shown(pattern) == 'h1[.] p["by" b[.]] ?'
    single = [number for number, (tree, _) in enumerate(pattern.nodes()) if tree.label == "."]
    other = page(forest, "<h1>C</h1><p>by <b>Eve</b></p>")
    found = match_page(pattern, other)
    assert found.strict and ["".join(text.tree.label for text in found.taken[number][0].texts()) for number in single] == ["#C", "#Eve"]
    odd = match_page(pattern, page(forest, "<h1>C</h1><div>new</div><p>by <b>Eve</b></p>"))
    assert not odd.strict and [odd.taken[number][0].tree.label for number in single] == ["#C", "#Eve"]


def test_places_are_those_of_the_page() -> None:
    root = parse(b"<html><body><p>a<!-- c -->b<i>x</i> <script>no</script> tail</p></body></html>").root
    read, nodes_ = read_page_tree(root, Forest()), elements(root)
    for text in read.texts():
        assert value(nodes_, text.place) == text.tree.label[1:]
    assert [text.tree.label for text in read.texts()] == ["#a", "#b", "#x", "#tail"]


def test_hostile_pages_end_within_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_trees, "MAX_NODES", 300)
    forest = Forest()
    deep, wide = page(forest, "<div>" * 1500 + "x"), page(forest, "".join(f"<p>{n}</p>" for n in range(1000)))
    assert deep.tree.size <= 302 and wide.tree.size <= 302
    mapping = PatternMapping(cells_left=50)
    other = page(forest, "".join(f"<p>{n}</p><i>{n}</i>" for n in range(100)))
    assert (
        mapping.pair_cost(wide.tree, other.tree) < IMPOSSIBLE
        and mapping.cells_left <= 0
        and mapping.align_children(wide.tree.children[0].children, other.tree.children[0].children)
    )
    assert match_page(generalise_pages([deep, wide, other], forest), wide).taken[0] == (wide,)
    with pytest.raises(ValueError, match="needs a page"):
        generalise_pages([], forest)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("design", news_site.DESIGNS)
def test_title_and_body_of_news_are_found_on_new_pages_too(design: str) -> None:
    pages, later = news_site.pages(design), news_site.pages(design, seed=2)
    forest, roots = Forest(), [parse(each.content).root for each in (*pages, *later)]
    held = [read_page_tree(root, forest) for root in roots]
    pattern = generalise_pages(held[: len(pages)], forest)
    matches = [match_page(pattern, each) for each in held]
    assert all(each.strict for each in matches[: len(pages)])
    labels = news.label_pattern(pattern, matches[: len(pages)], [root.findtext(".//title") or "" for root in roots[: len(pages)]])
    for root, found, true in zip(roots, matches, (*pages, *later), strict=True):
        article = news.extract_article(pattern, labels, found)
        assert article.title and article.title.text == true.title == value(elements(root), article.title.place)
        assert article.body and (words(article.body.text) & words(true.body)).total() >= 0.97 * words(true.body).total()
        assert words(article.body.text).total() <= 1.1 * words(true.body).total() + 20


LETTERS = {
    "Chinese": "山水人天地日月风雨云花木石火土金大小上下中外前后左右东西南北春夏秋冬红黄蓝白黑高低长短新旧多少来去出入开关坐立行走读写听说",
    "Thai": "กขคงจชซดตถทนบปผพฟมยรลวสหอ",
    "Japanese": "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほ日本語漢字新聞",
}


@pytest.mark.parametrize("script", LETTERS)
def test_short_articles_in_scripts_without_spaces_have_a_title_and_a_body(script: str) -> None:
    draw, forest = random.Random(7), Forest()

    def text(length: int) -> str:
        return "".join(draw.choice(LETTERS[script]) for _ in range(length))

    pages = [(text(18), [f"{text(44)}。{text(44)}。" for _ in range(3)], text(8)) for _ in range(5)]
    html = [
        f"<title>{title} - {script}</title><ul><li><a href=/>{link}</a></ul><h1>{title}</h1>"
        f"<div>{''.join(f'<p>{each}</p>' for each in body)}</div><footer>{script}</footer>"
        for title, body, link in pages
    ]
    roots = [parse(each.encode()).root for each in html]
    held = [read_page_tree(root, forest) for root in roots]
    pattern = generalise_pages(held, forest)
    matches = [match_page(pattern, each) for each in held]
    labels = news.label_pattern(pattern, matches, [root.findtext(".//title") or "" for root in roots])
    for (title, body, _), found in zip(pages, matches, strict=True):
        article = news.extract_article(pattern, labels, found)
        assert article.title and article.title.text == title
        assert article.body and article.body.text == " ".join(body)


def test_pages_without_prose_or_title_have_neither() -> None:
    forest = Forest()
    held = [page(forest, f"<ul><li><a href=/>{n} link</a></li></ul><p>{n}</p>") for n in range(3)]
    pattern = generalise_pages(held, forest)
    matches = [match_page(pattern, each) for each in held]
    labels = news.label_pattern(pattern, matches, ["Site"] * 3)
    assert labels == news.NewsLabels(None, None) and news.extract_article(pattern, labels, matches[0]) == news.NewsArticle(None, None)
