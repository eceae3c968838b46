"""XML pages: told from HTML, harmless whatever they declare, and in a tree whose names are names of XPath."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom import xml
from extraction.algorithms.dom.nodes import elements, is_xml, raw_text, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import compute_vector
from tests.fixtures import product_feed

UTF_16 = "<?xml version='1.0' encoding='utf-16'?><a>é</a>"


def shown(content: bytes, content_type: str | None = None) -> str:
    return etree.tostring(parse(content, content_type=content_type).root, encoding="unicode", with_tail=False)


@pytest.mark.parametrize(
    ("content", "content_type", "what"),
    [
        (b"<p>x</p>", None, "html"),
        (b"<product/>", None, "xml"),
        (b"<product/>", "text/html", ""),
        (b"<?xml version='1.0'?><html xmlns='x'/>", "text/xml", "html"),
        (b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'a' 'b'><html>", None, "html"),
        (b"\xef\xbb\xbf <!-- a --> <?pi x?><product/>", None, "xml"),
        (b"<!DOCTYPE shop SYSTEM 'shop.dtd' [<!-- don't --><!ELEMENT shop ANY>]><shop/>", None, "xml"),
        (b"<article/>", "application/xml", "xml"),
        (b"<article/>", "", "html"),
        (b"<app-root></app-root>", None, ""),
        (b"<o:p>office</o:p>", None, ""),
        (b"<a:b xmlns:a='x'/>", None, "xml"),
        (b"<rss/>", "application/rss+xml; charset=utf-8", "feed"),
        (b"<rdf:RDF xmlns:rdf='x'/>", "text/xml", "feed"),
        (b"<urlset xmlns='x'/>", "text/xml", "sitemap"),
        (b"<?xml version='1.0'?><xsl:stylesheet/>", None, "support"),
        (b"plain words", "text/plain", ""),
        (b"", None, ""),
        (UTF_16.encode("utf-16"), None, "xml"),
        (UTF_16.encode("utf-16-be"), None, "xml"),
    ],
)
def test_what_a_file_is_its_type_its_declaration_and_its_root_say(content: bytes, content_type: str | None, what: str) -> None:
    assert xml.what(content, content_type) == what
    if what in ("html", "xml"):
        assert is_xml(parse(content, content_type=content_type).root) == (what == "xml")


def test_names_keep_their_case_and_lose_their_prefix_and_comments_part_texts() -> None:
    root = parse(
        b"<Shop xmlns='u' xmlns:g='v'>a<!-- b -->c<![CDATA[<d>]]><?pi?>e"
        b"<g:Item g:id='1' id='2' xml:lang='de'/><o:Lone o:x='3'>k</o:Lone></Shop>"
    ).root
    assert [element.tag for element in elements(root)] == ["Shop", "Item", "Lone"]
    assert list(texts(root)) == ["a", "c<d>e"] and root.xpath("/Shop/text()") == ["a", "c<d>e"]
    assert dict(root.xpath("//Item")[0].attrib) == {"id-2": "1", "id": "2", "lang": "de"} and root.xpath("//Lone/@x") == ["3"]
    assert raw_text(root) == frozenset() and not root.nsmap


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8"])
def test_an_encoding_that_contradicts_the_declaration_is_read_as_it_is(encoding: str) -> None:
    assert parse(UTF_16.encode(encoding)).root.text == "é"


def test_plain_entities_are_put_in_those_of_html_are_known_and_what_comes_from_outside_stays_unread() -> None:
    page = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY co "C &amp; <b>o</b>"><!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p "q">]>
<a t="&co;">&co; &x; &eacute; AT&T & <![CDATA[&co;]]> &#65; &unknown;</a>"""
    root = parse(page.replace(b' t="&co;"', b"")).root
    assert "".join(root.itertext()) == "C & o &x; é AT&T & &co; A &unknown;" and [each.tag for each in root] == ["b"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><a>&b;</a>', "entity “b” is made of other entities"),
        (b'<!DOCTYPE a [<!ENTITY a "' + b"x" * 100_000 + b'">]><a>' + b"&a;" * 100 + b"</a>", "entities add more than"),
        (b"<!DOCTYPE a [" + b"".join(b'<!ENTITY e%d "x">' % n for n in range(3000)) + b"]><a/>", "declares more than 2,000 entities"),
        (b"<!DOCTYPE a [ <a/>", "document type declaration is broken"),
        (b"nothing", "cannot be read|contains no elements"),
    ],
)
def test_what_would_fill_the_memory_or_is_no_xml_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(PageError, match=reason):
        parse(b"<?xml version='1.0'?>" + content)


def test_broken_xml_is_read_as_far_as_it_goes_and_says_where_it_broke() -> None:
    page = parse(b"<?xml version='1.0'?>\n<a><b>1</b>\n<c>2</d><e>3</e>")
    assert "".join(page.root.itertext()).split() == ["1", "23"]
    assert len(page.notices) == 1 and "broken in line 3" in page.notices[0]


def test_names_beyond_ascii_and_strange_ones_can_be_named() -> None:
    root = parse("<?xml version='1.0'?><книга><a:1 b:2='x'>y</a:1></книга>".encode()).root
    assert root.tag == "книга" and [child.tag for child in root] == ["_1"] and root[0].get("_2") == "x"


def test_vectors_tell_long_names_apart_and_see_no_tags_in_cdata() -> None:
    pages: dict[str, list[int]] = {page.kind: [] for page in product_feed.site()}
    for page in product_feed.site():
        pages[page.kind].append(compute_vector(page.content))
    assert not set(pages["product"]) & set(pages["maker"]) and len(set(pages["maker"])) == 1
    assert xml.tags(b"<a><!-- <q> --><b c='>'/><g:b>x</g:b><![CDATA[<z>]]></a>").count(b"<") == 6
    assert xml.tags(b"<productName/>") != xml.tags(b"<productPrice/>")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["<a>", "</a>", "<b x='1'/>", "&", "&amp;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "'", '"', "<!DOCTYPE", "["]
        )
    )
)
def test_any_soup_is_a_tree_or_refused(parts: list[str]) -> None:
    content = ("<?xml version='1.0'?>" + "".join(parts)).encode()
    xml.tags(content)
    try:
        root = parse(content).root
    except PageError:
        return
    assert all("{" not in str(element.tag) for element in elements(root))


@pytest.mark.parametrize(
    "content",
    [
        b"<!--" * 100_000,
        b"<a>" + b"<![CDATA[" * 100_000 + b"&",
        b"<a x='" * 100_000,
        b"<!DOCTYPE a [" + b"<!ENTITY " * 50_000 + b"]><a/>",
        b"<!DOCTYPE a " * 50_000,
        b"<a>" * 100_000,
        b"<a " + b" ".join(b"q%d:n='%d'" % (n, n) for n in range(20_000)) + b"/>",
    ],
)
def test_hostile_xml_takes_time_in_proportion_to_its_size(content: bytes) -> None:
    content = b"<?xml version='1.0'?>" + content
    assert isinstance(xml.tags(content), bytes)
    with suppress(PageError):
        assert len(elements(parse(content).root)) <= 2048
