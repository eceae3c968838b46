"""A version that repairs a rule: the broken attributes are learned again from their old values, the others stay as they are.

A list is learned again as a whole, from its old rows, since the XPaths of its attributes begin at its rows. Attributes of a list that still
work keep their XPaths.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from extraction.algorithms.learning.apriori import LearnedXPath
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.monitoring.list_judging import find_rows
from extraction.algorithms.monitoring.list_relearning import RelearnedList, relearn_list
from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned, count_pages, relearn_attribute
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.rules.rule import Rule as RuleValue
from extraction.models import Rule
from extraction.services.labels.proofs import AGREEMENT, LEAST_JUDGES
from extraction.services.monitoring.history import KnownPage


@dataclass(frozen=True, slots=True)
class Repair:
    """The old rule with what could be relearned in place of what broke.

    relearned: by attribute, those of lists among them.
    failed: {attribute: why it could not be relearned}; its old rule is kept.
    lists: {list: its entry in the report}.
    given: {attribute: on how many of the pages it has a value, and several different ones}.
    pages: how many pages were tried.
    """

    value: RuleValue
    relearned: Mapping[str, Relearned]
    failed: Mapping[str, str]
    lists: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    given: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pages: int = 0

    @property
    def valid(self) -> bool:
        """Whether nothing is left broken, and enough pages that it was not learned from agree."""
        judged = self.relearned.values()
        return not self.failed and all(each.agreement_fraction >= AGREEMENT and each.judged >= LEAST_JUDGES for each in judged)

    def report(self, rule: Rule) -> dict[str, Any]:
        """The broken version's report, with new entries for what was relearned."""
        own = {each.name for each in self.value.attributes}
        before = {entry["name"]: entry for entry in rule.report.get("attributes", [])}
        entries = list((before | {name: self._counted(name, made) for name, made in self.relearned.items() if name in own}).values())
        listed: dict[str, Any] = {entry["name"]: entry for entry in rule.report.get("lists", [])}
        lists = list((listed | dict(self.lists)).values())
        failed = [{"name": name, "reason": reason} for name, reason in self.failed.items()]
        # The reasons for the old XPaths do not apply to the new ones.
        why = {name: said for name, said in rule.report.get("explained", {}).items() if name not in self.relearned}
        figures = {"pages": self.pages, "checked": self.pages, "explained": why} if self.relearned else {}
        return rule.report | {"attributes": entries, "lists": lists, "failed": failed, "repaired_from": rule.version} | figures

    def _counted(self, name: str, made: Relearned) -> dict[str, Any]:
        hits, several = self.given.get(name, (0, 0))
        return _entry(name, made) | {"hits": hits, "checked": self.pages, "without": [], "several": several, "several_on": []}


def drop_attributes(value: RuleValue, names: Collection[str]) -> RuleValue:
    """The rule without XPaths for these attributes: no value is better than one that is known to be wrong."""

    def left(each: AttributeRule) -> AttributeRule:
        return replace(each, alternatives=()) if each.name in names else each

    lists = tuple(replace(one, attributes=tuple(map(left, one.attributes))) for one in value.lists)
    return RuleValue(tuple(map(left, value.attributes)), lists)


def make_repair(value: RuleValue, broken: Collection[str], pages: Sequence[KnownPage]) -> Repair:
    """The rule with the broken attributes relearned on pages that are known as they were and as they are."""
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
            entries[one.name] = _list_entry(again, tables)
        elif again is not None:
            failed |= dict.fromkeys(names, again.reason)
        lists.append(again.rule if isinstance(again, RelearnedList) else one)
    given = {each.name: count_pages(each, tables) for each in repaired if each.name in made}
    return Repair(replace(value, attributes=repaired, lists=tuple(lists)), made, failed, entries, given, len(pages))


def _list_entry(made: RelearnedList, pages: Sequence[PageTable]) -> dict[str, Any]:
    """A list's entry in the report, counted over the pages that it was relearned on."""
    given = [find_rows(made.rule, page) for page in pages]
    filled = Counter(name for rows in given for row in rows for name, values in row.items() if values)
    return {
        "name": made.rule.name,
        "alternatives": _alternatives([made.learned.rows]),
        "attributes": [_entry(name, each) for name, each in made.attributes.items()],
        "hits": sum(map(bool, given)),
        "checked": len(pages),
        "rows": sum(map(len, given)),
        "without": [],
        "filled": dict(filled),
    }


def _alternatives(learned: Sequence[LearnedXPath]) -> list[dict[str, Any]]:
    return [
        {
            "xpath": each.xpath,
            "precision": each.precision,
            "distance": each.distance,
            "support": each.support,
            "features": list(each.features),
        }
        for each in learned
    ]


def _entry(name: str, made: Relearned) -> dict[str, Any]:
    return {
        "name": name,
        "alternatives": _alternatives(made.learned.alternatives),
        "relearned": {
            "found": made.found,
            "learned_from": len(made.learned_from),
            "judged": made.judged,
            "agreeing": made.agreeing,
            "returned": made.returned,
            "stage": made.stage,
        },
    }
