"""A version that repairs a rule: the broken attributes are learned again from their old values, the others stay as they are.

A list is learned again as a whole, from its old rows, since the XPaths of its attributes begin at its rows. Attributes of a list that still
work keep their XPaths.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extraction.algorithms.learning.apriori import LearnedXPath
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.list_judging import find_rows
from extraction.algorithms.monitoring.list_relearning import RelearnedList, relearn_list
from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned, count_pages, relearn_attribute
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.models import Rule
from extraction.models.rule_report import (
    AttributeReport,
    ColumnReport,
    FailedAttribute,
    ListReport,
    RelearnedReport,
    RuleReport,
    XPathReport,
)
from extraction.services.labels.proofs import AGREEMENT, LEAST_JUDGES
from extraction.services.monitoring.history import KnownPage

MAX_ALTERNATIVES = 2
"""The largest number of alternatives that a relearned attribute may have if the repair is to go live without a person."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The old rule, with its broken parts replaced by what could be relearned.

    relearned: what was relearned, by attribute. Attributes of lists are included.
    failed: {attribute: why it could not be relearned}; its old rule is kept.
    lists: {list: its entry in the report}.
    given: {attribute: (on how many pages it has a value, on how many it has several different values)}, also of what was not relearned.
    pages: how many pages were tried.
    """

    value: RuleDefinition
    relearned: Mapping[str, Relearned]
    failed: Mapping[str, str]
    lists: Mapping[str, ListReport] = field(default_factory=dict)
    given: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pages: int = 0

    @property
    def valid(self) -> bool:
        """Whether no attribute is left broken, and enough of the pages that the repair was not learned from agree with it."""
        judged = self.relearned.values()
        return not self.failed and all(each.agreement_fraction >= AGREEMENT and each.judged >= LEAST_JUDGES for each in judged)

    @property
    def simple(self) -> bool:
        """Whether no attribute needs more alternatives than two designs explain. More are the mark of a rule made for single pages."""
        return all(len(each.rule.alternatives) <= MAX_ALTERNATIVES for each in self.relearned.values())

    def report(self, rule: Rule) -> RuleReport:
        """The broken version's report, with new entries for what was relearned.

        The figures of the others are counted again, because the old ones were counted on pages of the old design.
        """
        old = rule.read_report()
        own = {each.name for each in self.value.attributes}
        entries = {each.name: self._recount(each) for each in old.attributes}
        entries |= {name: self._report_attribute(name, made) for name, made in self.relearned.items() if name in own}
        report = replace(
            old,
            attributes=tuple(entries.values()),
            lists=tuple(({each.name: each for each in old.lists} | dict(self.lists)).values()),
            failed=tuple(FailedAttribute(name=name, reason=reason) for name, reason in self.failed.items()),
            repaired_from=rule.version,
        )
        if not self.relearned:
            return report
        # The reasons for the old XPaths do not apply to the new ones.
        explained = {name: why for name, why in old.explained.items() if name not in self.relearned}
        return replace(report, pages=self.pages, checked=self.pages, unreadable=None, explained=explained, groups=(), doubts=())

    def _recount(self, entry: AttributeReport) -> AttributeReport:
        if entry.name not in self.given:
            return entry
        hits, several = self.given[entry.name]
        return replace(entry, checked=self.pages, hits=hits, several=several, without=(), several_on=())

    def _report_attribute(self, name: str, made: Relearned) -> AttributeReport:
        hits, several = self.given.get(name, (0, 0))
        return AttributeReport(
            name=name,
            alternatives=_report_alternatives(made.learned.alternatives),
            relearned=_report_relearned(made),
            checked=self.pages,
            hits=hits,
            several=several,
        )


def drop_attributes(value: RuleDefinition, names: Collection[str]) -> RuleDefinition:
    """The rule without XPaths for these attributes: no value is better than one that is known to be wrong."""

    def left(each: AttributeRule) -> AttributeRule:
        return replace(each, alternatives=()) if each.name in names else each

    lists = tuple(replace(one, attributes=tuple(map(left, one.attributes))) for one in value.lists)
    return RuleDefinition(tuple(map(left, value.attributes)), lists)


def make_repair(value: RuleDefinition, broken: Collection[str], pages: Sequence[KnownPage]) -> Repair:
    """Return the rule with its broken attributes relearned, from pages of which the old and the new version are known."""
    tables, before = [each.new for each in pages], [each.before for each in pages]
    attributes = [each for each in value.attributes if each.name in broken]
    tried = {each.name: relearn_attribute(each, tables, [row.get(each.name, ()) for row in before]) for each in attributes}
    made = {name: each for name, each in tried.items() if isinstance(each, Relearned)}
    failed = {name: each.reason for name, each in tried.items() if isinstance(each, NotRelearned)}
    repaired = tuple(made[each.name].rule if each.name in made else each for each in value.attributes)
    lists, entries = [], {}
    for one in value.lists:
        names = [each.name for each in one.attributes if each.name in broken]
        rows = [each.rows.get(one.name, ()) for each in pages]
        again = relearn_list(one, names, tables, rows, old_pages=[each.old for each in pages]) if names else None
        if isinstance(again, RelearnedList):
            new = {each.name for each in again.rule.attributes if each not in one.attributes or again.rule.rows != one.rows}
            made |= {name: each for name, each in again.attributes.items() if name in names or name in new}
            failed |= again.failed
            entries[one.name] = _report_list(again, tables)
        elif again is not None:
            failed |= dict.fromkeys(names, again.reason)
        lists.append(again.rule if isinstance(again, RelearnedList) else one)
    given = {each.name: count_pages(each, tables) for each in repaired} if made else {}
    return Repair(replace(value, attributes=repaired, lists=tuple(lists)), made, failed, entries, given, len(pages))


def _report_list(made: RelearnedList, pages: Sequence[PageTable]) -> ListReport:
    """A list's entry in the report, counted over the pages that it was relearned on."""
    given = [find_rows(made.rule, page) for page in pages]
    filled = Counter(name for rows in given for row in rows for name, values in row.items() if values)
    columns = [
        ColumnReport(name=name, alternatives=_report_alternatives(each.learned.alternatives), relearned=_report_relearned(each))
        for name, each in made.attributes.items()
    ]
    return ListReport(
        name=made.rule.name,
        alternatives=_report_alternatives([made.learned.rows]),
        checked=len(pages),
        hits=sum(map(bool, given)),
        rows=sum(map(len, given)),
        filled=dict(filled),
        attributes=tuple(columns),
    )


def _report_alternatives(learned: Sequence[LearnedXPath]) -> tuple[XPathReport, ...]:
    return tuple(
        XPathReport(xpath=each.xpath, precision=each.precision, distance=each.distance, support=each.support, features=each.features)
        for each in learned
    )


def _report_relearned(made: Relearned) -> RelearnedReport:
    return RelearnedReport(
        found=made.found,
        learned_from=len(made.learned_from),
        judged=made.judged,
        agreeing=made.agreeing,
        returned=made.returned,
        stage=made.stage,
    )
