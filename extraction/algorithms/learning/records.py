"""Learns repeating records: the rows of a list on a page and the fields within each (docs/algorithms.md#rule-learning).

An editor marks the values of two rows. `row_levels` finds the elements that can be these rows. `row_judging` finds the other rows of the
list, and `row_xpath` finds one XPath for all of them. `apriori.learn_attribute` then learns the fields. To it, each row is a page: the
marked rows are the annotated pages, and the other rows are the unannotated ones. So a field that is missing in one row has no value there
and does not shift the other fields. In a table whose cells span rows or columns, `row_columns` learns the fields instead.

A rule that is returned gives the marked rows exactly as they were marked. If there is no such rule, the answer is NotLearned with the
reason.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value, whole_text
from extraction.algorithms.dom.rows import Rows
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import LearningError, XPathError
from extraction.algorithms.learning import row_pages, row_xpath
from extraction.algorithms.learning.apriori import Example, Learned, LearnedXPath, NotLearned, learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.plausibility import Reads
from extraction.algorithms.learning.row_columns import TaughtCell, learn_column, list_carried
from extraction.algorithms.learning.row_judging import JudgedRows, judge_rows
from extraction.algorithms.learning.row_levels import MarkedRow, RowLevel, find_row_levels
from extraction.algorithms.learning.row_tree import RowTree
from extraction.algorithms.learning.row_xpath import RowXPath
from extraction.algorithms.learning.table_grid import has_spans

__all__ = ["LearnedRecords", "MarkedRow", "RowField", "learn_records"]

MAX_ROWS = 40
"""The largest number of rows beside the marked ones that fields are learned from; more rows lead to the same rule."""

SHOWN_CHARS = 60
"""The number of characters of a row that a reason quotes."""

MAX_LEVELS = 6
"""The largest number of levels that are tried as rows, the highest first."""


@dataclass(frozen=True, slots=True)
class RowField:
    """An attribute of a list's rows. reads: whether a text can be read as its type, None for any text."""

    name: str
    multiple: bool = False
    mandatory: bool = False
    reads: Reads | None = None


@dataclass(frozen=True, slots=True)
class LearnedRecords:
    """What was learned about a list.

    rows: the XPath of the rows.
    fields: {name: what was learned about the field, or why nothing was}. The XPaths begin at the row's element.
    found: the number of rows on the annotated pages.
    """

    rows: LearnedXPath
    fields: Mapping[str, Learned | NotLearned]
    found: int


def learn_records(
    pages: Sequence[PageTable] | Corpus,
    rows: Sequence[MarkedRow],
    fields: Sequence[RowField],
    *,
    without: Sequence[int] = (),
    refused: Mapping[int, Sequence[int]] | None = None,
    whole: Collection[int] = (),
) -> LearnedRecords | NotLearned:
    """Learns the rule of a list.

    pages: the annotated pages and other pages of the cluster.
    rows: at least two marked rows, on one page or on several.
    without: the pages that have no row of the list.
    refused: {page: elements that are not part of any row}, see `row_judging.judge_rows`.
    whole: the pages on which every row is marked.
    """
    corpus = pages if isinstance(pages, Corpus) else Corpus(pages)
    try:
        return _ListLearner(corpus, rows, fields, without, refused, whole).learn()
    except LearningError as error:
        return NotLearned(str(error))


class _ListLearner:
    def __init__(
        self,
        corpus: Corpus,
        rows: Sequence[MarkedRow],
        fields: Sequence[RowField],
        without: Sequence[int],
        refused: Mapping[int, Sequence[int]] | None,
        whole: Collection[int],
    ) -> None:
        self.corpus, self.fields, self.refused, self.whole = corpus, fields, refused, frozenset(whole)
        self.rows = [row for row in rows if row.list_nodes()]
        if len(self.rows) < 2:
            raise LearningError("mark the values of a second row; one row does not show where the next begins")
        self.carried = [list_carried(row.fields, corpus.pages[row.page].nodes) for row in self.rows]
        self.trees = {page: RowTree(table) for page, table in enumerate(corpus.pages)}
        self.annotated = np.zeros(len(corpus.pages), np.bool_)
        self.annotated[[*{row.page for row in self.rows}, *without]] = True

    def learn(self) -> LearnedRecords | NotLearned:
        own = [_without(row, carried) for row, carried in zip(self.rows, self.carried, strict=True)]
        tried = find_row_levels(self.trees, own)[:MAX_LEVELS]
        options = [(level, judge_rows(self.trees, own, level, refused=self.refused, whole=self.whole)) for level in tried]
        if not options:
            return NotLearned("no element begins every marked row; mark a value that all rows have", self.rows[0].page)
        problem = NotLearned("nothing distinguishes the marked rows from the rest of the page", self.rows[0].page)
        for level, judged in self._order_options(options):
            chosen = row_xpath.learn_row_xpath(self.corpus, self.trees, level, judged, self.annotated)
            found = self._find_refused(judged, chosen) or _RowFields(self, level, chosen).learn()
            if isinstance(found, LearnedRecords):
                return found
            problem = found
        return problem

    def _find_refused(self, judged: JudgedRows, chosen: RowXPath) -> NotLearned | None:
        """Return why the XPath is refused if it selects an element that is known not to be a row; else None."""
        for page, refused in judged.refused.items():
            tree = self.trees[page]
            selected = XPath(chosen.xpath).select(self.corpus.pages[page].root)
            wrong = next((row for row in refused if any(tree.nodes[row] is item for item in selected)), None)
            if wrong is not None:
                problem = "is not marked, although the page is marked as complete" if page in self.whole else "was marked as no row"
                reason = f"the row “{tree.read_text(wrong)[:SHOWN_CHARS]}” {problem}, and nothing distinguishes it from the marked rows"
                return NotLearned(reason, page, ((page, Location(wrong)),))
        return None

    def _order_options(self, options: Sequence[tuple[RowLevel, JudgedRows]]) -> list[tuple[RowLevel, JudgedRows]]:
        """Sorts the levels: the one with the most rows comes first, and of levels with as many rows the highest.

        The rows of a list with a single field have no shape to compare, so there the highest level with more rows than marks comes first.
        """
        names = {name for row in self.rows for name, places in row.fields.items() if places}
        marked = len(self.rows)

        def merit(entry: tuple[int, tuple[RowLevel, JudgedRows]]) -> tuple[bool, int, int]:
            place, (_, judged) = entry
            several = judged.count > marked
            return not several, -judged.count if len(names) > 1 else 0, place

        return [option for _, option in sorted(enumerate(options), key=merit)]


class _RowFields:
    """The fields of rows whose XPath is known."""

    def __init__(self, learner: _ListLearner, level: RowLevel, chosen: RowXPath) -> None:
        self.learner, self.level, self.chosen = learner, level, chosen
        self.tag = learner.trees[learner.rows[0].page].read_tag(level.rows[0])
        self.found = {page: self._select(page) for page in learner.trees}

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
        if self.tag == "tr" and has_spans([row for rows in self.found.values() for row in rows.elements]):
            learned = {field.name: self._learn_column(field, marked) for field in self.learner.fields}
        else:
            copies = Corpus([self._copy(page, place) for page, place in [*marked, *self._list_others(marked)]])
            copies.values = self._list_values()
            learned = {field.name: self._learn_field(field, copies, marked) for field in self.learner.fields}
        if not any(isinstance(each, Learned) and each.alternatives for each in learned.values()):
            return next((each for each in learned.values() if isinstance(each, NotLearned)), NotLearned("no row has a marked value"))
        total = sum(len(self.found[page].elements) for page in {row.page for row in self.learner.rows})
        rows = self.chosen
        xpath = LearnedXPath(rows.xpath, None, rows.precision, rows.distance, rows.support, 0.0, rows.features)
        return LearnedRecords(xpath, learned, total)

    def _list_values(self) -> frozenset[str]:
        """The marked texts. One that is a value of a field is no label of another."""
        rows, trees = self.learner.rows, self.learner.trees
        return frozenset(value(trees[row.page].nodes, at) or "" for row in rows for places in row.fields.values() for at in places)

    def _learn_column(self, field: RowField, marked: Sequence[tuple[int, int]]) -> Learned | NotLearned:
        """A field of rows of a table with spans: the cell of a column, and what stands within it."""
        rows = [row for found in self.found.values() for row in found.elements]
        try:
            taught = [
                TaughtCell(self.learner.corpus.pages[row.page], self.found[page].elements[place], row.fields[field.name])
                for row, (page, place) in zip(self.learner.rows, marked, strict=True)
                if row.fields.get(field.name)
            ]
            found = learn_column(taught, rows, multiple=field.multiple) if taught else Learned(())
            return self._check(field, found, marked) if isinstance(found, Learned) else self._in_terms_of_rows(found)
        except (LearningError, XPathError) as error:
            return NotLearned(str(error))

    def _list_others(self, marked: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Chooses rows that are not marked, spread evenly over all pages."""
        every = [(page, place) for page, rows in self.found.items() for place in range(len(rows.elements))]
        every = [each for each in every if each not in set(marked)]
        return every[:: max(1, -(-len(every) // MAX_ROWS))]

    def _copy(self, page: int, place: int) -> PageTable:
        rows = self.found[page]
        return row_pages.copy_row(rows.elements[place], rows.until(place), grouped=self.level.grouped)

    def _learn_field(self, field: RowField, copies: Corpus, marked: Sequence[tuple[int, int]]) -> Learned | NotLearned:
        try:
            examples = [
                Example(number, tuple(self._shift(row, element, place) for place in row.fields[field.name]))
                for number, (row, element) in enumerate(zip(self.learner.rows, self.level.rows, strict=True))
                if field.name in row.fields
            ]
            cost = row_pages.price_row_features(grouped=self.level.grouped)
            found = learn_attribute(copies, examples, multiple=field.multiple, mandatory=field.mandatory, reads=field.reads, cost=cost)
            if isinstance(found, NotLearned):
                return self._in_terms_of_rows(found)
            return self._check(field, self._make_relative(found), marked)
        except (LearningError, XPathError) as error:
            return NotLearned(str(error))

    def _shift(self, row: MarkedRow, element: int, place: Location) -> Location:
        tree = self.learner.trees[row.page]
        end = tree.ends[tree.parents[element]] if self.level.grouped else tree.ends[element]
        if place.node >= end:
            raise LearningError("a value was marked outside its row")
        return row_pages.shift_location(place, tree.table, element)

    def _in_terms_of_rows(self, problem: NotLearned) -> NotLearned:
        """Rewrites the learner's reason so that it speaks of rows instead of pages, and names the page of the row."""
        reason = problem.reason.replace("the page has", "the row has").replace("on the same page", "in the same row")
        row = self.learner.rows[problem.page] if problem.page is not None and problem.page < len(self.learner.rows) else None
        return NotLearned(reason, row.page if row else None)

    def _make_relative(self, found: Learned) -> Learned:
        return Learned(
            tuple(
                LearnedXPath(
                    row_pages.make_relative(one.xpath, self.tag, grouped=self.level.grouped),
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

    def _check(self, field: RowField, found: Learned, marked: Sequence[tuple[int, int]]) -> Learned | NotLearned:
        """Return the field's rule, or NotLearned if the rule gives a marked row another value than the marked one."""
        for row, (page, place) in zip(self.learner.rows, marked, strict=True):
            if field.name not in row.fields:
                continue
            wanted = sorted({value(self.learner.trees[page].nodes, at) or "" for at in row.fields[field.name]})
            given = sorted(set(read_row_values(self.found[page], place, found)))
            if wanted != given:
                shown = "; ".join(given)[:60] or "nothing"
                return NotLearned(f"what was learned gives “{shown}” in a row where “{'; '.join(wanted)[:60]}” is marked", page)
        return found


def _without(row: MarkedRow, names: Collection[str]) -> MarkedRow:
    """The row without the fields whose cells stand in rows above it."""
    return replace(row, fields={name: places for name, places in row.fields.items() if name not in names})


def read_row_values(rows: Rows, place: int, learned: Learned) -> list[str]:
    """Reads a field's values in one row. Like a stylesheet, it uses the first XPath that gives any value."""
    for one in learned.alternatives:
        items = rows.select(place, one.xpath)
        texts = [clean(whole_text(item) if isinstance(item, etree._Element) else str(item)) for item in items]
        values = [value for text in texts for value in (one.part.values(text) if one.part else [text]) if value]
        if values:
            return values
    return []
