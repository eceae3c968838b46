"""An editor's browser gets our tree of the page, with nothing in it that can act."""

import base64
import contextlib
import re
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.nodes import elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.references import ResourceKind
from extraction.algorithms.errors import PageError
from extraction.display import inert
from extraction.display import sanitize as module
from extraction.display.addresses import Addresses
from extraction.display.inert import InertPage
from extraction.display.sanitize import sanitize_page
from extraction.display.vocabulary import ATTRIBUTES, ELEMENTS, RASTER, SHAPES
from tests.fixtures.hostile import hostile_html

PAGES = Path(__file__).resolve().parents[2] / ".data"
HOLLOW = {"v-gone", "v-deep"}


def as_browser(page: InertPage) -> etree._Element:
    """The tree an XML parser builds of it; raises where it is not well-formed."""
    return etree.fromstring(f"{page.opening}{page.content}</html>".encode(), etree.XMLParser(huge_tree=True, resolve_entities=False))


def local(element: etree._Element) -> str:
    return etree.QName(element).localname


def number_of(element: etree._Element) -> int:
    number = element.get("data-v")
    assert number is not None
    return int(number)


def assert_same_tree(content: bytes) -> etree._Element:
    """Check that every element shown has its index, its parent and the same text nodes as in our tree."""
    root = parse(content).root
    ours, shown = elements(root), as_browser(sanitize_page(root))
    index = {element: number for number, element in enumerate(ours)}
    for element in shown.iter(etree.Element):
        if element.get("data-v") is None:
            continue
        own = ours[number_of(element)]
        parent = element.getparent()
        if parent is not None and parent.get("data-v") is not None:
            above = own.getparent()
            assert above is not None and number_of(parent) == index[above]
        if local(element) not in HOLLOW | {"style"}:
            assert list(texts(element)) == [inert._NOT_XML.sub("\ufffd", text) for text in texts(own)]
    return shown


def test_every_element_carries_its_index_in_our_tree():
    shown = assert_same_tree(b"<html><head><title>T</title></head><body><p>one<br>two</p></body></html>")
    assert [(local(e), e.get("data-v")) for e in shown.iter(etree.Element)] == [
        ("html", "0"),
        ("head", "1"),
        ("title", "2"),
        ("body", "3"),
        ("p", "4"),
        ("br", "5"),
    ]


def test_a_table_without_tbody_gets_none_and_misnested_markup_stays_as_we_read_it():
    shown = assert_same_tree(b"<table><tr><td><b>bold <i>both</b> italic</i></table><p>loose<table>text<tr><td>x</table>")
    assert "tbody" not in {local(element) for element in shown.iter(etree.Element)}


def test_texts_separated_by_a_comment_or_a_script_stay_two():
    page = sanitize_page(parse(b"<p>one<!-- secret -->two<script>x()</script>three</p>").root)
    paragraph = as_browser(page).find(".//{*}p")
    assert paragraph is not None and list(texts(paragraph)) == ["one", "two", "three"]
    assert "secret" not in page.content and "x()" not in page.content


def test_what_our_parser_puts_into_an_embed_is_shown():
    shown = assert_same_tree(b"<div><embed src=x><p>after</p></div>")
    assert "after" in "".join(shown.itertext())


def test_characters_that_xml_cannot_hold_are_replaced_one_for_one():
    root = parse(b"<p>x</p>").root
    assert inert.escape_text("a\x00b\x0bc\ufffed\ud800e\r\nf") == "a\ufffdb\ufffdc\ufffdd\ufffde&#13;\nf"
    assert inert.escape_value('"<\t\n\x01') == "&quot;&lt;&#9;&#10;\ufffd"
    assert as_browser(sanitize_page(root)) is not None


def test_names_that_are_not_xml_names_are_mapped():
    page = sanitize_page(
        parse(b"<o:p>office</o:p><x-y>custom</x-y><v-gone>spoof</v-gone><b\xc3\xa4>odd</b\xc3\xa4><p a:b=1 1x=2 data-v=77>p</p>").root
    )
    shown = as_browser(page)
    assert {"v-o-p", "x-y", "v-v-gone"} <= {local(element) for element in shown.iter(etree.Element)}
    paragraph = shown.find(".//{*}p")
    assert paragraph is not None and set(paragraph.attrib) == {"data-v"} and paragraph.get("data-v") != "77"


def test_the_hostile_page_is_shown_without_anything_that_acts():
    content = hostile_html()
    shown = assert_same_tree(content)
    for element in shown.iter(etree.Element):
        name = local(element)
        assert name in ELEMENTS | SHAPES | HOLLOW or "-" in name, name
        for attribute, value in element.attrib.items():
            assert attribute in ATTRIBUTES | {"style", "type", "open", "src", "hidden", "viewBox", "r"} or attribute.startswith("data-v"), (
                attribute
            )
            if attribute == "src":
                assert value.startswith((*RASTER, "data:image/svg+xml,"))
            if not attribute.startswith("data-v"):
                assert "evil.example" not in value and "javascript" not in value.lower()
    styles = " ".join(str(style.text) for style in shown.iter("{*}style"))
    assert not re.search(r"url|@import|expression|behavior|binding|font-face|fixed|evil.example", styles)


def test_links_and_images_keep_their_address_in_an_attribute_that_browsers_ignore():
    shown = as_browser(
        sanitize_page(parse(b'<a href="/x?a=1&amp;b=2">go</a><img src="/i.png" alt="A &lt;cat&gt;" width="40" height="30">').root)
    )
    link, image = shown.find(".//{*}a"), shown.find(".//{*}img")
    assert link is not None and link.get("href") is None and link.get("data-v-href") == "/x?a=1&b=2"
    assert image is not None and image.get("data-v-src") == "/i.png"
    assert image.get("src", "").startswith("data:image/svg+xml,") and "cat" in image.get("src", "")


def test_a_raster_image_in_the_page_itself_is_shown_and_an_svg_one_is_not():
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x09\0\0\0\x09\x08\x02\0\0\0\0\0\0\0")
    shown = as_browser(
        sanitize_page(parse(b'<img src="data:image/png;base64,' + png + b'"><img src="data:image/svg+xml,&lt;svg onload=x&gt;">').root)
    )
    assert [image.get("src", "")[:15] for image in shown.iter("{*}img")] == ["data:image/png;", "data:image/svg+"]
    assert "onload" not in [image.get("src", "") for image in shown.iter("{*}img")][1]


def test_a_drawing_keeps_its_shapes_and_loses_references():
    shown = as_browser(
        sanitize_page(parse(b'<svg viewBox="0 0 9 9"><path d="M0 0" fill="url(#x)"/><use href="#a"/><a>t</a></svg><a>out</a>').root)
    )
    svg = shown.find(f".//{{{module.SVG}}}svg")
    assert svg is not None and svg.get("viewBox") == "0 0 9 9"
    assert [local(child) for child in svg] == ["path", "v-use", "v-a"] and dict(svg[0].attrib) == {"data-v": "3", "d": "M0 0"}
    assert shown.find(f".//{{{inert.XHTML}}}a") is not None


def test_a_page_of_6_megabytes_and_5000_levels_is_cut_with_a_notice_in_bounded_time():
    content = hostile_html(deep=5_000, filler_bytes=6_000_000)
    root = parse(content).root
    started = time.process_time()
    page = sanitize_page(root)
    assert time.process_time() - started < 6
    assert page.elements <= inert.MAX_ELEMENTS and len(page.content) < 12_000_000
    assert "not shown" in page.notice
    as_browser(page)


def test_elements_beyond_the_bound_are_not_shown_and_the_rest_keeps_its_indexes(monkeypatch):
    monkeypatch.setattr(module, "MAX_ELEMENTS", 6)
    page = sanitize_page(parse(b"<body>" + b"<p>x</p>" * 10).root)
    assert [e.get("data-v") for e in as_browser(page).iter(etree.Element)] == ["0", "1", "2", "3", "4", "5"]
    assert "6 of 12" in page.notice


def test_levels_beyond_the_bound_are_skipped_and_what_follows_keeps_its_indexes(monkeypatch):
    monkeypatch.setattr(module, "MAX_DEPTH", 4)
    root = parse(b"<div><div><div><div><i>deep</i></div></div></div></div><p>after</p>").root
    shown = as_browser(sanitize_page(root))
    after = shown.find(".//{*}p")
    assert after is not None and elements(root)[int(after.get("data-v", ""))].tag == "p"
    assert "deep" not in "".join(shown.itertext())


def test_a_root_that_is_not_html_stands_in_a_body_of_ours():
    root = etree.fromstring("<div>a<b>c</b></div>")
    page = sanitize_page(root)
    assert [e.get("data-v") for e in as_browser(page).iter(etree.Element)] == [None, None, "0", "1"]


TAGS = [
    "p",
    "b",
    "i",
    "table",
    "tr",
    "td",
    "ul",
    "li",
    "script",
    "style",
    "svg",
    "form",
    "select",
    "option",
    "o:p",
    "a",
    "title",
    "template",
    "br",
    "x-1",
    "1x",
    "é",
]
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        ["<!--", "-->", "<!---->", "]]>", "<![CDATA[", "&amp;", "&#0;", "&#xD;", "\r\n", "<?pi x?>", "<", ">", '"', "=", "\x00", "\x0b"]
    ),
    st.sampled_from(
        ['<a href="javascript:1" b:c=d "q>', "<p style='a:url(x' class=x class=y>", "<img src=x alt='<>\"'>", "<td width=5 onclick=x>"]
    ),
    st.text(max_size=8),
)


@settings(deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=40))
def test_any_broken_html_becomes_the_tree_we_read(pieces):
    with contextlib.suppress(PageError):  # nothing to show
        assert_same_tree("".join(pieces).encode("utf-8", "replace"))


@pytest.mark.data
@pytest.mark.parametrize("part", ["extraction", "modern", "clustering", "redesign"])
def test_real_pages_are_shown_as_the_tree_we_read(part):
    pages = sorted((PAGES / part).rglob("*.html"))[::17]
    if not pages:
        pytest.skip(f"no evaluation pages in .data/{part}")
    for path in pages:
        assert_same_tree(path.read_bytes())


def test_parts_nested_too_deep_are_reported_and_not_offered_in_the_tree():
    parsed = parse(b"<div>" * 20_000 + b"x" + b"</div>" * 20_000)
    notice = sanitize_page(parsed.root, lost=parsed.notices).notice
    assert notice.startswith("Elements nested deeper than 512 levels were put beside each other, as browsers do. ")
    assert "The tree has all that was read" in notice and "all of them" not in notice


def test_style_attributes_have_a_budget_for_the_page_and_the_notice_says_so() -> None:
    styled = "".join(f"<p style='color:red;width:calc({n}px + 1px)'>x</p>" for n in range(30_000))
    started = time.process_time()
    page = sanitize_page(parse(f"<html><body>{styled}</body></html>".encode()).root)
    assert time.process_time() - started < 12
    assert "of style attributes are shown" in page.notice
    plain = "".join(f"<p style='color:red;width:{n}px'>x</p>" for n in range(20_000))
    assert "style attributes" not in sanitize_page(parse(f"<html><body>{plain}</body></html>".encode()).root).notice


@pytest.mark.parametrize(("side", "shown"), [(20, True), (30_000, False)])
def test_an_embedded_picture_of_too_many_pixels_becomes_a_box(side: int, shown: bool) -> None:
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + b"\0" * 4
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    content = sanitize_page(parse(f"<html><body><img src='{address}'></body></html>".encode()).root).content
    assert (f' src="{address}' in content) == shown and ("data-v-box" in content) != shown


def test_the_pictures_written_into_a_page_have_a_budget_of_pixels_and_the_notice_says_so() -> None:
    header = struct.pack(">IIBBBBB", 5_000, 5_000, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + b"\0" * 4
    image = f"<img src='data:image/png;base64,{base64.b64encode(png).decode()}'>"
    page = sanitize_page(parse(f"<html><body>{image * 7}</body></html>".encode()).root)
    assert page.content.count(' src="data:image/png') == 4 and page.content.count("data-v-box") == 3
    assert page.notice.startswith("3 pictures in the page itself are not shown")
    styles = Addresses("https://a.example/", {}, lambda *_: None)
    written = [styles(f"data:image/png;base64,{base64.b64encode(png).decode()}", ResourceKind.IMAGE) for _ in range(7)]
    assert [bool(each) for each in written] == [True] * 4 + [False] * 3
