"""A feature set written as one XPath 1.0 (docs/algorithms.md#rule-learning), and what an XPath selects.

Named steps lead from the highest ancestor that a feature asks for down to the node; a level that no feature speaks of is ``*``. What
may stand anywhere above the node is a condition on its element (``ancestor::div[…]``).

The first step names its element, never ``//*``, so libxml2 passes all others by. ``id()`` would save that scan, some hundredths of a
parse, in the one rule of a hundred that names an id. But a page read as XML has no ids, and ``id()`` still finds an element that was
taken out of the tree. An id that was not learned is not added as an anchor: a rule must not break with what it does not need.
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
    """The places of the nodes with a value that an XPath selects; None stands for those that are not in the index."""
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
    """Positions come first and together: after another condition they would count only what that leaves.

    first: a quick test put before the other conditions. A page has more blank texts than others, and they are no values.
    """
    places = [feature.test for feature in features if feature.place]
    tests = sorted((feature.cost, feature.test) for feature in features if feature.test and not feature.place)
    at = f"[{places[0]}]" if len(places) == 1 else f"[{' and '.join(f'position() = {p}' for p in places)}]" if places else ""
    return at + first * bool(tests) + "".join(f"[{test}]" for _, test in tests)
