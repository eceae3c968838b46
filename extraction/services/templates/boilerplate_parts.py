"""The parts of a template's pages that are template, and the same of new pages, for the command line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.algorithms.boilerplate import text_windows
from extraction.algorithms.boilerplate.template_hash import HtmlAmount
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.core.stored_pages import Stored, read_elements
from extraction.services.templates import boilerplate
from extraction.services.templates.boilerplate import Shares
from extraction.services.templates.boilerplate_detectors import DEFAULTS, METHODS, Detector, DetectorOptions, ReadPage, Segment


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
class MarkedPage:
    """A page with its template marked.

    shares: how much of it is template. `pages` is the number of pages that this was learned from.
    segments: all text that a reader sees, in document order.
    """

    shares: Shares
    segments: tuple[Segment, ...]


def report(cluster: Cluster, method: str, options: DetectorOptions = DEFAULTS) -> Report | None:
    """Return what is template in a template's pages, found by a detector of `METHODS`; None for fewer than two pages.

    Raises JobError for invalid options.
    """
    pages = _read_pages(cluster, method, options)
    if len(pages) < 2:
        return None
    detector = _learn(pages, method, options)
    pieces = [detector.find_pieces(page) for page in pages]
    part = sum((piece.measure for of_page in pieces for piece in of_page), HtmlAmount())
    whole = sum((detector.measure(page) for page in pages), HtmlAmount())
    seen: Counter[tuple[str, str]] = Counter(key for of_page in pieces for key in {(piece.text, piece.place) for piece in of_page})
    sizes: Counter[tuple[str, str]] = Counter()
    for of_page in pieces:
        for piece in of_page:
            sizes[piece.text, piece.place] += piece.measure.size_bytes
    parts = sorted((Part(*key, seen[key], size) for key, size in sizes.items()), key=lambda each: (-each.size_bytes, each.text, each.place))
    return Report(boilerplate.share(part, whole, pages=len(pages)), tuple(parts))


def mark_page(cluster: Cluster, method: str, page: Stored | bytes, options: DetectorOptions = DEFAULTS) -> MarkedPage:
    """Mark what is template on a page, which may be new, by what a detector learns from the template's other pages.

    Raises JobError when fewer than two other pages can be read, and for invalid options; PageError for an unreadable page.

    page: a stored page, or the bytes of one.
    """
    known = _read_pages(cluster, method, options, without="" if isinstance(page, bytes) else page.sha256)
    if len(known) < 2:
        raise JobError(
            gettext("%(cluster)s has fewer than two other readable pages, so the template cannot be told from the content")
            % {"cluster": cluster.label}
        )
    detector = _learn(known, method, options)
    nodes = elements(parse(page).root) if isinstance(page, bytes) else read_elements(page)
    marked = ReadPage(nodes, boilerplate.build_parts(nodes))
    part = sum((piece.measure for piece in detector.find_pieces(marked)), HtmlAmount())
    return MarkedPage(boilerplate.share(part, detector.measure(marked), pages=len(known)), tuple(detector.find_segments(marked)))


def _learn(pages: Sequence[ReadPage], method: str, options: DetectorOptions) -> Detector:
    try:
        return METHODS[method](pages, options)
    except ValueError as error:
        raise JobError(str(error)) from error


def _read_pages(cluster: Cluster, method: str, options: DetectorOptions, *, without: str = "") -> list[ReadPage]:
    most = options.pages or (text_windows.SAMPLE_PAGES if method == "gibson-text" else boilerplate.PAGES)
    return [page for stored in boilerplate.choose_pages(cluster, most=most) if stored.sha256 != without and (page := _read(stored))]


def _read(page: Stored) -> ReadPage | None:
    try:
        return ReadPage(read_elements(page), boilerplate.read_parts(page))
    except PageError:
        return None
