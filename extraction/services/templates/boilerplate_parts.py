"""The parts of a template's pages that are template, as each detector finds them, for the command line.

infodiscoverer: redundant blocks.
gibson-elements: elements whose HTML recurs, joined where little stands between them.
gibson-text: text that recurs in windows. Its bytes are those of the text, its words are counted at their first letters, and its
    links are those that begin in it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.boilerplate import template_hash, text_windows
from extraction.algorithms.boilerplate.template_hash import HashedNode, HtmlAmount
from extraction.algorithms.dom.nodes import clean, raw_text, texts, whole_text
from extraction.algorithms.errors import PageError
from extraction.models import Cluster
from extraction.services.core.stored_pages import Stored, read_elements
from extraction.services.templates import boilerplate
from extraction.services.templates.boilerplate import Parts, Shares

TEXT_CHARS = 200
"""The number of characters of a part's text that are kept to identify it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the pages that is template.

    text: its beginning.
    place: its element.
    pages: number of pages that have it.
    size_bytes: its size on all pages together.
    """

    text: str
    place: str
    pages: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is template.

    parts: the parts, the largest first.
    """

    shares: Shares
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    place: str
    measure: HtmlAmount


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    nodes: list[etree._Element]
    parts: Parts

    @property
    def hashed(self) -> list[HashedNode]:
        return self.parts.nodes


def report(cluster: Cluster, method: str) -> Report | None:
    """Return what is template in a template's pages, found by a detector of `METHODS`; None for fewer than two pages."""
    pages = [page for stored in boilerplate.choose_pages(cluster) if (page := _read(stored))]
    if len(pages) < 2:
        return None
    pieces, whole = METHODS[method](pages)
    part = sum((piece.measure for of_page in pieces for piece in of_page), HtmlAmount())
    seen: Counter[tuple[str, str]] = Counter(key for of_page in pieces for key in {(piece.text, piece.place) for piece in of_page})
    sizes: Counter[tuple[str, str]] = Counter()
    for of_page in pieces:
        for piece in of_page:
            sizes[piece.text, piece.place] += piece.measure.size_bytes
    parts = sorted((Part(*key, seen[key], size) for key, size in sizes.items()), key=lambda each: (-each.size_bytes, each.text, each.place))
    return Report(boilerplate.share(part, whole, pages=len(pages)), tuple(parts))


Pieces = tuple[list[list[_Piece]], HtmlAmount]
"""(the template pieces of each page, the amount of HTML of all pages)."""


def _redundant_blocks(pages: Sequence[_Page]) -> Pieces:
    judged = boilerplate.judge_parts([page.parts for page in pages])
    pieces = []
    for page in pages:
        informative = boilerplate.find_informative(page.parts, judged)
        redundant = [block for block, informs in zip(page.parts.blocks, informative, strict=True) if not informs]
        pieces.append(
            [_Piece(_cut_text(page, block.nodes), _name_place(page, block.node), _own_amount(page, block.nodes)) for block in redundant]
        )
    return pieces, sum((page.hashed[0].whole for page in pages), HtmlAmount())


def _recurring_elements(pages: Sequence[_Page]) -> Pieces:
    counted = template_hash.count_hashes(page.hashed for page in pages)
    pieces = []
    for page in pages:
        template = boilerplate.find_template_nodes(page.parts, counted, len(pages))
        regions = template_hash.join_regions(page.hashed, template)
        pieces.append([_Piece(_cut_text(page, range(r.start, r.end)), _name_place(page, r.start), r.measure) for r in regions])
    return pieces, sum((page.hashed[0].whole for page in pages), HtmlAmount())


def _recurring_text(pages: Sequence[_Page]) -> Pieces:
    written = [_linearise(page) for page in pages]
    template = text_windows.learn_text_template([text for text, _ in written])
    pieces = [
        [_Piece(text[a:b][:TEXT_CHARS], "text", _within(text, links, a, b)) for a, b in template.mark(text)] for text, links in written
    ]
    return pieces, sum((_within(text, links, 0, len(text)) for text, links in written), HtmlAmount())


METHODS: Mapping[str, Callable[[Sequence[_Page]], Pieces]] = {
    "infodiscoverer": _redundant_blocks,
    "gibson-elements": _recurring_elements,
    "gibson-text": _recurring_text,
}
"""{name on the command line: detector}."""


def _read(page: Stored) -> _Page | None:
    try:
        return _Page(read_elements(page), boilerplate.read_parts(page))
    except PageError:
        return None


def _cut_text(page: _Page, nodes: Sequence[int]) -> str:
    """Return the beginning of what a reader sees of some elements."""
    shown: list[str] = []
    length, hidden = 0, raw_text(page.nodes[0])
    for node in nodes:
        if page.nodes[node].tag not in hidden and (text := clean(" ".join(texts(page.nodes[node])))):
            shown.append(text)
            length += len(text) + 1
        if length > TEXT_CHARS:
            break
    return " ".join(shown)[:TEXT_CHARS]


def _name_place(page: _Page, node: int) -> str:
    """Return an element as a person would name it: ``div#menu``."""
    element = page.nodes[node]
    names = element.get("id") or " ".join((element.get("class") or "").split()[:1])
    return f"{element.tag!s}{('#' if element.get('id') else '.') + names if names else ''}"


def _own_amount(page: _Page, nodes: Sequence[int]) -> HtmlAmount:
    """Return the amount of HTML of some elements without that of the elements within them."""
    found = HtmlAmount()
    for node in nodes:
        below = list(_list_children(page.hashed, node))
        inside = sum((page.hashed[child].whole + page.hashed[child].tail for child in below), HtmlAmount())
        tails = sum((page.hashed[child].tail for child in below), HtmlAmount())
        whole = page.hashed[node].whole
        own = HtmlAmount(whole.size_bytes - inside.size_bytes, whole.words - inside.words, whole.links - inside.links)
        found = found + own + tails
    return found


def _list_children(page: Sequence[HashedNode], node: int) -> Iterator[int]:
    child = node + 1
    while child < page[node].end:
        yield child
        child = page[child].end


def _linearise(page: _Page) -> tuple[str, list[int]]:
    """Return the page's cleaned text and the positions at which links begin in it."""
    shown: list[str] = []
    links, length = [], 0
    hidden = raw_text(page.nodes[0])
    for element in page.nodes:
        if element.tag in hidden:
            continue
        if element.tag == "a" and element.get("href") is not None and clean(whole_text(element)):
            links.append(length)
        if text := clean(" ".join(texts(element))):
            shown.append(text)
            length += len(text) + 1
    return " ".join(shown), links


def _within(text: str, links: Sequence[int], start: int, end: int) -> HtmlAmount:
    piece = text[start:end]
    words = len(piece.split()) - (start > 0 and not text[start - 1].isspace() and bool(piece) and not piece[0].isspace())
    return HtmlAmount(len(piece.encode("utf-8", "surrogatepass")), words, bisect_left(links, end) - bisect_left(links, start))
