"""Generated tag soups and the words that an HTML5 parser finds in them.

A soup is a list of tags, texts, comments and entities in no order that HTML allows. Each text is a word that occurs once, so a lost word is
known by its name. html5lib, which follows the HTML standard step by step, is the oracle.
"""

import random
import re
from collections.abc import Iterator

import html5lib

TAGS = """html head body title base link meta style script noscript div p span a b i em strong font big nobr center table caption colgroup
    col tbody thead tfoot tr td th ul ol li dl dt dd select option optgroup button form fieldset legend label input textarea pre listing h1
    h2 h3 hr br img iframe object embed video source picture svg math mi mtext foreignObject desc ruby rt rp rb article section main figure
    figcaption details summary marquee applet xmp noembed noframes frameset frame plaintext address blockquote image o:p my-card wbr
    area""".split()  # noqa: SIM905
"""Not ``template``, whose rules html5lib does not know."""

COMMON = ("html", "head", "body", "div", "p", "table", "tr", "td", "li", "dd", "dt", "select", "option", "a", "b")
PIECES = (
    "<!-- note -->",
    "<!doctype html>",
    "<![CDATA[ x<y ]]>",
    "<!-->",
    "<?php echo 1 ?>",
    "</>",
    "< ",
    "&amp;",
    "&nbsp;",
    "&#x41;",
    "&bogus;",
    "<!--",
)
WORD = re.compile(r"w\d+w")


def make_soup(seed: int) -> str:
    """Return a soup of 5 to 60 pieces."""
    chance = random.Random(seed)
    parts, number = ["<!DOCTYPE html>"] if chance.random() < 0.3 else [], 0
    for _ in range(chance.randint(5, 60)):
        kind = chance.random()
        if kind < 0.4:
            number += 1
            parts.append(f"w{number}w{' ' if chance.random() < 0.5 else ''}")
        elif kind < 0.7:
            parts.append(_start_tag(chance))
        elif kind < 0.94:
            tag = chance.choice(COMMON if chance.random() < 0.5 else TAGS)
            parts.append(f"</{tag.upper() if chance.random() < 0.2 else tag}>")
        else:
            parts.append(chance.choice(PIECES))
    return "".join(parts)


def _start_tag(chance: random.Random) -> str:
    tag = chance.choice(COMMON if chance.random() < 0.5 else TAGS)
    attribute = chance.choice(("", "", " class=x", ' id="a b"', " title='x>y'", " checked", ' href="?a=1&b=2"', " a=1 a=2", ' x="<p>"'))
    return f"<{tag}{attribute}{'/' if chance.random() < 0.05 else ''}>"


def make_soups(count: int, *, first: int = 0) -> Iterator[str]:
    """Yield soups, the same ones each time."""
    yield from map(make_soup, range(first, first + count))


def find_words(soup: str) -> set[str]:
    """Return the words that a browser's tree has as text."""
    tree = html5lib.parse(soup, treebuilder="lxml", namespaceHTMLElements=False)
    return {word for text in tree.getroot().itertext("*") for word in WORD.findall(text)}
