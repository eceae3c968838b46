"""Find templates of a site that are the same, and propose to merge them (docs/algorithms.md#second-stage-cores).

This happens after a clustering and after a rule is published. The real test is whether a rule reads the other template's pages. Each
template with a rule is compared with all others by it, however much they are alike. Where no template of a pair has a rule yet, the
structure is compared (`_compare_structure`). The result is a proposal with its figures. A person merges the two, or says that they are not
the same, which is remembered.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.arrays import U64
from extraction.algorithms.clustering import template_core
from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import agreement, apply, xslt
from extraction.algorithms.rules.agreement import Values
from extraction.models import AuditKind, Cluster, MergeProposal, Rule, Run, Site, Snapshot
from extraction.models.merge_evidence import MergeEvidence
from extraction.models.run_values import RunSummary
from extraction.services.core import audit, runs, stored_pages
from extraction.services.core.runs import JobError, Progress
from extraction.services.labels import designs
from extraction.services.templates import clusters, page_steps

PAGES = 20
"""The number of pages of each template that rules are tried on, about as many as a person would look at."""

PARTNERS = 20
"""Number of templates that each template with a rule is compared with: the most similar first. It only bounds the time."""

LEAST_HELD = 0.75
"""The least share of what one template requires, beside the site's frame, that the other must know, if only one has a rule and that rule
finds little.

A rule for what every page has (a heading, the title) gives complete records on all templates of a site, so the structure must
also agree. Parts of one template that clustering left separate have 1.0, different page types of one site up to 0.6.
"""

FEW_ATTRIBUTES = 3
"""A rule that finds at most this many attributes on its usual page finds too little to tell templates apart by itself."""

FEW_TEMPLATES = 3
"""A site of at most this many templates may be one template with large options. Types of a larger site have its header in common, too."""

LEAST_ALIKE = 0.8, 0.9
"""The least likeness of two templates without a rule that are proposed, on a site of few templates and on others."""

BARE_ALIKE = 0.6, 0.9
"""The same if one of them knows all that the other requires."""

MOST_ALIKE = 5
"""The largest number of proposals by structure on a site: as many as somebody would look through."""

REFUSED, OPEN = MergeProposal.State.REFUSED, MergeProposal.State.OPEN
ALIKE = MergeProposal.Kind.ALIKE

Found: TypeAlias = tuple[MergeProposal.Kind, MergeEvidence]
"""Why two templates seem to be one."""

_NO_FRAME: U64 = np.zeros(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two templates that may be the same.

    into: the one that would stay. If only one has a rule, it is this one.
    held: how much of what one of them requires beside the site's frame the other knows.
    """

    into: Cluster
    other: Cluster
    held: float


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of merging all proven pairs. pairs: how many were merged. problems: why others were not."""

    pairs: int
    problems: tuple[str, ...] = ()


def start_comparing(site: Site, user: User | None = None) -> Run | None:
    """Start comparing the templates of a site. Return None if there are no two to compare."""
    if site.clusters.not_ignored().count() < 2:
        return None
    return runs.start_run(Run.Kind.COMPARE, site, unit="pairs", user=user)


def run_comparing(run: Run, progress: Progress) -> RunSummary:
    """Compare the site's templates by their rules, and those without a rule by their structure.

    Write the proposals, and withdraw those that no longer hold.

    The summary has pairs, the pairs compared, and proposals, the open proposals.
    """
    ruled = _find_ruled(run.site)
    pairs = _choose_pairs(run.site, ruled)
    progress(0, total=len(pairs), message="Comparing the values that rules give")
    reader = _Reader(ruled)
    found: dict[tuple[int, int], Found] = {}
    for done, pair in enumerate(pairs, 1):
        evidence = reader.compared(pair)
        if evidence:
            found[pair.into.pk, pair.other.pk] = evidence
        progress(done)
    by_rule = {pk for pair in found for pk in pair}
    found |= _compare_structure(run.site, {*ruled, *by_rule})
    return RunSummary(pairs=len(pairs), proposals=_write(run.site, found))


def list_proposals(site: Site) -> list[MergeProposal]:
    """Return the open proposals, the most certain and largest first."""
    rows = MergeProposal.objects.open().of_site(site).select_related("into__site", "other__site")
    order = [MergeProposal.Kind.SAME, MergeProposal.Kind.READS, MergeProposal.Kind.ALIKE]
    return sorted(rows, key=lambda row: (order.index(MergeProposal.Kind(row.kind)), -row.read_evidence().pages, row.pk))


def accept_proposal(proposal: MergeProposal) -> Cluster:
    """Merge the two templates. Raises JobError if that is not possible."""
    if proposal.state != OPEN:
        raise JobError(gettext("this proposal has been answered already"))
    merged = clusters.merge_templates(proposal.into, [proposal.other])
    page_steps.renew_core(merged)
    return merged


def accept_proven(site: Site) -> Merged:
    """Merge all pairs for which a rule speaks, one after the other. A pair that cannot be merged stays proposed."""
    merged, problems = 0, list[str]()
    tried: set[int] = set()
    while proposal := next((each for each in list_proposals(site) if each.kind != ALIKE and each.pk not in tried), None):
        tried.add(proposal.pk)  # a merge changes or removes the other proposals of its templates, so the list is read again
        try:
            with transaction.atomic():
                accept_proposal(proposal)
            merged += 1
        except JobError as error:
            problems.append(str(error))
    return Merged(merged, tuple(problems))


def refuse_proposal(proposal: MergeProposal) -> None:
    """Remember that the two are not the same, so that they are not proposed again."""
    with transaction.atomic():
        MergeProposal.objects.filter(pk=proposal.pk).update(state=REFUSED)
        audit.record(AuditKind.MERGE_REFUSED, proposal.into, text=f"not the same as {proposal.other.label}")


def _find_ruled(site: Site) -> dict[int, Rule]:
    """Return {cluster id: its rule that extracts, else its newest draft} of the templates with a rule that are not ignored."""
    rows = Rule.objects.of_site(site).not_ignored().not_ended()
    found: dict[int, Rule] = {}
    for rule in rows.order_by("version"):
        held = found.get(rule.cluster_id)
        if held is None or not held.serving:
            found[rule.cluster_id] = rule
    return found


def _choose_pairs(site: Site, ruled: Container[int]) -> list[Pair]:
    """Return the pairs to compare by rules: each template with a rule and up to PARTNERS others, without the refused pairs."""
    cores = page_steps.read_cores(site)
    rows = {row.pk: row for row in site.clusters.not_ignored().filter(pk__in=cores).order_by("number")}
    known = _find_refused(site)
    pairs: list[Pair] = []
    frame = template_core.find_frame(list(cores.values()))
    for one in (row for pk, row in rows.items() if pk in ruled):
        others = [other for pk, other in rows.items() if pk != one.pk]
        for other in sorted(others, key=lambda other: (-cores[one.pk].likeness(cores[other.pk]), other.number))[:PARTNERS]:
            pair = frozenset((one.pk, other.pk))
            if pair not in known and _may_merge(one, other):
                held = max(cores[one.pk].holds(cores[other.pk], frame), cores[other.pk].holds(cores[one.pk], frame))
                known.add(pair)
                pairs.append(Pair(one, other, held))
    return pairs


def _compare_structure(site: Site, decided: Container[int]) -> dict[tuple[int, int], Found]:
    """Return {(cluster that would stay, other): why} for templates without a rule that bits could not tell apart.

    Each template is proposed with the larger one that is most like it. Whether a bare page is the other without its optional
    sections, only people can see.

    decided: the clusters for which a rule decides.
    """
    cores, refused = page_steps.read_cores(site), _find_refused(site)
    counted = Count("snapshots", filter=Q(snapshots__in=Snapshot.objects.current().kept()))
    pages = dict(site.clusters.annotate(counted=counted).values_list("pk", "counted"))
    rows = sorted(site.clusters.not_ignored().filter(pk__in=cores), key=lambda row: (-pages[row.pk], row.number))
    large = len(rows) > FEW_TEMPLATES
    found: list[tuple[float, Cluster, Cluster]] = []
    for place, other in enumerate(rows):
        fits = []
        for into in rows[:place]:
            one, two = cores[into.pk], cores[other.pk]
            bare = max(one.holds(two, _NO_FRAME), two.holds(one, _NO_FRAME)) == 1
            allowed = frozenset((into.pk, other.pk)) not in refused and _may_merge(into, other)
            if allowed and one.likeness(two) >= (BARE_ALIKE if bare else LEAST_ALIKE)[large]:
                fits.append((one.likeness(two), into))
        likeness, best = max(fits, key=lambda fit: (fit[0], -fit[1].number), default=(0.0, other))
        if fits and best.pk not in decided and other.pk not in decided:
            found.append((likeness, best, other))
    found.sort(key=lambda row: (-row[0], row[2].number))
    return {
        (into.pk, other.pk): (MergeProposal.Kind.ALIKE, MergeEvidence(pages=pages[other.pk], alike_percent=int(100 * likeness)))
        for likeness, into, other in found[:MOST_ALIKE]
    }


def _find_refused(site: Site) -> set[frozenset[int]]:
    """Return the pairs that a person said are not the same."""
    return {frozenset(pair) for pair in MergeProposal.objects.refused().of_site(site).values_list("into", "other")}


def _may_merge(one: Cluster, other: Cluster) -> bool:
    """Return whether their record types allow a merge."""
    return other.record_type_id in {None, one.record_type_id}


class _Reader:
    """Runs rules on sample pages of templates, and keeps their values. Each rule is run once on each page."""

    def __init__(self, ruled: Mapping[int, Rule]) -> None:
        self._find_ruled = ruled
        self._values: dict[tuple[int, int], list[Values]] = {}

    def compared(self, pair: Pair) -> Found | None:
        """Return why the two seem to be one template, None if they do not."""
        one, other = pair.into.pk, pair.other.pk
        if other in self._find_ruled:
            here = agreement.compare_answers(self._get_values(one, one), self._get_values(other, one))
            there = agreement.compare_answers(self._get_values(one, other), self._get_values(other, other))
            same = MergeEvidence(pages=here.pages + there.pages, answers=here.answers + there.answers, same=here.same + there.same)
            return (MergeProposal.Kind.SAME, same) if agreement.are_same(here, there) else None
        own = self._get_values(one, one)
        found = agreement.compare_reading(own, self._get_values(one, other))
        little = median(sum(map(bool, page.values())) for page in own) <= FEW_ATTRIBUTES if own else True
        if not found.plausible or (little and pair.held < LEAST_HELD):
            return None
        return MergeProposal.Kind.READS, MergeEvidence(pages=found.pages, complete=found.complete)

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
def _write(site: Site, found: Mapping[tuple[int, int], Found]) -> int:
    """Replace the open proposals by those found, except where a person has refused one meanwhile. Return how many are open."""
    clusters.lock_templates(site)
    there = set(site.clusters.values_list("pk", flat=True))
    refused = _find_refused(site)
    MergeProposal.objects.open().of_site(site).delete()
    rows = [
        MergeProposal(into_id=into, other_id=other, kind=kind, evidence=evidence.as_json())
        for (into, other), (kind, evidence) in found.items()
        if {into, other} <= there and frozenset((into, other)) not in refused
    ]
    MergeProposal.objects.bulk_create(rows)
    return len(rows)
