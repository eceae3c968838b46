"""A feature set written as one XPath 1.0 (ALGORITHMS 4.7).

Named steps from the highest ancestor that a feature asks for down to the node; levels between that no feature speaks
of are ``*``. What may stand anywhere above the node is a condition on its element (``ancestor::div[…]``).

A first step names its element, never ``//*``, so libxml2 passes by all others. ``id()`` would save that scan, some hundredths
of a parse, in the one rule of a hundred that names an id; but a page read as XML has no ids, and an element taken out
of a tree is still found by its. An id that was not learned is not added as an anchor: a rule must not break with what it
does not need.
"""

from collections.abc import Sequence

from extraction.algorithms.dom.xpath import step
from extraction.algorithms.learning.corpus import NodeTarget
from extraction.algorithms.learning.feature_maker import ANY, TEXT, RuleFeature


def write_xpath(target: NodeTarget, chosen: Sequence[RuleFeature]) -> str:
    """The XPath that selects the target's nodes with all the chosen features."""
    by_level: dict[int, list[RuleFeature]] = {}
    for feature in chosen:
        by_level.setdefault(feature.level, []).append(feature)
    top = max((level for level in by_level if level != ANY), default=0)
    steps = [_step(target, level, by_level) for level in range(max(top, 0), -1, -1)]
    if target.kind == "text":
        steps.append("text()" + _predicates(by_level.get(TEXT, []), first="[normalize-space()]"))
    elif target.kind == "attribute":
        steps.append("@" + step(target.attribute))
    # [2] counts children after `//` but descendants after `/descendant::`, which is the faster one.
    counted = any(feature.place for feature in by_level.get(max(top, 0), []))
    return ("//" if counted else "/descendant::") + "/".join(steps)


def _step(target: NodeTarget, level: int, by_level: dict[int, list[RuleFeature]]) -> str:
    here = by_level.get(level, [])
    tag = target.tag if level == 0 else here[0].tag if here else "*"
    text = (step(tag) if tag != "*" else "*") + _predicates(here)
    if level == 0:
        text += "".join(f"[{_above(f.tag)}[{f.test}]]" for f in by_level.get(ANY, []))
    return text


def _above(tag: str) -> str:
    return f"ancestor::{step(tag)}" if tag else "ancestor::*"


def _predicates(features: Sequence[RuleFeature], *, first: str = "") -> str:
    """Positions come first and together: after another condition they would count only what that leaves.

    first: what quickly tells most nodes, put before other conditions: blank texts, of which a page has more than others, are no values.
    """
    places = [feature.test for feature in features if feature.place]
    tests = sorted((feature.cost, feature.test) for feature in features if feature.test and not feature.place)
    at = f"[{places[0]}]" if len(places) == 1 else f"[{' and '.join(f'position() = {p}' for p in places)}]" if places else ""
    return at + first * bool(tests) + "".join(f"[{test}]" for _, test in tests)
