"""The stylesheet: same values as the XPaths, runs elsewhere, may not read or write anything, never hangs."""

import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules.apply import Extraction, ValueProblem, extract_values, find_places, find_problems
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>T</title></head><body>
<h1>  The\u00a0\u2003 Book &amp; “more” </h1>
<p class="by">by Jane\u00a0Doe | Photos</p><p class="by">by John Roe</p>
<dl><dt>Year:</dt><dd>Published 1999 by Knopf</dd></dl>
<ul><li>one <b>two</b></li><li> \u00a0 </li><li>three</li></ul><img src="a.png" alt="It's"></body></html>""".encode()

RULE = RuleDefinition(
    (
        AttributeRule("title", alternatives=(Selector("//h9/text()"), Selector("/html/body/h1/text()"))),
        AttributeRule('curly {brace} "quote" <&>', alternatives=(Selector("//img/@src"),)),
        AttributeRule("author", alternatives=(Selector("//p[@class = 'by']/text()", TextPart("by ", " |")),)),
        AttributeRule("year", alternatives=(Selector("//dd/text()", TextPart("Published ", " by")),)),
        AttributeRule("items", multiple=True, alternatives=(Selector("//li"),)),
        AttributeRule("alt", alternatives=(Selector("""//img[@alt = "It's"]/@alt"""),)),
        AttributeRule("none", alternatives=(Selector("//h7"),)),
        AttributeRule("empty"),
    )
)
VALUES = {
    "title": ("The Book & “more”",),
    'curly {brace} "quote" <&>': ("a.png",),
    "author": ("Jane Doe",),
    "year": ("1999",),
    "items": ("one two", "three"),
    "alt": ("It's",),
    "none": (),
    "empty": (),
}


def compiled(rule: RuleDefinition) -> Stylesheet:
    return Stylesheet.compile(write_stylesheet(rule))


def one(xpath: str, part: TextPart | None = None) -> RuleDefinition:
    return RuleDefinition((AttributeRule("x", multiple=True, alternatives=(Selector(xpath, part),)),))


def test_values_are_cleaned_parts_of_the_selected_nodes() -> None:
    assert extract_values(compiled(RULE), parse(PAGE).root).values == VALUES


def test_places_give_the_same_values_and_where_they_stand() -> None:
    root = parse(PAGE).root
    found = find_places(RULE, root)
    assert {name: tuple(text for _, text in row) for name, row in found.items()} == VALUES
    nodes = elements(root)
    assert all(value(nodes, location) == text for row in found.values() for location, text in row)


def test_a_pattern_takes_its_first_group() -> None:
    rule = one("//dd/text()", TextPart(pattern=r"(\d+) by (\w+)"))
    root = parse(PAGE).root
    assert extract_values(compiled(rule), root).values == {"x": ("1999",)}
    assert [text for _, text in find_places(rule, root)["x"]] == ["1999"]


def test_the_first_alternative_with_a_value_wins() -> None:
    root = parse(b"<html><body><h1> &nbsp; </h1><h2>two</h2><h3>three</h3></body></html>").root
    rule = RuleDefinition((AttributeRule("x", alternatives=(Selector("//h1"), Selector("//h2/text()"), Selector("//h3"))),))
    assert extract_values(compiled(rule), root).values == {"x": ("two",)}
    assert [text for _, text in find_places(rule, root)["x"]] == ["two"]


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\xa0\u2003 \"'by:")),
    st.sampled_from(["", "b", '"', "'\"", " ", ":y"]),
    st.sampled_from(["", "y", "'", ": ", "\xa0"]),
)
def test_the_stylesheet_and_python_cut_texts_alike(text: str, prefix: str, suffix: str) -> None:
    root = etree.fromstring("<html><body><p/></body></html>")
    root[0][0].text = text
    part = TextPart(prefix, suffix)
    expected = part.apply(clean(text))
    assert extract_values(compiled(one("//p", part)), root).values["x"] == ((expected,) if expected else ())


@pytest.mark.skipif(shutil.which("xsltproc") is None, reason="xsltproc is not installed")
def test_another_processor_gives_the_same_record(tmp_path: Path) -> None:
    (tmp_path / "rule.xsl").write_text(write_stylesheet(RULE), encoding="utf-8")
    (tmp_path / "page.html").write_bytes(PAGE)
    command = ["xsltproc", "--html", "--encoding", "utf-8", "--nonet", "rule.xsl", "page.html"]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    record = etree.fromstring(output)
    values = {row.get("name"): tuple(v.text for v in row) for row in record}
    assert values == VALUES


def document_reader(expression: str) -> str:
    return write_stylesheet(one("//p")).replace('<xsl:for-each select="//p">', f'<xsl:for-each select="{expression}">')


def test_files_and_addresses_cannot_be_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<p>secret</p>")
    for address in ("file:///etc/passwd", secret.as_uri(), str(secret), "http://127.0.0.1:9/x", ""):
        sheet = Stylesheet.compile(document_reader(f"document('{address}')//p"))
        try:
            values = extract_values(sheet, parse(PAGE).root).values
        except RuleError:
            continue
        assert values == {"x": ()}, address


EXSL = 'xmlns:exsl="http://exslt.org/common" extension-element-prefixes="exsl"'


@pytest.mark.parametrize(
    "attack",
    [
        '<xsl:include href="file:///etc/passwd"/>',
        '<xsl:import href="file:///etc/passwd"/>',
        f'<xsl:template name="w"><exsl:document href="/tmp/x" {EXSL}>x</exsl:document></xsl:template>',
        '<xsl:template name="w"><xsl:call-template name="w"/></xsl:template>',
        '<xsl:template match="*"><xsl:apply-templates select="."/></xsl:template>',
        '<xsl:template name="w"><xsl:message>x</xsl:message></xsl:template>',
        '<xsl:template name="w"><xsl:value-of xmlns:d="http://exslt.org/dynamic" select="d:evaluate(\'//p\')"/></xsl:template>',
        '<xsl:template name="w"><script/></xsl:template>',
        "<?xml-stylesheet href='x'?>",
    ],
)
def test_what_a_rule_does_not_need_is_refused(attack: str) -> None:
    text = write_stylesheet(RULE).replace("</xsl:stylesheet>", attack + "</xsl:stylesheet>")
    with pytest.raises(RuleError):
        Stylesheet.compile(text)


def test_entities_are_not_expanded() -> None:
    text = write_stylesheet(one("//p")).replace(
        "<xsl:stylesheet ", '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<xsl:stylesheet ', 1
    )
    with pytest.raises(RuleError):
        Stylesheet.compile(text.replace("<record>", "<record>&e;"))


def test_what_is_no_stylesheet_is_refused() -> None:
    for text in ("", "<a", "<record/>", "x" * 1_000_001):
        with pytest.raises(RuleError):
            Stylesheet.compile(text)


def test_threads_share_a_stylesheet() -> None:
    sheet = compiled(RULE)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: extract_values(sheet, parse(PAGE).root).values, range(200)))
    assert all(result == VALUES for result in results)


def test_a_hostile_page_does_not_hang() -> None:
    deep = "<div class=d>" * 2_000 + "x" + "</div>" * 2_000
    flat = "<p class=by>by a | b</p>text<br>" * 50_000
    page = f"<html><body>{deep}<div id=x>{flat}</div>{'<i>' * 3000}{'z' * 3_000_000}</body></html>".encode()
    root = parse(page).root
    started = time.process_time()
    extraction = extract_values(compiled(RULE), root)
    assert time.process_time() - started < 5
    assert len(extraction.values["author"]) == 50_000


@pytest.mark.parametrize("test", ["preceding-sibling::h2[1] = 'x'", "count(preceding-sibling::*) = 3", "following-sibling::*[self::b][1]"])
def test_a_page_of_endless_siblings_is_refused_where_siblings_are_compared(test: str) -> None:
    root = parse(b"<html><body>" + b"<p>a</p>" * 200_000 + b"</body></html>").root
    rule = one(f"//p[{test}]")
    for run in (lambda: extract_values(compiled(rule), root), lambda: find_places(rule, root)):
        with pytest.raises(RuleError, match="20,000 children"):
            run()


def test_problems_name_the_attribute() -> None:
    rule = RuleDefinition((AttributeRule("a", mandatory=True), AttributeRule("b"), AttributeRule("c", multiple=True), AttributeRule("d")))
    extraction = Extraction({"a": (), "b": ("1", "2", "1"), "c": ("1", "2"), "d": ("1", "1")})
    assert find_problems(rule, extraction) == (
        ValueProblem("a", "has no value on this page"),
        ValueProblem("b", "has 2 different values on this page: “1”, “2”"),
    )
