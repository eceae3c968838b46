"""`python -m tests.quality.effort DATA [--pages K] [--site NAME …] [--informative]`: how many annotated pages a rule needs, by their order.

DATA is laid out as for `tests.quality.extraction`. The editor is a program that knows the truth: on each page offered, it marks the values
of every attribute (annotations.json where that names them, else where the truth's value stands most like the places that are named) or that
the page has none. After each page all rules are learned and run over the pages not annotated yet. The orders: *active*, the page that would
teach most (`learning.teaching`) of the greedy samples and the learning set; *greedy*, Algorithm 2's samples; *name*, as the files are
called; with --informative also *content*, the greedy samples where template parts weigh nothing. Printed: the mean F1 after each page, how
many pages it took until F1 rose no further (to within 0.001 of the best that any order reached), and after which page the committee found
that further pages change nothing.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.apriori import Example, NotLearned, learn_attribute
from extraction.algorithms.learning.committee import Committee, train_committee
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_selection import AttributeState, rank_pages
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.sampling import greedy
from tests.quality import informative, scores
from tests.quality.extraction import rule_of
from tests.quality.sites import Site, place, read_site, sample

SAMPLES = 10
"""Pages an editor is shown: those the greedy order offers."""

NEAR = 0.001

Truth = dict[str, dict[str, list[str]]]


@dataclass
class Oracle:
    """An editor who knows the truth. One place for each value; None if a place cannot be determined."""

    site: Site
    truth: Truth
    multiple: dict[str, bool] = field(init=False)

    def __post_init__(self) -> None:
        self.multiple = {name: any(len(set(values)) > 1 for values in pages.values()) for name, pages in self.truth.items()}

    def says(self, attribute: str, name: str) -> tuple[Location, ...] | None:
        """() where the page has no value."""
        values = list(dict.fromkeys(self.truth[attribute].get(name, [])))
        entries = self.site.annotations[attribute].get(name)
        page = self.site.pages[name]
        known = (place(page, entry) for entry in entries or ())
        found = list(known) if entries else [self._most_alike(attribute, page, value) for value in values]
        if None in found:
            return None
        places = tuple(location for location in found if location)
        return places if self.multiple[attribute] else places[:1]

    def _most_alike(self, attribute: str, page: PageTable, value: str) -> Location | None:
        kind = next((entry.get("kind", "text") for entries in self.site.annotations[attribute].values() for entry in entries), "text")
        choices = []
        for nth in range(20):
            found = place(page, {"value": value, "nth": nth, "kind": kind})
            if found is None:
                break
            choices.append(found)
        known = [_chain(self.site.pages[name].nodes[where.node]) for name, where in self._named(attribute)]
        return max(choices, key=lambda at: max(_alike(_chain(page.nodes[at.node]), chain) for chain in known), default=None)

    def _named(self, attribute: str) -> Iterator[tuple[str, Location]]:
        for name, entries in self.site.annotations[attribute].items():
            for entry in entries:
                where = place(self.site.pages[name], entry)
                if where is not None:
                    yield name, where


def _chain(element: etree._Element) -> list[tuple[str, str, str]]:
    return [(str(e.tag), e.get("id", ""), e.get("class", "")) for e in (element, *element.iterancestors())]


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False)) + sum(a == b for a, b in zip(one[::-1], other[::-1], strict=False))


@dataclass
class Bench:
    """One site while its pages are annotated one after the other."""

    site: Site
    oracle: Oracle
    order: list[str] = field(default_factory=list)
    said: dict[str, dict[str, tuple[Location, ...]]] = field(default_factory=dict)

    def annotate(self, name: str) -> None:
        self.order.append(name)
        for attribute in self.oracle.truth:
            places = self.oracle.says(attribute, name)
            if places is not None:
                self.said.setdefault(attribute, {})[name] = places

    @property
    def learning(self) -> list[str]:
        """The learning set: pages annotated, samples, others."""
        first = list(dict.fromkeys([*self.order, *greedy_order(self.site)[:SAMPLES]]))
        return [*first, *sample(list(self.site.pages), first)]

    def f1(self) -> float:
        """Macro F1 of the attributes on the pages not annotated."""
        names = self.learning
        corpus = Corpus([self.site.pages[name] for name in names])
        rules = []
        for attribute, said in self.said.items():
            multiple = self.oracle.multiple[attribute]
            found = learn_attribute(corpus, [Example(names.index(name), places) for name, places in said.items()], multiple=multiple)
            rules.append(
                AttributeRule(attribute, multiple=multiple)
                if isinstance(found, NotLearned)
                else rule_of(attribute, found, multiple=multiple)
            )
        sheet = Stylesheet.compile(write_stylesheet(RuleDefinition(tuple(rules))))
        given = {name: extract_values(sheet, page.root).values for name, page in self.site.pages.items() if name not in self.order}
        return statistics.fmean(
            scores.f1(truth, {name: list(values.get(attribute, ())) for name, values in given.items()}, skip=self.order)
            for attribute, truth in self.oracle.truth.items()
        )

    def advise(self) -> tuple[str, bool]:
        """(the page to annotate next, whether any rule that fits differs anywhere)."""
        names = self.learning
        corpus = Corpus([self.site.pages[name] for name in names])
        known = {}
        for attribute, said in self.said.items():
            examples = [Example(names.index(name), places) for name, places in said.items()]
            found = train_committee(corpus, examples, multiple=self.oracle.multiple[attribute])
            committee = found if isinstance(found, Committee) else Committee(())
            known[attribute] = AttributeState(committee, not all(said.values()), frozenset(names.index(name) for name in said))
        left = [n for n, name in enumerate(names) if name not in self.order]
        ranked = rank_pages(known, left, fresh(self.site, names, len(self.order)))
        return names[ranked[0].page], any(advice.disagreements for advice in ranked)


def fresh(site: Site, names: Sequence[str], annotated: int) -> dict[int, float]:
    """Share of the weight that each page would be the first to show; the first `annotated` of the names show theirs."""
    return greedy.measure_unseen(greedy.PathTable.build([paths(site, name) for name in names]), range(annotated))


_PATHS: dict[tuple[str, str], greedy.PagePaths] = {}


def paths(site: Site, name: str) -> greedy.PagePaths:
    if (site.name, name) not in _PATHS:
        _PATHS[site.name, name] = greedy.read_paths(site.pages[name].root)
    return _PATHS[site.name, name]


_ORDERS: dict[str, list[str]] = {}


def greedy_order(site: Site) -> list[str]:
    if site.name not in _ORDERS:
        names = list(site.pages)
        chosen = greedy.choose_pages([paths(site, name) for name in names], k=SAMPLES, fill=True)
        _ORDERS[site.name] = [names[choice.page_index] for choice in chosen]
    return _ORDERS[site.name]


def follow(site: Site, oracle: Oracle, pages: int, following: Callable[[Bench], str]) -> list[float]:
    """F1 after each page of an order."""
    bench, found = Bench(site, oracle), []
    for _ in range(min(pages, len(site.pages) - 1)):
        bench.annotate(following(bench))
        found.append(bench.f1())
    return found


def active(site: Site, oracle: Oracle, pages: int) -> tuple[list[float], int | None]:
    """F1 after each page, and the number of pages after which the rules agreed; None if they never did."""
    bench, found, settled = Bench(site, oracle), [], None
    bench.annotate(greedy_order(site)[0])
    for number in range(1, min(pages, len(site.pages) - 1) + 1):
        found.append(bench.f1())
        following, disputed = bench.advise()
        if not disputed and settled is None:
            settled = number
        bench.annotate(following)
    return found, settled


def needed(found: Sequence[float], best: float) -> int:
    """Pages until F1 reached the best value; one more than the number of pages if it never did."""
    return next((n for n, f1 in enumerate(found, 1) if f1 >= best - NEAR), len(found) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=5)
    parser.add_argument("--site", action="append", default=[])
    parser.add_argument("--informative", action="store_true")
    options = parser.parse_args()
    curves: dict[str, list[list[float]]] = {"active": [], "greedy": [], "name": []}
    counts: dict[str, list[int]] = {"active": [], "greedy": [], "name": []}
    stops: list[tuple[int, float]] = []
    for folder in scores.sites(options.data):
        if options.site and folder.name not in options.site:
            continue
        site = read_site(folder)
        oracle = Oracle(site, json.loads((folder / "truth.json").read_text()))
        rows, settled = {}, None
        rows["active"], settled = active(site, oracle, options.pages)
        rows["greedy"] = follow(site, oracle, options.pages, lambda bench: greedy_order(bench.site)[len(bench.order)])
        rows["name"] = follow(site, oracle, options.pages, lambda bench: sorted(bench.site.pages)[len(bench.order)])
        if options.informative:
            content = informative.order(site, SAMPLES)
            rows["content"] = follow(site, oracle, options.pages, lambda bench, order=content: order[len(bench.order)])  # type: ignore[misc]
        best = max(max(row) for row in rows.values())
        for order, row in rows.items():
            curves.setdefault(order, []).append(row)
            counts.setdefault(order, []).append(needed(row, best))
        if settled:
            stops.append((settled, rows["active"][settled - 1]))
        shown = "; ".join(f"{order} {' '.join(f'{f1:.3f}' for f1 in row)} ({needed(row, best)})" for order, row in rows.items())
        print(f"{folder.name}: {shown}; settled after {settled}", flush=True)
    report(curves, counts, stops)


def report(curves: dict[str, list[list[float]]], counts: dict[str, list[int]], stops: list[tuple[int, float]]) -> None:
    for order, rows in curves.items():
        means = " ".join(f"{statistics.fmean(column):.3f}" for column in zip(*rows, strict=True))
        print(f"{order:7} F1 after each page: {means}; pages needed: mean {statistics.fmean(counts[order]):.2f}, most {max(counts[order])}")
    if stops:
        pages, f1 = zip(*stops, strict=True)
        words = f"after {statistics.fmean(pages):.2f} pages on average, F1 {statistics.fmean(f1):.3f} then"
        print(f"nothing in dispute on {len(stops)} sites {words}")


if __name__ == "__main__":
    main()
