"""Template and content as they are shown on a page: the elements to dim, and the element that holds the main text.

Text is dimmed in redundant blocks (`entropy`) and in template nodes (`template_hash`) that hold a whole block. A template node within an
informative block stays as it is, because a label cannot be told from a value that is the same on most pages.
"""

from collections.abc import Collection, Sequence
from itertools import accumulate

from extraction.algorithms.boilerplate.blocks import Block
from extraction.algorithms.boilerplate.template_hash import HashedNode

MAIN_FRACTION = 0.7
"""Share of the informative text that the element of the main text holds. The rest may be a heading above it, or related pages beside it."""


def find_dimmed_elements(
    page: Sequence[HashedNode], blocks: Sequence[Block], informative: Sequence[bool], template: Sequence[int]
) -> list[int]:
    """Return the outermost elements that hold nothing but text to dim, in document order.

    informative: of each block, whether it is informative.
    template: the page's template nodes.
    """
    dim = {node for block, keeps in zip(blocks, informative, strict=True) if not keeps for node in block.nodes}
    held = {block.node for block in blocks}
    for node in template:
        if any(at in held for at in range(node, page[node].end)):
            dim.update(range(node, page[node].end))
    with_text = {node for block in blocks for node in block.nodes}
    return _outermost(page, with_text, dim & with_text)


def find_main_text(page: Sequence[HashedNode], blocks: Sequence[Block], informative: Sequence[bool]) -> int | None:
    """Return the innermost element that holds `MAIN_FRACTION` of the page's informative text, None if there is none. The title does not
    count."""
    chars = [0] * len(page)
    for block, keeps in zip(blocks, informative, strict=True):
        if keeps and block.node:  # text directly in the page's root has no element of its own
            chars[block.node] += block.chars
    sums = [0, *accumulate(chars)]
    node, wanted = 0, MAIN_FRACTION * sums[-1]
    if not wanted:
        return None
    while (inner := next((child for child in _children(page, node) if sums[page[child].end] - sums[child] >= wanted), None)) is not None:
        node = inner
    return node or None


def _children(page: Sequence[HashedNode], node: int) -> list[int]:
    found, child = [], node + 1
    while child < page[node].end:
        found.append(child)
        child = page[child].end
    return found


def _outermost(page: Sequence[HashedNode], with_text: Collection[int], dim: Collection[int]) -> list[int]:
    """Return the outermost elements that have text, all of which is in `dim`."""
    texts, dims = ([0, *accumulate(int(node in chosen) for node in range(len(page)))] for chosen in (with_text, dim))
    found, node = [], 0
    while node < len(page):
        end = page[node].end
        if dims[end] > dims[node] and dims[end] - dims[node] == texts[end] - texts[node]:
            found.append(node)
            node = end
        else:
            node += 1
    return found
