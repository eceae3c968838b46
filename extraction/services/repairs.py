"""A version that repairs a rule: the broken attributes are relearned from their old values, the others stay as they are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned, relearn
from extraction.algorithms.rules.rule import ListRule
from extraction.algorithms.rules.rule import Rule as RuleValue
from extraction.models import Rule

AGREEMENT = 0.95
"""Share of the pages that judged a relearned attribute that must agree for the version to be validated."""

LEAST_JUDGES = 3
"""Pages that must have judged it."""

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Repair:
    """The old rule with what could be relearned in place of what broke. failed: {attribute: why not}; its old rule is kept."""

    value: RuleValue
    relearned: Mapping[str, Relearned]
    failed: Mapping[str, str]

    @property
    def valid(self) -> bool:
        """Nothing is left broken, and enough pages that it was not learned from agree."""
        judged = self.relearned.values()
        return not self.failed and all(each.agreement_fraction >= AGREEMENT and each.judged >= LEAST_JUDGES for each in judged)

    def report(self, rule: Rule) -> dict[str, Any]:
        """The broken version's report with the entries of what was relearned replaced."""
        before = {entry["name"]: entry for entry in rule.report.get("attributes", [])}
        entries = list((before | {name: _entry(name, made) for name, made in self.relearned.items()}).values())
        failed = [{"name": name, "reason": reason} for name, reason in self.failed.items()]
        return rule.report | {"attributes": entries, "failed": failed, "repaired_from": rule.version}


def make(value: RuleValue, broken: Collection[str], pages: Sequence[PageTable], before: Sequence[Values]) -> Repair:
    """pages: the new ones; before: what the old rule gave on the same pages as they were."""
    attributes = [each for each in value.attributes if each.name in broken]
    tried = {each.name: relearn(each, pages, [row.get(each.name, ()) for row in before]) for each in attributes}
    made = {name: each for name, each in tried.items() if isinstance(each, Relearned)}
    failed = {name: each.reason for name, each in tried.items() if isinstance(each, NotRelearned)}
    failed |= {name: "it is of a list; mark its values in two rows" for one in value.lists for name in _names(one) if name in broken}
    repaired = tuple(made[each.name].rule if each.name in made else each for each in value.attributes)
    return Repair(replace(value, attributes=repaired), made, failed)


def _names(one: ListRule) -> list[str]:
    return [each.name for each in one.attributes]


def _entry(name: str, made: Relearned) -> dict[str, Any]:
    return {
        "name": name,
        "alternatives": [
            {
                "xpath": each.xpath,
                "precision": each.precision,
                "distance": each.distance,
                "support": each.support,
                "features": list(each.features),
            }
            for each in made.learned.alternatives
        ],
        "relearned": {
            "found": made.found,
            "learned_from": len(made.learned_from),
            "judged": made.judged,
            "agreeing": made.agreeing,
            "returned": made.returned,
            "stage": made.stage,
        },
        "hits": made.agreeing,
        "checked": made.judged,
        "without": [],
        "several": 0,
        "several_on": [],
    }
