"""Learning repeating records: the rows of a list on a page and the fields within each (ALGORITHMS 4, repeating records).

An editor marks the values of two rows. `row_elements` says which elements can be the rows, `row_xpath` finds the XPath
of all of them, and the fields are learned by `apriori.learn` with each row as a page of its own: the marked rows are the
annotated pages, other rows the unannotated ones, so a field that a row lacks gives nothing there and shifts no other.
What is returned gives back the marked rows exactly, or the answer is NotLearned with the reason.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value, whole_text
from extraction.algorithms.dom.rows import Rows
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import LearningError, XPathError
from extraction.algorithms.learning import row_pages, row_xpath
from extraction.algorithms.learning.apriori import Example, Learned, LearnedXPath, NotLearned, learn
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.row_elements import Judged, Level, MarkedRow, PageView, judge, levels
from extraction.algorithms.learning.row_xpath import RowXPath

__all__ = ["Field", "LearnedRecords", "MarkedRow", "learn_records"]

MAX_ROWS = 40
"""Rows beside the marked ones that fields are learned from; a rule for more is the same."""

MAX_LEVELS = 6
"""Most levels that are tried as rows, the highest first."""


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute of a list's rows."""

    name: str
    multiple: bool = False
    mandatory: bool = False


@dataclass(frozen=True, slots=True)
class LearnedRecords:
    """rows: the XPath of the rows. fields: {name: what was learned, its XPaths from the row's element, or why nothing was}.

    found: how many rows there are on the annotated pages.
    """

    rows: LearnedXPath
    fields: Mapping[str, Learned | NotLearned]
    found: int


def learn_records(
    pages: Sequence[PageTable] | Corpus,
    rows: Sequence[MarkedRow],
    fields: Sequence[Field],
    *,
    without: Sequence[int] = (),
    refused: Mapping[int, Sequence[int]] | None = None,
    whole: Collection[int] = (),
) -> LearnedRecords | NotLearned:
    """The rule of a list.

    pages: annotated pages and others of the cluster. rows: at least two marked ones, on one page or on several.
    without: pages that have no row of the list. refused: {page: elements} that are in no row. whole: pages of which all
    rows are marked. See `row_elements.judge`.
    """
    corpus = pages if isinstance(pages, Corpus) else Corpus(pages)
    try:
        return _Learner(corpus, rows, fields, without, refused, whole).learn()
    except LearningError as error:
        return NotLearned(str(error))


class _Learner:
    def __init__(
        self,
        corpus: Corpus,
        rows: Sequence[MarkedRow],
        fields: Sequence[Field],
        without: Sequence[int],
        refused: Mapping[int, Sequence[int]] | None,
        whole: Collection[int],
    ) -> None:
        self.corpus, self.fields, self.refused, self.whole = corpus, fields, refused, frozenset(whole)
        self.rows = [row for row in rows if row.nodes()]
        if len(self.rows) < 2:
            raise LearningError("mark the values of a second row; one row does not show where the next begins")
        self.views = {page: PageView(table) for page, table in enumerate(corpus.pages)}
        self.annotated = np.zeros(len(corpus.pages), np.bool_)
        self.annotated[[*{row.page for row in self.rows}, *without]] = True

    def learn(self) -> LearnedRecords | NotLearned:
        tried = levels(self.views, self.rows)[:MAX_LEVELS]
        options = [(level, judge(self.views, self.rows, level, refused=self.refused, whole=self.whole)) for level in tried]
        if not options:
            return NotLearned("no element begins every marked row; mark a value that all rows have", self.rows[0].page)
        problem = NotLearned("nothing distinguishes the marked rows from the rest of the page", self.rows[0].page)
        for level, judged in self._ordered(options):
            chosen = row_xpath.learn(self.corpus, self.views, level, judged, self.annotated)
            found = _RowFields(self, level, chosen).learn()
            if isinstance(found, LearnedRecords):
                return found
            problem = found
        return problem

    def _ordered(self, options: Sequence[tuple[Level, Judged]]) -> list[tuple[Level, Judged]]:
        """The level with the most rows, then the highest; of a list of one field, which has no shape, the highest with more rows."""
        names = {name for row in self.rows for name, places in row.fields.items() if places}
        marked = len(self.rows)

        def merit(entry: tuple[int, tuple[Level, Judged]]) -> tuple[bool, int, int]:
            place, (_, judged) = entry
            several = judged.count > marked
            return not several, -judged.count if len(names) > 1 else 0, place

        return [option for _, option in sorted(enumerate(options), key=merit)]


class _RowFields:
    """The fields of rows whose XPath is known."""

    def __init__(self, learner: _Learner, level: Level, chosen: RowXPath) -> None:
        self.learner, self.level, self.chosen = learner, level, chosen
        self.tag = learner.views[learner.rows[0].page].tag(level.rows[0])
        self.found = {page: self._select(page) for page in learner.views}

    def _select(self, page: int) -> Rows:
        root = self.learner.corpus.pages[page].root
        return Rows([item for item in XPath(self.chosen.xpath).select(root) if isinstance(item, etree._Element)])

    def learn(self) -> LearnedRecords | NotLearned:
        marked = []
        for row, element in zip(self.learner.rows, self.level.rows, strict=True):
            node = self.learner.corpus.pages[row.page].nodes[element]
            place = next((n for n, each in enumerate(self.found[row.page].elements) if each is node), -1)
            if place < 0:
                return NotLearned("nothing that selects the other rows also selects this one", row.page)
            marked.append((row.page, place))
        copies = Corpus([self._copy(page, place) for page, place in [*marked, *self._others(marked)]])
        learned = {field.name: self._field(field, copies, marked) for field in self.learner.fields}
        if not any(isinstance(each, Learned) and each.alternatives for each in learned.values()):
            return next((each for each in learned.values() if isinstance(each, NotLearned)), NotLearned("no row has a marked value"))
        total = sum(len(self.found[page].elements) for page in {row.page for row in self.learner.rows})
        xpath = LearnedXPath(self.chosen.xpath, None, 1.0, self.chosen.distance, self.chosen.support, 0.0, self.chosen.features)
        return LearnedRecords(xpath, learned, total)

    def _others(self, marked: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Rows that are not marked, evenly over all pages."""
        every = [(page, place) for page, rows in self.found.items() for place in range(len(rows.elements))]
        every = [each for each in every if each not in set(marked)]
        return every[:: max(1, -(-len(every) // MAX_ROWS))]

    def _copy(self, page: int, place: int) -> PageTable:
        rows = self.found[page]
        return row_pages.copy(rows.elements[place], rows.until(place), grouped=self.level.grouped)

    def _field(self, field: Field, copies: Corpus, marked: Sequence[tuple[int, int]]) -> Learned | NotLearned:
        try:
            examples = [
                Example(number, tuple(self._shifted(row, element, place) for place in row.fields[field.name]))
                for number, (row, element) in enumerate(zip(self.learner.rows, self.level.rows, strict=True))
                if field.name in row.fields
            ]
            cost = row_pages.cost(grouped=self.level.grouped)
            found = learn(copies, examples, multiple=field.multiple, mandatory=field.mandatory, cost=cost)
            if isinstance(found, NotLearned):
                return self._told(found)
            return self._checked(field, self._relative(found), marked)
        except (LearningError, XPathError) as error:
            return NotLearned(str(error))

    def _shifted(self, row: MarkedRow, element: int, place: Location) -> Location:
        view = self.learner.views[row.page]
        end = view.ends[view.parents[element]] if self.level.grouped else view.ends[element]
        if place.node >= end:
            raise LearningError("a value was marked outside its row")
        return row_pages.shifted(place, view.table, element)

    def _told(self, problem: NotLearned) -> NotLearned:
        """The learner's reason with its pages called what they are here, and the page that the row is on."""
        reason = problem.reason.replace("the page has", "the row has").replace("on the same page", "in the same row")
        row = self.learner.rows[problem.page] if problem.page is not None and problem.page < len(self.learner.rows) else None
        return NotLearned(reason, row.page if row else None)

    def _relative(self, found: Learned) -> Learned:
        return Learned(
            tuple(
                LearnedXPath(
                    row_pages.relative(one.xpath, self.tag, grouped=self.level.grouped),
                    one.part,
                    one.precision,
                    one.distance,
                    one.support,
                    one.several,
                    tuple(words for words in one.features if row_pages.WRAPPER not in words),
                )
                for one in found.alternatives
            )
        )

    def _checked(self, field: Field, found: Learned, marked: Sequence[tuple[int, int]]) -> Learned | NotLearned:
        """Raises nothing: a rule that does not give a marked row back as it was marked is none."""
        for row, (page, place) in zip(self.learner.rows, marked, strict=True):
            if field.name not in row.fields:
                continue
            wanted = sorted({value(self.learner.views[page].nodes, at) or "" for at in row.fields[field.name]})
            given = sorted(set(row_values(self.found[page], place, found)))
            if wanted != given:
                shown = "; ".join(given)[:60] or "nothing"
                return NotLearned(f"what was learned gives “{shown}” in a row where “{'; '.join(wanted)[:60]}” is marked", page)
        return found


def row_values(rows: Rows, place: int, learned: Learned) -> list[str]:
    """What a field's XPaths give in one row: the values of the first that gives any."""
    for one in learned.alternatives:
        items = rows.select(place, one.xpath)
        texts = [clean(whole_text(item) if isinstance(item, etree._Element) else str(item)) for item in items]
        values = [value for text in texts for value in (one.part.values(text) if one.part else [text]) if value]
        if values:
            return values
    return []
