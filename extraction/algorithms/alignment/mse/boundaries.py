"""What pages have in common: lines that bound sections, and records that are the same on many pages (Zhao, Meng & Yu 2006, section 5: DSE).

A candidate section boundary marker is a line that at least half of the pages have at the same path, numbers aside, and that no page has
twice: a line that is in every record is no boundary. Of a heading, fewer pages are enough, since a whole section with its heading may be
missing on most of them: without this, the heading became the first record of the section. A dynamic section is a run of lines between two
markers. A record is static if half of the pages, or half of those with such a section, have one with exactly its texts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from extraction.algorithms.alignment.mse.page import LinePage
from extraction.algorithms.alignment.mse.records import SectionRecord

SHARED = 0.5
"""Share of the pages that have a static line or record. At least two pages must have it."""

HEADINGS, SHARED_HEADING = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend")), 0.2
"""Elements that are headings, and the share of the pages for their lines. At least two pages must have it."""

Texts = tuple[tuple[str, ...], int]


class SharedLines:
    """The lines that several pages share."""

    def __init__(self, pages: Sequence[LinePage]) -> None:
        self.pages = pages
        self.least = max(2.0, SHARED * len(pages))
        marks: Counter[tuple[str, int]] = Counter()
        twice: set[tuple[str, int]] = set()
        headings: set[tuple[str, int]] = set()
        self._texts: Counter[Texts] = Counter()
        for page in pages:
            own = Counter(line.mark for line in page.lines)
            marks.update(own.keys())
            twice |= {mark for mark, count in own.items() if count > 1}
            headings |= {line.mark for line in page.lines if page.nodes[line.first].tag in HEADINGS}
            self._texts.update({(tuple(value.text for value in line.values), line.path) for line in page.lines})
        fewest = dict.fromkeys(headings, max(2.0, SHARED_HEADING * len(pages)))
        enough = {mark for mark, count in marks.items() if count >= fewest.get(mark, self.least)}
        self.marks = frozenset(mark for mark in enough - twice if mark[0])

    def bounds(self, page: LinePage) -> set[int]:
        """Return the lines of a page that bound sections."""
        return {number for number, line in enumerate(page.lines) if line.mark in self.marks}

    def fixed(self, page: LinePage) -> set[int]:
        """Return the lines that half of the pages have word for word."""
        return {
            number
            for number, line in enumerate(page.lines)
            if self._texts[tuple(value.text for value in line.values), line.path] >= self.least
        }


def read_record(page: LinePage, record: SectionRecord) -> Texts:
    """Return the texts of a record and the path it begins at."""
    lines = page.lines[record.low : record.high]
    return tuple(value.text for line in lines for value in line.values), page.nodes[record.first].path


def find_dynamic_runs(page: LinePage, bounds: set[int], taken: set[int]) -> Iterator[tuple[int, int]]:
    """Yield half-open runs of lines that are neither boundaries nor in a section yet."""
    start = None
    for number in range(len(page.lines) + 1):
        free = number < len(page.lines) and number not in bounds and number not in taken
        if free and start is None:
            start = number
        elif not free and start is not None:
            yield start, number
            start = None
