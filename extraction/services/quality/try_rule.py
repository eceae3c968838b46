"""Try a rule on the records that are there, before it is stored."""

from dataclasses import dataclass

from django.db.models import QuerySet

from extraction.algorithms.records.quality.judging import Score
from extraction.models import Cluster, QualityRule, RecordType, Site, TrackedCount
from extraction.services.quality.effective_rules import list_followed, make_score
from extraction.services.quality.measuring import Measured, measure_records
from extraction.services.quality.rule_words import write_finding

SOON_TRIED, MAX_TRIED = 1_000, 20_000
"""The number of records that a rule is tried on at once, and the largest number that a person may ask for, who waits some seconds then."""


@dataclass(frozen=True, slots=True)
class TriedRule:
    """What a rule would find.

    finding: in words; "" if nothing fails.
    """

    cluster: Cluster
    score: Score
    measured: Measured
    finding: str


def try_rule(rule: QualityRule, cluster: Cluster, *, limit: int = MAX_TRIED) -> TriedRule:
    """Judge a template's present records by one rule, which need not be stored. limit: the largest number of records that are judged."""
    score = make_score(rule, list_followed(cluster))
    measured = measure_records(cluster, [score], limit=limit)
    return TriedRule(cluster, score, measured, write_finding(score, cut_history=measured.cut_history))


def find_template_to_try(record_type: RecordType, wanted: str = "", *, sites: "QuerySet[Site] | None" = None) -> Cluster | None:
    """Return the template of a record type that a person chose, or else the one with the most records; None without records.

    wanted: the id of a template as text.
    sites: only templates of these; None for all.
    """
    clusters = record_type.clusters.select_related("site", "record_type")
    counted = TrackedCount.objects.filter(cluster__record_type=record_type)
    counts = (counted if sites is None else counted.filter(cluster__site__in=sites)).totals("cluster")
    if wanted.isdecimal() and len(wanted) < 19 and int(wanted) in counts:
        return clusters.filter(pk=wanted).first()
    most = max(counts, key=lambda pk: (counts[pk], -pk), default=None)
    return clusters.filter(pk=most).first() if most else None
