"""A rule for a list, learned from its old rows (Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

The old rows are found on the new pages (`list_places`). Those of a few pages are used as if an editor had marked them, and the learner of
lists learns a rule from them.

Each rule is judged on the pages that it was not learned from, attribute by attribute: do its rows have the old value where that value is
found in the row? Rows are matched by their anchor's value, so a row that came or went counts against the rule for the rows, but not against
the other attributes. A row whose value changed does not count for that attribute.

The rule may also give rows of something else, such as an advert or a header: rows that are not among the old ones although their values
stood on the old page, or although they are alike on most pages. On the pages learned from, the learner is told that these are not rows.
A judging page where the rule gives such rows does not agree.

What works is kept: the old XPath of the rows where it still selects the same rows, and the rules of attributes that are not broken.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from extraction.algorithms.dom.rows import select_rows
from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.learning.apriori import Learned, NotLearned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import LearnedRecords, MarkedRow, RowField, learn_records
from extraction.algorithms.monitoring.list_judging import ListJudge, find_rows, read_texts
from extraction.algorithms.monitoring.list_places import Anchor, SoughtRows
from extraction.algorithms.monitoring.places import ValueFinder
from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned
from extraction.algorithms.monitoring.row_extents import FoundRow, Row
from extraction.algorithms.rules.rule import ListRule, Selector

MAX_EXAMPLES = 3
"""The largest number of pages whose rows are marked. With more than two pages, at least half are left to judge."""

MAX_MARKED = 6
"""The largest number of rows that are marked on a page: the first ones, and one more for each attribute that these lack."""

MAX_LEARNING_PAGES = 10
"""The largest number of pages given to the learner, examples among them: each has many rows."""


@dataclass(frozen=True, slots=True)
class RelearnedList:
    """A list's rule, learned from its old rows.

    rule: the whole list's rule.
    attributes: what was learned about each attribute, with its figures. A page judges an attribute when it has rows with its old values.
    failed: {attribute: why it could not be learned}. The rule keeps the old XPaths of these attributes.
    found: how many old rows were found.
    """

    rule: ListRule
    learned: LearnedRecords
    attributes: Mapping[str, Relearned]
    failed: Mapping[str, str]
    found: int


def relearn_list(
    old: ListRule,
    broken: Collection[str],
    pages: Sequence[PageTable],
    before: Sequence[Sequence[Row] | None],
    *,
    old_pages: Sequence[PageTable],
) -> RelearnedList | NotRelearned:
    """A rule for a list of the new pages.

    broken: the attributes whose rule no longer works.
    before: the rows of the old record of the same URL, in the pages' order; () for
    a list without rows, None where there is no old record. old_pages: the pages of these records, in the same order.
    """
    sought, stood = SoughtRows(old.attributes, pages, before), [ValueFinder(page) for page in old_pages]
    made, reasons = list[RelearnedList](), list[str]()
    for anchor in sought.anchors():
        tried = _Trial(old, broken, sought, stood, anchor).learn()
        if isinstance(tried, NotLearned):
            reasons.append(tried.reason)
            continue
        made.append(tried)
        if not tried.failed and all(each.judged and each.agreeing == each.judged for each in tried.attributes.values()):
            break
    made = [each for each in made if set(broken) & set(each.attributes)]
    if made:
        return max(made, key=_merit)
    return NotRelearned(old.name, reasons[0] if reasons else "too few of the old rows are on the new pages")


def _merit(made: RelearnedList) -> tuple[float, ...]:
    """Orders rules: first by whether they can be judged, then by the attribute that agrees least, then by attributes and rows found."""
    judged = [each.agreement_fraction for each in made.attributes.values()]
    return (
        min(bool(each.judged) for each in made.attributes.values()),
        round(min(judged), 2),
        len(made.attributes),
        made.found,
        round(sum(judged) / len(judged), 2),
        -made.learned.rows.distance,
    )


class _Trial:
    """Learns and judges a list's rule from the rows found with one anchor."""

    def __init__(self, old: ListRule, broken: Collection[str], sought: SoughtRows, stood: Sequence[ValueFinder], anchor: Anchor) -> None:
        self.old, self.broken, self.sought, self.stood, self.anchor = old, frozenset(broken), sought, stood, anchor
        self.types = {each.name: each for each in old.attributes}
        self.rows = sought.rows(anchor)

    def learn(self) -> RelearnedList | NotLearned:
        if not self.rows:
            return NotLearned("too few of the old rows are on the new pages")
        examples = self._choose_examples()
        first = self._learn_and_judge(examples, {})
        if isinstance(first, NotLearned):
            return first
        made, judge = first
        refused = {page: strangers for page in examples if (strangers := judge.strangers(page))}
        again = self._learn_and_judge(examples, refused) if refused else first
        return made if isinstance(again, NotLearned) else max((again[0], made), key=_merit)

    def _learn_and_judge(
        self, examples: Sequence[int], refused: Mapping[int, Sequence[int]]
    ) -> tuple[RelearnedList, ListJudge] | NotLearned:
        """Learns a rule from the examples and judges it on the other pages. refused: {page: elements} that are not in any row."""
        others = [page for page in range(len(self.sought.pages)) if page not in examples]
        spread = others[:: max(1, -(-len(others) // (MAX_LEARNING_PAGES - len(examples))))]
        pages = [*examples, *spread][:MAX_LEARNING_PAGES]
        marked = [MarkedRow(at, row.fields) for at, page in enumerate(examples) for row in self._choose_marked_rows(page)]
        found = [each for each in self.old.attributes if any(row.fields.get(each.name) for row in marked)]
        fields = [RowField(each.name, each.multiple, each.mandatory) for each in found]
        none = {pages.index(page): elements for page, elements in refused.items()}
        made = learn_records([self.sought.pages[page] for page in pages], marked, fields, refused=none)
        if isinstance(made, NotLearned):
            return made
        try:
            return self._judge(made, examples)
        except (RuleError, XPathError) as error:
            return NotLearned(str(error))

    def _choose_examples(self) -> list[int]:
        """Chooses the pages whose rows were found most completely, spread over all pages."""
        pages = sorted(self.rows)
        wanted = min(MAX_EXAMPLES, max(1, len(pages) // 2))
        whole = {page: sum(len(row.fields) == len(row.old) for row in self.rows[page]) / len(self.rows[page]) for page in pages}
        best = sorted(pages, key=lambda page: (-round(whole[page], 1), page))[: max(wanted, len(pages) // 2)]
        best.sort()
        return [best[n * len(best) // wanted] for n in range(wanted)]

    def _choose_marked_rows(self, page: int) -> list[FoundRow]:
        rows = self.rows[page]
        lacking = {name for name in self.types if not any(row.fields.get(name) for row in rows[:MAX_MARKED])}
        more = {next((n for n, row in enumerate(rows) if row.fields.get(name)), 0) for name in lacking}
        return [row for n, row in enumerate(rows) if n < MAX_MARKED or n in more]

    def _judge(self, made: LearnedRecords, examples: Sequence[int]) -> tuple[RelearnedList, ListJudge]:
        learned = {name: each for name, each in made.fields.items() if isinstance(each, Learned) and each.alternatives}
        new = {name: tuple(Selector(x.xpath, x.part) for x in each.alternatives) for name, each in learned.items()}
        attributes = tuple(replace(each, alternatives=new.get(each.name, each.alternatives)) for each in self.old.attributes)
        rule = self._keep_old_xpaths(ListRule(self.old.name, (Selector(made.rows.xpath),), attributes))
        judge = ListJudge(rule, self.sought, self.rows, self.stood, self.anchor)
        told = {each.name: judge.figures(each, learned[each.name], examples) for each in rule.attributes if each.name in learned}
        lost = {name for name in self.types if rule.rows != self.old.rows and self._had_values(name)}
        failed = {name: self._explain_failure(made, name) for name in self.types if name in self.broken | lost and name not in told}
        return RelearnedList(rule, made, told, failed, sum(map(len, self.rows.values()))), judge

    def _had_values(self, name: str) -> bool:
        """Whether any old row had a value. If none had, the attribute's old XPath says nothing about other rows."""
        return any(row[name] for rows in self.sought.before for row in rows)

    def _explain_failure(self, made: LearnedRecords, name: str) -> str:
        found = made.fields.get(name)
        return found.reason if isinstance(found, NotLearned) else "none of its old values is in the rows"

    def _keep_old_xpaths(self, rule: ListRule) -> ListRule:
        """Return the rule, with the old XPaths kept where they give the same result."""
        roots = [page.root for page in self.sought.pages]
        if all(_select_same_rows(rule.rows, self.old.rows, root) for root in roots):
            rule = replace(rule, rows=self.old.rows)
        with_old = replace(rule, attributes=self.old.attributes)
        kept = {
            each.name: each for each in self.old.attributes if each.name not in self.broken and self._as_good(each.name, with_old, rule)
        }
        return replace(rule, attributes=tuple(kept.get(each.name, each) for each in rule.attributes))

    def _as_good(self, name: str, one: ListRule, other: ListRule) -> bool:
        return all(_read_column(one, page, name) == _read_column(other, page, name) for page in self.sought.pages)


def _read_column(rule: ListRule, page: PageTable, name: str) -> list[tuple[str, ...]]:
    return [read_texts(row, name) for row in find_rows(rule, page)]


def _select_same_rows(one: Sequence[Selector], other: Sequence[Selector], root: etree._Element) -> bool:
    return list(select_rows([each.xpath for each in one], root)) == list(select_rows([each.xpath for each in other], root))
