"""`python -m tests.benchmarks.extraction`: what reading a page and extracting ten attributes cost, against a bare parse and against
parsel, and how much two processes help.

The pages are those of the demo site, pages of a usual size written here, and those of the evaluation sites in `.data` that have enough.
"""

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

from lxml import etree
from parsel import Selector

from extraction.algorithms.dom.parse import decode, parse
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.benchmarks import learning

ROUNDS = 5
"""Alternating runs, of which the median counts."""

SITES = 3
"""Evaluation sites that are measured."""

POOL_S = 4.0
"""About how long one process works when it is compared with two."""


@cache
def learn_works() -> list[tuple[str, list[str], list[AttributeRule]]]:
    """Return (name, texts of the pages, rules of ten attributes) of each set of pages."""
    least = learning.ANNOTATED + learning.OTHERS
    folders = [path for path in sorted(Path(".data/extraction").glob("*")) if len(list(path.glob("pages/*"))) >= least][:SITES]
    return [learn_work(work) for work in (learning.demo_work(), learning.product_work(), *map(learning.site_work, folders))]


def learn_work(work: learning.Work) -> tuple[str, list[str], list[AttributeRule]]:
    """Return (name, texts of the pages, rules of ten attributes) of one set of pages."""
    corpus = Corpus([read_page_table(parse(content).root) for content in work.contents])
    return work.name, [decode(content)[1] for content in work.contents], learning.learn_rules(work, corpus)


def extraction_vs_parse() -> dict[str, Any]:
    """A bare lxml parse with the learned stylesheet of ten attributes, as a multiple of the bare parse: at most 1.4."""
    found = {}
    for name, texts, rules in learn_works():
        sheet, pages = _compile(rules), [text.encode() for text in texts]
        bare, both = alternate(partial(_parse_all, pages), partial(_extract, sheet, pages))
        found[name] = round(both / bare, 2)
    ratio = max(found.values())
    return {"ratio": ratio, "most": 1.4, "passed": ratio <= 1.4, "pages": found}


def reading_vs_parse() -> dict[str, Any]:
    """Reading pages as Vertex does (encoding, tree, comparison with a browser's), as a multiple of a bare lxml parse: at most 3."""
    found = {}
    for name, texts, _ in learn_works():
        pages = [text.encode() for text in texts]
        bare, ours = alternate(partial(_parse_all, pages), partial(_read_all, pages))
        found[name] = round(ours / bare, 2)
    ratio = max(found.values())
    return {"ratio": ratio, "most": 3.0, "passed": ratio <= 3, "pages": found}


def extraction_vs_parsel() -> dict[str, Any]:
    """How many times faster than parsel with one XPath for each attribute: more than 1. Both parse the page."""
    found = {}
    for name, texts, rules in learn_works():
        sheet, pages = _compile(rules), [text.encode() for text in texts]
        xpaths = [str(rule.alternatives[0].xpath) for rule in rules]
        theirs, ours = alternate(partial(_select, texts, xpaths), partial(_extract, sheet, pages))
        found[name] = round(theirs / ours, 2)
    ratio = min(found.values())
    return {"ratio": ratio, "least": 1.0, "passed": ratio > 1, "pages": found}


def two_processes() -> dict[str, Any]:
    """How many times more pages two processes extract in a second than one: at least 1.8. Times of the clock."""
    cores = os.cpu_count() or 1
    if cores < 2:
        return {"ratio": None, "reason": "this machine has one processor"}
    _, texts, rules = learn_works()[1]
    pages, style = [text.encode() for text in texts], write_stylesheet(RuleDefinition(tuple(rules)))
    began = time.perf_counter()
    _extract(Stylesheet.compile(style), pages)
    batches = [pages] * max(4, 2 * round(POOL_S / (time.perf_counter() - began) / 2))
    with (
        ProcessPoolExecutor(1, initializer=_start, initargs=(style,)) as one,
        ProcessPoolExecutor(2, initializer=_start, initargs=(style,)) as two,
    ):
        _drain(one, batches[:1])
        _drain(two, batches[:4])
        rows = [(_time_pool(one, batches), _time_pool(two, batches)) for _ in range(3)]
    ratio = round(statistics.median(single / double for single, double in rows), 2)
    return {"ratio": ratio, "least": 1.8, "passed": ratio >= 1.8, "pages": len(pages) * len(batches), "cores": cores}


def _compile(rules: list[AttributeRule]) -> Stylesheet:
    return Stylesheet.compile(write_stylesheet(RuleDefinition(tuple(rules))))


def _parse(page: bytes) -> etree._Element:
    return etree.fromstring(page, etree.HTMLParser(encoding="utf-8"))


def _parse_all(pages: list[bytes]) -> None:
    for page in pages:
        _parse(page)


def _read_all(pages: list[bytes]) -> None:
    for page in pages:
        parse(page)


def _extract(sheet: Stylesheet, pages: list[bytes]) -> None:
    for page in pages:
        extract_values(sheet, _parse(page))


def _select(texts: list[str], xpaths: list[str]) -> None:
    for root in map(Selector, texts):
        for xpath in xpaths:
            root.xpath(xpath).getall()


def alternate(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the medians of the processor seconds of two functions that run in turn."""
    rows: list[list[float]] = []
    for _ in range(ROUNDS):
        times = []
        for work in (first, second):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
        rows.append(times)
    return statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows)


_sheets: list[Stylesheet] = []
"""The stylesheet of a process of the pool, compiled once."""


def _start(style: str) -> None:
    _sheets[:] = [Stylesheet.compile(style)]


def _work_off(pages: list[bytes]) -> None:
    _extract(_sheets[0], pages)


def _drain(pool: ProcessPoolExecutor, batches: list[list[bytes]]) -> None:
    for _ in pool.map(_work_off, batches):
        pass


def _time_pool(pool: ProcessPoolExecutor, batches: list[list[bytes]]) -> float:
    began = time.perf_counter()
    _drain(pool, batches)
    return time.perf_counter() - began


def main() -> int:
    failed = 0
    for work in (reading_vs_parse, extraction_vs_parse, extraction_vs_parsel, two_processes):
        found = work()
        failed += not found.get("passed", True)
        print(f"{work.__name__}: {found}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
