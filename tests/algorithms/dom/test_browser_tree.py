"""No page loses a word that a browser shows, and what a browser ends is ended."""

import random
import re
import time

import pytest
from lxml import etree

from extraction.algorithms.dom import browser_tree
from extraction.algorithms.dom.browser_tree import MAX_OPEN, has_many_unclosed
from extraction.algorithms.dom.parse import ParsedPage, parse
from extraction.algorithms.errors import PageError
from tests.algorithms.dom.tag_soups import find_words, make_soups

SOUPS = 300
"""`python -m tests.quality.soups` reads 4,000."""


def shape(page: ParsedPage) -> str:
    """The body of a page's tree, as XML."""
    body = page.root.find("body")
    return etree.tostring(body if body is not None else page.root, encoding="unicode").removeprefix("<body>").removesuffix("</body>")


def find_lost(soup: str) -> set[str]:
    """The words that a browser shows and our tree does not have."""
    try:
        ours = " ".join(map(str, parse(soup.encode()).root.itertext("*")))
    except PageError:
        ours = ""
    return {word for word in find_words(soup) if not re.search(rf"{word}", ours)}


@pytest.mark.parametrize("first", range(0, SOUPS, 50))
def test_no_word_of_a_tag_soup_is_lost(first: int) -> None:
    assert {soup: lost for soup in make_soups(50, first=first) if (lost := find_lost(soup))} == {}


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><div>a</div></body></html><p>b</p>",
        "<html><body><div>a</HTML><p>b</p></div></body>",
        "<html><head><title>t</title></head></html><html><body><p class=x>a</p>b</body></html>",
        "<!doctype html><html><body>a</body></html><!-- note --><!doctype html><html><head><title>u</title></head><body>b</body></html>",
        "<div>a</div></body></html>\n<script>1</script>b",
    ],
)
def test_what_stands_behind_an_early_end_is_in_the_body(page: str) -> None:
    found = parse(page.encode())
    assert {text.strip() for text in found.root.xpath("//body//text()[normalize-space()]")} >= {"b"}
    assert found.notices == ()
    assert found.as_browser


def test_a_page_that_only_ends_is_read_by_lxml_as_it_is() -> None:
    found = parse(b"<html><body><p>a</p></body></html>\n<!-- served in 3 ms -->\n")
    assert not found.as_browser


@pytest.mark.parametrize(
    ("markup", "tree"),
    [
        ("<dl><dt>a<dd>b<dd>c<dt>d</dl>", "<dl><dt>a</dt><dd>b</dd><dd>c</dd><dt>d</dt></dl>"),
        ("<dl><dt>a<dd><p>b<dd>c</dl>", "<dl><dt>a</dt><dd><p>b</p></dd><dd>c</dd></dl>"),
        ("<ruby>a<rt>b<rt>c</ruby>", "<ruby>a<rt>b</rt><rt>c</rt></ruby>"),
        ("<button>a<button>b</button>", "<button>a</button><button>b</button>"),
        ("<select><option>a<option>b</select>", "<select><option>a</option><option>b</option></select>"),
        ("<svg><text><![CDATA[x<y]]></text></svg>", "<svg><text>x&lt;y</text></svg>"),
        ("<dl><dd>a<dl><dd>b</dd></dl></dd></dl>", "<dl><dd>a<dl><dd>b</dd></dl></dd></dl>"),
    ],
)
def test_elements_end_as_in_a_browser(markup: str, tree: str) -> None:
    assert shape(parse(f"<html><body>{markup}</body></html>".encode())) == tree


def test_both_readings_write_the_same_tree_of_a_sound_page() -> None:
    sound = (
        "<html lang='en'><head><title>t</title></head><body class='x'><table><tr><td>1</td></tr></table>"
        "<svg viewBox='0 0 1 1'><path d='M0'/></svg>"
        "<my-card>a<o:p>b</o:p></my-card><ul><li>x</li></ul><img src='a' alt=''></body></html>"
    )
    libxml2, browser = parse(sound.encode()), parse(f"{sound}z".encode())
    assert browser.as_browser and not libxml2.as_browser
    assert etree.tostring(browser.root).replace(b"z</body>", b"</body>") == etree.tostring(libxml2.root)


def test_names_that_xml_does_not_allow_are_kept() -> None:
    found = parse(b"<p><st1:place w:st='on'>a</st1:place></html>b")
    assert found.root.xpath("string(//*[name() = 'st1:place'][@*[name() = 'w:st'] = 'on'])") == "a"


@pytest.mark.parametrize("unit", ["<p><font size={}>x", "<b a={}>", "<html a{}=1>", "<a><div>", "<template>"])
def test_what_would_take_quadratic_time_is_not_read_as_a_browser_does(unit: str) -> None:
    page = "".join(unit.format(number) for number in range(30 * MAX_OPEN)) + "</html>end"
    began = time.process_time()
    parse(page.encode())
    assert time.process_time() - began < 5


def test_the_unclosed_are_counted_as_one_would_tag_by_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_tree, "MAX_OPEN", 6)
    chance, found = random.Random(7), set[bool]()
    for _ in range(400):
        tags = chance.choices(
            ["<b>", "<A href=x>", "</b>", "</a>", "<p>", "</p>", "<br>", "<big/>", "</BODY>", "</html>", "<body>", "1 < 2"], k=20
        )
        depth = most = 0
        for tag in tags:
            if tag in ("<b>", "<A href=x>", "<big/>", "</BODY>", "</html>", "<body>"):
                depth += 1
            elif tag in ("</b>", "</a>"):
                depth = max(0, depth - 1)
            most = max(most, depth)
        assert has_many_unclosed("x".join(tags)) == (most > 6), tags
        found.add(most > 6)
    assert found == {True, False}


def test_control_characters_are_blanks_in_every_encoding() -> None:
    for encoding in ("utf-8", "utf-16-le", "windows-1252", "shift_jis"):
        page = "<p>one\x05two\tthree</p>".encode(encoding)
        assert parse(page, content_type=f"text/html; charset={encoding}").root.findtext(".//p") == "one two\tthree"
