"""Is a rule broken? This is where a check decides, from pages as they were and the same pages as they are now.

The paper names three failures: *shingle change*, the page's vector is no longer covered; *null extraction*; and *incorrect extraction*
(Gulhane et al. 2011, section 3.2.2; docs/algorithms.md#monitoring). None of them alone is a break: a page may gain a section, which
changes its vector but not its values. So signs are gathered for each attribute (`evidence`), and an attribute is broken when chance does
not explain how many of the pages that answered have one (`hypotheses`):

1. `is_unreachable`: too few pages answered. Pages that could not be fetched say nothing.
2. `is_coverage_lost`: a crawl would no longer give most of the pages to the cluster.
3. "incorrect", then "null": an attribute with a sign on enough pages.
4. Else the rule works.

Between broken and fine there is *doubt*: signs that chance explains badly, but on too few pages. The old version of a doubted page stays
the baseline, so that the sign is still there when more pages follow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from extraction.algorithms.monitoring.attribute_changes import AttributeChanges, Finding
from extraction.algorithms.monitoring.chance import PageTexts
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Evidence, Revisit, ValueChange
from extraction.algorithms.monitoring.hypotheses import find_signs
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition

VerdictKind = Literal["ok", "shingle", "null", "incorrect", "unreachable"]

SIGNIFICANCE = 1e-5
"""Probability of a sign on so many pages, if the rule works, at or below which the attribute is broken. A site has some thousand tests a
year, so chance breaks one rule in a few decades."""

DOUBT = 0.05
"""Probability at or below which a sign puts its pages in doubt."""

FEW_PAGES = range(3, 8)
"""Numbers of pages that are too few to reach SIGNIFICANCE, since few pages tell little about chances."""

UNANIMITY = 100
"""Factor by which SIGNIFICANCE is raised where all of so few pages lost their values."""

DISMISSAL_STEP = 0.1
"""Factor by which each dismissed alarm lowers SIGNIFICANCE."""

STRONG_SHARE = 0.1
"""Share of pages that must have a tested sign, however improbable."""

WEAK_SHARE = 0.35
"""Share of pages that must have signs that are not tested: a third of the products can be out of stock or on sale."""

MAX_SHARE = 0.8
"""Highest value to which dismissals raise either share."""

DISMISSAL_FACTOR = 1.5
"""How much each dismissed alarm raises the shares."""

LEAST_PAGES = 2
"""One bad page is not a break; of one page alone nothing is said."""

LEAST_OF_ROWS = 0.5
"""Share of a list's old values that must stand on the page without the rule giving them. Rows come and go every day, and what has left
a list of news may still stand beside it."""

REACHED_SHARE = 0.5
"""Share of pages that must answer for a verdict."""

COVERED_SHARE = 0.5
"""Share of pages that a crawl must still give to the cluster."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much evidence makes a rule broken. Dismissals by operators raise the shares for their site, up to MAX_SHARE."""

    significance: float = SIGNIFICANCE
    strong_fraction: float = STRONG_SHARE
    weak_fraction: float = WEAK_SHARE
    least_pages: int = LEAST_PAGES

    def raised(self, dismissals: int) -> "Thresholds":
        """The thresholds after a number of dismissed alarms."""
        factor = DISMISSAL_FACTOR**dismissals
        return Thresholds(
            self.significance * DISMISSAL_STEP**dismissals,
            min(self.strong_fraction * factor, MAX_SHARE),
            min(self.weak_fraction * factor, MAX_SHARE),
            self.least_pages,
        )


@dataclass(frozen=True, slots=True)
class AttributeVerdict:
    """The verdict on one attribute.

    pages: pages that answered and had a value, then or now.
    fraction: share of these with evidence.
    doubted: the pages whose signs chance explains badly, by URL.
    compared: the pages, by URL, that the tests of these signs compared. They keep their baselines, too. A later check that had the old
    versions of pages with a sign, but not of those without, would take every page to have it and no other value to come by chance.
    certain: a broken attribute gives nothing or what cannot be right, so that its repair may go live without a person. It is not
    certain where the new values are plausible.
    counts: what this check adds to the counts of changes.
    """

    kind: VerdictKind
    pages: int
    fraction: float
    evidence: tuple[Evidence, ...] = ()
    doubted: frozenset[str] = frozenset()
    compared: frozenset[str] = frozenset()
    certain: bool = True
    counts: ChangeCounts = field(default_factory=ChangeCounts)


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What a check says of a cluster's rule.

    kind: the first that applies of unreachable, shingle, incorrect, null and ok.
    asked: how many pages were fetched.
    reached: how many of them answered.
    covered_fraction: share of pages that a crawl would still give to the cluster.
    attributes: the verdicts by attribute name. If the cluster is unreachable, so are all of its attributes.
    """

    kind: VerdictKind
    reached: int
    asked: int
    covered_fraction: float
    attributes: Mapping[str, AttributeVerdict]

    @property
    def broken(self) -> tuple[str, ...]:
        """The attributes whose rule no longer works."""
        return tuple(name for name, each in self.attributes.items() if each.kind in ("shingle", "null", "incorrect"))

    @property
    def coverage_lost(self) -> bool:
        """Whether a crawl would no longer give most of the pages to the cluster."""
        return self.kind == "shingle"

    @property
    def alarming(self) -> bool:
        """Whether a second visit should confirm the verdict."""
        return bool(self.broken) or self.coverage_lost

    @property
    def held(self) -> frozenset[str]:
        """The pages, by URL, whose old versions are needed again: those in doubt, and those that they were compared with."""
        return _list_held(self.attributes.values())

    @property
    def doubted(self) -> frozenset[str]:
        """The pages, by URL, with signs of a broken rule that chance explains badly."""
        return frozenset(url for each in self.attributes.values() for url in each.doubted)

    def renews_baseline(self, url: str) -> bool:
        """Whether what the page has now may become the baseline of later checks."""
        return not self.alarming and self.kind != "unreachable" and url not in self.held


def judge_rule(
    rule: RuleDefinition,
    profiles: Mapping[str, Profile],
    visits: Sequence[Revisit],
    *,
    counts: Mapping[str, ChangeCounts] | None = None,
    asked: int | None = None,
    thresholds: Thresholds | None = None,
) -> RuleVerdict:
    """The verdict on a cluster's rule.

    profiles: what each attribute's values have looked like.
    visits: the pages that answered.
    counts: how often each attribute's value changed in earlier checks.
    asked: how many pages were fetched; by default the number of `visits`.
    """
    limits, asked = thresholds or Thresholds(), len(visits) if asked is None else asked
    attributes, columns = list_judged_attributes(rule), {each.name for one in rule.lists for each in one.attributes}
    if is_unreachable(reached=len(visits), asked=asked):
        none = AttributeVerdict("unreachable", len(visits), 0.0)
        return RuleVerdict("unreachable", len(visits), asked, 0.0, {each.name: none for each in attributes})
    verdicts, changes = {}, {}
    texts = [PageTexts(visit.old, visit.new) for visit in visits]
    for each in attributes:
        least, profile = LEAST_OF_ROWS if each.name in columns else 0.0, profiles.get(each.name)
        pairs = zip(visits, texts, strict=True)
        changes[each.name] = [
            ValueChange(each, profile, *pair, least) for pair in pairs if pair[0].before.get(each.name) or pair[0].now.get(each.name)
        ]
        verdicts[each.name] = judge_attribute(changes[each.name], (counts or {}).get(each.name, ChangeCounts()), limits)
    held = _list_held(verdicts.values())
    for name, verdict in verdicts.items():
        if verdict.kind == "ok":
            verdicts[name] = replace(verdict, counts=_count_changes(changes[name], held))
    covered = sum(visit.covered for visit in visits) / len(visits)
    kind: VerdictKind = "shingle" if is_coverage_lost(covered) else _find_worst(verdicts.values())
    return RuleVerdict(kind, len(visits), asked, covered, verdicts)


def confirm_verdict(first: RuleVerdict, second: RuleVerdict) -> RuleVerdict:
    """Combines two verdicts on the same pages. A page is doubted if either visit doubts it.

    An attribute is broken if the first visit says so and the second one at least has two pages in doubt. While a site tries two variants of
    its pages, each visit may see the broken variant on other pages, and on fewer ones.

    second: a verdict on pages that answered.
    """
    attributes = {}
    for name, now in second.attributes.items():
        before = first.attributes[name]
        broken = name in first.broken and (name in second.broken or len(now.doubted) >= LEAST_PAGES)
        kind: VerdictKind = (now.kind if name in second.broken else before.kind) if broken else "ok"
        doubted, compared = before.doubted | now.doubted, before.compared | now.compared
        evidence = now.evidence if broken or now.kind == "ok" else ()
        certain = before.certain and now.certain
        counts = ChangeCounts() if broken else now.counts
        attributes[name] = replace(now, kind=kind, evidence=evidence, doubted=doubted, compared=compared, certain=certain, counts=counts)
    lost = first.coverage_lost and second.coverage_lost
    worst: VerdictKind = "shingle" if lost else _find_worst(attributes.values())
    return replace(second, attributes=attributes, kind=worst)


def list_judged_attributes(rule: RuleDefinition) -> tuple[AttributeRule, ...]:
    """Lists what is judged: a rule's attributes, then those of its lists, each as a single attribute with the values of all rows."""
    columns = (replace(each, multiple=True, mandatory=False) for one in rule.lists for each in one.attributes)
    return (*rule.attributes, *columns)


def is_unreachable(*, reached: int, asked: int) -> bool:
    """Whether too few pages answered for a verdict."""
    return not reached or reached < REACHED_SHARE * asked


def is_coverage_lost(covered_fraction: float) -> bool:
    """Whether a crawl would no longer give most of the pages to the cluster."""
    return covered_fraction < COVERED_SHARE


def judge_attribute(changes: Sequence[ValueChange], counts: ChangeCounts, limits: Thresholds) -> AttributeVerdict:
    """The verdict on one attribute, without the counts of changes, which need the verdicts on the others.

    changes: the pages that had or have a value of it.
    counts: how often its value changed in earlier checks.
    """
    if not changes:
        return AttributeVerdict("ok", 0, 0.0)
    findings = find_signs(AttributeChanges(changes, counts))
    breaking = [each for each in findings if _is_enough(each, limits, pages=len(changes))]
    suspicious = [each for each in findings if each.probability is None or each.probability <= DOUBT]
    doubted = frozenset(one.url for each in suspicious if each.sign != "odd" for one in each.evidence)
    compared = frozenset[str]().union(*(each.compared for each in suspicious))
    evidence = _merge_evidence([*breaking, *suspicious])
    untested = _merge_evidence(each for each in findings if each.probability is None)
    share = len(evidence) / len(changes)
    if not breaking and len(untested) < max(limits.least_pages, limits.weak_fraction * len(changes)):
        return AttributeVerdict("ok", len(changes), share, evidence, doubted, compared)
    missing = sum(each.kind == "null" for each in evidence)
    kind: VerdictKind = "null" if 2 * missing >= len(evidence) else "incorrect"
    certain = not breaking or any(not each.plausible for each in breaking)
    return AttributeVerdict(kind, len(changes), share, evidence, doubted | {each.url for each in evidence}, compared, certain)


def _is_enough(finding: Finding, limits: Thresholds, *, pages: int) -> bool:
    """Whether one tested finding alone makes the attribute broken. pages: those that had or have a value."""
    everywhere = len(finding.evidence) == pages and pages in FEW_PAGES and not finding.plausible
    level = limits.significance * (UNANIMITY if everywhere else 1)
    if finding.probability is None or finding.probability > level:
        return False
    return len(finding.evidence) >= max(limits.least_pages, limits.strong_fraction * pages)


def _merge_evidence(findings: Iterable[Finding]) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each page, from the first finding that has one."""
    merged: dict[str, Evidence] = {}
    for finding in findings:
        for each in finding.evidence:
            merged.setdefault(each.url, each)
    return tuple(merged.values())


def _list_held(verdicts: Iterable[AttributeVerdict]) -> frozenset[str]:
    return frozenset[str]().union(*(each.doubted | each.compared for each in verdicts))


def _count_changes(changes: Sequence[ValueChange], held: frozenset[str]) -> ChangeCounts:
    """Count the visits of pages that had a value, and the values that have changed since. Pages that keep their baselines count later."""
    compared = [each for each in changes if each.before and each.visit.url not in held]
    return ChangeCounts(sum(each.visit.visits for each in compared), sum(bool(each.lost or each.gained) for each in compared))


def _find_worst(verdicts: Iterable[AttributeVerdict]) -> VerdictKind:
    """Return the worst kind among the attributes' verdicts. Wrong values are worse than missing ones."""
    kinds = {each.kind for each in verdicts}
    return "incorrect" if "incorrect" in kinds else "null" if "null" in kinds else "ok"
