"""How sure a repair is of each attribute that broke, by what its report says."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from extraction.models.rule_report import RuleReport

AGREEMENT = 0.95
"""Share of the pages that judged a relearned attribute that must agree for the version to be validated."""

LEAST_JUDGES = 3
"""Pages that must have judged it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How sure a repair is of each attribute that broke, in words for those that are not proven.

    proven: agrees on enough pages that it was not learned from. thin: agrees on those few that could judge. doubtful: does not agree, or
    no page could judge. lost: not found again; the old XPath is kept.
    """

    proven: tuple[str, ...] = ()
    thin: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """All of it is proven."""
        return not (self.thin or self.doubtful or self.lost)

    @property
    def found(self) -> int:
        """Attributes that go live when the repair is accepted without the doubtful ones."""
        return len(self.proven) + len(self.thin)


def find_lost(report: RuleReport) -> tuple[str, ...]:
    """The attributes that a version made by a repair does not find any more, by its report; () for one that was learned."""
    return tuple(each.name for each in report.failed) if report.repaired_from else ()


def read_proof(report: RuleReport, names: Collection[str]) -> Proof:
    """What a repair's report proves of these attributes. One that was edited since has no figures: its editor looked at it."""
    figures = report.relearned
    lost = {name: reason for name, reason in report.failures.items() if name in names}
    proven, thin, doubtful = list[str](), dict[str, str](), dict[str, str]()
    for name in names:
        if name in lost:
            continue
        relearned = figures.get(name)
        judged, agreeing = (relearned.judged, relearned.agreeing) if relearned else (LEAST_JUDGES, LEAST_JUDGES)
        pages = f"{judged} page{'' if judged == 1 else 's'}"
        if agreeing < AGREEMENT * judged:
            doubtful[name] = f"agrees on {agreeing} of {pages}"
        elif not judged:
            doubtful[name] = "no page could judge it"
        elif judged < LEAST_JUDGES:
            thin[name] = f"agrees on the {pages} that could judge it"
        else:
            proven.append(name)
    return Proof(tuple(proven), thin, doubtful, lost)
