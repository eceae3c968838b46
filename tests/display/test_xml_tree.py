"""Pages of XML in the frame: the same tree without any effect, with the same texts, and with attributes that can be clicked."""

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.display import xml_tree
from extraction.display.framing import write_document
from extraction.display.sanitize import sanitize_page
from tests.fixtures import product_feed

XHTML = "{http://www.w3.org/1999/xhtml}"

HOSTILE = b"""<?xml version="1.0"?><r><script src="//evil.example/x.js">alert(1)</script><html:img xmlns:html="http://www.w3.org/1999/xhtml"
 src="//evil.example/p.png" onerror="alert(1)"/><a href="javascript:alert(1)" style="x" class="y" id="z">t</a><v-note>n</v-note><meta
 http-equiv="refresh" content="0;url=//evil.example"/><!-- </x-r><script> -->]]&gt;<b>&lt;script&gt;</b></r>"""


def browsed(content: bytes) -> etree._Element:
    """The tree that a browser's XML parser builds."""
    return etree.fromstring(write_document(sanitize_page(parse(content).root), nonce="n", script=False).encode())


@pytest.mark.parametrize("content", [HOSTILE, *(page.content for page in product_feed.site()[::9])])
def test_every_element_carries_its_index_and_its_texts_one_for_one(content: bytes) -> None:
    own = elements(parse(content).root)
    shown = {int(element.get("data-v", "")): element for element in browsed(content).iter(etree.Element) if element.get("data-v")}
    assert sorted(shown) == list(range(len(own)))
    for number, element in enumerate(own):
        assert shown[number].get("data-v-name") == element.tag
        assert list(texts(shown[number])) == list(texts(element))
        attributes = [child for child in shown[number] if child.tag == f"{XHTML}v-attr"]
        assert [(child.get("data-v-key"), child.get("data-v-text")) for child in attributes] == element.items()
        assert not any(list(texts(child)) for child in attributes)


def test_no_element_of_an_xml_page_has_a_meaning_to_the_browser() -> None:
    body = browsed(HOSTILE).find(f"{XHTML}body")
    assert body is not None
    for element in body.iter(etree.Element):
        name = etree.QName(element)
        assert name.localname == "body" or name.localname.startswith(("x-", "v-attr")), name
        assert all(str(key).startswith("data-v") for key in element.attrib)


def test_the_layout_of_an_element_follows_from_its_content() -> None:
    body = browsed(b"<?xml version='1.0'?><r><leaf>a</leaf><mixed>b <i>c</i> d</mixed><box> <leaf/> </box></r>").find(f"{XHTML}body")
    assert body is not None
    shapes = {
        element.get("data-v-name"): [key for key in ("data-v-leaf", "data-v-mixed") if key in element.attrib]
        for element in body.iter(etree.Element)
    }
    assert shapes["mixed"] == ["data-v-mixed"] and shapes["box"] == [] and shapes["leaf"] == ["data-v-leaf"]


def test_parts_beyond_the_limits_are_left_out_with_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 3)
    assert "(3 of 5 elements are)" in sanitize_page(parse(b"<?xml version='1.0'?><r><s/><s/><s/><s/></r>").root).notice
    monkeypatch.setattr(xml_tree, "MAX_DEPTH", 2)
    page = sanitize_page(parse(b"<?xml version='1.0'?><r><s><t><u>x</u></t></s></r>").root)
    assert "deeper than 2 levels" in page.notice and 'data-v="3"' not in page.content
    broken = sanitize_page(parse(b"<?xml version='1.0'?><r><s></r>").root, lost=("the XML is broken in line 1",))
    assert broken.notice == "The XML is broken in line 1."
