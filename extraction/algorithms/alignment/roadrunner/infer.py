"""RoadRunner: from pages of one template to a wrapper and the data they hold (Crescenzi, Mecca & Merialdo, VLDB 2001).

found = infer_wrapper([page.root for page in pages])
print(found.wrapper.printed())
found.structure.columns()
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.alignment.roadrunner.data import WrapperMismatch, WrapperReader
from extraction.algorithms.alignment.roadrunner.matching import MAX_STEPS, Matching
from extraction.algorithms.alignment.roadrunner.printing import print_wrapper
from extraction.algorithms.alignment.roadrunner.tokens import Vocabulary, read_page, read_pages
from extraction.algorithms.alignment.roadrunner.wrapper import Element, build_schema, list_labels, name_fields, open_varying
from extraction.algorithms.alignment.schema import Row, Structure, Tuple
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.errors import AlignmentError

PAGES = 5
"""The number of pages that a wrapper is inferred from by default. Wrong alignments are never undone, and ten pages find no more fields than
five."""

ALL_STEPS = 500_000
"""The largest number of steps for all pages together, which take some ten seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Wrapper:
    """A wrapper with named fields, which can be applied to further pages of the template."""

    root: Element
    vocabulary: Vocabulary

    @property
    def schema(self) -> Tuple:
        """Its fields, optional parts and sets."""
        return build_schema((self.root,))

    def printed(self, *, names: bool = True) -> str:
        """Return it as an indented regular expression.

        names: whether the names of fields and sets follow their lines.
        """
        return print_wrapper((self.root,), names=names)

    def match(self, root: etree._Element) -> Row | WrapperMismatch:
        """Return a page's row, or the place where the page does not match. Raises AlignmentError for a page that takes too long."""
        return WrapperReader().read(self.root, read_page(root, self.vocabulary))


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """The result of inferring a wrapper from pages.

    structure: a row for each page, an empty one if the wrapper does not match it.
    resorts: places where only the last resort aligned the pages.
    aligned: numbers of the pages that made the wrapper, from 0.
    unread: {number of a page: why the wrapper does not match it}.
    """

    wrapper: Wrapper
    structure: Structure
    resorts: int
    aligned: tuple[int, ...]
    unread: Mapping[int, str] = field(default_factory=dict)


def infer_wrapper(roots: Sequence[etree._Element], *, last_resort: bool = True) -> Inference:
    """Return the wrapper of pages of one template, made general enough for all of them, and their data.

    Raises AlignmentError, which names page and place, if the pages cannot be brought to one wrapper within the steps allowed.

    last_resort: whether what cannot be aligned may become optional up to the end of its element. If not, it is an error.
    """
    return infer_from_few_pages(roots, most=len(roots), last_resort=last_resort)


def infer_from_few_pages(roots: Sequence[etree._Element], *, most: int = PAGES, last_resort: bool = True) -> Inference:
    """Return the wrapper of the at most `most` pages that are most alike, and the data of all pages that it matches. Raises as
    `infer_wrapper`."""
    if not roots:
        raise AlignmentError("there are no pages")
    pages, vocabulary = read_pages(roots)
    order = _order(pages)[:most]
    wrapper, resorts = pages[order[0]], 0
    for number in order[1:]:
        matching = Matching(last_resort, min(MAX_STEPS, ALL_STEPS // (len(order) - 1)))
        try:
            wrapper = matching.merge(wrapper, pages[number])
        except AlignmentError as error:
            raise AlignmentError(f"page {number + 1}: {error}") from error
        resorts += matching.resorts
    opened = open_varying(wrapper)
    assert isinstance(opened, Element)  # noqa: S101 - an element stays one; the checker does not see it
    whole = name_fields(opened)
    rows, unread = _rows(whole, pages, roots)
    return Inference(Wrapper(whole, vocabulary), Structure(build_schema((whole,)), rows), resorts, tuple(order), unread)


def _order(pages: Sequence[Element]) -> list[int]:
    """Return page numbers: first the page that is most like all others, then the others by likeness to it, so that like pages go first.

    Measured with five of ten pages: this order finds 0.76 of the fields, the given order or the smallest page first 0.74, and the most
    unlike page second 0.69.
    """
    tags = [Counter(list_labels(page)) for page in pages]
    like = [[2 * (one & two).total() / (one.total() + two.total()) for two in tags] for one in tags]
    middle = max(range(len(pages)), key=lambda number: (sum(like[number]), -number))
    return sorted(range(len(pages)), key=lambda number: (number != middle, -like[middle][number], number))


def infer_with_roadrunner(roots: Sequence[etree._Element]) -> Structure:
    """Return the structure of pages of one template, inferred from a few of them. Raises the same errors as `infer_wrapper`."""
    return infer_from_few_pages(roots).structure


def _rows(wrapper: Element, pages: Sequence[Element], roots: Sequence[etree._Element]) -> tuple[tuple[Row, ...], dict[int, str]]:
    rows: list[Row] = []
    unread: dict[int, str] = {}
    for number, page in enumerate(pages):
        row = WrapperReader().read(wrapper, page)
        if isinstance(row, WrapperMismatch):
            line = elements(roots[number])[row.node].sourceline
            unread[number] = f"{row.reason}, line {line:,}" if line else row.reason
        rows.append({} if isinstance(row, WrapperMismatch) else row)
    return tuple(rows), unread
