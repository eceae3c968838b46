"""The DOM-based detector of Gibson, Punera & Tomkins: hashes, counts, maximal template nodes, regions, measures."""

from collections import Counter
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.boilerplate import template_hash
from extraction.algorithms.boilerplate.template_hash import HtmlAmount, count_hashes, find_template_nodes, hash_nodes
from extraction.algorithms.boilerplate.template_regions import find_texts, join_regions, learn_node_template
from extraction.algorithms.dom.nodes import clean, elements
from extraction.algorithms.dom.parse import parse

LEAVES = st.sampled_from(["<b>x</b>", "<i>y z</i>", "<a href='/q'>q</a>", "t", "<!--c-->"])
NAMES = st.sampled_from(["div", "span"])


def _wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", NAMES, st.lists(inner, max_size=3))


TREES = st.recursive(LEAVES, _wrapped, max_leaves=8)


def page(html: str) -> list[etree._Element]:
    return elements(parse(f"<html><body>{html}</body></html>".encode()).root)


def shown(nodes: list[etree._Element], found: list[int]) -> list[str]:
    return [nodes[node].get("id", str(nodes[node].tag)) for node in found]


ONE = "<div id=menu><a href=/a>Home</a> <a href=/b>Help</a></div><p id=v>one</p><div id=foot><p>© us</p></div>"
TWO = ONE.replace(">one<", ">two<")


def test_a_template_node_is_a_repeated_one_without_a_repeated_ancestor() -> None:
    nodes = page(ONE)
    pages = [hash_nodes(nodes), hash_nodes(page(TWO))]
    assert shown(nodes, find_template_nodes(pages[0], count_hashes(pages), low=2, high=9)) == ["menu", "foot"]


def test_html_that_occurs_too_often_is_not_template() -> None:
    nodes = page("<ul>" + "<li>-</li>" * 5 + "<li>a</li></ul>")
    pages = [hash_nodes(nodes), hash_nodes(page("<ul>" + "<li>-</li>" * 5 + "<li>b</li></ul>"))]
    assert shown(nodes, find_template_nodes(pages[0], count_hashes(pages), low=2, high=10)) == ["li"] * 5
    assert find_template_nodes(pages[0], count_hashes(pages), low=2, high=9) == []


@pytest.mark.parametrize(("low", "high"), [(1, 5), (3, 2), (0, 0)])
def test_meaningless_bounds_are_refused(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=f"{low} and {high}"):
        find_template_nodes([], Counter(), low=low, high=high)


def test_neighbours_are_joined_over_small_gaps_only() -> None:
    html = "<div><b>same</b>{}<b>again</b><p>{}</p><b>third</b></div>"
    nodes = page(html.format(" 1 ", "quite a long text of one page alone"))
    pages = [hash_nodes(nodes), hash_nodes(page(html.format(" 2 ", "quite another text of one page alone")))]
    template = find_template_nodes(pages[0], count_hashes(pages), low=2, high=9)
    found = join_regions(pages[0], template, gap_bytes=5)
    assert [(nodes[row.start].text, row.end - row.start) for row in found] == [("same", 2), ("third", 1)]
    assert found[0].measure == HtmlAmount(4 + 7 + 1 + 5 + 7, 3, 0)
    assert len(join_regions(pages[0], template, gap_bytes=0)) == 3
    assert len(join_regions(pages[0], template, gap_bytes=500)) == 1


def test_a_measure_counts_what_is_seen_and_links() -> None:
    nodes = page("<div class=c><script>var a b c</script><a href=/x>two words</a><!-- not seen --> tail</div>")
    whole = hash_nodes(nodes)[0].whole
    assert (whole.words, whole.links) == (3, 1)
    assert whole.size_bytes == len(
        b'<html></html><body></body><div class="c"></div><script></script>var a b c<a href="/x"></a>two wordsnot seentail'
    )


def reference(nodes: list[etree._Element], counted: Counter[bytes], low: int, high: int) -> list[int]:
    """Template nodes by the serialized HTML of each."""
    good = {e for e in nodes if low <= counted[_html(e)] <= high}
    return [n for n, e in enumerate(nodes) if e in good and not any(a in good for a in e.iterancestors())]


def _html(element: etree._Element) -> bytes:
    return etree.tostring(element, with_tail=False)


@given(st.lists(TREES, min_size=1, max_size=4))
def test_hashes_find_what_comparing_all_html_finds(htmls: list[str]) -> None:
    pages = [page(html) for html in htmls]
    rows = [hash_nodes(nodes) for nodes in pages]
    exact = Counter(_html(element) for nodes in pages for element in nodes)
    for nodes, row in zip(pages, rows, strict=True):
        assert find_template_nodes(row, count_hashes(rows), low=2, high=4) == reference(nodes, exact, 2, 4)


@given(st.lists(TREES, min_size=1, max_size=3), st.integers(0, 40))
@example(["<div><b>x</b><div><b>x</b></div><b>x</b></div>"], 19)
def test_regions_are_disjoint_and_contain_all_template_nodes(htmls: list[str], gap_bytes: int) -> None:
    rows = [hash_nodes(page(html)) for html in htmls]
    for row in rows:
        template = find_template_nodes(row, count_hashes(rows), low=2, high=20)
        found = join_regions(row, template, gap_bytes=gap_bytes)
        covered = [node for region in found for node in range(region.start, region.end)]
        assert len(covered) == len(set(covered)) and set(template) <= set(covered)
        total = sum((region.measure for region in found), HtmlAmount())
        assert total.size_bytes <= row[0].whole.size_bytes and total.words <= row[0].whole.words and total.links <= row[0].whole.links


def test_the_papers_example_has_text_nodes_beside_its_elements() -> None:
    """A link within running text: the text before it and the text in it are nodes of their own."""
    nodes = page('<p>Click <a href="/x">here</a></p>')
    rows = hash_nodes(nodes)
    assert [(str(nodes[node].tag), text.at, text.measure) for node, row in enumerate(rows) for text in row.texts] == [
        ("p", 3, HtmlAmount(5, 1)),
        ("a", 4, HtmlAmount(4, 1)),
    ]


def test_a_label_is_template_though_its_element_holds_a_value() -> None:
    html = "<p>Price: <b>{}</b> incl. VAT</p><p>Sold by <i>{}</i></p>"
    pages = [hash_nodes(page(html.format(n, f"shop number {n}"))) for n in range(4)]
    template = learn_node_template(count_hashes(pages[:3]), low=3, high=60)
    assert find_template_nodes(pages[0], count_hashes(pages), low=3, high=60) == []
    labels = template.mark(pages[3])
    assert [(row.texts, row.measure) for row in labels] == [((0,), HtmlAmount(6, 1)), ((1,), HtmlAmount(9, 2)), ((0,), HtmlAmount(7, 2))]


def test_texts_are_joined_with_template_elements_beside_them_but_not_over_a_value() -> None:
    html = "<p>Free <b>shipping</b> to <i>{}</i>only</p>"
    pages = [hash_nodes(page(html.format(n))) for n in range(3)]
    found = learn_node_template(count_hashes(pages), low=3, high=60).mark(pages[0])
    assert [(row.end - row.start, row.texts) for row in found] == [(1, (0, 1)), (0, (2,))]


def text_nodes(nodes: list[etree._Element]) -> list[tuple[int, int, str]]:
    """(element, place, text) of all text nodes that are seen and not blank, by XPath."""
    seen = [(n, e.xpath("text()")) for n, e in enumerate(nodes) if e.tag not in ("script", "style")]
    return [(n, place, clean(text)) for n, found in seen for place, text in enumerate(t for t in found if clean(t))]


@given(st.lists(TREES, min_size=1, max_size=4))
def test_template_texts_are_the_repeated_ones_without_a_template_element_around_them(htmls: list[str]) -> None:
    pages = [page(html) for html in htmls]
    rows = [hash_nodes(nodes) for nodes in pages]
    counted = count_hashes(rows)
    exact = Counter(text for nodes in pages for _, _, text in text_nodes(nodes))
    for nodes, row in zip(pages, rows, strict=True):
        template = find_template_nodes(row, counted, low=2, high=5)
        inside = {node for start in template for node in range(start, row[start].end)}
        wanted = [(node, place) for node, place, text in text_nodes(nodes) if 2 <= exact[text] <= 5 and node not in inside]
        hashes = learn_node_template(counted, low=2, high=5).hashes
        assert [(text.parent, text.place) for text in find_texts(row, template, hashes)] == wanted


@given(st.lists(TREES, min_size=1, max_size=3), st.integers(0, 40))
def test_regions_with_texts_are_disjoint_and_never_exceed_the_page(htmls: list[str], gap_bytes: int) -> None:
    rows = [hash_nodes(page(html)) for html in htmls]
    template = learn_node_template(count_hashes(rows), low=2, high=20)
    for row in rows:
        found = template.mark(row, gap_bytes=gap_bytes)
        covered = [node for region in found for node in range(region.start, region.end)]
        own = [(region.parent, text) for region in found for text in region.texts]
        assert len(covered) == len(set(covered)) and len(own) == len(set(own))
        assert not {parent for parent, _ in own} & set(covered), "no text of a region is within another"
        total = sum((region.measure for region in found), HtmlAmount())
        assert total.size_bytes <= row[0].whole.size_bytes and total.words <= row[0].whole.words


@pytest.mark.parametrize(
    ("part", "times"),
    [("<div>", 500), ("<b>x", 500), ("<p>\x00&#xFFFF;<!-- -- -->", 2000), ("<p>" + "<i>y</i>" * 40, 100)],
    ids=["deep", "deep with text", "comments", "wide"],
)
def test_hostile_pages_are_hashed_in_linear_time(part: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the page doubles, so do the bytes that are hashed, and hashing takes most of the time."""
    hashed_bytes = [0]

    def counting(content: bytes, *, digest_size: int) -> Any:
        hashed_bytes[0] += len(content)
        return blake2b(content, digest_size=digest_size)

    monkeypatch.setattr(template_hash, "blake2b", counting)
    costs = []
    for length in (times, 2 * times):
        hashed_bytes[0] = 0
        nodes = page(part * length)
        found = hash_nodes(nodes)
        costs.append(hashed_bytes[0])
        assert len(nodes) > length and found[0].end == len(found)
    assert costs[1] < 2.1 * costs[0]


def test_a_page_with_a_huge_attribute_is_measured_whole() -> None:
    found = hash_nodes(page("<p a='" + "x" * 500_000 + "'>"))
    assert found[0].whole == HtmlAmount(13 + 13 + 7 + 5 + 500_000, 0, 0)
