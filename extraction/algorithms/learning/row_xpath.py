"""Finds the XPath of a list's rows from the elements that were judged to be rows (`row_judging`).

The search is the same as for a value (`strong_features`, `search`): it looks for what all rows have and no other element of the annotated
pages has. A row has two more kinds of features than other elements. The first is its content: an element at the place of a field, no
header cell, no cell over several columns. The second is its place among its siblings, for rows that look like the elements between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.dom.xpath import XPath, name_test, shorten, step
from extraction.algorithms.learning.corpus import Corpus, NodeTarget
from extraction.algorithms.learning.costs import CALIBRATED, NEVER, Cost
from extraction.algorithms.learning.feature_maker import MaskedFeature, RuleFeature
from extraction.algorithms.learning.page_table import Bools, Ints
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.row_judging import JudgedRows
from extraction.algorithms.learning.row_levels import RowLevel
from extraction.algorithms.learning.row_tree import Path, RowTree
from extraction.algorithms.learning.search import FeatureSet, search_features
from extraction.algorithms.learning.strong_features import find_features

CONTENT_COST = 1.6
"""The cost of asking for the element of a field: more than for a name of the row, less than for its position."""

SIBLING_COST, TURN_COST = 2.2, 3.5
"""The costs of asking for another row before this one, and for every n-th sibling."""

ABSENCE_COST = 1.4
"""The cost of asking that a row has nothing that only refused elements have: less than of asking for a position."""

UNLIKE_COST = 2.0
"""The cost of an XPath that selects, on other pages, only elements without any of the fields."""

MAX_LOOKED_AT = 300
"""The largest number of selected elements of other pages that are compared with the marked rows."""


@dataclass(frozen=True, slots=True)
class RowXPath:
    """An XPath of rows.

    features: what it asks for, in words.
    total: its cost.
    wrong: elements on annotated pages that it selects and that were judged to be no rows.
    precision: the share of the elements that it selects on annotated pages which were not judged to be no rows.
    missed: rows there that it does not select.
    support: the share of other pages where it selects something.
    distance: the largest of its features'.
    """

    xpath: str
    features: tuple[str, ...]
    total: float
    wrong: int
    precision: float
    missed: int
    support: float
    distance: int


def learn_row_xpath(corpus: Corpus, trees: Mapping[int, RowTree], level: RowLevel, judged: JudgedRows, annotated: Bools) -> RowXPath:
    """Finds the best XPath for the rows. If none selects all of them and nothing else, it may miss rows that are not marked."""
    together = _RowSearch(corpus, trees, level, judged, annotated).find_best(judged.likes)
    if not together.wrong:
        return together
    pages = sorted(judged.likes)
    marked = {page: [row for row in judged.likes[page] if row in level.rows] for page in pages}
    apart = _RowSearch(corpus, trees, level, judged, annotated).find_best(marked)
    return min((together, apart), key=lambda found: (found.wrong + found.missed, found.total))


class _RowSearch:
    """One search over all elements of the rows' tag."""

    def __init__(self, corpus: Corpus, trees: Mapping[int, RowTree], level: RowLevel, judged: JudgedRows, annotated: Bools) -> None:
        self.corpus, self.trees, self.level, self.judged, self.annotated = corpus, trees, level, judged, annotated
        page = next(iter(judged.likes))
        self.target = NodeTarget("element", trees[page].read_tag(judged.likes[page][0]))
        self.nodes = corpus.find_elements(self.target.tag)
        self.cost: Cost = replace(CALIBRATED, features={**CALIBRATED.features, "shape": NEVER})

    def find_best(self, wanted: Mapping[int, Sequence[int]]) -> RowXPath:
        """Finds the XPath that selects all rows of `wanted` and the fewest other elements."""
        places = self._find_places(wanted)
        found = find_features(self.corpus, self.nodes, places, cost=self.cost)
        found += self._make_content(places)
        ignored = np.zeros(len(self.nodes.rows), np.bool_)
        ignored[places] = True
        for rows in (self.judged.likes, self.judged.unsure):
            ignored[self._find_places(rows)] = True
        options = [self._describe(found, chosen) for chosen in self._search(found, ignored)]
        absences = self._make_absences(places)
        if absences:
            refused = self._find_places(self.judged.refused)
            ignored[refused] = True
            options += [self._describe([*found, *absences], self._exclude(chosen, absences)) for chosen in self._search(found, ignored)]
        return min(options, key=lambda row: (row.wrong, row.total))

    def _search(self, found: Sequence[MaskedFeature], ignored: Bools) -> tuple[FeatureSet, ...]:
        return search_features(found, self.nodes.page, ignored, self.annotated, single=False, cost=self.cost)

    def _make_absences(self, places: Ints) -> list[MaskedFeature]:
        """The features that an element has nothing that only refused elements have, of those that all places share."""
        made = [
            (RuleFeature("content", 0, self.target.tag, mark.test, mark.words, 0, ABSENCE_COST), self._find_holders(mark.test))
            for mark in self.judged.strange
        ]
        return [(feature, mask) for feature, mask in made if mask[places].all()]

    def _exclude(self, chosen: FeatureSet, absences: Sequence[MaskedFeature]) -> FeatureSet:
        """A set with those of the absences that exclude some refused element which the others do not."""
        left = self._find_places(self.judged.refused)
        added = []
        for feature, mask in absences:
            if not mask[left].all():
                added.append(feature)
                left = left[mask[left]]
        total = chosen.total + sum(feature.cost for feature in added)
        return replace(chosen, features=(*chosen.features, *added), total=total)

    def _find_places(self, rows: Mapping[int, Sequence[int]]) -> Ints:
        numbers = [row + int(self.corpus.offsets[page]) for page, many in rows.items() for row in many]
        return np.array([self.nodes.find(number) for number in numbers], np.int32)

    def _describe(self, found: Sequence[MaskedFeature], chosen: FeatureSet) -> RowXPath:
        masks = {id(feature): mask for feature, mask in found}
        selected = np.ones(len(self.nodes.rows), np.bool_)
        for feature in chosen.features:
            selected &= masks[id(feature)]
        likes = self._find_places(self.judged.likes)
        words = (f"<{self.target.tag}>", *(feature.words for feature in chosen.features))
        missed = int((~selected[likes]).sum())
        total = chosen.total + UNLIKE_COST * self._share_unlike(selected)
        on_annotated = selected & self.annotated[self.nodes.page]
        there = int(on_annotated.sum())
        for rows in (self.judged.likes, self.judged.unsure):
            on_annotated[self._find_places(rows)] = False
        wrong = int(on_annotated.sum())
        precision = 1.0 - wrong / there if there else 0.0
        xpath = write_xpath(self.target, chosen.features)
        return RowXPath(xpath, words, total, wrong, precision, missed, chosen.support, chosen.distance)

    def _share_unlike(self, selected: Bools) -> float:
        """Return the share of the elements selected on other pages that contain none of the fields."""
        others = np.flatnonzero(selected & ~self.annotated[self.nodes.page])
        others = others[:: max(1, len(others) // MAX_LOOKED_AT)]
        if not len(others) or not self.level.paths:
            return 0.0
        without = 0
        for place in others:
            page = int(self.nodes.page[place])
            without += not self.level.measure_coverage(self.trees[page], int(self.nodes.rows[place] - self.corpus.offsets[page]))
        return without / len(others)

    def _make_content(self, places: Ints) -> list[MaskedFeature]:
        """Makes the features of a row's content and of its place among its siblings, as far as all given rows share them."""
        tag = self.target.tag
        tests = [(write_path(path), f"has {shorten(write_path(path))}", CONTENT_COST) for path in self.level.paths.values() if path]
        tests.append((f"preceding-sibling::{step(tag)}", f"after another <{tag}>", SIBLING_COST))
        if tag == "tr":
            tests.append(("not(th)", "no header cell", CONTENT_COST))
            tests.append(("not(*[@colspan])", "no cell over several columns", CONTENT_COST))
        tests += self._list_turns(tag)
        made = [
            (RuleFeature("content", 0, tag, test, words, 0, cost), self._find_holders(test)) for test, words, cost in dict.fromkeys(tests)
        ]
        return [(feature, mask) for feature, mask in made if mask[places].all()]

    def _list_turns(self, tag: str) -> list[tuple[str, str, float]]:
        """Return the condition to be every n-th sibling of the tag, where n is the distance between the marked rows."""
        if not self.level.grouped or len(self.level.rows) < 2:
            return []
        tree = self.trees[next(iter(self.judged.likes))]
        numbers = [tree.nth[row] for row in self.level.rows[:2]]
        turn = abs(numbers[1] - numbers[0])
        if turn < 2:
            return []
        test = f"count(preceding-sibling::{step(tag)}) mod {turn} = {(numbers[0] - 1) % turn}"
        return [(test, f"every {turn}th <{tag}>", TURN_COST)]

    def _find_holders(self, test: str) -> Bools:
        """Finds the candidates that meet a condition, by running it once on each page."""
        mask = np.zeros(len(self.nodes.rows), np.bool_)
        xpath = XPath(f"/descendant-or-self::{step(self.target.tag)}[{test}]")
        for page, tree in self.trees.items():
            offset = int(self.corpus.offsets[page])
            index = {element: row for row, element in enumerate(tree.nodes)}
            numbers = [index[element] + offset for element in xpath.select(tree.table.root) if element in index]
            mask[[self.nodes.find(number) for number in numbers]] = True
        return mask


def write_path(path: Path) -> str:
    """Writes a path below a row as a relative XPath."""
    return "/".join(
        step(each.tag) + (f"[{each.nth}]" if each.nth else "") + "".join(f"[{name_test('class', name)}]" for name in sorted(each.classes))
        for each in path
    )
