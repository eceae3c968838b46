"""The XPath of a list's rows, from the elements judged to be rows (`row_elements`).

The same search as for a value (`strong`, `search`): what rows share that nothing else on the annotated pages has. Two
kinds of features come to those of any element: what a row holds (a cell with a link at the fields' places, no header
cell, no cell over several columns) and where it stands among its siblings, for rows that look like what is between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.dom.xpath import XPath, name_test, step
from extraction.algorithms.learning.corpus import Candidates, Corpus, NodeTarget
from extraction.algorithms.learning.costs import CALIBRATED, Cost
from extraction.algorithms.learning.feature_maker import MaskedFeature, RuleFeature
from extraction.algorithms.learning.page_table import Bools, Ints, hash_text
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.row_elements import IndexedTree, JudgedRows, Path, RowLevel, measure_coverage
from extraction.algorithms.learning.search import FeatureSet, search_features
from extraction.algorithms.learning.strong_features import find_features

CONTENT_COST = 1.6
"""What it costs to ask for the element of a field: more than a name of the row, less than a position of it."""

SIBLING_COST, TURN_COST = 2.2, 3.5
"""What it costs to ask for any row before, and for every n-th sibling."""

UNLIKE_COST = 2.0
"""What selecting elements on other pages costs that hold none of the fields' elements, if all are such."""

MAX_LOOKED_AT = 300
"""Selected elements of other pages that are compared with the marked rows."""


@dataclass(frozen=True, slots=True)
class RowXPath:
    """An XPath of rows. wrong: elements on annotated pages that it selects and that were judged to be no rows;
    missed: rows there that it does not select. support: share of other pages where it selects something."""

    xpath: str
    features: tuple[str, ...]
    total: float
    wrong: int
    missed: int
    support: float
    distance: int


def learn_row_xpath(corpus: Corpus, views: Mapping[int, IndexedTree], level: RowLevel, judged: JudgedRows, annotated: Bools) -> RowXPath:
    """The best XPath for the rows; where none has all of them, the one for those marked that misses the fewest."""
    together = _RowSearch(corpus, views, level, judged, annotated).best(judged.likes)
    if not together.wrong:
        return together
    pages = sorted(judged.likes)
    marked = {page: [row for row in judged.likes[page] if row in level.rows] for page in pages}
    apart = _RowSearch(corpus, views, level, judged, annotated).best(marked)
    return min((together, apart), key=lambda found: (found.wrong + found.missed, found.total))


class _RowSearch:
    def __init__(self, corpus: Corpus, views: Mapping[int, IndexedTree], level: RowLevel, judged: JudgedRows, annotated: Bools) -> None:
        self.corpus, self.views, self.level, self.judged, self.annotated = corpus, views, level, judged, annotated
        page = next(iter(judged.likes))
        self.target = NodeTarget("element", views[page].tag(judged.likes[page][0]))
        tag = np.uint64(hash_text(self.target.tag))
        rows = np.flatnonzero(corpus.numbers["tag"] == tag).astype(np.int32)
        pages = (np.searchsorted(corpus.offsets, rows, side="right") - 1).astype(np.int32)
        self.nodes = Candidates(self.target, rows, np.zeros(len(rows), np.int32), pages)
        self.cost: Cost = CALIBRATED

    def best(self, wanted: Mapping[int, Sequence[int]]) -> RowXPath:
        """The XPath that selects all rows of `wanted` and least else."""
        places = self._places(wanted)
        found = find_features(self.corpus, self.nodes, places, cost=self.cost)
        found += self._content(places)
        ignored = np.zeros(len(self.nodes.rows), np.bool_)
        ignored[places] = True
        for rows in (self.judged.likes, self.judged.unsure):
            ignored[self._places(rows)] = True
        ranked = search_features(found, self.nodes.page, ignored, self.annotated, single=False, cost=self.cost)
        return min((self._row(found, chosen) for chosen in ranked), key=lambda row: (row.wrong, row.total))

    def _places(self, rows: Mapping[int, Sequence[int]]) -> Ints:
        numbers = [row + int(self.corpus.offsets[page]) for page, many in rows.items() for row in many]
        return np.array([self.nodes.find(number) for number in numbers], np.int32)

    def _row(self, found: Sequence[MaskedFeature], chosen: FeatureSet) -> RowXPath:
        masks = {id(feature): mask for feature, mask in found}
        selected = np.ones(len(self.nodes.rows), np.bool_)
        for feature in chosen.features:
            selected &= masks[id(feature)]
        likes = self._places(self.judged.likes)
        words = (f"<{self.target.tag}>", *(feature.words for feature in chosen.features))
        missed = int((~selected[likes]).sum())
        total = chosen.total + UNLIKE_COST * self._unlike(selected)
        return RowXPath(write_xpath(self.target, chosen.features), words, total, chosen.wrong, missed, chosen.support, chosen.distance)

    def _unlike(self, selected: Bools) -> float:
        """Share of what is selected on other pages that has none of the fields' elements."""
        others = np.flatnonzero(selected & ~self.annotated[self.nodes.page])
        others = others[:: max(1, len(others) // MAX_LOOKED_AT)]
        if not len(others) or not self.level.paths:
            return 0.0
        without = 0
        for place in others:
            page = int(self.nodes.page[place])
            without += not measure_coverage(self.views[page], self.level, int(self.nodes.rows[place] - self.corpus.offsets[page]))
        return without / len(others)

    def _content(self, places: Ints) -> list[MaskedFeature]:
        """Features of what a row holds and of where it stands, those that all places share."""
        tag = self.target.tag
        tests = [(write_path(path), f"has {write_path(path)}", CONTENT_COST) for path in self.level.paths.values() if path]
        tests.append((f"preceding-sibling::{step(tag)}", f"after another <{tag}>", SIBLING_COST))
        if tag == "tr":
            tests.append(("not(th)", "no header cell", CONTENT_COST))
            tests.append(("not(*[@colspan])", "no cell over several columns", CONTENT_COST))
        tests += self._turns(tag)
        made = [(RuleFeature("content", 0, tag, test, words, 0, cost), self._mask(test)) for test, words, cost in dict.fromkeys(tests)]
        return [(feature, mask) for feature, mask in made if mask[places].all()]

    def _turns(self, tag: str) -> list[tuple[str, str, float]]:
        """Every n-th sibling of the tag, n being the distance of the marked ones."""
        if not self.level.grouped or len(self.level.rows) < 2:
            return []
        view = self.views[next(iter(self.judged.likes))]
        numbers = [view.nth[row] for row in self.level.rows[:2]]
        turn = abs(numbers[1] - numbers[0])
        if turn < 2:
            return []
        test = f"count(preceding-sibling::{step(tag)}) mod {turn} = {(numbers[0] - 1) % turn}"
        return [(test, f"every {turn}th <{tag}>", TURN_COST)]

    def _mask(self, test: str) -> Bools:
        """Which candidates have a condition, by running it: once a page."""
        mask = np.zeros(len(self.nodes.rows), np.bool_)
        xpath = XPath(f"/descendant-or-self::{step(self.target.tag)}[{test}]")
        for page, view in self.views.items():
            offset = int(self.corpus.offsets[page])
            index = {element: row for row, element in enumerate(view.nodes)}
            numbers = [index[element] + offset for element in xpath.select(view.table.root) if element in index]
            mask[[self.nodes.find(number) for number in numbers]] = True
        return mask


def write_path(path: Path) -> str:
    """A path below a row as a relative XPath."""
    return "/".join(
        step(each.tag) + (f"[{each.nth}]" if each.nth else "") + "".join(f"[{name_test('class', name)}]" for name in sorted(each.classes))
        for each in path
    )
