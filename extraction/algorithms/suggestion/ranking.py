"""How good a column each group makes.

The merit of a column X begins with F · I (Gulhane et al. 2011, section 3.1.2). F(X) is the share of pages that have it, and
I(X) = 1 - F(X) / (M |T|) is near 0 for what is the same everywhere. The root of I is taken, so that categories with few values are not
lost. `WEIGHTS` holds what makes a column worth more or less. The weights were set on real pages in coarse steps, and neighbouring values
give about the same results.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from extraction.algorithms.suggestion.constants import Constants
from extraction.algorithms.suggestion.groups import Group, Key, UnitOccurrence
from extraction.algorithms.suggestion.labels import TemplateLabels
from extraction.algorithms.suggestion.languages import Languages
from extraction.algorithms.suggestion.units import INLINE, PageUnits, UnitPaths

LEAST_PAGES = 0.25
"""Share of the pages that must have a column."""

MAX_VALUES = 12
"""The largest number of values per page, on average, of a column. With more it is a list with columns of its own."""

POOL = 600
"""How many groups become candidates, the best first; constants come on top, a tenth as many."""

WEIGHTS: Mapping[str, float] = {
    "marked label": 1.6,
    "constant text before": 1.2,
    "in the title": 1.5,
    "constant": 0.45,
    "in one line": 1.05,
    "around": 0.8,
    "far from its label": 0.7,
    "whole element": 0.7,
    "long": 0.6,
    "short": 0.7,
    "aside": 0.75,
}
"""Factors of the merit. "in the title" is the factor where all pages' titles hold the value."""

LIST, CROWD, DOWN = 0.3, 0.3, 0.5
"""The merit of a column with n values per page is divided by 1 + LIST log2 n, that of one place of a path with n of them by
1 + CROWD log2 n. At the bottom of the page a column loses the share DOWN."""

LONG, SHORT = 120, 3
"""Median lengths, in characters, above and below which text is rarely a field."""

_ASIDE_LABEL = re.compile(r"also|similar|related|recommend|viewed")

Pair = tuple[int, str]
"""(number of the page, text)"""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCandidate:
    """A group that may become a column.

    merit: how good a column it makes.
    titled: share of pages whose title holds a value.
    values: its (page, value) pairs.
    texts: the same for the texts inside its elements.
    """

    key: Key
    group: Group
    merit: float
    titled: float
    values: frozenset[Pair]
    texts: frozenset[Pair]

    @property
    def constant(self) -> bool:
        """Whether it says the same on every page."""
        return self.key.kind == "constant"

    @property
    def single(self) -> bool:
        """Whether it has one value a page."""
        return all(len(row) == 1 for row in self.group.values())


class Ranking:
    """Ranks the groups of pages."""

    def __init__(
        self,
        groups: Mapping[Key, Group],
        pages: Sequence[PageUnits],
        labels: TemplateLabels,
        paths: UnitPaths,
        *,
        languages: Languages = (),
    ) -> None:
        self.groups, self.pages, self.labels, self.paths, self.languages = groups, pages, labels, paths, languages
        self.titles = [page.title.casefold() for page in pages]
        self.constants = Constants(groups, pages, labels, paths)
        self.crowds = {(key.path, key.whole): _count(group) for key, group in groups.items() if key.kind == "all"}

    def list_candidates(self) -> list[ColumnCandidate]:
        """Return the groups worth looking at, the best first. The order of ties does not depend on that of the pages."""
        rows = []
        for key, group in self.groups.items():
            if self._is_possible(key, group):
                titled = self._share_titled(group)
                if key.kind != "constant" or self.constants.may_be_value(key, group, titled):
                    rows.append((round(self._measure_merit(key, group, titled), 9), key, titled))
        rows.sort(key=lambda row: (-row[0], row[1].kind, self.paths.mark(row[1].path), row[1]._replace(path=0)))
        varied = [row for row in rows if row[1].kind != "constant"][:POOL]
        same = [row for row in rows if row[1].kind == "constant"][: POOL // 10]
        return [self._make_candidate(*row) for row in (*varied, *same)]

    def _is_possible(self, key: Key, group: Group) -> bool:
        count = _count(group)
        if len(group) < max(2.0, LEAST_PAGES * self._count_pages(key, group)) or count > MAX_VALUES * len(group):
            return False
        if key.kind.endswith("around") and count == len(group):
            return False
        if key.kind == "nth" and self.paths.named and self._is_list(key):
            return False
        if key.kind == "first after" and self._has_more_in_line(key):
            return False
        return (len(set(_contents(group))) == 1) == (key.kind == "constant")

    def _has_more_in_line(self, key: Key) -> bool:
        """Return whether the first value after a label is one of several in a line on some pages."""
        every = key._replace(kind="all after")
        return self._is_in_one_line(every, self.groups[every])

    def _count_pages(self, key: Key, group: Group) -> int:
        """Return how many pages could have a column: those of its language if it stands after a label that only this one has."""
        spoken = {self.languages[page] for page in group} if key.label and self.languages else set()
        return self.languages.count(*spoken) if len(spoken) == 1 else len(self.pages)

    def _is_list(self, key: Key) -> bool:
        """Return whether, on pages of XML, a path has several elements. They are a list, and none of them is a field of its own."""
        everywhere = Key("all", key.path, whole=key.whole)
        return _count(self.groups[everywhere]) > len(self.groups[everywhere])

    def _share_titled(self, group: Group) -> float:
        return sum(any(self._in_title(page, found) for found in row) for page, row in group.items()) / len(self.pages)

    def _in_title(self, page: int, found: UnitOccurrence) -> bool:
        return len(found.unit.text) > 2 and found.unit.text.casefold() in self.titles[page]

    def _measure_merit(self, key: Key, group: Group, titled: float) -> float:
        """Return F · I with all factors."""
        pages, founds = len(self.pages), [found for row in group.values() for found in row]
        merit = len(group) / self._count_pages(key, group) * self._by_number(key, group, len(founds)) * self._by_label(key, founds)
        if key.kind == "constant":
            merit *= WEIGHTS["constant"]
        else:
            merit *= math.sqrt(1 - len(group) / (pages * len(set(_contents(group)))))
        merit *= 1 + (WEIGHTS["in the title"] - 1) * titled
        merit *= 1 - DOWN * median(found.unit.position for found in founds)
        length = median(len(found.unit.text) for found in founds)
        merit *= WEIGHTS["long"] if length > LONG else WEIGHTS["short"] if length < SHORT else 1
        aside = 2 * sum(self.paths.aside[found.unit.path] for found in founds) > len(founds)
        return merit * (WEIGHTS["aside"] if aside or _ASIDE_LABEL.search(key.label) else 1) * (WEIGHTS["whole element"] if key.whole else 1)

    def _by_number(self, key: Key, group: Group, count: int) -> float:
        """Return the factor for the number of values per page.

        Lists are fields more rarely than single values, except a list in one line.
        """
        if key.kind == "nth":
            return 1 / (1 + CROWD * math.log2(max(1.0, self.crowds[key.path, key.whole] / len(self.pages))))
        varied = self._measure_variety(group) if key.kind == "all around" else 1.0
        if self._is_in_one_line(key, group):
            return varied * WEIGHTS["in one line"]
        return varied * (WEIGHTS["around"] if key.kind.endswith("around") else 1) / (1 + LIST * math.log2(count / len(group)))

    def _by_label(self, key: Key, founds: Sequence[UnitOccurrence]) -> float:
        if not key.label:
            return 1.0
        far = key.kind == "first after" and fmean(found.gap for found in founds) > 0.5
        near = WEIGHTS["marked label"] if key.label in self.labels.marked else WEIGHTS["constant text before"]
        return near * (WEIGHTS["far from its label"] if far else 1)

    def _is_in_one_line(self, key: Key, group: Group) -> bool:
        """Return whether the values are in one line, such as links between commas.

        If every page has as many, they are fields and not a list.
        """
        if key.kind not in ("all", "all after", "around", "all around"):
            return False
        if not key.kind.endswith("around") and len({len(row) for row in group.values()}) == 1:
            return False
        if not all(self.paths.tags[found.unit.path] in INLINE for row in group.values() for found in row):
            return False
        steps = [after.unit.first - before.unit.first for row in group.values() for before, after in pairwise(row)]
        return bool(steps) and sum(step <= 2 for step in steps) >= 0.8 * len(steps)

    def _measure_variety(self, group: Group) -> float:
        """Return the root of the share of values that are not the same on nearly all pages."""
        held = Counter(found.unit.text for row in group.values() for found in row)
        return math.sqrt(sum(count for count in held.values() if count < 0.9 * len(group)) / held.total())

    def _make_candidate(self, merit: float, key: Key, titled: float) -> ColumnCandidate:
        group = self.groups[key]
        values = frozenset((page, found.unit.text) for page, row in group.items() for found in row)
        inside = (
            (page, text.text)
            for page, row in group.items()
            for found in row
            for text in self.pages[page].texts[found.unit.first : found.unit.end]
        )
        return ColumnCandidate(key, group, merit, titled, values, frozenset(inside) if key.whole else values)


def _count(group: Group) -> int:
    return sum(map(len, group.values()))


def _contents(group: Group) -> list[tuple[str, ...]]:
    """Return the texts of each page, as one content."""
    return [tuple(found.unit.text for found in row) for row in group.values()]
