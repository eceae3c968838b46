"""Read the embedded data of pages in a child process with limits.

Embedded data can be hostile: JSON nested ten thousand levels deep, microdata that refers to itself, or RDFa that keeps a
graph library busy for minutes. extruct reads it in a child process with limits on time and memory. When a page exceeds
them or crashes the child, the page has no items, and its `problem` says why. This module does not need Django.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from lxml import etree

from extraction.algorithms.dom.parse import decode, parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.markup.items import Item, parse_items
from extraction.algorithms.markup.json_ld import read_json_ld
from extraction.services.core.sandbox import Ending, SandboxLimits, run_in_sandbox
from extraction.services.core.sandbox_child import is_out_of_memory

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

SYNTAXES = {"json-ld": "JSON-LD", "opengraph": "Open Graph", "microdata": "microdata", "rdfa": "RDFa"}

MAX_MESSAGE = 200
"""The largest number of characters of an extractor's error that are reported."""


@dataclass(frozen=True, slots=True)
class EmbeddedData:
    """The embedded data of one page.

    items: what was read.
    problem: in words, what could not be read and why; empty if everything was read.
    final: whether reading the page again would give the same.
    """

    items: tuple[Item, ...]
    problem: str = ""
    final: bool = True


def read_embedded_data(pages: Sequence[tuple[bytes, str]]) -> list[EmbeddedData]:
    """Return the embedded data of each page.

    pages: (content, content type or "") of each page.
    """
    found: list[EmbeddedData] = []
    while len(found) < len(pages):
        outcome = run_in_sandbox(read_pages, _request(pages[len(found) :]), limits=_limits(len(pages) - len(found)))
        found += [EmbeddedData(tuple(map(Item.from_json, row["items"])), row["problem"]) for row in outcome.rows]
        if len(found) < len(pages):  # the child ended at this page
            found.append(EmbeddedData((), outcome.reason, final=outcome.ending is not Ending.STOPPED))
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
        yield json.dumps([len(content), kind]).encode() + b"\n" + content


def read_pages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the items of each page, and the problem or "". Runs in the child process."""
    while head := source.readline():
        length, kind = json.loads(head)
        items, problems = _read_page(source.read(length), kind)
        yield {"items": [item.as_json() for item in items], "problem": "; ".join(problems)}


def _read_page(content: bytes, kind: str) -> tuple[list[Item], list[str]]:
    """Return the items of a page, and what could not be read of it."""
    from extruct.utils import parse_html, parse_xmldom_html

    problems = []
    if len(content) > MAX_BYTES:
        content = content[:MAX_BYTES]
        problems.append(f"only the first {MAX_BYTES // 1_000_000} MB were read")
    try:
        page = parse(content, content_type=kind or None)
        _, text = decode(content, content_type=kind or None)
        # extruct needs a tree of its own kind, and for RDFa another. Where lxml's parser loses text, it is made of what a browser reads.
        markup = etree.tostring(page.root, method="html", encoding="utf-8") if page.as_browser else text.encode("utf-8", "replace")
        tree = (parse_xmldom_html if _is_searched_for_rdfa(content) else parse_html)(markup, encoding="utf-8")
    except (etree.LxmlError, ValueError, PageError) as error:
        if is_out_of_memory(error):
            raise  # the child's limit, which is no fault of the page
        return [], [*problems, f"the page cannot be parsed: {error}"[:MAX_MESSAGE]]
    if _may_hold_rdfa(content) and not _is_searched_for_rdfa(content):
        problems.append(f"RDFa was not read, because the page is larger than {RDFA_BYTES // 1_000_000} MB")
    json_ld = read_json_ld(page.root)
    problems += [f"{SYNTAXES['json-ld']} could not be read: {problem}"[:MAX_MESSAGE] for problem in json_ld.problems]
    found: dict[str, Any] = {"json-ld": list(json_ld.things)}
    for name, extractor in _extractors(content):
        try:
            found[name] = list(extractor.extract_items(tree, base_url=None))
        except Exception as error:  # noqa: BLE001 - third-party code on a hostile page, in a process of its own
            problems.append(f"{SYNTAXES[name]} could not be read: {type(error).__name__}: {error}"[:MAX_MESSAGE])
    return parse_items(found), problems


def _may_hold_rdfa(content: bytes) -> bool:
    return b"typeof=" in content


def _is_searched_for_rdfa(content: bytes) -> bool:
    return _may_hold_rdfa(content) and len(content) <= RDFA_BYTES


def _extractors(content: bytes) -> list[tuple[str, Any]]:
    from extruct.opengraph import OpenGraphExtractor
    from extruct.w3cmicrodata import MicrodataExtractor

    chosen: list[tuple[str, Any]] = [("opengraph", OpenGraphExtractor())]
    if b"itemscope" in content:
        chosen.append(("microdata", MicrodataExtractor()))
    if _is_searched_for_rdfa(content):
        from extruct.rdfa import RDFaExtractor

        chosen.append(("rdfa", RDFaExtractor()))
    return chosen
