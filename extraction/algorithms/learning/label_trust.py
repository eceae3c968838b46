"""Tells texts of the template from other texts (docs/algorithms.md#rule-learning).

A rule may ask for a text beside the value. That works if the text is a label, which the template prints on other pages, too. It fails if
the text is another value, an advert, or a sentence of one page, even if all marked pages happen to have it. So a text is strange if few
of the pages without marks have it. A text in a label's place (``dt``, ``th``, ``label``, a heading, bold, with a colon) is trusted more,
because a label may be rare or stand on the pages of one language only.
"""

from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_table import HEADINGS, Bools

LABEL_TAGS = frozenset((*HEADINGS, "dt", "th", "label", "strong", "b", "legend", "caption", "summary"))
"""Tags in which a template prints labels."""

COMMON_SHARE = 0.3
"""Share of the other pages from which on a text is not strange at all."""

IN_LABEL_PLACE = 0.5
"""What remains of a text's strangeness if it stands in a label's place."""

MAX_INNER_LEVELS = 3
"""The largest number of levels that are looked down and up from an element to see whether it is a label."""


def measure_strangeness(corpus: Corpus, text: str, marked_pages: Bools, *, in_label_place: bool) -> float:
    """Return how little a text looks like one of the template: 0 for a label of most pages, up to 1 for a text of the marked pages only.

    marked_pages: for each page, whether its marks share the text. Such pages show nothing, so only the others count. If there are no
        others, the result is 0.
    """
    if text in corpus.values:
        return 1.0
    others = len(corpus.pages) - int(marked_pages.sum())
    known = int((~marked_pages[corpus.find_pages_with(text)]).sum())
    share = (known + 0.5) / (others + 1)
    strange = max(0.0, 1.0 - share / COMMON_SHARE)
    return strange * IN_LABEL_PLACE if in_label_place or text.endswith(":") else strange


def is_label_place(corpus: Corpus, row: int) -> bool:
    """Whether an element, its only child, or an element that holds nothing else is one in which a template prints labels."""
    elements, none = corpus.elements, int(corpus.offsets[corpus.page_of(row) + 1]) - 1
    whole = elements.whole[row]
    for step in (elements.first, elements.parent):
        place = row
        for _ in range(MAX_INNER_LEVELS):
            if place == none or elements.whole[place] != whole:
                break
            if corpus.read_tag(place) in LABEL_TAGS:
                return True
            place = int(step[place])
    return False
