"""A document type for pages of XML: a content model for each element, and its attributes.

An element with text has ``(#PCDATA)``, or ``(#PCDATA | a | b)*`` if it also has children, since XML allows no stricter mixed content. An
element with neither is EMPTY. An attribute that every element of the name has is #REQUIRED, and any other is #IMPLIED. A document type
knows no namespaces. So names are those in the file (``g:price``, ``xml:lang``), and a declaration of a prefix (``xmlns:g``) is an
attribute. Every page whose elements were read is valid against it. Cost: one pass over the elements, and `infer_content` for each name.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from extraction.algorithms.alignment.xtract.codes import StepBudget
from extraction.algorithms.alignment.xtract.infer import Content, infer_content
from extraction.algorithms.alignment.xtract.models import EMPTY, Model, declare_model
from extraction.algorithms.alignment.xtract.tolerant import infer_tolerant_model

MAX_ELEMENTS = 500_000
"""The largest number of elements that are read on all pages. The largest real feeds have some 100,000."""

MAX_NAMES = 500
"""The largest number of names of elements that are described. A page with more is written by its data, not by a template."""


MAX_ATTRIBUTES = 200
"""The largest number of names of attributes of one element, for the same reason."""

_XML = "http://www.w3.org/XML/1998/namespace"
_NAME = etree.XPath("name(@*[$place])", smart_strings=False)


class TooManyNamesError(ValueError):
    """The pages have more names of elements or attributes than any document type would."""


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element of a document type.

    count: how many there are on the pages.
    content: its content model, None if it holds text.
    children: if it holds text, the names of the elements among it.
    attributes: {name: share of the elements that have it}.
    tolerant: its tolerant content model, None if it holds text.
    """

    name: str
    count: int
    content: Content | None
    children: tuple[str, ...]
    attributes: dict[str, float]
    tolerant: Model | None = None

    @property
    def model(self) -> str:
        """The model as a DTD writes it."""
        if self.content is None:
            return f"(#PCDATA | {' | '.join(self.children)})*" if self.children else "(#PCDATA)"
        return _declare(self.content.deterministic)

    @property
    def tolerant_model(self) -> str:
        """The tolerant model as a DTD writes it."""
        return self.model if self.tolerant is None else _declare(self.tolerant)


@dataclass(frozen=True, slots=True)
class DocumentType:
    """The declarations of the elements that pages of a template may hold.

    elements: the root first, then in the order of their first occurrence on the pages.
    """

    elements: tuple[ElementType, ...]
    pages: int

    def text(self, *, tolerant: bool = False) -> str:
        """Return the DTD as a file.

        tolerant: whether further pages may lack children and attributes that all these pages have (`tolerant`).
        """
        return "\n".join(line for element in self.elements for line in _lines(element, tolerant=tolerant)) + "\n"


@dataclass(slots=True)
class _SeenElements:
    """The elements of one name.

    sequences: the names of each element's children.
    has_text: whether any holds text.
    attributes: the number of elements that have each attribute.
    """

    sequences: list[tuple[str, ...]] = field(default_factory=list)
    has_text: bool = False
    attributes: Counter[str] = field(default_factory=Counter)


def infer_document_type(roots: Sequence[etree._Element]) -> DocumentType:
    """Return the document type of some pages, which is empty without pages. Raises TooManyNamesError beyond `MAX_NAMES` and
    `MAX_ATTRIBUTES` names."""
    look = _Look()
    for root in roots:
        look.page(root)
    budget = StepBudget()
    return DocumentType(tuple(_element(name, found, budget) for name, found in look.seen.items()), len(roots))


class _Look:
    """Reads the elements of pages.

    seen: {name: what was seen of it}.
    """

    def __init__(self) -> None:
        self.seen: dict[str, _SeenElements] = {}
        self._left = MAX_ELEMENTS

    def page(self, root: etree._Element) -> None:
        """Read the elements of a page, until `MAX_ELEMENTS` elements of all pages were read."""
        prefixes: dict[str, set[str]] = {_XML: {"xml"}}
        declared: list[str] = []  # namespaces come before the element that declares them
        for _, what in etree.iterwalk(root, events=("start-ns", "start")):
            if isinstance(what, tuple):
                prefix, space = what
                declared.append(f"xmlns:{prefix}" if prefix else "xmlns")
                if prefix:
                    prefixes.setdefault(space, set()).add(prefix)
                continue
            self._left -= 1
            if self._left < 0 or what is None:
                return
            self._element(what, declared, prefixes)
            declared = []

    def _element(self, element: etree._Element, declared: Sequence[str], prefixes: Mapping[str, set[str]]) -> None:
        name = _name_as_written(element)
        found = self.seen.setdefault(name, _SeenElements())
        children = list(element)
        found.sequences.append(tuple(_name_as_written(child) for child in children if isinstance(child.tag, str)))
        texts = [element.text, *(child.tail for child in children)]
        # Even blank text, comments and processing instructions are not allowed in an EMPTY element.
        empty = not found.sequences[-1]
        found.has_text |= any(text and text.strip() for text in texts) or (empty and (bool(children) or any(texts)))
        found.attributes.update((*declared, *self._attributes(element, prefixes)))
        if len(self.seen) > MAX_NAMES:
            raise TooManyNamesError(f"the pages have more than {MAX_NAMES} names of elements; a document type would be of no use")
        if len(found.attributes) > MAX_ATTRIBUTES:
            raise TooManyNamesError(f"<{name}> has more than {MAX_ATTRIBUTES} names of attributes; a document type would be of no use")

    def _attributes(self, element: etree._Element, prefixes: Mapping[str, set[str]]) -> Iterator[str]:
        """Yield the names of its attributes as they stand in the file, as many as allowed."""
        for place, name in enumerate(islice(element.keys(), MAX_ATTRIBUTES + 1), 1):
            space, _, local = str(name).removeprefix("{").rpartition("}")
            known = prefixes.get(space, ())
            if space and len(known) == 1:
                yield f"{next(iter(known))}:{local}"
            elif space:  # the page has several prefixes for it; looking up the right one takes as long as reading some elements
                self._left -= 1
                yield str(_NAME(element, place=place))
            else:
                yield local


def _name_as_written(element: etree._Element) -> str:
    """Return the element's name as it stands in the file."""
    local = str(element.tag).rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix else local


def _element(name: str, found: _SeenElements, budget: StepBudget) -> ElementType:
    count = len(found.sequences)
    shares = {attribute: number / count for attribute, number in found.attributes.items()}
    if found.has_text:
        children = tuple(dict.fromkeys(child for sequence in found.sequences for child in sequence))
        return ElementType(name, count, None, children, shares)
    return ElementType(name, count, infer_content(found.sequences, budget=budget), (), shares, infer_tolerant_model(found.sequences))


def _declare(model: Model) -> str:
    return "EMPTY" if model == EMPTY else declare_model(model)


def _lines(element: ElementType, *, tolerant: bool) -> Iterator[str]:
    yield f"<!ELEMENT {element.name} {element.tolerant_model if tolerant else element.model}>"
    for name, share in element.attributes.items():
        yield f"<!ATTLIST {element.name} {name} CDATA {'#REQUIRED' if share >= 1 and not tolerant else '#IMPLIED'}>"
