"""A value that is named instead of clicked on: which place of the page it is, and why there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import XPathError
from extraction.services.labels.labelling import LabelError
from extraction.services.labels.marked_texts import find_text, find_xpath

PAGE = (
    "<html><head><title>Emma</title><script>Emma</script></head><body><h1>Emma</h1><p>by  Jane <i>Austen</i></p>"
    "<a href='Emma'>more</a><p>Emma, Emma and Clueless</p><img alt='Cover of it'><ul><li>Tea</li><li>Tea</li></ul></body></html>"
)
NODES = elements(parse(PAGE.encode()).root)


def place(text: str, occurrence: int | None = None) -> tuple[str, str, str]:
    """Return (tag, kind, value) of the place of a text."""
    found = find_text(NODES, text, occurrence=occurrence)
    return str(NODES[found.node].tag), found.kind, value(NODES, found) or ""


@pytest.mark.parametrize(
    ("text", "occurrence", "found"),
    [
        (" Emma ", None, ("h1", "text", "Emma")),
        ("Austen", None, ("i", "text", "Austen")),
        ("by Jane Austen", None, ("p", "element", "by Jane Austen")),
        ("Cover of it", None, ("img", "attribute", "Cover of it")),
        ("Clueless", None, ("p", "text", "Clueless")),
        ("Tea", 2, ("li", "text", "Tea")),
        ("m", 3, ("a", "text", "m")),
        ("m", 4, ("p", "text", "m")),
    ],
    ids=["not the title", "text", "element", "attribute", "part", "second of a list", "third part", "fourth part"],
)
def test_a_whole_text_comes_before_an_element_an_attribute_and_a_part(text: str, occurrence: int | None, found: tuple[str, ...]) -> None:
    assert place(text, occurrence) == found


@pytest.mark.parametrize(
    ("text", "occurrence", "reason"),
    [
        ("  ", None, "the text of a value is empty"),
        ("Persuasion", None, "“Persuasion” is not on this page"),
        ("Tea", None, r"“Tea” is on this page 2 times \(li, li…\); say which occurrence is meant, from 1"),
        ("Tea", 0, "“Tea” is on this page 2 times, so there is no occurrence 0"),
        ("Tea", 3, "“Tea” is on this page 2 times, so there is no occurrence 3"),
    ],
)
def test_why_a_text_has_no_place(text: str, occurrence: int | None, reason: str) -> None:
    with pytest.raises(LabelError, match=reason):
        find_text(NODES, text, occurrence=occurrence)


def test_parts_of_a_text_are_counted_without_overlaps() -> None:
    nodes = elements(parse(b"<p>aaaa b aaa</p>").root)
    found = [find_text(nodes, "aa", occurrence=n) for n in (1, 2, 3)]
    assert [(each.start, each.end) for each in found] == [(0, 2), (2, 4), (7, 9)]
    with pytest.raises(LabelError, match="3 times"):
        find_text(nodes, "aa", occurrence=4)


@given(
    st.lists(
        st.text("ab <&", min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=5, unique_by=lambda text: " ".join(text.split())
    )
)
def test_each_text_of_a_page_is_found_where_it_stands(texts: list[str]) -> None:
    escaped = [text.replace("&", "&amp;").replace("<", "&lt;") for text in texts]
    nodes = elements(parse(f"<body>{''.join(f'<p>{text}</p>' for text in escaped)}</body>".encode()).root)
    for number, text in enumerate(texts):
        found = find_text(nodes, text)
        assert value(nodes, found) == " ".join(text.split())
        assert nodes[found.node] is nodes[0].findall(".//p")[number]


def test_an_xpath_must_lead_to_one_place_with_the_text_that_was_named() -> None:
    assert value(NODES, find_xpath(NODES, "//h1/text()")) == "Emma" == value(NODES, find_xpath(NODES, "//h1", text=" Emma"))
    for xpath, text, reason in (
        ("//li", "", r"the XPath //li selects 2 places on this page, not one"),
        ("//h6", "", r"the XPath //h6 selects 0 places on this page, not one"),
        ("//h1", "Persuasion", r"the XPath //h1 selects “Emma” on this page, not “Persuasion”"),
    ):
        with pytest.raises(LabelError, match=reason):
            find_xpath(NODES, xpath, text=text)
    with pytest.raises(XPathError):
        find_xpath(NODES, "//h1[")
