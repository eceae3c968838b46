"""Read the embedded data of pages in a child process with limits.

Embedded data can be hostile: JSON nested ten thousand levels deep, microdata that refers to itself, or RDFa that keeps a
graph library busy for minutes. extruct reads it in a child process with limits on time and memory. When a page exceeds
them, the child is killed and the page counts as having no data. This module does not need Django.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from lxml import etree

from extraction.algorithms.dom.parse import decode, parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.markup.items import Item, parse_items
from extraction.algorithms.markup.json_ld import read_json_ld
from extraction.services.core.sandbox import SandboxLimits, run_in_sandbox

PAGE_S = 5.0
"""Wall-clock time per page. The slowest real page so far took 1.1 s, all of it for RDFa."""

START_S = 30.0
"""Time until the first page is done. Loading extruct takes a second or two, more on a busy machine."""

CPU_S = 120
MEMORY_BYTES = 1024**3
MAX_BYTES = 4_000_000
"""Bytes read of a page. The data that describes a page is near its beginning."""

RDFA_BYTES = 1_000_000
"""Larger pages are not searched for RDFa, which takes ten times as long as all other formats together."""

OUTPUT_BYTES = 256 * 1024**2
"""The items of all pages as JSON, which can be several times as large as the pages."""

log = logging.getLogger(__name__)


def read_items(pages: Sequence[tuple[bytes, str]]) -> list[list[Item]]:
    """Return the items of each page. A page that takes too long or cannot be read has none.

    pages: (content, content type or "") of each page.
    """
    found: list[list[Item]] = []
    while len(found) < len(pages):
        outcome = run_in_sandbox(read_pages, _request(pages[len(found) :]), limits=_limits(len(pages) - len(found)))
        found += [[Item.from_json(row) for row in rows] for rows in outcome.rows]
        if len(found) < len(pages):
            log.warning("A page's own data was not read: %s", outcome.reason)
            found.append([])  # the child ended at this page
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
    """Yield the items of each page. Runs in the child process."""
    while head := source.readline():
        length, kind = json.loads(head)
        yield [item.as_json() for item in _page(source.read(length), kind)]


def _page(content: bytes, kind: str) -> list[Item]:
    from extruct.utils import parse_html

    try:
        page = parse(content, content_type=kind or None)
        _, text = decode(content, content_type=kind or None)
        # extruct needs a tree of its own kind; where lxml's parser loses text, it is made of what a browser reads.
        markup = etree.tostring(page.root, method="html", encoding="utf-8") if page.as_browser else text.encode("utf-8", "replace")
        tree = parse_html(markup, encoding="utf-8")
    except (etree.LxmlError, ValueError, PageError):
        return []
    found: dict[str, Any] = {"json-ld": read_json_ld(page.root)}
    for name, extractor in _extractors(content):
        try:
            found[name] = list(extractor.extract_items(tree, base_url=None))
        except Exception:  # noqa: BLE001, S112 - third-party code on a hostile page, in a process of its own
            continue
    return parse_items(found)


def _extractors(content: bytes) -> list[tuple[str, Any]]:
    from extruct.opengraph import OpenGraphExtractor
    from extruct.w3cmicrodata import MicrodataExtractor

    chosen: list[tuple[str, Any]] = [("opengraph", OpenGraphExtractor())]
    if b"itemscope" in content:
        chosen.append(("microdata", MicrodataExtractor()))
    if b"typeof=" in content and len(content) <= RDFA_BYTES:
        from extruct.rdfa import RDFaExtractor

        chosen.append(("rdfa", RDFaExtractor()))
    return chosen
