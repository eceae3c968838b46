"""False extraction on real pages: ``python -m tests.quality.absence DATA --predictions OUT [--annotated N]``.

Rules are learned as for `extraction`. Then, for each attribute, every page that was not annotated is copied without the
nodes that hold the attribute's true values there: text nodes, and whole elements whose text is one. Any value that the rule still gives on
such a copy is wrong. These values are written as ``{site: {attribute: {page: [values]}}}``.
"""

from collections.abc import Collection, Sequence
from copy import deepcopy

from lxml import etree

from extraction.algorithms.dom.nodes import elements, whole_text
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule
from tests.quality import scores
from tests.quality.extraction import Predictions, compiled, run
from tests.quality.sites import Site, shown


def predict(site: Site, rules: Sequence[AttributeRule], annotated: int) -> Predictions:
    """Return what each rule gives on copies of the unannotated pages from which the attribute's true nodes were removed."""
    predictions: Predictions = {}
    for rule in rules:
        values, sheet = site.truth.get(rule.name, {}), compiled([rule])
        known = set(scores.annotated(values, annotated))
        predictions[rule.name] = {
            page: list(extract_values(sheet, without(site.pages[page].root, true)).values[rule.name])
            for page, true in values.items()
            if true and page not in known
        }
    return predictions


def without(root: etree._Element, values: Collection[str]) -> etree._Element:
    """A copy of a page without the nodes whose text is one of the values."""
    wanted, copy = {shown(value) for value in values} - {""}, deepcopy(root)
    whole = [element for element in elements(copy) if element is not copy and not wanted.isdisjoint(_spellings(element))]
    texts = [(node, place) for node in copy.iter() for place in ("text", "tail") if shown(getattr(node, place) or "") in wanted]
    for node, place in texts:
        if place == "tail" or isinstance(node.tag, str):
            setattr(node, place, None)
    for element in whole:
        take_out(element)
    return copy


def _spellings(element: etree._Element) -> tuple[str, str]:
    """Return an element's text as Vertex reads it, with blanks where blocks end, and as the evaluation data spells it, without them."""
    return shown(whole_text(element)), shown(str(element.xpath("string()")))


def take_out(element: etree._Element) -> None:
    """Removes an element; the text after it stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail:
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    element.tail = None
    parent.remove(element)


if __name__ == "__main__":
    run(__doc__, predict)
