"""Places like those that an editor clicked: after two items of a list are clicked, the others are offered; after one, those beside it.

The learner cannot help while a list is only begun: it would treat the items not yet clicked as counter-examples. So the places are
generalised directly. The element that holds all of them stays; below it every step keeps its element name and the classes that all of
them share, and positions are dropped. If nothing new is found that way, the steps' classes are dropped, too.
"""

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value
from extraction.algorithms.learning.page_table import HEADS
from extraction.display.tree import PageTree

MAX_OFFERED = 500
"""The largest number of places that are offered; more like two clicked ones are no list of values."""

MAX_BESIDE = 20
"""The largest number of places that are offered beside one value: names in a row of thirty are links of a menu."""

SEPARATOR = re.compile(r"[\s,;/|&+·•–—-]*(?:(?:and|und|et|y|e|och|og|en|i)\s+)?", re.IGNORECASE)
"""What may stand between two values of one attribute in running text."""

LABELS = frozenset((*HEADS, "th", "legend"))
"""Elements that say what the elements after them are."""

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
        found = _keep_labelled(tree, holder, _select(tree, holder, steps, locations), locations)
        if len(found) > len(locations) and set(locations) <= set(found) and len(found) <= MAX_OFFERED:
            return found
    return ()


def find_beside(tree: PageTree, locations: Sequence[Location]) -> tuple[Location, ...]:
    """Return the places that seem to be further values beside the given ones, without these, in document order.

    They are elements of the same name and classes in the same parent with nothing but a separator in between, or the other lines of an
    element whose texts are divided by line breaks. () if there are more than `MAX_BESIDE`, or if the places are parts of texts.
    """
    if not locations or any(at.start is not None for at in locations):
        return ()
    found = dict.fromkeys(place for at in locations for place in _find_lines(tree, at) or _find_neighbours(tree, at))
    beside = [place for place in found if place not in locations and clean(value(tree.nodes, place) or "")]
    return tuple(sorted(beside, key=lambda place: (place.node, place.text))) if len(beside) <= MAX_BESIDE else ()


def _find_lines(tree: PageTree, at: Location) -> list[Location]:
    """Return the lines of an element that holds nothing but texts and line breaks."""
    element = tree.nodes[at.node]
    if at.kind != "text" or not len(element) or any(child.tag != "br" for child in element):
        return []
    return [Location(at.node, "text", number) for number in range(1, 1 + len(element.xpath("text()")))]


def _find_neighbours(tree: PageTree, at: Location) -> list[Location]:
    element = tree.nodes[at.node]
    beside = [*_walk(element, preceding=True), *_walk(element, preceding=False)]
    return [Location(tree.index[other], at.kind, at.text, at.attribute) for other in beside]


def _walk(element: etree._Element, *, preceding: bool) -> Iterator[etree._Element]:
    """Yield the elements before or after one that are like it, until something else than a separator comes."""
    last = element
    for other in element.itersiblings(preceding=preceding):
        between = (other if preceding else last).tail or ""
        if not SEPARATOR.fullmatch(between):
            return
        if other.tag == element.tag and other.get("class") == element.get("class"):
            yield other
        elif not isinstance(other.tag, str) or not SEPARATOR.fullmatch("".join(other.itertext())):
            return
        last = other


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


def _keep_labelled(tree: PageTree, holder: etree._Element, found: tuple[Location, ...], like: Sequence[Location]) -> tuple[Location, ...]:
    """Return the found places, without those that stand after another label than all the given ones do: `dd` after another `dt`."""
    labels: dict[int, int] = {}
    label = 0
    for child in holder.iterchildren(etree.Element):
        label += child.tag in LABELS
        labels |= dict.fromkeys((tree.index[each] for each in child.iter(etree.Element)), label)
    wanted = {labels.get(at.node, 0) for at in like}
    return tuple(at for at in found if labels.get(at.node, 0) in wanted) if len(wanted) == 1 else found


def _select(tree: PageTree, holder: etree._Element, steps: list[Step], like: Sequence[Location]) -> tuple[Location, ...]:
    level = [holder]
    for tag, classes in steps:
        level = [child for parent in level for child in parent.iterchildren(tag) if classes <= set((child.get("class") or "").split())]
    ordinals = sorted({at.text for at in like})
    if len({at.node for at in like}) == 1:  # texts of the same element, separated by line breaks
        ordinals = list(range(1, 1 + sum(1 for _ in tree.nodes[like[0].node].itertext())))
    places = [Location(tree.index[element], like[0].kind, text, like[0].attribute) for element in level for text in ordinals]
    return tuple(place for place in places if clean(value(tree.nodes, place) or ""))
