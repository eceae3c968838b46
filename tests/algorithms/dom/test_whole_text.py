"""The text of a whole element is what a person reads, in the reader, the stylesheet and the exported code alike."""

import pytest
from lxml import html

from extraction.algorithms.dom.nodes import clean, whole_text
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.algorithms.dom.tag_soups import make_soups


def read(markup: str) -> str:
    """The text of the first element of a piece of HTML."""
    return clean(whole_text(html.fragment_fromstring(markup)))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<div>Elm Street 10<br>40000 Town</div>", "Elm Street 10 40000 Town"),
        ("<div><p>a</p><p>b</p></div>", "a b"),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b c"),
        ("<dl><dt>a</dt><dd>b</dd></dl>", "a b"),
        ("<div><h2>a</h2>b<hr>c</div>", "a b c"),
        ("<div>x<b>y</b>z</div>", "xyz"),
        ("<div>a<script>var b</script><style>c</style><noscript>d</noscript>e</div>", "ae"),
        ("<div>a<span><div>b</div></span>c</div>", "a b c"),
        ("<div>so\xadft zero\u200bwidth\ufeff</div>", "soft zerowidth"),
        ("<div>Rated <img alt='4 of 5'> by all</div>", "Rated 4 of 5 by all"),
        ("<div><img alt='logo'>Title</div>", "Title"),
        ("<div>a<!-- b -->c</div>", "ac"),
        ("<script>var a</script>", "var a"),
    ],
)
def test_a_whole_element_reads_as_on_the_screen(markup: str, text: str) -> None:
    assert read(markup) == text


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_the_stylesheet_reads_every_element_of_the_body_as_the_reader_does(first: int) -> None:
    rule = RuleDefinition((AttributeRule("all", "text", True, False, (Selector("//body//*"),)),))
    transform = Stylesheet.compile(write_stylesheet(rule)).transform
    for soup in make_soups(20, first=first):
        try:
            page = parse(f"<div>Rated <img alt='4 of 5'> {soup}".encode())
        except PageError:
            continue
        wanted = [text for element in page.root.xpath("//body//*") if (text := clean(whole_text(element)))]
        assert [each.text for each in transform(page.root).getroot().iter("value")] == wanted
