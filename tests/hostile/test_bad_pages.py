"""Each bad page is read with its text or refused by name, shown without anything that acts, and told apart, all in little time."""

import time
from collections import Counter

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import is_unexpected, parse, xml_as_written
from extraction.algorithms.dom.references import find_references, resolve_references
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import compute_vector
from extraction.display.inert import InertPage
from extraction.display.sanitize import sanitize_page
from tests.hostile.bad_pages import BadPage, make_pages

PAGES = make_pages()
LIMIT_S = 1.5
"""Processor time for all steps with one page. None needs a fifth of it."""

ALLOWED_STARTS = ("data:image/", "#")


def as_browser(page: InertPage) -> etree._Element:
    return etree.fromstring(f"{page.opening}{page.content}</html>".encode(), etree.XMLParser(huge_tree=True, resolve_entities=False))


def assert_inert(page: InertPage) -> None:
    """Check that no element or attribute of an inert page can run or load anything."""
    for element in as_browser(page).iter(etree.Element):
        name = etree.QName(element).localname.lower()
        assert name not in {
            "script",
            "iframe",
            "object",
            "embed",
            "base",
            "meta",
            "form",
            "animate",
            "set",
            "foreignobject",
            "use",
            "frame",
        }
        for attribute, value in element.attrib.items():
            known = etree.QName(attribute).localname.lower()
            assert not known.startswith("on"), (name, known)
            if known in {"href", "src", "action", "formaction", "srcdoc", "srcset", "data", "poster", "background", "ping"}:
                assert value.startswith(ALLOWED_STARTS), (name, known, value[:80])
            if known == "style":
                assert "//" not in value and "javascript" not in value.lower(), value[:80]
        if name == "style":
            assert "//" not in (element.text or "") and "@import" not in (element.text or "")


def test_the_corpus_is_large_and_its_names_are_different() -> None:
    assert len(PAGES) >= 290
    assert not [name for name, count in Counter(page.name for page in PAGES).items() if count > 1]
    assert {page.name.split(":")[0] for page in PAGES} == {
        "scripts", "markup", "encodings", "entities", "depth", "size", "names", "xml", "polyglots"
    }  # fmt: skip


@pytest.mark.parametrize("kind", sorted({page.name.split(":")[0] for page in PAGES}))
def test_a_bad_page_is_read_or_refused_as_it_should_be(kind: str) -> None:
    for page in PAGES:
        if page.name.startswith(f"{kind}:"):
            started = time.process_time()
            _check(page)
            assert time.process_time() - started < LIMIT_S, page.name


def _check(page: BadPage) -> None:
    try:
        parsed = parse(page.content, content_type=page.content_type)
    except PageError as error:
        assert page.refused and page.refused in str(error), (page.name, str(error))
        assert not is_unexpected(error), page.name
        return
    assert not page.refused, page.name
    assert page.keeps in clean("".join(parsed.root.itertext())), page.name
    assert "root:x:" not in etree.tostring(parsed.root, encoding="unicode"), page.name
    try:
        assert_inert(sanitize_page(parsed.root, lost=parsed.notices))
    except (AssertionError, etree.XMLSyntaxError) as error:
        raise AssertionError(page.name) from error
    assert compute_vector(page.content) == compute_vector(page.content), page.name
    resolve_references(find_references(parsed.root), "https://a.example/")
    xml_as_written(page.content, content_type=page.content_type)
