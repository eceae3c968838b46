"""Writes a feature set as one XPath 1.0 (docs/algorithms.md#rule-learning), and finds what an XPath selects.

Named steps lead from the highest ancestor with a feature down to the node; a level without features is ``*``. A feature of an
ancestor at any level becomes a condition on the node's element (``ancestor::div[…]``).

The first step always names a tag and is never ``//*``, so libxml2 can skip all other elements.
``id()`` would save that scan, some hundredths of a parse, in the one rule of a hundred that names an id. But a page read as XML
has no ids, and ``id()`` still finds an element that was taken out of the tree.
An id that was not learned is not added as an anchor, because the rule would break if that id changed.
"""

from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, locate, whole_text
from extraction.algorithms.dom.xpath import XPath, step
from extraction.algorithms.learning.corpus import NodeTarget
from extraction.algorithms.learning.feature_maker import ANY, TEXT, RuleFeature


def write_xpath(target: NodeTarget, features: Sequence[RuleFeature]) -> str:
    """The XPath that selects the target's nodes with all the features."""
    by_level: dict[int, list[RuleFeature]] = {}
    for feature in features:
        by_level.setdefault(feature.level, []).append(feature)
    top = max((level for level in by_level if level != ANY), default=0)
    steps = [_write_step(target, level, by_level) for level in range(max(top, 0), -1, -1)]
    if target.kind == "text":
        steps.append("text()" + _write_predicates(by_level.get(TEXT, []), first="[normalize-space()]"))
    elif target.kind == "attribute":
        steps.append("@" + step(target.attribute))
    # [2] counts children after `//` but descendants after `/descendant::`, which is the faster one.
    counted = any(feature.place for feature in by_level.get(max(top, 0), []))
    return ("//" if counted else "/descendant::") + "/".join(steps)


def select_locations(xpath: str, root: etree._Element, index: dict[etree._Element, int]) -> set[Location | None]:
    """The locations of the nodes with a value that an XPath selects; nodes that are not in the index are given as None."""
    return {locate(item, index) for item in XPath(xpath).select(root) if _read(item)}


def _read(item: object) -> str:
    return clean(whole_text(item) if isinstance(item, etree._Element) else str(item))


def _write_step(target: NodeTarget, level: int, by_level: dict[int, list[RuleFeature]]) -> str:
    here = by_level.get(level, [])
    tag = target.tag if level == 0 else here[0].tag if here else "*"
    text = (step(tag) if tag != "*" else "*") + _write_predicates(here)
    if level == 0:
        text += "".join(f"[{_write_ancestor(f.tag)}[{f.test}]]" for f in by_level.get(ANY, []))
    return text


def _write_ancestor(tag: str) -> str:
    return f"ancestor::{step(tag)}" if tag else "ancestor::*"


def _write_predicates(features: Sequence[RuleFeature], *, first: str = "") -> str:
    """Writes the conditions, positions first: after another condition a position would count only the nodes which that one leaves.

    first: a quick test put before the other conditions. Most texts of a page are blank, and blank texts are not values.
    """
    places = [feature.test for feature in features if feature.place]
    tests = sorted((feature.cost, feature.test) for feature in features if feature.test and not feature.place)
    at = f"[{places[0]}]" if len(places) == 1 else f"[{' and '.join(f'position() = {p}' for p in places)}]" if places else ""
    return at + first * bool(tests) + "".join(f"[{test}]" for _, test in tests)
