"""Made-up sites whose templates are known: the address of a page tells its type.

- `many_types`: some fifteen page types. Several of them are bare, or are another type without something: popups, print versions, captioned
  pictures, logins, redirects.
- `one_template`: one template with much natural variation: comments, optional blocks, two designs of a block.

Each seed gives another site, with other markup, another order of things and another number of pages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tests.corpus.blocks import Block, Style, comments, either, facts, form, heading, line, menu, optional, picture, prose, rows

Pages = dict[str, bytes]
"""{address: page}"""


@dataclass(frozen=True)
class PageType:
    """What all pages of a type have: whether the site's header, menu and footer surround it, and its blocks."""

    framed: bool
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Frame:
    """What surrounds a page.

    head: the elements in the page's head.
    before, after: blocks around the content.
    content: start and end tag of the element that holds the content.
    """

    head: str
    before: Sequence[Block]
    after: Sequence[Block]
    content: tuple[str, str]

    @classmethod
    def of(cls, style: Style, *, box: bool | None = None) -> "Frame":
        before = [style.box(menu(style), *([form(style, 1)] if style.rng.random() < 0.5 else []))]
        before += [style.box(menu(style), rows(style, 3, 6))] if (style.rng.random() < 0.4 if box is None else box) else []
        after = [style.box(menu(style, 5), line(style))]
        content = style.tag("div", "div", "main", "table")
        if content[1] == "</table>":
            content = (content[0] + "<tr><td>", "</td></tr></table>")
        return cls("<meta>" * style.rng.randint(0, 2) + "<link>" * style.rng.randint(0, 2), before, after, content)

    def page(self, kind: PageType, rng: Random) -> bytes:
        text = "".join(block(rng) for block in kind.blocks)
        if kind.framed:
            around = ["".join(block(rng) for block in side) for side in (self.before, self.after)]
            text = f"{around[0]}{self.content[0]}{text}{self.content[1]}{around[1]}"
        head = f"<head><title>x</title>{self.head if kind.framed else ''}</head>"
        return f"<!DOCTYPE html><html>{head}<body>{text}</body></html>".encode()


def many_types(seed: int, *, types: int = 15) -> Pages:
    """Return the pages of a site of many types. The first part of an address is the type.

    On every third site, all types have the site's frame, and a box of recent things in it says something else on every page.
    """
    style = Style(Random(f"types {seed}"))
    framed = seed % 3 == 2
    frame, kinds = Frame.of(style, box=True if framed else None), _kinds(style)
    kinds = {name: kind for name, kind in kinds.items() if kind.framed or not framed}
    chosen = style.rng.sample(sorted(kinds), min(types, len(kinds)))
    sizes = {name: style.rng.choice((6, 8, 10, 15, 20, 30, 40)) for name in chosen}
    return {
        f"/{name}/{number}": frame.page(kinds[name], Random(f"{seed} {name} {number}"))
        for name, count in sorted(sizes.items())
        for number in range(count)
    }


def one_template(seed: int) -> Pages:
    """Return the pages of a site that has one template."""
    style = Style(Random(f"one {seed}"))
    frame, chance = Frame.of(style), style.rng
    makers: list[Callable[[Style], Block]] = [picture, line, facts, form, rows, prose]
    always = [heading(style), prose(style), *(chance.choice(makers)(style) for _ in range(chance.randint(2, 5)))]
    sometimes = [
        optional(style.box(heading(style, "h2"), chance.choice(makers)(style)), chance.choice((0.15, 0.3, 0.5, 0.7, 0.9)))
        for _ in range(chance.randint(2, 7))
    ]
    if chance.random() < 0.5:
        sometimes.append(either(style.box(chance.choice(makers)(style)), style.box(chance.choice(makers)(style))))
    if chance.random() < 0.7:
        sometimes.append(optional(style.box(comments(style)), chance.choice((0.3, 0.6, 0.9))))
    blocks = [*always[1:], *sometimes]
    chance.shuffle(blocks)
    kind = PageType(framed=True, blocks=[always[0], *blocks])
    return {f"/page/{number}": frame.page(kind, Random(f"{seed} {number}")) for number in range(chance.choice((10, 12, 20, 30, 60)))}


def label(address: str) -> str:
    """Return the type that an address names."""
    return address.split("/")[1]


def _kinds(style: Style) -> Mapping[str, PageType]:
    """Return the page types of a site, those that are bare or without a frame included."""
    article = [heading(style), line(style), prose(style, 2, 8)]
    product = [heading(style), picture(style), facts(style), line(style)]
    wrapped = style.box(*product)
    popup = style.box(picture(style))
    return {
        "article": PageType(True, [*article, optional(style.box(rows(style, 2, 6)), 0.6), optional(style.box(comments(style)), 0.5)]),
        "article-print": PageType(
            False, [style.box(*article) if style.rng.random() < 0.5 else lambda rng: "".join(b(rng) for b in article)]
        ),
        "product": PageType(True, [wrapped, form(style, 2), optional(style.box(heading(style, "h2"), rows(style)), 0.5)]),
        "product-print": PageType(False, [wrapped]),
        "picture-popup": PageType(False, [popup if style.rng.random() < 0.5 else picture(style)]),
        "picture": PageType(True, [picture(style)]),
        "login": PageType(True, [form(style, 2)]),
        "mail-popup": PageType(False, [heading(style, "h3"), form(style)]),
        "help-popup": PageType(False, [heading(style, "h2"), prose(style, 1, 4)]),
        "redirect": PageType(False, [lambda rng: "<p><a>here</a></p>"]),
        "listing": PageType(True, [heading(style), rows(style, 3, 30), optional(menu(style), 0.7)]),
        "search": PageType(True, [form(style, 1), line(style), style.box(rows(style, 0, 20)), optional(menu(style), 0.7)]),
        "person": PageType(True, [heading(style), style.box(picture(style), facts(style, 5)), optional(prose(style), 0.6)]),
        "term": PageType(True, [heading(style, "h2"), lambda rng: "<p>term</p>"]),
        "questions": PageType(True, [heading(style), facts(style, 8), line(style)]),
        "sitemap": PageType(True, [heading(style), style.box(menu(style), menu(style))]),
        "contact": PageType(True, [heading(style), prose(style, 1, 2), form(style, 5)]),
        "missing": PageType(True, [heading(style, "h1"), line(style)]),
        "gallery": PageType(True, [heading(style), style.box(picture(style)), style.box(rows(style, 4, 12))]),
    }
