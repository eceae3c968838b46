"""Do an attribute's old values now stand in one and the same place of the template? (docs/algorithms.md#monitoring)

A value that stands somewhere on the new page may be there by chance. Values that stand in the *same* place on all pages are hardly there
by chance, even where they are as few as three price points. A place is the tags and classes of the text's element and the two above
it, with its number among the texts of equal elements: further up, a new wrapper would make another place of it.

For each place, the matches are counted: pages where the place holds what this page's rule gave. The chance of a match is measured with
the values of the other pages: a place that says “In stock” everywhere matches every page that is in stock, and proves nothing. Since
many places are tried, the probability is multiplied by their number (Bonferroni).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.chance import binomial_tail

LEAST_MATCHES = 0.7
"""Share of the pages on which a place must match."""

MAX_PLACES = 4_000
"""The largest number of texts of a page that are looked at."""

STRUCK_TAGS = frozenset(("del", "s", "strike"))

STRUCK_NAMES = frozenset(
    ("was", "old", "strike", "striked", "struck", "through", "crossed", "regular", "original", "before", "previous", "former", "rrp", "uvp")
)
"""Words in class names of a price that no longer holds."""

STRUCK_LEVELS = 2
"""The number of elements above a text that are looked at."""

Place = tuple[int, int]
"""(hash of the element and the two above it, number among the texts of such elements)."""


class PagePlaces:
    """The texts of one page by their places. Read only when they are needed."""

    def __init__(self, page: PageTable) -> None:
        self._page = page

    @cached_property
    def texts(self) -> Mapping[Place, str]:
        """{place: text}."""
        page, seen = self._page, Counter[int]()
        # The guard row at the end is the parent of the root, and its own.
        steps = [*(hash((str(element.tag), _list_stable_classes(element))) for element in page.nodes), 0]
        parents = page.elements.parent
        paths = []
        for row in range(len(page.nodes)):
            above = int(parents[row])
            paths.append(hash((steps[row], steps[above], steps[int(parents[above])])))
        found = {}
        for row, text in enumerate(page.strings[:MAX_PLACES]):
            path = paths[int(page.texts.owner[row])]
            seen[path] += 1
            found[path, seen[path]] = text
        return found

    def is_struck(self, place: Place) -> bool:
        """Whether the text at a place is struck out, as the old price of a sale is."""
        number = self._numbers.get(place)
        element = self._page.nodes[int(self._page.texts.owner[number])] if number is not None else None
        for _ in range(STRUCK_LEVELS):
            if element is None:
                return False
            names = re.split(r"[\W_]+", (element.get("class") or "").casefold())
            if element.tag in STRUCK_TAGS or STRUCK_NAMES.intersection(names):
                return True
            element = element.getparent()
        return False

    @cached_property
    def _numbers(self) -> Mapping[Place, int]:
        return {place: number for number, place in enumerate(self.texts)}


@dataclass(frozen=True, slots=True)
class VisitedPlaces:
    """The places of one page, then and now."""

    old: PagePlaces
    new: PagePlaces


def _list_stable_classes(element: etree._Element) -> tuple[str, ...]:
    """Return the class names that have no digits. A name with digits, such as "post-1234", is often that of a single page."""
    return tuple(name for name in (element.get("class") or "").split() if not any(map(str.isdigit, name)))


def compute_new_place_chance(pages: Sequence[VisitedPlaces], wanted: Sequence[str]) -> float:
    """The probability that some place of the new pages, where the values were not before, holds the wanted ones by chance.

    A place whose text is struck out does not count: that is how a sale shows the old price.

    pages: the pages.
    wanted: the value that each page had.
    """
    foreign = Counter(wanted)
    columns = _collect_columns([page.new for page in pages], wanted, foreign)
    tried = {}
    for place, texts in columns.items():
        held = sum(page.old.texts.get(place) == value for page, value in zip(pages, wanted, strict=True))
        struck = sum(page.new.is_struck(place) for page in pages)
        if 2 * held < len(pages) and 2 * struck < len(texts):
            tried[place] = texts
    return _test_columns(list(tried.values()), wanted, foreign)


def compute_same_place_chance(pages: Sequence[PagePlaces], wanted: Sequence[str], foreign: Iterable[str]) -> float:
    """The probability that some place holds the wanted values of so many pages by chance; 1 when no place holds most of them.

    pages: the pages.
    wanted: each page's own value.
    foreign: values of all pages, by which the chance of a match is measured.
    """
    others = Counter(foreign)
    return _test_columns(list(_collect_columns(pages, wanted, others).values()), wanted, others)


def _collect_columns(pages: Sequence[PagePlaces], wanted: Sequence[str], foreign: Counter[str]) -> dict[Place, dict[int, str]]:
    """Return {place: {page: text}} of the places that hold one of the values on at least half of the pages."""
    columns: dict[Place, dict[int, str]] = defaultdict(dict)
    for number, page in enumerate(pages):
        for place, text in page.texts.items():
            if text in foreign or text == wanted[number]:
                columns[place][number] = text
    return {place: texts for place, texts in columns.items() if 2 * len(texts) >= len(pages)}


def _test_columns(columns: Sequence[Mapping[int, str]], wanted: Sequence[str], foreign: Counter[str]) -> float:
    found = [_test_column(texts, wanted, foreign) for texts in columns]
    return min(1.0, min(found) * len(found)) if found else 1.0


def _test_column(texts: Mapping[int, str], wanted: Sequence[str], foreign: Counter[str]) -> float:
    """The probability of as many matches of one place."""
    matches = sum(texts.get(number) == value for number, value in enumerate(wanted))
    if matches < LEAST_MATCHES * len(wanted):
        return 1.0
    hits = tries = 0
    for number, own in enumerate(wanted):
        # One of the foreign values is the page's own.
        tries += foreign.total() - 1
        text = texts.get(number)
        hits += foreign[text] - (text == own) if text is not None else 0
    chance = (hits + 1) / (tries + 2)
    return binomial_tail(matches, of=len(wanted), chance=min(chance, 1.0))
