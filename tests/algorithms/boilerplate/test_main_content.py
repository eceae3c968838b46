"""Shared parts of pages of one template are dimmed, values that differ never are, and the main text is found."""

from lxml import etree

from extraction.algorithms.boilerplate import entropy, main_content, template_hash
from extraction.algorithms.boilerplate.blocks import split_blocks
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse

WORDS = ("kettle boils water", "lamp lights rooms", "chair carries people", "shelf holds books")

PAGE = """<title>{0}</title><body><nav id=menu><a href=/a>Home</a> <a href=/b>News</a></nav>
<div id=shell><article id=story><h1>{0}</h1><table id=facts><tr><td id=label>Maker</td><td>{0} works</td></tr></table><p>{0} {1}</p>
<div id=more>{0} again {1}</div></article><aside id=side>Subscribe today</aside></div>
<footer id=foot>All rights reserved <b>us</b></footer></body>"""


def judged(htmls: list[str]) -> tuple[list[etree._Element], list[str | None], str | None]:
    """(nodes, what is dimmed, the main text's element) of the first page, by ids."""
    pages = [elements(parse(html.encode()).root) for html in htmls]
    held = [split_blocks(nodes) for nodes in pages]
    hashed = [template_hash.hash_nodes(nodes) for nodes in pages]
    found = entropy.discover_informative([[block.features for block in page] for page in held])
    keeps = [found.informative(0, place) for place in range(len(held[0]))]
    low, high = template_hash.default_bounds(len(pages))
    template = template_hash.find_template_nodes(hashed[0], template_hash.count_hashes(hashed), low=low, high=high)
    main = main_content.find_main_text(hashed[0], held[0], keeps)
    nodes = pages[0]
    dim = main_content.find_dimmed_elements(hashed[0], held[0], keeps, template)
    return nodes, [nodes[node].get("id") for node in dim], None if main is None else nodes[main].get("id")


def test_menus_sides_and_footers_are_dimmed_and_a_label_beside_its_value_is_not() -> None:
    _, dim, main = judged([PAGE.format(words, " ".join(words.split()[::-1])) for words in WORDS])
    assert dim == ["menu", "side", "foot"]
    assert main == "story"


def test_text_that_all_pages_have_word_for_word_is_dimmed_whole() -> None:
    nodes, dim, main = judged([PAGE.format("kettle", "x")] * 3)
    assert main is None and dim == [None] and nodes[0].tag == "html"


def test_a_page_without_text_has_nothing_to_dim() -> None:
    assert judged(["<p></p>", "<p></p>"])[1:] == ([], None)
