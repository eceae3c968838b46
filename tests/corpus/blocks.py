"""Blocks of made-up pages, drawn once for a site and written again and again with other content.

A `Style` is the handwriting of one site: how many classes it uses, which elements hold others, how it writes lists. A block is a function
from a random generator to HTML. The style's own generator decides the block's markup. The page's generator decides its content: how many
rows there are, which words are bold, which rows are left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.corpus.sites import WORDS, person, sentence, title

Block = Callable[[Random], str]


@dataclass(frozen=True)
class Style:
    """The handwriting of a site.

    rng: decides the markup of the site's blocks.
    classes: the share of elements that get a class.
    boxes: the elements that hold others.
    """

    rng: Random
    classes: float = field(init=False)
    boxes: Sequence[str] = field(init=False)
    word: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", self.rng.choice((0.1, 0.4, 0.7, 0.95)))
        object.__setattr__(self, "boxes", self.rng.choice((("div",), ("div", "section", "article"), ("div", "table"), ("table",))))
        object.__setattr__(self, "word", self.rng.choice(WORDS)[:3])

    def tag(self, *names: str) -> tuple[str, str]:
        """Return (start tag, end tag) of one of the elements, with or without a class."""
        name = self.rng.choice(names)
        own = f' class="{self.word}-{self.rng.choice(WORDS)}"' if self.rng.random() < self.classes else ""
        return f"<{name}{own}>", f"</{name}>"

    def box(self, *blocks: Block) -> Block:
        """Return the blocks in an element of their own."""
        opening, closing = self.tag(*self.boxes)
        if closing == "</table>":
            opening, closing = f"{opening}<tr><td>", "</td></tr></table>"
        return lambda rng: opening + "".join(block(rng) for block in blocks) + closing


def optional(block: Block, share: float) -> Block:
    """Return a block that this share of the pages has."""
    return lambda rng: block(rng) if rng.random() < share else ""


def either(one: Block, other: Block) -> Block:
    """Return a block that comes in two designs, each on half of the pages."""
    return lambda rng: (one if rng.random() < 0.5 else other)(rng)


def heading(style: Style, level: str = "h1") -> Block:
    opening, closing = style.tag(level)
    return lambda rng: f"{opening}{title(rng)}{closing}"


def prose(style: Style, least: int = 1, most: int = 6) -> Block:
    """Paragraphs as people write them: words in bold, links, a list or a quotation now and then."""
    opening, closing = style.tag("div", "div", "section")

    def write(rng: Random) -> str:
        parts = []
        for _ in range(rng.randint(least, most)):
            text = sentence(rng)
            for share, name in ((0.25, "b"), (0.2, "a"), (0.15, "i"), (0.05, "code")):
                text += f" <{name}>{rng.choice(WORDS)}</{name}>" if rng.random() < share else ""
            parts.append(f"<p>{text}{'<br>' * (rng.random() < 0.1)}{sentence(rng)}</p>")
            if rng.random() < 0.12:
                parts.append("<ul>" + "".join(f"<li>{sentence(rng)}</li>" for _ in range(rng.randint(2, 5))) + "</ul>")
            if rng.random() < 0.06:
                parts.append(f"<blockquote><p>{sentence(rng)}</p></blockquote>")
            if rng.random() < 0.06:
                parts.append(f"<h3>{title(rng, 2)}</h3>")
        return opening + "".join(parts) + closing

    return write


def facts(style: Style, rows: int = 6) -> Block:
    """Names with values, in a table, a definition list or a list. Some rows are left out."""
    opening, closing = style.tag("table", "dl", "ul")
    first, last, middle = {"</table>": ("<tr><th>", "</td></tr>", "</th><td>"), "</dl>": ("<dt>", "</dd>", "</dt><dd>")}.get(
        closing, ("<li><b>", "</li>", "</b> ")
    )
    inner = [style.tag("span", "a", "em", "strong") if style.rng.random() < 0.4 else ("", "") for _ in range(rows)]
    names = [style.rng.choice(WORDS) for _ in range(rows)]

    def write(rng: Random) -> str:
        kept = [place for place in range(rows) if place < 2 or rng.random() < 0.8]
        lines = (f"{first}{names[place]}{middle}{inner[place][0]}{rng.choice(WORDS)}{inner[place][1]}{last}" for place in kept)
        return opening + "".join(lines) + closing

    return write


def rows(style: Style, least: int = 1, most: int = 20) -> Block:
    """A list of things: each with the same parts, some of which are left out."""
    outer, inner = style.tag("ul", "div", "ol"), None
    inner = style.tag("li") if outer[1] in {"</ul>", "</ol>"} else style.tag("div", "p")
    parts = [style.tag("a", "span", "b", "small", "em", "h4") for _ in range(style.rng.randint(2, 5))]
    image = style.rng.random() < 0.5

    def item(rng: Random) -> str:
        shown = [part for number, part in enumerate(parts) if number < 2 or rng.random() < 0.8]
        return inner[0] + "<a><img></a>" * image + "".join(f"{opening}{title(rng, 2)}{closing}" for opening, closing in shown) + inner[1]

    return lambda rng: outer[0] + "".join(item(rng) for _ in range(rng.randint(least, most))) + outer[1]


def form(style: Style, fields: int = 3) -> Block:
    opening, closing = style.tag("form")
    holder = style.tag("p", "div", "label")
    kinds = [
        style.rng.choice(("<input>", "<input>", "<select><option>x</option></select>", "<textarea></textarea>")) for _ in range(fields)
    ]
    body = "".join(f"{holder[0]}{style.rng.choice(WORDS)} {kind}{holder[1]}" for kind in kinds)
    return lambda rng: f"{opening}{body}<button>ok</button>{closing}"


def picture(style: Style) -> Block:
    opening, closing = style.tag("div", "p", "figure", "center")
    caption = style.tag("p", "span", "figcaption", "i")
    return lambda rng: f"{opening}<img>{caption[0]}{sentence(rng)}{caption[1]}{closing}"


def line(style: Style) -> Block:
    """One line of small things: who, when, how much."""
    opening, closing = style.tag("p", "div")
    parts = [style.tag("span", "a", "b", "small", "time") for _ in range(style.rng.randint(1, 3))]
    return lambda rng: opening + " ".join(f"{first}{person(rng)}{last}" for first, last in parts) + closing


def comments(style: Style, most: int = 30) -> Block:
    """What readers say: answers stand within the comment they answer, and some pages have none."""
    outer, inner = style.tag("div", "section", "ol"), style.tag("div", "article", "li")
    head, extra = line(style), [style.tag("span", "a", "em", "small") for _ in range(3)]

    def comment(rng: Random, depth: int) -> str:
        body = f"<p>{sentence(rng)}{'<br>' * (rng.random() < 0.2)}</p>" * rng.randint(1, 3)
        marks = "".join(f"{opening}x{closing}" for opening, closing in extra if rng.random() < 0.4)
        answers = "".join(comment(rng, depth + 1) for _ in range(rng.randint(0, 2))) if depth < 4 and rng.random() < 0.4 else ""
        return inner[0] + head(rng) + body + marks + answers + inner[1]

    return lambda rng: outer[0] + "<h3>?</h3>" + "".join(comment(rng, 0) for _ in range(rng.randint(0, most))) + outer[1]


def menu(style: Style, most: int = 12) -> Block:
    """Links that are the same on every page."""
    opening, closing = style.tag("ul", "div", "nav", "p")
    first, last = style.tag("li") if closing == "</ul>" else ("", "")
    entries = "".join(f"{first}<a>{style.rng.choice(WORDS)}</a>{last}" for _ in range(style.rng.randint(3, most)))
    return lambda rng: opening + entries + closing
