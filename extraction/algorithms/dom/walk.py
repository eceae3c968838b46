"""One walk through a parsed page: its elements and texts in document order, without recursion.

Pages may be nested as deep as the parser allows, so nothing here recurses. Modules that read pages build on this walk, so that they agree
on how text() children are numbered and on which texts are hidden. Comments are skipped. As in XPath, the texts before and after a comment
are separate text() children.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree


@dataclass(slots=True, eq=False)
class OpenElement:
    """An element that the walk is in.

    node: its index in `nodes.elements(root)`.
    depth: 1 for the root.
    hidden: whether the element or one around it is among the hidden ones or too deep.
    texts: how many of its text() children the walk has met so far, blank ones included, as XPath counts them. It grows during the walk.
    """

    element: etree._Element
    tag: str
    node: int
    depth: int
    hidden: bool
    texts: int = 0


Step = tuple[Literal["start", "text", "end"], OpenElement, str]
"""("start", element, ""), ("text", the element that holds it, the uncleaned text) or ("end", element, "")."""


def walk_page(
    root: etree._Element,
    *,
    hidden: frozenset[str] = frozenset(),
    max_depth: float = float("inf"),
    is_done: Callable[[], bool] = lambda: False,
) -> Iterator[Step]:
    """Yield the steps of a walk through a page.

    Hidden elements are walked through as well, because their indexes count. Only their texts are left out.

    hidden: tag names of elements whose text is left out, with the text of all elements inside them.
    max_depth: deeper elements are hidden.
    is_done: called after each element or comment and the text that follows it. When it returns true, the walk stops without an "end" for
        elements that are still open.
    """
    chain: list[OpenElement] = []
    node = -1
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "start":
            node += 1
            above, tag = chain[-1] if chain else None, str(element.tag)
            is_hidden = (above is not None and above.hidden) or tag in hidden or len(chain) >= max_depth
            opened = OpenElement(element, tag, node, len(chain) + 1, is_hidden)
            chain.append(opened)
            yield "start", opened, ""
            text = element.text
            if text:
                opened.texts = 1
                if not is_hidden:
                    yield "text", opened, text
            continue
        if event == "end":
            yield "end", chain.pop(), ""
        text = element.tail
        if text and chain:
            owner = chain[-1]
            owner.texts += 1
            if not owner.hidden:
                yield "text", owner, text
        if is_done():
            return
