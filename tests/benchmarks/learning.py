"""`python -m tests.benchmarks.learning [SITE ...]`: learning, as multiples of parsing the same pages.

Ten attributes are learned from five annotated and 100 other pages: of the demo site, and of each SITE, a folder laid out like those of
`extraction/` with 105 pages or more (by default those that `.data/extraction` has). Tables, corpus and learning together are measured
against reading the same pages with our `parse`. `tests.benchmarks.extraction` measures the rules that are learned. A site with fewer than
ten attributes gives the same ones again, annotated on the next five pages at the places where the first rules stand. Ends with 1 where
learning costs more than `MOST_PARSES` on the real sites or on pages of a usual size written here; the demo's pages, of 8 kB, are parsed in
less than the fixed cost of a table, and are shown beside.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from lxml import etree

from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.learning.apriori import Example, NotLearned, learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.rules.apply import find_attribute_places
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.demo import site as demo
from extraction.demo.bundled import BundledMark, annotations
from tests.benchmarks.workbench import FIELDS, product_page
from tests.quality import sites

T = TypeVar("T")

MOST_PARSES = 10.0
"""What learning ten attributes may cost, in parses of the pages it learns from."""

ANNOTATED, OTHERS, ATTRIBUTES = 5, 100, 10


@dataclass(frozen=True)
class Task:
    """An attribute to learn, and what is marked of it."""

    name: str
    multiple: bool
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Work:
    """Pages as bytes, and the attributes to learn from them."""

    name: str
    contents: list[bytes]
    tasks: list[Task]


def cpu_time_s(work: Callable[[T], object], items: Iterable[T], *, repeat: int = 5) -> float:
    """The sum over the items of the fastest of some runs, in processor seconds of this process, which other processes hardly affect."""
    known = list(items)
    best = [float("inf")] * len(known)
    for _ in range(repeat):
        for place, item in enumerate(known):
            started = time.process_time()
            work(item)
            best[place] = min(best[place], time.process_time() - started)
    return sum(best)


def demo_work() -> Work:
    """Book pages of the demo site over two days, annotated as the demo is; the fifth annotated page is one of them a day later."""
    books = annotations()[0]
    pages = [page for day in range(2) for page in demo.pages(day=day) if page.template == "book"]
    marked = [page for page in pages if page.url in books.pages][:ANNOTATED]
    others = islice((page for page in pages if page not in marked), OTHERS)
    tasks = []
    for attribute in books.attributes[:ATTRIBUTES]:
        examples = [Example(n, _clicked(page.content, books.pages[page.url][attribute.name])) for n, page in enumerate(marked)]
        tasks.append(Task(attribute.name, attribute.multiple, tuple(examples)))
    return Work("demo site", [page.content for page in (*marked, *others)], tasks)


def product_work(size_bytes: int = 100_000) -> Work:
    """Pages of a usual size, written here: a product's title, price and eight fields, above reviews."""
    contents = [product_page(number, size_bytes).encode() for number in range(ANNOTATED + OTHERS)]
    xpaths = {"title": "//h1/text()", "price": "//p/b/text()"} | {
        name: f"//table/descendant::td[. = ../../tr[{n}]/td]/text()" for n, name in enumerate(FIELDS, 1)
    }
    marks = {name: (BundledMark("", xpath),) for name, xpath in xpaths.items()}
    tasks = [
        Task(name, multiple=False, examples=tuple(Example(n, _clicked(contents[n], mark)) for n in range(ANNOTATED)))
        for name, mark in marks.items()
    ]
    return Work("written pages", contents, tasks)


def _clicked(content: bytes, marks: tuple[BundledMark, ...]) -> tuple[Location, ...]:
    root = parse(content).root
    index = {element: n for n, element in enumerate(elements(root))}
    return tuple(location for mark in marks for location, _ in XPath(mark.xpath).places(root, index))


def site_work(folder: Path) -> Work:
    """The first pages of a site of the evaluation pages, annotated on the first five and once more on the next five."""
    site = sites.read_site(folder, most=ANNOTATED + OTHERS)
    names, tables = list(site.pages), list(site.pages.values())
    tasks = []
    for attribute in site.annotations:
        tasks.append(Task(attribute, *sites.examples(site, attribute, names[:ANNOTATED])))
        rule = rule_of(tasks[-1], Corpus(tables))
        again = [Example(n, _first(rule, tables[n].root)) for n in range(ANNOTATED, 2 * ANNOTATED)]
        tasks.append(Task(f"{attribute}, other pages", tasks[-1].multiple, tuple(again)))
    contents = [(folder / "pages" / f"{name}.html").read_bytes() for name in names]
    return Work(folder.name, contents, tasks[:ATTRIBUTES])


def _first(rule: AttributeRule, root: etree._Element) -> tuple[Location, ...]:
    index = {element: n for n, element in enumerate(elements(root))}
    found = find_attribute_places(rule, root, index)
    return tuple(location for location, _ in (found if rule.multiple else found[:1]))


def rule_of(task: Task, corpus: Corpus) -> AttributeRule:
    found = learn_attribute(corpus, task.examples, multiple=task.multiple)
    if isinstance(found, NotLearned):
        raise SystemExit(f"{task.name}: {found.reason}")
    return AttributeRule(task.name, multiple=task.multiple, alternatives=tuple(Selector(a.xpath, a.part) for a in found.alternatives))


def measure(work: Work) -> float:
    """Prints the figures of some pages; the cost of learning in parses."""
    parse_s = cpu_time_s(parse, work.contents)
    roots = [parse(content).root for content in work.contents]
    table_s = cpu_time_s(read_page_table, roots)
    tables = [read_page_table(root) for root in roots]
    corpus_s = cpu_time_s(Corpus, [tables])
    learn_s = cpu_time_s(lambda _: learn_rules(work, Corpus(tables)), [None], repeat=3) - corpus_s
    whole = (table_s + corpus_s + learn_s) / parse_s
    count, size_kb = sum(len(page.nodes) for page in tables), sum(map(len, work.contents)) / len(tables) / 1000
    print(f"{work.name}: {len(tables)} pages of {size_kb:.0f} kB, {count / len(tables):.0f} elements")
    print(
        f"  tables {table_s / parse_s:.2f} + corpus {corpus_s / parse_s:.2f} + ten attributes {learn_s / parse_s:.2f} = {whole:.2f} parses"
    )
    return whole


def learn_rules(work: Work, corpus: Corpus) -> list[AttributeRule]:
    return [rule_of(task, corpus) for task in work.tasks]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="*", type=Path)
    folders = parser.parse_args().sites or [
        p for p in Path(".data/extraction").glob("*") if len(list(p.glob("pages/*"))) >= ANNOTATED + OTHERS
    ]
    if not folders:
        print("real sites: skipped, .data/extraction has none of 105 pages")
    measure(demo_work())
    return int(max(measure(work) for work in (product_work(), *map(site_work, folders))) > MOST_PARSES)


if __name__ == "__main__":
    sys.exit(main())
