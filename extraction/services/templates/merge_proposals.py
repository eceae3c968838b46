"""Find templates of a site that are the same by comparing what their rules give (docs/algorithms.md#second-stage-cores).

After a clustering and after a rule is published, each template with a rule is compared with those most like it. The result is a
proposal with its figures. A person merges the two, or says that they are not the same, which is remembered.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from lxml import etree

from extraction.algorithms.clustering import template_core
from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import agreement, apply, xslt
from extraction.algorithms.rules.agreement import Values
from extraction.models import Cluster, MergeProposal, Rule, Run, Site
from extraction.models.merge_evidence import MergeEvidence
from extraction.models.run_values import RunSummary
from extraction.services.core import runs, stored_pages
from extraction.services.core.runs import JobError, Progress
from extraction.services.labels import designs
from extraction.services.templates import clusters, template_cores

PAGES = 20
"""Pages of each template that rules are tried on, about as many as a person would look at."""

PARTNERS = 5
"""Number of templates that each template with a rule is compared with: those with the most similar cores."""

LEAST_LIKENESS = 0.5
"""The least likeness of two cores that are compared at all. The rules decide; this only skips pairs that share almost nothing."""

LEAST_HELD = 0.75
"""The least share of what one template requires, beside the site's frame, that the other must know if only one has a rule.

A rule for what every page has (a heading, the title) gives complete records on all templates of a site, so the structure must
also agree. Parts of one template that clustering left separate have 1.0, different page types of one site up to 0.6.
"""

REFUSED, OPEN = MergeProposal.State.REFUSED, MergeProposal.State.OPEN


@dataclass(frozen=True, slots=True)
class Pair:
    """Two templates that may be the same.

    into: the one that would stay, which has a rule.
    """

    into: Cluster
    other: Cluster


def start_comparing(site: Site, user: User | None = None) -> Run | None:
    """Start comparing the templates of a site. Return None if there are no two to compare."""
    if not _find_ruled(site) or site.clusters.not_ignored().count() < 2:
        return None
    return runs.start_run(Run.Kind.COMPARE, site, unit="pairs", user=user)


def run_comparing(run: Run, progress: Progress) -> RunSummary:
    """Compare the site's templates by their rules. Write the proposals, and withdraw those that no longer hold.

    The summary has pairs, the pairs compared, and proposals, the open proposals.
    """
    pairs = _choose_pairs(run.site)
    progress(0, total=len(pairs), message="Comparing the values that rules give")
    reader = _Reader(_find_ruled(run.site))
    found: dict[tuple[int, int], tuple[MergeProposal.Kind, MergeEvidence]] = {}
    for done, pair in enumerate(pairs, 1):
        evidence = reader.compared(pair)
        if evidence:
            found[pair.into.pk, pair.other.pk] = evidence
        progress(done)
    return RunSummary(pairs=len(pairs), proposals=_write(run.site, found))


def list_proposals(site: Site) -> list[MergeProposal]:
    """Return the open proposals, the most certain and largest first."""
    rows = MergeProposal.objects.open().of_site(site).select_related("into__site", "other__site")
    return sorted(rows, key=lambda row: (row.kind != MergeProposal.Kind.SAME, -row.read_evidence().pages, row.pk))


def accept_proposal(proposal: MergeProposal) -> Cluster:
    """Merge the two templates. Raises JobError if that is not possible."""
    if proposal.state != OPEN:
        raise JobError("this proposal has been answered already")
    merged = clusters.merge_templates(proposal.into, [proposal.other])
    template_cores.renew_core(merged)
    return merged


def refuse_proposal(proposal: MergeProposal) -> None:
    """Remember that the two are not the same, so that they are not proposed again."""
    MergeProposal.objects.filter(pk=proposal.pk).update(state=REFUSED)


def _find_ruled(site: Site) -> dict[int, Rule]:
    """Return {cluster id: its rule that extracts, else its newest draft} of the templates with a rule that are not ignored."""
    rows = Rule.objects.of_site(site).not_ignored().not_ended()
    found: dict[int, Rule] = {}
    for rule in rows.order_by("version"):
        held = found.get(rule.cluster_id)
        if held is None or not held.serving:
            found[rule.cluster_id] = rule
    return found


def _choose_pairs(site: Site) -> list[Pair]:
    """Return the pairs to compare: each template with a rule and the PARTNERS most like it, without the refused pairs."""
    cores, ruled = template_cores.read_cores(site), _find_ruled(site)
    rows = {row.pk: row for row in site.clusters.not_ignored().filter(pk__in=cores).order_by("number")}
    answered = MergeProposal.objects.refused().of_site(site).values_list("into", "other")
    known = {frozenset(pair) for pair in answered}
    pairs: list[Pair] = []
    common = template_core.find_frame(list(cores.values()))
    for one in (row for pk, row in rows.items() if pk in ruled):
        others = [other for pk, other in rows.items() if pk != one.pk]
        ranked = sorted((-cores[one.pk].likeness(cores[other.pk]), other.number, other) for other in others)
        for likeness, _, other in ranked[:PARTNERS]:
            pair = frozenset((one.pk, other.pk))
            holds = max(cores[one.pk].holds(cores[other.pk], common), cores[other.pk].holds(cores[one.pk], common))
            fit = -likeness >= LEAST_LIKENESS and (other.pk in ruled or holds >= LEAST_HELD)
            if fit and pair not in known and _may_merge(one, other):
                known.add(pair)
                pairs.append(Pair(one, other))
    return pairs


def _may_merge(one: Cluster, other: Cluster) -> bool:
    """Return whether their record types allow a merge."""
    return other.record_type_id in {None, one.record_type_id}


class _Reader:
    """Runs rules on sample pages of templates, and keeps their values. Each rule is run once on each page."""

    def __init__(self, ruled: Mapping[int, Rule]) -> None:
        self._find_ruled = ruled
        self._values: dict[tuple[int, int], list[Values]] = {}

    def compared(self, pair: Pair) -> tuple[MergeProposal.Kind, MergeEvidence] | None:
        """Return why the two seem to be one template, None if they do not."""
        one, other = pair.into.pk, pair.other.pk
        if other in self._find_ruled:
            here = agreement.compare_answers(self._get_values(one, one), self._get_values(other, one))
            there = agreement.compare_answers(self._get_values(one, other), self._get_values(other, other))
            same = MergeEvidence(pages=here.pages + there.pages, answers=here.answers + there.answers, same=here.same + there.same)
            return (MergeProposal.Kind.SAME, same) if agreement.are_same(here, there) else None
        found = agreement.compare_reading(self._get_values(one, one), self._get_values(one, other))
        return (MergeProposal.Kind.READS, MergeEvidence(pages=found.pages, complete=found.complete)) if found.plausible else None

    def _get_values(self, rule_of: int, pages_of: int) -> list[Values]:
        """Return what the rule of the first template gives on the pages of the second."""
        if (rule_of, pages_of) not in self._values:
            self._values[rule_of, pages_of] = [_extract(sheet, root) for sheet, root in self._read_pages(rule_of, pages_of)]
        return self._values[rule_of, pages_of]

    def _read_pages(self, rule_of: int, pages_of: int) -> Iterator[tuple[xslt.Stylesheet | None, etree._Element]]:
        try:
            sheet = xslt.Stylesheet.compile(self._find_ruled[rule_of].stylesheet)
        except (RuleError, XPathError):
            sheet = None
        for source in sample_evenly(designs.find_learnable_pages(pages_of), PAGES):
            try:
                yield sheet, stored_pages.read_root(source)
            except PageError:
                continue


def _extract(sheet: xslt.Stylesheet | None, root: etree._Element) -> Values:
    """Return what a rule gives on a page; nothing if it cannot be run."""
    try:
        return apply.extract_values(sheet, root).values if sheet else {}
    except (RuleError, XPathError):
        return {}


@transaction.atomic
def _write(site: Site, found: Mapping[tuple[int, int], tuple[MergeProposal.Kind, MergeEvidence]]) -> int:
    """Replace the open proposals by those found, except where a person has refused one meanwhile. Return how many are open."""
    clusters.lock_templates(site)
    there = set(site.clusters.values_list("pk", flat=True))
    refused = {frozenset(pair) for pair in MergeProposal.objects.refused().of_site(site).values_list("into", "other")}
    MergeProposal.objects.open().of_site(site).delete()
    rows = [
        MergeProposal(into_id=into, other_id=other, kind=kind, evidence=evidence.as_json())
        for (into, other), (kind, evidence) in found.items()
        if {into, other} <= there and frozenset((into, other)) not in refused
    ]
    MergeProposal.objects.bulk_create(rows)
    return len(rows)
