"""RoadRunner: from pages of one template to a wrapper and the data they hold (Crescenzi, Mecca, Merialdo 2001).

found = infer([page.root for page in pages])
print(found.wrapper.printed())
found.structure.columns()
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.alignment.roadrunner.data import NoMatch, Reading
from extraction.algorithms.alignment.roadrunner.matching import MAX_STEPS, Matching
from extraction.algorithms.alignment.roadrunner.tokens import Vocabulary, read, read_one
from extraction.algorithms.alignment.roadrunner.wrapper import Element, named, printed, schema
from extraction.algorithms.alignment.schema import Row, Structure, Tuple
from extraction.algorithms.errors import AlignmentError

ALL_STEPS = 500_000
"""Steps for all pages together, some ten seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Wrapper:
    """A wrapper with named fields, to be applied to further pages of the template."""

    root: Element
    vocabulary: Vocabulary

    @property
    def schema(self) -> Tuple:
        """Its fields, optional parts and sets."""
        return schema((self.root,))

    def printed(self, *, names: bool = True) -> str:
        """It as an indented regular expression; names: those of fields and sets behind their lines."""
        return printed((self.root,), names=names)

    def match(self, root: etree._Element) -> Row | NoMatch:
        """A page's row, or where it does not match. Raises AlignmentError for a page that takes too long."""
        return Reading().read(self.root, read_one(root, self.vocabulary))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """wrapper, and structure: the rows of the pages it was inferred from. resorts: places where only the last resort aligned the pages."""

    wrapper: Wrapper
    structure: Structure
    resorts: int


def infer(roots: Sequence[etree._Element], *, last_resort: bool = True) -> Found:
    """The wrapper of pages of one template.

    last_resort: whether what cannot be aligned may become optional up to the end of its element; else that is an error. Raises
    AlignmentError, which names page and place, where the pages cannot be brought to one wrapper in the steps allowed.
    """
    if not roots:
        raise AlignmentError("there are no pages")
    pages, vocabulary = read(roots)
    wrapper, resorts = pages[0], 0
    for number, page in enumerate(pages[1:], 2):
        matching = Matching(last_resort, min(MAX_STEPS, ALL_STEPS // (len(pages) - 1)))
        try:
            wrapper = matching.merge(wrapper, page)
        except AlignmentError as error:
            raise AlignmentError(f"page {number}: {error}") from error
        resorts += matching.resorts
    whole = named(wrapper)
    return Found(Wrapper(whole, vocabulary), Structure(schema((whole,)), tuple(_rows(whole, pages))), resorts)


def _rows(wrapper: Element, pages: Sequence[Element]) -> list[Row]:
    rows = []
    for number, page in enumerate(pages, 1):
        row = Reading().read(wrapper, page)
        if isinstance(row, NoMatch):
            raise AlignmentError(f"page {number}: {row.reason}")
        rows.append(row)
    return rows
