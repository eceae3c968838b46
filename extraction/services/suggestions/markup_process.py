"""Reads the data that pages carry beside their text, in a process of its own, with limits.

The data is hostile as any page: JSON nested ten thousand deep, microdata that refers to itself, RDFa that keeps a graph
library busy for minutes. extruct reads it all; here it may take a processor's seconds and a bounded memory, and when it
takes more it is killed and the page is said to carry nothing. Needs no Django.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from lxml import etree

from extraction.algorithms.dom.parse import decode
from extraction.algorithms.markup.items import Item, parse_items
from extraction.services.core.sandbox import SandboxLimits, run_in_sandbox

PAGE_S = 5.0
"""Time a page may take, by the clock. The largest real page seen took 1.1 s, all in its RDFa."""

START_S = 30.0
"""Time until the first page is done: extruct and what it needs take a second or two to load, more on a busy machine."""

CPU_S = 120
MEMORY_BYTES = 1024**3
MAX_BYTES = 4_000_000
"""Bytes of a page that are read; what says what a page is stands at its beginning."""

RDFA_BYTES = 1_000_000
"""Larger pages are not read for RDFa, which costs ten times what the others do together."""

OUTPUT_BYTES = 256 * 1024**2
"""JSON of the items of all pages; it may be several times as large as the pages are."""

log = logging.getLogger(__name__)


def read_items(pages: Sequence[tuple[bytes, str]]) -> list[list[Item]]:
    """The items of each page. pages: (content, content type or ""). A page that takes too long or cannot be read has none."""
    found: list[list[Item]] = []
    while len(found) < len(pages):
        outcome = run_in_sandbox(read_pages, _request(pages[len(found) :]), limits=_limits(len(pages) - len(found)))
        found += [[Item.from_json(row) for row in rows] for rows in outcome.rows]
        if len(found) < len(pages):
            log.warning("A page's own data was not read: %s", outcome.reason)
            found.append([])  # the page at which the child ended
    return found


def _limits(pages: int) -> SandboxLimits:
    return SandboxLimits(
        cpu_s=CPU_S,
        wall_s=START_S + pages * PAGE_S,
        memory_bytes=MEMORY_BYTES,
        first_row_s=START_S,
        row_s=PAGE_S,
        output_bytes=OUTPUT_BYTES,
    )


def _request(pages: Sequence[tuple[bytes, str]]) -> Iterator[bytes]:
    for content, kind in pages:
        yield json.dumps([len(content[:MAX_BYTES]), kind]).encode() + b"\n" + content[:MAX_BYTES]


def read_pages(source: BinaryIO) -> Iterator[list[dict[str, Any]]]:
    """Runs in the child: the items of each page."""
    while head := source.readline():
        length, kind = json.loads(head)
        yield [item.as_json() for item in _page(source.read(length), kind)]


def _page(content: bytes, kind: str) -> list[Item]:
    from extruct.utils import parse_html

    _, text = decode(content, content_type=kind or None)
    try:
        tree = parse_html(text.encode("utf-8", "replace"), encoding="utf-8")
    except (etree.LxmlError, ValueError):
        return []
    found: dict[str, Any] = {}
    for name, extractor in _extractors(content):
        try:
            found[name] = list(extractor.extract_items(tree, base_url=None))
        except Exception:  # noqa: BLE001, S112 - of others' libraries on a hostile page, in a process made for it
            continue
    return parse_items(found)


def _extractors(content: bytes) -> list[tuple[str, Any]]:
    from extruct.jsonld import JsonLdExtractor
    from extruct.opengraph import OpenGraphExtractor
    from extruct.w3cmicrodata import MicrodataExtractor

    chosen: list[tuple[str, Any]] = [("json-ld", JsonLdExtractor()), ("opengraph", OpenGraphExtractor())]
    if b"itemscope" in content:
        chosen.append(("microdata", MicrodataExtractor()))
    if b"typeof=" in content and len(content) <= RDFA_BYTES:
        from extruct.rdfa import RDFaExtractor

        chosen.append(("rdfa", RDFaExtractor()))
    return chosen
