"""Extraction quality on real pages: ``python -m tests.quality.extraction DATA --predictions OUT [--annotated N]``.

DATA is a folder of sites, each with pages/NNNN.html, truth.json, annotations.json and urls.json. Of each attribute the
first N pages that have a value are annotated, as annotations.json says which nodes an editor clicks; up to 30 other
pages help the learner without their truth. One stylesheet per site is compiled and run over all pages, and what it
gives is written as ``{site: {attribute: {page: [values]}}}``. An attribute takes several values when one of its
annotated pages has several. The truth of other pages is never read.
"""

import argparse
import html
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import RAW_TEXT, Location, clean, texts, whole_text
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn
from extraction.algorithms.learning.features import PageTable, table
from extraction.algorithms.rules.apply import extract
from extraction.algorithms.rules.rule import AttributeRule, Rule, Selector
from extraction.algorithms.rules.xslt import Stylesheet, stylesheet

UNANNOTATED = 30
"""Other pages given to the learner, evenly spread over the site."""


@dataclass(frozen=True)
class Site:
    """A site's pages by name, and what an editor would mark on the first of them."""

    name: str
    pages: dict[str, PageTable]
    annotations: dict[str, dict[str, list[dict[str, Any]]]]


def read_site(folder: Path) -> Site:
    pages = {file.stem: table(parse(file.read_bytes()).root) for file in sorted((folder / "pages").glob("*.html"))}
    return Site(folder.name, pages, json.loads((folder / "annotations.json").read_text()))


def seen(element: etree._Element) -> bool:
    """Whether an element is in the body and outside what is no running text."""
    chain = [element, *element.iterancestors()]
    return any(e.tag == "body" for e in chain) and not any(e.tag in RAW_TEXT for e in chain)


def shown(text: str) -> str:
    """A text as the annotations compare it: some pages escape their entities twice."""
    return clean(html.unescape(text))


def place(page: PageTable, entry: dict[str, Any]) -> Location | None:
    """The node that an entry of annotations.json means."""
    wanted, nodes = shown(entry["value"]), page.nodes
    if entry.get("kind") == "element":
        equal = {row for row, e in enumerate(nodes) if shown(whole_text(e)) == wanted and seen(e)}
        innermost = [row for row in sorted(equal) if not any(n in equal for n in range(row + 1, int(page.elements["end"][row])))]
        return Location(innermost[entry["nth"]]) if entry["nth"] < len(innermost) else None
    found = [
        Location(row, "text", nth)
        for row, element in enumerate(nodes)
        for nth, text in enumerate(texts(element), 1)
        if shown(text) == wanted and seen(element)
    ]
    found = sorted(found, key=lambda location: order(page, location))
    return found[entry["nth"]] if entry["nth"] < len(found) else None


def order(page: PageTable, location: Location) -> tuple[int, ...]:
    """A key that sorts text nodes in document order."""
    element, last = page.nodes[location.node], location.node
    nth = 1 if element.text else 0
    if nth == location.text and element.text:
        return (last, 0, 0)
    for child in element:
        nth += bool(child.tail)
        if child.tail and nth == location.text:
            before = child if isinstance(child.tag, str) else None
            row = page.nodes.index(before) if before is not None else last
            return (int(page.elements["end"][row]) - 1 if before is not None else row, 1, location.text)
    return (last, 0, 0)


def sample(names: Sequence[str], annotated: Sequence[str]) -> list[str]:
    others = [name for name in names if name not in annotated]
    return others[:: max(1, -(-len(others) // UNANNOTATED))][:UNANNOTATED]


def learn_attribute(site: Site, attribute: str, annotated: int) -> tuple[AttributeRule, str]:
    """The attribute's rule from its first annotated pages, and what there is to say about it."""
    entries = site.annotations[attribute]
    chosen = [name for name in sorted(entries) if entries[name]][:annotated]
    names = [*chosen, *sample(list(site.pages), chosen)]
    pages = [site.pages[name] for name in names]
    multiple = any(len({clean(e["value"]) for e in entries[name]}) > 1 for name in chosen)
    examples = []
    for number, name in enumerate(chosen):
        found = [place(site.pages[name], entry) for entry in entries[name]]
        if not multiple:
            found = found[:1]
        examples.append(Example(number, tuple(location for location in found if location)))
    result = learn(pages, examples, multiple=multiple)
    if isinstance(result, NotLearned):
        return AttributeRule(attribute, multiple=multiple), f"not learned: {result.reason} (page {result.page})"
    return rule_of(attribute, result, multiple=multiple), " || ".join(
        f"{a.xpath}  s={a.support:.2f} v={a.several:.2f}" for a in result.alternatives
    )


def rule_of(attribute: str, result: Learned, *, multiple: bool) -> AttributeRule:
    alternatives = tuple(Selector(a.xpath, a.part) for a in result.alternatives)
    return AttributeRule(attribute, multiple=multiple, alternatives=alternatives)


def predict(site: Site, annotated: int, *, explain: bool = False) -> dict[str, dict[str, list[str]]]:
    """{attribute: {page: values}} of one site, through its compiled stylesheet."""
    learned = [learn_attribute(site, attribute, annotated) for attribute in site.annotations]
    if explain:
        for rule, words in learned:
            print(f"  {rule.name}: {words}")
    sheet = Stylesheet.compile(stylesheet(Rule(tuple(rule for rule, _ in learned))))
    predictions: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for name, page in site.pages.items():
        for attribute, values in extract(sheet, page.root).values.items():
            predictions[attribute][name] = list(dict.fromkeys(values))
    return predictions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--annotated", type=int, default=2)
    parser.add_argument("--explain", action="store_true", help="print each attribute's XPath")
    options = parser.parse_args()
    predictions = {}
    for folder in sorted(p for p in options.data.iterdir() if (p / "annotations.json").is_file()):
        started = time.perf_counter()
        site = read_site(folder)
        tables_s = time.perf_counter() - started
        predictions[folder.name] = predict(site, options.annotated, explain=options.explain)
        print(
            f"{folder.name}: pages read in {tables_s:.2f} s, learned and extracted in {time.perf_counter() - started - tables_s:.2f} s",
            flush=True,
        )
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
