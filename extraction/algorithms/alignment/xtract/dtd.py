"""A document type for pages of XML: a content model for each element, and its attributes.

An element with text has ``(#PCDATA)``, or ``(#PCDATA | a | b)*`` beside children, since XML has no more exact mixed content. One with
neither is EMPTY. An attribute that every element of the name has is #REQUIRED, any other #IMPLIED. Every page whose elements were looked at
is valid against it. Cost: one pass over the elements, and `infer` for each name.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.alignment.xtract.codes import Budget
from extraction.algorithms.alignment.xtract.infer import Content, infer
from extraction.algorithms.alignment.xtract.models import EMPTY, declared

MAX_ELEMENTS = 500_000
"""Elements looked at on all pages; the largest real feeds have some 100,000."""

MAX_NAMES = 500
"""Names of elements that are described; with more, a page is not written by a template but by its data."""


class TooManyNamesError(ValueError):
    """The pages have more names of elements than any document type would."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a document type.

    count: how many there are on the pages. content: its model, None where it holds text. children: names of elements in its text.
    attributes: {name: share of the elements that have it}.
    """

    name: str
    count: int
    content: Content | None
    children: tuple[str, ...]
    attributes: dict[str, float]

    @property
    def model(self) -> str:
        """As a DTD writes it."""
        if self.content is None:
            return f"(#PCDATA | {' | '.join(self.children)})*" if self.children else "(#PCDATA)"
        return "EMPTY" if self.content.deterministic == EMPTY else declared(self.content.deterministic)


@dataclass(frozen=True, slots=True)
class DocumentType:
    """What pages of a template may hold. elements: the root first, then in the order in which they first stand on the pages."""

    elements: tuple[Element, ...]
    pages: int

    def text(self) -> str:
        """The DTD as a file."""
        return "\n".join(line for element in self.elements for line in _lines(element)) + "\n"


@dataclass(slots=True)
class _Seen:
    """Of one name: its children's names, each time; whether it holds text; how often it has each attribute."""

    sequences: list[tuple[str, ...]] = field(default_factory=list)
    has_text: bool = False
    attributes: Counter[str] = field(default_factory=Counter)


def document_type(roots: Sequence[etree._Element]) -> DocumentType:
    """The document type of some pages; empty for none. Raises TooManyNamesError beyond `MAX_NAMES` names."""
    seen: dict[str, _Seen] = {}
    left = MAX_ELEMENTS
    for root in roots:
        for element in root.iter(etree.Element):
            left -= 1
            if left < 0:
                break
            _see(element, seen)
            if len(seen) > MAX_NAMES:
                raise TooManyNamesError(f"the pages have more than {MAX_NAMES} names of elements; no document type says much of them")
    budget = Budget()
    return DocumentType(tuple(_element(name, found, budget) for name, found in seen.items()), len(roots))


def _see(element: etree._Element, seen: dict[str, _Seen]) -> None:
    found = seen.setdefault(str(element.tag), _Seen())
    children = list(element)
    found.sequences.append(tuple(str(child.tag) for child in children if isinstance(child.tag, str)))
    texts = [element.text, *(child.tail for child in children)]
    # Even blank text and comments are not allowed in an EMPTY element.
    empty = not found.sequences[-1]
    found.has_text |= any(text and text.strip() for text in texts) or (empty and (bool(children) or any(texts)))
    found.attributes.update(str(name) for name in element.keys())  # noqa: SIM118 - no mapping


def _element(name: str, found: _Seen, budget: Budget) -> Element:
    count = len(found.sequences)
    shares = {attribute: number / count for attribute, number in found.attributes.items()}
    if found.has_text:
        children = tuple(dict.fromkeys(child for sequence in found.sequences for child in sequence))
        return Element(name, count, None, children, shares)
    return Element(name, count, infer(found.sequences, budget=budget), (), shares)


def _lines(element: Element) -> Iterator[str]:
    yield f"<!ELEMENT {element.name} {element.model}>"
    for name, share in element.attributes.items():
        yield f"<!ATTLIST {element.name} {name} CDATA {'#REQUIRED' if share >= 1 else '#IMPLIED'}>"
