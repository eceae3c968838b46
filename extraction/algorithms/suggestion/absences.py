"""On which pages a column is known to be missing, and on which it was only not found.

A suggestion that has no values on a page says little: the page may be in another language, or the value may stand elsewhere. It is known to
be missing only on a page that says the same language as a page with values, and that does not have the column's label.
"""

from collections.abc import Sequence, Set

from lxml import etree

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.page_language import primary_language
from extraction.algorithms.suggestion.languages import LabelledColumn


def find_absences(columns: Sequence[LabelledColumn], roots: Sequence[etree._Element]) -> list[Set[int]]:
    """Return, for each column, the numbers of the pages on which it is known to be missing."""
    spoken = [primary_language(root) for root in roots]
    texts = [{clean(str(text)).casefold() for text in root.itertext()} for root in roots]
    return [
        {
            page
            for page in range(len(roots))
            if page not in each.pages and spoken[page] in {spoken[n] for n in each.pages} and not _has_label(texts[page], each.words)
        }
        for each in columns
    ]


def _has_label(texts: Set[str], words: str) -> bool:
    """Return whether a text is a label or begins with it."""
    label = clean(words).casefold().rstrip(" :")
    return bool(label) and any(text.startswith(label) and not text[len(label) : len(label) + 1].isalnum() for text in texts)
