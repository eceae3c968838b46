"""XTRACT: pages are valid against the document type that is inferred from them."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.alignment.xtract import codes, dtd
from extraction.algorithms.alignment.xtract.dtd import TooManyNamesError, infer_document_type
from extraction.algorithms.alignment.xtract.infer import MAX_LENGTH, infer_content
from extraction.algorithms.alignment.xtract.models import EMPTY, write_model
from extraction.algorithms.dom.parse import parse, xml_as_written
from tests.fixtures import product_feed


def valid(roots: list[etree._Element], text: str) -> bool:
    """The oracle: libxml2's own validation, which also refuses models that are not deterministic."""
    found = etree.DTD(io.StringIO(text))
    return all(found.validate(root) for root in roots)


@pytest.mark.parametrize("kind", ["product", "maker"])
def test_pages_of_a_site_are_valid_against_their_document_type_and_others_are_not(kind: str) -> None:
    pages: dict[str, list[etree._Element]] = {page.kind: [] for page in product_feed.site()}
    for page in product_feed.site():
        pages[page.kind].append(parse(page.content).root)
    text = infer_document_type(pages[kind]).text()
    assert valid(pages[kind], text) and not valid(pages["maker" if kind == "product" else "product"], text)
    if kind == "product":
        assert "<!ELEMENT product (title, price, colour?, style, image, description, maker, offers, imprint)>" in text
        assert "<!ELEMENT offers (offer*)>\n<!ELEMENT offer (seller, stock)>\n<!ATTLIST offer amount CDATA #REQUIRED>" in text


MIXED = b"""<?xml version="1.0"?><a x="1"><p>text <b>bold</b> <i/> end</p><e/><c><!-- no text --></c><w> </w><e y="2"/></a>"""


def test_mixed_empty_and_optional_parts_are_declared() -> None:
    root = parse(MIXED).root
    text = infer_document_type([root]).text()
    assert valid([root], text)
    assert "<!ELEMENT p (#PCDATA | b | i)*>" in text and "<!ELEMENT e EMPTY>\n<!ATTLIST e y CDATA #IMPLIED>" in text
    assert "<!ELEMENT w (#PCDATA)>" in text and "<!ATTLIST a x CDATA #REQUIRED>" in text


trees = st.recursive(
    st.builds(lambda name: f"<{name}/>", st.sampled_from("abc")),
    lambda below: st.builds(lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", st.sampled_from("abc"), st.lists(below, max_size=4)),
    max_leaves=12,
)


@settings(deadline=None, max_examples=40)
@given(st.lists(trees, min_size=1, max_size=4))
def test_any_pages_are_valid_against_what_is_inferred_from_them(pages: list[str]) -> None:
    roots = [parse(f"<?xml version='1.0'?><root>{page}</root>".encode()).root for page in pages]
    assert valid(roots, infer_document_type(roots).text())


SPACES = b"""<?xml version="1.0"?><?pi?>
<rss xmlns:g="urn:g" xmlns:x="urn:g" xmlns:m="urn:m" version="2"><title xml:lang="en">t</title>
<g:title g:id="1" x:no="3" id="2" m:a="">a</g:title>
<x:title/><item xmlns="urn:other" xmlns:g="urn:g"><g:price>3</g:price><sub xmlns="urn:other"/><e><?pi?></e></item></rss>"""


def test_a_document_type_has_the_names_and_prefixes_of_the_files() -> None:
    other = b'<rss version="2" xmlns:g="urn:g"><title/><item xmlns="urn:z"/></rss>'
    pages = [xml_as_written(content) for content in (SPACES, other)]
    text = infer_document_type([page.root for page in pages if page]).text()
    assert valid([etree.fromstring(content) for content in (SPACES, other)], text)  # the files as libxml2 reads them by itself
    for line in (
        "title xml:lang CDATA #IMPLIED",
        "g:title x:no CDATA #REQUIRED",
        "g:title m:a CDATA #REQUIRED",
        "sub xmlns CDATA #REQUIRED",
    ):
        assert f"<!ATTLIST {line}>" in text
    assert "<!ELEMENT rss (title, (g:title, x:title)?, item)>" in text and "<!ELEMENT x:title EMPTY>" in text
    assert not valid([etree.fromstring(SPACES.replace(b"g:title", b"m:title"))], text)
    assert xml_as_written(b"<html><p>no XML</p></html>") is None


spaces = st.recursive(
    st.builds(
        lambda name, attribute: f'<{name} {attribute}="">', st.sampled_from(["a", "p:a", "q:b"]), st.sampled_from(["x", "p:x", "q:x"])
    ),
    lambda below: st.builds(
        lambda name, parts: f'<{name} xmlns="urn:1">{"".join(parts)}', st.sampled_from(["a", "p:a"]), st.lists(below, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=25)
@given(st.lists(spaces, min_size=1, max_size=3))
def test_any_files_with_prefixes_are_valid_against_what_is_inferred_from_them(pages: list[str]) -> None:
    files = [f'<r xmlns:p="urn:1" xmlns:q="urn:1">{closed(page)}</r>'.encode() for page in pages]
    read = [xml_as_written(content) for content in files]
    assert valid([etree.fromstring(content) for content in files], infer_document_type([page.root for page in read if page]).text())


def closed(text: str) -> str:
    """Unclosed tags, which are closed at the end of the page."""
    names = re.findall(r"<(\S+) ", text)
    return text + "".join(f"</{name}>" for name in reversed(names))


def test_too_many_attribute_names_are_refused() -> None:
    attributes = " ".join(f'a{number}=""' for number in range(dtd.MAX_ATTRIBUTES + 1))
    with pytest.raises(TooManyNamesError, match="<r> has more than 200 names of attributes"):
        infer_document_type([parse(f"<?xml version='1.0'?><r {attributes}/>".encode()).root])


def test_long_lists_are_read_in_part_and_are_still_valid() -> None:
    items = "<item/>" * 2 * MAX_LENGTH
    roots = [parse(f"<?xml version='1.0'?><l><head/>{items}{'<foot/>' * n}</l>".encode()).root for n in (0, 1)]
    text = infer_document_type(roots).text()
    assert valid(roots, text) and "<!ELEMENT l (head, item*, foot?)>" in text
    hidden = parse(f"<?xml version='1.0'?><l>{'<item/>' * MAX_LENGTH}<odd/>{'<item/>' * MAX_LENGTH}</l>".encode()).root
    assert valid([hidden], infer_document_type([hidden]).text())


def test_hostile_pages_get_wide_models_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "MAX_STEPS", 50)
    bodies = ["".join(f"<{letter}/>" for letter in f"{n * 7919:b}".replace("0", "x").replace("1", "y") * 6) for n in range(3, 12)]
    roots = [parse(f"<?xml version='1.0'?><r>{body}</r>".encode()).root for body in bodies]
    assert valid(roots, infer_document_type(roots).text())
    spent = infer_content(["ab", "ba"], budget=codes.StepBudget(0))
    assert spent.widened and write_model(spent.deterministic) == "(a|b)*"


def test_pages_with_too_many_element_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dtd, "MAX_NAMES", 3)
    with pytest.raises(TooManyNamesError, match="more than 3 names"):
        infer_document_type([parse(b"<?xml version='1.0'?><a><b/><c/><d/></a>").root])
    assert infer_document_type([]).text() == "\n" and infer_content([]).model == infer_content([()]).model == EMPTY
