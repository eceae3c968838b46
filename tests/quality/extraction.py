"""Extraction quality on real pages: ``python -m tests.quality.extraction DATA --predictions OUT [--annotated N]``.

DATA is a folder of sites, each with pages/NNNN.html, truth.json, annotations.json and urls.json. Of each attribute the
first N pages that have a value are annotated, as annotations.json says which nodes an editor clicks; up to 30 other
pages help the learner without their truth. One stylesheet per site is compiled and run over all pages, and what it
gives is written as ``{site: {attribute: {page: [values]}}}``. An attribute takes several values when one of its
annotated pages has several. The truth of other pages is never read.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from extraction.algorithms.dom.nodes import Location, clean, value
from extraction.algorithms.learning.apriori import Learned, NotLearned, learn_attribute
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.quality.sites import Lesson, Site, folders, lesson, lessons, read_site

Predictions = dict[str, dict[str, list[str]]]
"""{attribute: {page: values}}"""


def learned(site: Site, annotated: int, *, explain: bool = False) -> tuple[AttributeRule, ...]:
    """The rules of a site's attributes; one that could not be learned has no alternatives."""
    rules = []
    for one in lessons(site, annotated):
        rule, words = learn_lesson(site, one)
        rules.append(rule)
        if explain:
            print(f"  {rule.name}: {words}")
    return tuple(rules)


def learn_site_attribute(site: Site, attribute: str, annotated: int) -> tuple[AttributeRule, str]:
    """Return one attribute's rule, learned from its first annotated pages, with remarks."""
    return learn_lesson(site, lesson(site, attribute, annotated))


def learn_lesson(site: Site, lesson: Lesson) -> tuple[AttributeRule, str]:
    """An attribute's rule, with remarks."""
    result = learn_attribute([site.pages[name] for name in lesson.names], lesson.examples, multiple=lesson.multiple)
    if isinstance(result, NotLearned):
        return AttributeRule(lesson.attribute, multiple=lesson.multiple), f"not learned: {result.reason} (page {result.page})"
    words = " || ".join(f"{a.xpath}  s={a.support:.2f} v={a.several:.2f}" for a in result.alternatives)
    return rule_of(lesson.attribute, result, multiple=lesson.multiple), words


def rule_of(attribute: str, result: Learned, *, multiple: bool) -> AttributeRule:
    alternatives = tuple(Selector(a.xpath, a.part) for a in result.alternatives)
    return AttributeRule(attribute, multiple=multiple, alternatives=alternatives)


def compiled(rules: Sequence[AttributeRule]) -> Stylesheet:
    return Stylesheet.compile(write_stylesheet(RuleDefinition(tuple(rules))))


def predict(site: Site, rules: Sequence[AttributeRule]) -> Predictions:
    """What the rules give on all pages of their site, through one compiled stylesheet."""
    sheet = compiled(rules)
    predictions: Predictions = defaultdict(dict)
    for name, page in site.pages.items():
        for attribute, values in extract_values(sheet, page.root).values.items():
            predictions[attribute][name] = list(dict.fromkeys(values))
    return predictions


def reproduced(site: Site, rules: Sequence[AttributeRule], annotated: int) -> dict[str, bool]:
    """{attribute: whether its rule, if there is one, gives exactly the marked values on each annotated page}."""
    sheet, given = compiled(rules), {}
    taught = list(lessons(site, annotated))
    pages = {one.names[example.page] for one in taught for example in one.examples}
    values = {name: extract_values(sheet, site.pages[name].root).values for name in pages}
    for one, rule in zip(taught, rules, strict=True):
        if rule.alternatives:
            marked = [(one.names[e.page], {place_value(site, one.names[e.page], where) for where in e.locations}) for e in one.examples]
            given[rule.name] = all(set(values[name][rule.name]) == texts for name, texts in marked)
    return given


def place_value(site: Site, page: str, location: Location) -> str:
    """The cleaned text at a place."""
    return clean(value(site.pages[page].nodes, location) or "")


def run(description: str | None, predict: Callable[[Site, Sequence[AttributeRule], int], Predictions]) -> None:
    """Run a task from the command line: learn each site's rules and write what `predict` returns for them."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--annotated", type=int, default=2)
    parser.add_argument("--explain", action="store_true", help="print each attribute's XPath")
    options = parser.parse_args()
    predictions = {}
    for folder in folders(options.data):
        started = time.perf_counter()
        site = read_site(folder)
        read_s = time.perf_counter() - started
        rules = learned(site, options.annotated, explain=options.explain)
        predictions[folder.name] = predict(site, rules, options.annotated)
        rest_s = time.perf_counter() - started - read_s
        print(f"{folder.name}: pages read in {read_s:.2f} s, learned and extracted in {rest_s:.2f} s", flush=True)
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1, sort_keys=True))


if __name__ == "__main__":
    run(__doc__, lambda site, rules, annotated: predict(site, rules))
