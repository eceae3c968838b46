"""What a page begins with that pages of the other templates have, too: its header and navigation, which tell nobody which page it is."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements, texts

SHARED_FRACTION = 0.5
"""Share of the other pages that must have a text in the same place."""

MAX_ELEMENTS = 20_000
"""Elements of a page that are looked at. A header does not come later."""

Place = tuple[str, str]
"""(the tag names from the root, the text)"""


def find_shared_beginning(root: etree._Element, others: Sequence[etree._Element]) -> list[int]:
    """Return the outermost elements before the first text of the page's own whose texts the other pages have in the same places.

    Elements are numbered in document order. Elements without text are left, since they may be the page's pictures. Nothing is returned for
    a page without a text of its own. Time: linear in the pages.

    others: a page of each of some other templates.
    """
    counts = Counter(place for other in others for place in {place for _, place in _list_places(other)})
    least = max(1.0, SHARED_FRACTION * len(others))
    shared: set[int] = set()
    numbers = {element: number for number, element in enumerate(elements(root)[:MAX_ELEMENTS])}
    for element, place in _list_places(root):
        if counts[place] < least:
            return sorted(_find_outermost(numbers, element, shared))
        if element in numbers:
            shared.add(numbers[element])
    return []


def _list_places(root: etree._Element) -> Iterator[tuple[etree._Element, Place]]:
    """Yield the texts inside body with their elements, in document order."""
    body = root.find("body")
    if body is None:
        return
    paths: dict[etree._Element | None, str] = {body: "body"}
    for element in list(body.iter(etree.Element))[:MAX_ELEMENTS]:
        above = element.getparent()
        path = paths[element] = "body" if element is body else f"{paths[above]}/{element.tag!s}"
        if element.tag not in ("script", "style", "noscript", "template") and (text := clean(" ".join(texts(element)))):
            yield element, (path, text)


def _find_outermost(numbers: dict[etree._Element, int], own: etree._Element, shared: set[int]) -> Iterator[int]:
    """Yield the elements before `own` that hold shared texts and do not hold `own`, without those inside of others."""
    for level in (own, *own.iterancestors()):
        if level.tag == "body":
            return
        for before in level.itersiblings(etree.Element, preceding=True):
            if before in numbers and any(numbers.get(each) in shared for each in before.iter(etree.Element)):
                yield numbers[before]
