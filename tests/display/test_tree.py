"""Browsing and searching a page's tree, and finding places like two clicked ones."""

import pytest

from annotations.similar import find_similar
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.display import tree
from extraction.display.tree import PageTree

HTML = b"""<html><head><meta property="og:title" content="Meta title"><script type="application/ld+json">{"name": "Hidden"}</script></head>
<body><ul class="list"><li class="i">One <b>1</b></li><li class="i">Two <b>2</b></li><li class="i x">Three</li>
<li class="ad">Advert</li></ul>
<p id="lines">a<br>b<br>c</p><a href="/go" title="T">Link</a></body></html>"""


@pytest.fixture
def page() -> PageTree:
    return PageTree.of(elements(parse(HTML).root))


def find(page: PageTree, xpath: str) -> int:
    return page.index[page.nodes[0].getroottree().xpath(xpath)[0]]


def test_a_place_is_described_by_its_value_its_path_and_its_alternatives(page):
    link = find(page, "//a")
    shown = tree.describe_place(page, Location(link, "text", 1))
    assert shown is not None and shown["value"] == "Link"
    assert [step["label"] for step in shown["path"]] == ["html", "body", "a"]
    assert [option["label"] for option in shown["options"]] == ["text", "@href", "@title"]


def test_an_element_with_texts_and_elements_offers_each_text_and_the_whole(page):
    shown = tree.describe_place(page, Location(find(page, "//p")))
    assert shown is not None
    assert [option["label"] for option in shown["options"]] == ["text", "text 2", "text 3", "whole element", "@id"]
    assert shown["value"] == "a b c"


def test_an_unknown_place_has_no_description(page):
    assert tree.describe_place(page, Location(9_999)) is None
    assert tree.describe_place(page, Location(0, "attribute", attribute="nope")) is None


def test_children_are_loaded_in_parts(page, monkeypatch):
    monkeypatch.setattr(tree, "MAX_CHILDREN", 3)
    first = tree.list_children(page, find(page, "//ul"))
    assert [row["label"] for row in first["rows"]] == ["li.i", "li.i", "li.i.x"] and first["more"] == 3
    assert [row["label"] for row in tree.list_children(page, find(page, "//ul"), after=3)["rows"]] == ["li.ad"]
    assert tree.list_children(page, None)["rows"][0]["label"] == "html"


@pytest.mark.parametrize(
    ("words", "label"), [("meta TITLE", "meta @content"), ("hidden", "script text"), ("/go", "a @href"), ("advert", "li.ad text")]
)
def test_search_finds_hidden_texts_and_attributes(page, words, label):
    hits = tree.search_tree(page, words)["hits"]
    assert [hit["label"] for hit in hits] == [label]
    assert words.casefold() in (value(page.nodes, Location.from_json(hits[0]["location"])) or "").casefold()


def test_search_lists_the_most_likely_hits_first():
    html = b"""<html><head><title>price</title><meta name="price" content="9"><meta property="x" content="the price">
    <script>let price</script><script type="application/ld+json">{"price": 1}</script></head>
    <body data-x="price"><p>a price</p><img alt="price"></body></html>"""
    found = PageTree.of(elements(parse(html).root))
    hits = tree.search_tree(found, "price")["hits"]
    assert [hit["label"] for hit in hits] == [
        "p text",
        "meta @content",
        "img @alt",
        "title text",
        "script text",
        "meta @content",
        "body @data-x",
        "script text",
    ]
    assert hits[5]["value"] == "9" and [bool(hit["unusable"]) for hit in hits] == [False] * 4 + [True, False, False, True]
    script = tree.list_children(found, find(found, "//head"))["rows"][-1]
    assert [option["label"] for option in script["options"]] == ["@type"] and "cannot be marked" in script["unusable"]


def test_search_for_nothing_finds_nothing_and_many_hits_are_cut(page, monkeypatch):
    assert tree.search_tree(page, "  ") == {"hits": [], "more": False}
    monkeypatch.setattr(tree, "MAX_HITS", 1)
    assert tree.search_tree(page, "t")["more"] is True


def values(page: PageTree, found: tuple[Location, ...]) -> list[str | None]:
    return [value(page.nodes, place) for place in found]


def test_two_items_of_a_list_offer_the_others_by_their_shared_class(page):
    items = [Location(find(page, "//li[1]")), Location(find(page, "//li[2]"))]
    assert values(page, find_similar(page, items)) == ["One 1", "Two 2", "Three"]


def test_two_items_without_a_shared_class_offer_all(page):
    items = [Location(find(page, "//li[1]"), "text", 1), Location(find(page, "//li[4]"), "text", 1)]
    assert values(page, find_similar(page, items)) == ["One", "Two", "Three", "Advert"]


def test_two_lines_between_breaks_offer_the_third(page):
    lines = find(page, "//p")
    assert values(page, find_similar(page, [Location(lines, "text", 1), Location(lines, "text", 3)])) == ["a", "b", "c"]


def test_nothing_is_offered_if_no_other_element_is_similar(page):
    assert find_similar(page, [Location(find(page, "//a")), Location(find(page, "//li"))]) == ()
    assert find_similar(page, [Location(find(page, "//a"))]) == ()
    assert find_similar(page, [Location(find(page, "//li[1]")), Location(find(page, "//li[2]"), "text", 1)]) == ()
