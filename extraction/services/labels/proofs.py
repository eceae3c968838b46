"""How certain a repair is about each broken attribute, according to its report."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext, ngettext

from extraction.models.rule_report import RuleReport

AGREEMENT = 0.95
"""Share of the judging pages that must agree with a relearned attribute before the version is validated."""

LEAST_JUDGES = 3
"""Number of pages that must have judged it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How certain a repair is about each broken attribute, with the reason for those that are not proven.

    proven: enough pages that it was not learned from agree.
    thin: all pages agree, but too few could confirm it.
    doubtful: too few pages agree, or none could confirm it.
    lost: it was not found again; the old XPath is kept.
    """

    proven: tuple[str, ...] = ()
    thin: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every attribute is proven."""
        return not (self.thin or self.doubtful or self.lost)

    @property
    def found(self) -> int:
        """Number of attributes that go live when the repair is accepted without the doubtful ones."""
        return len(self.proven) + len(self.thin)


def find_lost(report: RuleReport) -> tuple[str, ...]:
    """Return the attributes that a repair did not find again; () for a learned version."""
    return tuple(each.name for each in report.failed) if report.repaired_from else ()


def read_proof(report: RuleReport, names: Collection[str]) -> Proof:
    """Return what a repair's report proves about these attributes. An attribute edited since has no figures and counts as proven."""
    figures = report.relearned
    lost = {name: reason for name, reason in report.failures.items() if name in names}
    proven, thin, doubtful = list[str](), dict[str, str](), dict[str, str]()
    for name in names:
        if name in lost:
            continue
        relearned = figures.get(name)
        judged, agreeing = (relearned.judged, relearned.agreeing) if relearned else (LEAST_JUDGES, LEAST_JUDGES)
        pages = ngettext("%(pages)s page", "%(pages)s pages", judged) % {"pages": judged}
        if agreeing < AGREEMENT * judged:
            doubtful[name] = gettext("agrees on %(agreeing)s of %(pages)s") % {"agreeing": agreeing, "pages": pages}
        elif not judged:
            doubtful[name] = gettext("no page could confirm it")
        elif judged < LEAST_JUDGES:
            thin[name] = ngettext("only %(pages)s could confirm it; it agrees", "only %(pages)s could confirm it; both agree", judged) % {
                "pages": pages
            }
        else:
            proven.append(name)
    return Proof(tuple(proven), thin, doubtful, lost)
