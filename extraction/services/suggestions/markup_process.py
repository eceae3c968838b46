"""Reads the data that pages carry beside their text, in a process of its own, with limits.

The data is hostile as any page: JSON nested ten thousand deep, microdata that refers to itself, RDFa that keeps a graph
library busy for minutes. extruct reads it all; here it may take a processor's seconds and a bounded memory, and when it
takes more it is killed and the page is said to carry nothing. Needs no Django.
"""

import json
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from lxml import etree

from extraction.algorithms.dom.parse import decode
from extraction.algorithms.markup.items import Item, read

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

_ROOT = Path(__file__).resolve().parents[3]


def run(pages: Sequence[tuple[bytes, str]]) -> list[list[Item]]:
    """The items of each page. pages: (content, content type or ""). A page that takes too long or cannot be read has none."""
    found: list[list[Item]] = []
    while len(found) < len(pages):
        found += _some(pages[len(found) :])
        if len(found) < len(pages):
            found.append([])  # the one it was stopped at
    return found[: len(pages)]


def _some(pages: Sequence[tuple[bytes, str]]) -> list[list[Item]]:
    """What one child gives until it is done or stopped."""
    command = [sys.executable, "-m", "extraction.services.suggestions.markup_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=_ROOT) as child:  # noqa: S603 - our own module
        lines: SimpleQueue[bytes] = SimpleQueue()
        assert child.stdin and child.stdout  # noqa: S101 - both are pipes
        threads = [
            threading.Thread(target=_write, args=(child.stdin, pages), daemon=True),
            threading.Thread(target=_lines, args=(child.stdout, lines), daemon=True),
        ]
        for thread in threads:
            thread.start()
        found: list[list[Item]] = []
        try:
            while len(found) < len(pages):
                line = lines.get(timeout=PAGE_S if found else START_S)
                if not line:
                    break
                found.append([Item.from_json(row) for row in json.loads(line)])
        except Empty:
            pass
        finally:
            child.kill()
        return found


def _write(stream: Any, pages: Sequence[tuple[bytes, str]]) -> None:
    try:
        for content, kind in pages:
            stream.write(json.dumps([len(content[:MAX_BYTES]), kind]).encode() + b"\n" + content[:MAX_BYTES])
        stream.close()
    except (BrokenPipeError, ValueError):
        return  # it was stopped; what it wrote until then counts


def _lines(stream: Any, lines: "SimpleQueue[bytes]") -> None:
    try:
        for line in stream:
            lines.put(line)
    except ValueError:
        pass
    lines.put(b"")


def _child(source: BinaryIO) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    while head := source.readline():
        length, kind = json.loads(head)
        items = _page(source.read(length), kind)
        sys.stdout.write(json.dumps([item.as_json() for item in items]) + "\n")
        sys.stdout.flush()


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
    return read(found)


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


if __name__ == "__main__":
    _child(sys.stdin.buffer)
