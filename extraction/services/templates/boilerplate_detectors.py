"""The detectors of template and content, each learned from pages of one template and then applied to any page.

infodiscoverer: redundant blocks.
gibson-elements: elements and texts whose HTML recurs, joined where little stands between them.
gibson-text: text that recurs in windows. Its bytes are those of the text, its words are counted at their first letters, and its
    links are those that begin in it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Protocol

from lxml import etree

from extraction.algorithms.boilerplate import template_hash, template_regions, text_windows
from extraction.algorithms.boilerplate.template_hash import HashedNode, HtmlAmount
from extraction.algorithms.boilerplate.template_regions import TemplateRegion
from extraction.algorithms.dom.nodes import clean, raw_text, texts, whole_text
from extraction.services.templates import boilerplate
from extraction.services.templates.boilerplate import Parts

TEXT_CHARS = 200
"""The number of characters of a part's text that are kept to identify it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorOptions:
    """The parameters of the detectors of Gibson et al. 2005. None stands for the default.

    window, divisor, frequency: W, D and F of gibson-text; F is half of the pages by default.
    pages: P, how many pages to learn from; by default 200 for gibson-text and 30 for the others.
    low, high: bounds of gibson-elements; by default half of the pages, and 20 times the pages.
    gap_bytes: HTML between two parts of gibson-elements that are joined.
    """

    window: int = text_windows.WINDOW_CHARS
    divisor: int = text_windows.DIVISOR
    frequency: int | None = None
    pages: int | None = None
    low: float | None = None
    high: float | None = None
    gap_bytes: int = template_regions.GAP_BYTES


DEFAULTS = DetectorOptions()


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a page's text. template: whether it is template."""

    text: str
    template: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A template part of a page: the beginning of its text, its element and its size."""

    text: str
    place: str
    measure: HtmlAmount


@dataclass(frozen=True, slots=True, eq=False)
class ReadPage:
    """A page as the detectors need it."""

    nodes: list[etree._Element]
    parts: Parts

    @property
    def hashed(self) -> list[HashedNode]:
        """Its elements with their hashes."""
        return self.parts.nodes


class Detector(Protocol):
    """What was learned from some pages."""

    def find_pieces(self, page: ReadPage) -> list[Piece]:
        """Return the template parts of a page."""

    def measure(self, page: ReadPage) -> HtmlAmount:
        """Return the amount of the whole page that the parts are compared with."""

    def find_segments(self, page: ReadPage) -> list[Segment]:
        """Return the text of a page, template and content."""


class RedundantBlocks:
    """InfoDiscoverer."""

    def __init__(self, pages: Sequence[ReadPage], _options: DetectorOptions) -> None:
        self._judged = boilerplate.judge_parts([page.parts for page in pages])

    def find_pieces(self, page: ReadPage) -> list[Piece]:
        redundant = self._find_redundant(page)
        return [Piece(_cut_text(page, nodes), _name_place(page, node), _own_amount(page, nodes)) for node, nodes in redundant]

    def measure(self, page: ReadPage) -> HtmlAmount:
        return page.hashed[0].whole

    def find_segments(self, page: ReadPage) -> list[Segment]:
        redundant = {node for _, nodes in self._find_redundant(page) for node in nodes}
        return _join_segments((text, node in redundant) for node, _, text in _walk_texts(page, keep_title=True))

    def _find_redundant(self, page: ReadPage) -> list[tuple[int, tuple[int, ...]]]:
        informative = boilerplate.find_informative(page.parts, self._judged)
        return [(block.node, block.nodes) for block, informs in zip(page.parts.blocks, informative, strict=True) if not informs]


class RecurringElements:
    """The DOM-based detector."""

    def __init__(self, pages: Sequence[ReadPage], options: DetectorOptions) -> None:
        low, high = template_hash.default_bounds(len(pages))
        low, high = low if options.low is None else options.low, high if options.high is None else options.high
        counted = template_hash.count_hashes(page.hashed for page in pages)
        self._template = template_regions.learn_node_template(counted, low=low, high=high)
        self._gap_bytes = options.gap_bytes

    def find_pieces(self, page: ReadPage) -> list[Piece]:
        return [Piece(_cut_region(page, region), _name_region(page, region), region.measure) for region in self._mark(page)]

    def measure(self, page: ReadPage) -> HtmlAmount:
        return page.hashed[0].whole

    def find_segments(self, page: ReadPage) -> list[Segment]:
        regions = self._mark(page)
        inside = {node for region in regions for node in range(region.start, region.end)}
        own = {(region.parent, text) for region in regions for text in region.texts}
        return _join_segments((text, node in inside or (node, place) in own) for node, place, text in _walk_texts(page))

    def _mark(self, page: ReadPage) -> list[TemplateRegion]:
        return self._template.mark(page.hashed, gap_bytes=self._gap_bytes)


class RecurringText:
    """The text-based detector."""

    def __init__(self, pages: Sequence[ReadPage], options: DetectorOptions) -> None:
        self._template = text_windows.learn_text_template(
            [_linearise(page)[0] for page in pages],
            window=options.window,
            divisor=options.divisor,
            pages=max(2, len(pages)),
            frequency=options.frequency,
        )

    def find_pieces(self, page: ReadPage) -> list[Piece]:
        text, links = _linearise(page)
        return [Piece(text[a:b][:TEXT_CHARS], "text", _within(text, links, a, b)) for a, b in self._template.mark(text)]

    def measure(self, page: ReadPage) -> HtmlAmount:
        text, links = _linearise(page)
        return _within(text, links, 0, len(text))

    def find_segments(self, page: ReadPage) -> list[Segment]:
        text, _ = _linearise(page)
        bounds = [0, *(place for part in self._template.mark(text) for place in part), len(text)]
        parts = [Segment(text[a:b].strip(), bool(n % 2)) for n, (a, b) in enumerate(pairwise(bounds))]
        return [part for part in parts if part.text]


METHODS: Mapping[str, Callable[[Sequence[ReadPage], DetectorOptions], Detector]] = {
    "infodiscoverer": RedundantBlocks,
    "gibson-elements": RecurringElements,
    "gibson-text": RecurringText,
}
"""{name on the command line: detector}."""


def _join_segments(marked: Iterable[tuple[str, bool]]) -> list[Segment]:
    return [Segment(" ".join(text for text, _ in run), template) for template, run in groupby(marked, key=lambda each: each[1])]


def _walk_texts(page: ReadPage, *, keep_title: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield (element, number among its text nodes, text) for each text that a reader sees, in document order."""
    numbers: dict[etree._Element | None, int] = {element: number for number, element in enumerate(page.nodes)}
    unseen = raw_text(page.nodes[0]) - ({"title"} if keep_title else set())
    places: Counter[int] = Counter()
    hidden: set[int] = set()
    for event, element in etree.iterwalk(page.nodes[0], events=("start", "end", "comment", "pi")):
        owner = element if event == "start" else element.getparent()
        if event == "start" and (element.tag in unseen or numbers.get(element.getparent(), -1) in hidden):
            hidden.add(numbers[element])
        text = clean((element.text if event == "start" else element.tail) or "")
        if text and owner is not None and (node := numbers[owner]) not in hidden:
            yield node, places[node], text
            places[node] += 1


def _cut_region(page: ReadPage, region: TemplateRegion) -> str:
    """Return the beginning of what a reader sees of a region."""
    own = [text for node, place, text in _own_texts(page, region.parent) if place in region.texts] if region.texts else []
    return " ".join(filter(None, [*own, _cut_text(page, range(region.start, region.end))]))[:TEXT_CHARS]


def _own_texts(page: ReadPage, node: int) -> list[tuple[int, int, str]]:
    found = [cleaned for text in texts(page.nodes[node]) if (cleaned := clean(text))]
    return [(node, place, text) for place, text in enumerate(found)]


def _name_region(page: ReadPage, region: TemplateRegion) -> str:
    """Return the element of a region: its first, or the one around a text."""
    return _name_place(page, region.start if region.start < region.end else region.parent)


def _cut_text(page: ReadPage, nodes: Sequence[int]) -> str:
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


def _name_place(page: ReadPage, node: int) -> str:
    """Return an element as a person would name it: ``div#menu``."""
    element = page.nodes[node]
    names = element.get("id") or " ".join((element.get("class") or "").split()[:1])
    return f"{element.tag!s}{('#' if element.get('id') else '.') + names if names else ''}"


def _own_amount(page: ReadPage, nodes: Sequence[int]) -> HtmlAmount:
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


def _linearise(page: ReadPage) -> tuple[str, list[int]]:
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
