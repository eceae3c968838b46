"""Judge the records that a run extracted, as the last step of its work. The verdict takes effect when the run is done.

The verdict of a template is written in one transaction, as a `RunRelease` in state JUDGED. If the worker is killed, the run starts
again and replaces it; so does nobody else, since a run and a template have one release. `releases.settle_run` makes it count, in the
transaction that marks the run as done.
"""

from collections.abc import Callable, Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from extraction.algorithms.records.quality.judging import Score
from extraction.models import Cluster, QualityRule, Rule, RuleFailure, RuleResult, Run, RunRelease
from extraction.services.core.runs import Progress
from extraction.services.quality.effective_rules import find_effective_rules, list_followed, make_score
from extraction.services.quality.measuring import Measured, measure_records
from extraction.services.quality.rule_words import write_finding, write_rule
from extraction.services.quality.subjects import Place

KEPT_FAILURES = 5
"""The number of newest releases of a template whose failing records are kept. Those of held runs are always kept."""

KEPT_RESULTS = 100
"""The number of newest releases of a template whose results by rule are kept. The releases themselves are always kept."""

CHUNK = 500


def judge_run(run: Run, progress: Progress) -> None:
    """Judge the records of all templates for which the run extracts. Nothing is released or held yet."""
    for cluster in find_clusters(run):
        progress(run.done, message=f"Judging the records of {cluster.label}")
        judge_template(run, cluster, beat=lambda: progress(run.done))


def find_clusters(run: Run) -> list[Cluster]:
    """Return the templates for which a run extracts, by id."""
    rules = Rule.objects.filter(pk__in=run.read_parameters().rules or ())
    return list(Cluster.objects.filter(pk__in=rules.values("cluster")).select_related("site", "record_type").order_by("pk"))


def judge_template(run: Run, cluster: Cluster, *, beat: Callable[[], None] = lambda: None) -> RunRelease:
    """Judge the present records of a template and store the verdict as one of the run. A settled verdict stays as it is."""
    rules = find_effective_rules(cluster)
    followed = list_followed(cluster)
    scores = [make_score(rule, followed) for rule in rules]
    measured = measure_records(cluster, scores, beat=beat)
    with transaction.atomic():
        RunRelease.objects.filter(run=run, cluster=cluster, state=RunRelease.State.JUDGED).delete()
        known = RunRelease.objects.filter(run=run, cluster=cluster).first()
        if known:
            return known
        release = RunRelease.objects.create(
            run=run,
            cluster=cluster,
            judged_at=timezone.now(),
            counts=measured.counts,
            base=measured.base,
            reasons=_list_reasons(rules, scores, measured),
        )
        _write_results(release, rules, scores, measured)
        _forget_details(cluster)
    return release


def _list_reasons(rules: Sequence[QualityRule], scores: Sequence[Score], measured: Measured) -> list[str]:
    """Return a sentence for each broken rule of which people are told, those that hold the run back first."""
    broken = [(rule, score) for rule, score in zip(rules, scores, strict=True) if score.broken and rule.weight != QualityRule.Weight.NOTE]
    broken.sort(key=lambda each: each[0].weight != QualityRule.Weight.BLOCK)
    return [f"{write_rule(score.demand)}: {write_finding(score, cut_history=measured.cut_history)}" for _, score in broken]


def _write_results(release: RunRelease, rules: Sequence[QualityRule], scores: Sequence[Score], measured: Measured) -> None:
    results = [
        RuleResult(
            release=release,
            rule=rule,
            attribute=score.demand.attribute,
            text=write_rule(score.demand),
            weight=rule.weight,
            broken=score.broken,
            checked=score.checked,
            failing=score.failing,
            unread=score.unread,
            undecided=score.undecided,
            reason=write_finding(score, cut_history=measured.cut_history),
        )
        for rule, score in zip(rules, scores, strict=True)
    ]
    RuleResult.objects.bulk_create(results)
    failures = (each for result, score in zip(results, scores, strict=True) for each in _make_failures(result, score))
    RuleFailure.objects.bulk_create(failures, batch_size=CHUNK)


def _make_failures(result: RuleResult, score: Score) -> Iterable[RuleFailure]:
    ordered: list[tuple[Place, str, str]] = [(place, fault.shown, fault.reason) for place, fault in score.faults]
    ordered.sort(key=lambda each: (each[0].record_id or 0, each[0].snapshot_id or 0))
    for place, shown, reason in ordered:
        yield RuleFailure(
            result=result,
            record_id=place.record_id,
            page_id=place.page_id,
            snapshot_id=place.snapshot_id,
            list_name=place.list_name,
            value=shown,
            reason=reason,
        )


def _forget_details(cluster: Cluster) -> None:
    """Delete the failing records and results of old releases. What is kept does not grow with the number of runs."""
    old = RunRelease.objects.filter(cluster=cluster).exclude(state=RunRelease.State.HELD).order_by("-pk").values_list("pk", flat=True)
    for first in old[KEPT_FAILURES : KEPT_FAILURES + 1]:
        RuleFailure.objects.filter(result__release__in=old.filter(pk__lte=first)).delete()
    for first in old[KEPT_RESULTS : KEPT_RESULTS + 1]:
        RuleResult.objects.filter(release__in=old.filter(pk__lte=first)).delete()
