"""Content blocks of a page (Lin & Ho 2002, section 4.1; docs/algorithms.md#infodiscoverer).

In the paper, each TABLE is a block. It holds the strings in the table except those in tables nested within it. TITLE is a block of its own.
Today div, section and similar elements structure a page, with or without tables, and they divide it in the same way. The paper's second
phase goes on to smaller elements too. Rows and cells are not blocks: a value stays with its label and the values beside it, or else a value
that is the same on most pages would be lost.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.boilerplate import words
from extraction.algorithms.dom.nodes import clean, is_xml, raw_text, texts

BLOCKS = frozenset(
    ("table", "div", "section", "article", "nav", "aside", "header", "footer", "main", "ul", "ol", "dl", "form", "fieldset", "details")
)
"""Elements that divide a page of HTML. On a page of XML, each element is a field and therefore a block."""


@dataclass(frozen=True, slots=True)
class Block:
    """A content block.

    node: the index of its element.
    nodes: the elements whose own text it holds.
    chars: number of characters of that text, cleaned.
    features: {feature: how often} of that text.
    """

    node: int
    nodes: tuple[int, ...]
    chars: int
    features: Counter[str] = field(hash=False)


def split_blocks(nodes: Sequence[etree._Element], *, language: str = words.DEFAULT_LANGUAGE) -> list[Block]:
    """Return the blocks of a page that hold text, in the order of their elements. Cost: linear in the page.

    nodes: `elements(root)`.
    """
    own = _own_texts(nodes)
    owners = _owners(nodes)
    members: dict[int, list[int]] = {}
    for node in own:
        members.setdefault(owners[node], []).append(node)
    return [_block(block, held, own, language) for block, held in sorted(members.items())]


def _block(node: int, held: Sequence[int], own: dict[int, str], language: str) -> Block:
    text = " ".join(own[each] for each in held)
    return Block(node, tuple(held), sum(len(own[each]) for each in held), words.extract_features(text, language=language))


def _own_texts(nodes: Sequence[etree._Element]) -> dict[int, str]:
    """Return {index: the element's own text, cleaned} for elements with text that a reader sees."""
    found = {}
    for node, hidden in enumerate(_hidden(nodes)):
        if not hidden and (text := clean(" ".join(texts(nodes[node])))):
            found[node] = text
    return found


def _hidden(nodes: Sequence[etree._Element]) -> Iterator[bool]:
    inside: dict[etree._Element | None, bool] = {None: False}
    unseen = raw_text(nodes[0]) - {"title"} if nodes else frozenset()
    for element in nodes:
        inside[element] = inside.get(element.getparent(), False) or element.tag in unseen
        yield inside[element]


def _owners(nodes: Sequence[etree._Element]) -> list[int]:
    """Return for each element the index of the innermost block around it, itself included; the root's if there is none."""
    index: dict[etree._Element | None, int] = {element: node for node, element in enumerate(nodes)}
    owners: list[int] = []
    xml = bool(nodes) and is_xml(nodes[0])
    for node, element in enumerate(nodes):
        own = node == 0 or xml or element.tag in BLOCKS or element.tag == "title"
        owners.append(node if own else owners[index.get(element.getparent(), 0)])
    return owners
