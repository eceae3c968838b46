"""Places like those that an editor clicked: after two items of a list are clicked, the others are offered.

The learner cannot help while a list is only begun: it would treat the items not yet clicked as counter-examples. So the places are
generalised directly. The element that holds all of them stays; below it every step keeps its element name and the classes that all of
them share, and positions are dropped. If nothing new is found that way, the steps' classes are dropped, too.
"""

from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value
from extraction.display.tree import PageTree

MAX_OFFERED = 500
"""The largest number of places that are offered; more like two clicked ones are no list of values."""

Step = tuple[str, frozenset[str]]


def find_similar(tree: PageTree, locations: Sequence[Location]) -> tuple[Location, ...]:
    """Return all places like the given ones, including these, in document order; () if nothing new is found.

    locations: at least two places of the same kind, none of them a part of a text. Anything else gives ().
    """
    if len(locations) < 2 or len({(at.kind, at.attribute) for at in locations}) > 1 or any(at.start is not None for at in locations):
        return ()
    chains = [_chain(tree.nodes[at.node]) for at in locations]
    holder, below = _split(chains)
    if holder is None or len({tuple(step.tag for step in chain) for chain in below}) > 1:
        return ()
    for steps in (_steps(below, classes=True), _steps(below, classes=False)):
        found = _select(tree, holder, steps, locations)
        if len(found) > len(locations) and set(locations) <= set(found) and len(found) <= MAX_OFFERED:
            return found
    return ()


def _chain(element: etree._Element) -> list[etree._Element]:
    return [*reversed(list(element.iterancestors())), element]


def _split(chains: list[list[etree._Element]]) -> tuple[etree._Element | None, list[list[etree._Element]]]:
    """Return the lowest element above all places, and the steps below it. For texts of the same element it is that element's parent."""
    shared = 0
    for steps in zip(*chains, strict=False):
        if any(step is not steps[0] for step in steps):
            break
        shared += 1
    shared = min(shared, min(len(chain) for chain in chains) - 1)
    return (chains[0][shared - 1] if shared else None), [chain[shared:] for chain in chains]


def _steps(below: list[list[etree._Element]], *, classes: bool) -> list[Step]:
    steps: list[Step] = []
    for level in zip(*below, strict=True):
        shared = frozenset.intersection(*(frozenset((element.get("class") or "").split()) for element in level)) if classes else frozenset()
        steps.append((str(level[0].tag), shared))
    return steps


def _select(tree: PageTree, holder: etree._Element, steps: list[Step], like: Sequence[Location]) -> tuple[Location, ...]:
    level = [holder]
    for tag, classes in steps:
        level = [child for parent in level for child in parent.iterchildren(tag) if classes <= set((child.get("class") or "").split())]
    ordinals = sorted({at.text for at in like})
    if len({at.node for at in like}) == 1:  # texts of the same element, separated by line breaks
        ordinals = list(range(1, 1 + sum(1 for _ in tree.nodes[like[0].node].itertext())))
    places = [Location(tree.index[element], like[0].kind, text, like[0].attribute) for element in level for text in ordinals]
    return tuple(place for place in places if clean(value(tree.nodes, place) or ""))
