"""Suggest quality rules for a record type, or for one template, from its records, their changes and their runs."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count, Q

from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.records.quality.checks import read_entry
from extraction.algorithms.records.quality.columns import ColumnSeen
from extraction.algorithms.records.quality.demands import MEASURED
from extraction.algorithms.records.quality.offers import (
    RelationsSeen,
    RuleOffer,
    offer_change,
    offer_count,
    offer_for_column,
    offer_monotony,
)
from extraction.models import Attribute, Cluster, QualityRule, RecordChange, RecordType, RunRelease
from extraction.services.core.streaming import stream_rows
from extraction.services.quality.edit_rules import RuleDraft
from extraction.services.quality.rule_words import write_rule
from extraction.services.quality.subjects import read_subjects
from extraction.services.records.key_schema import read_key_schemas

MAX_RECORDS = 1_000
"""The largest number of records and rows that are looked at, over all templates: a person waits for it."""

MAX_TEMPLATES = 5
"""The largest number of templates whose records and changes are looked at, spread over all of them."""

MAX_CHANGES = 500
"""Newest changes, over all templates, that show in which direction values go."""

MAX_RUNS = 20
"""Newest released runs of a template whose counts and changes are looked at."""


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """A rule that can be taken over.

    name: tells it apart from the others of its suggestion.
    text: the rule in words.
    """

    name: str
    text: str
    offer: RuleOffer
    draft: RuleDraft


@dataclass(slots=True)
class Suggested:
    """Suggestions, and what they come from.

    records: number of records and rows that were looked at; complete: these are all of the templates that were looked at.
    clusters: the templates. looked: the number of those whose records were looked at.
    known: suggestions that are left out because there is a rule of the same kind for the attribute.
    """

    rules: list[SuggestedRule] = field(default_factory=list)
    records: int = 0
    complete: bool = True
    clusters: Sequence[Cluster] = ()
    looked: int = 0
    known: int = 0


def suggest_rules(record_type: RecordType, cluster: Cluster | None = None) -> Suggested:
    """Return the rules that the data suggests and that are not there yet.

    cluster: look at this template only.
    """
    clusters = [cluster] if cluster else list(record_type.clusters.filter(ignored=False).order_by("pk").defer("masks", "url_patterns"))
    attributes = {each.name: each for each in record_type.attributes.select_related("list")}
    columns = {name: _make_column(each) for name, each in attributes.items()}
    found = Suggested(clusters=clusters)
    with stream_rows(few=True):
        offers = _offer_from_values(found, columns)
    main = _find_most_released(clusters)
    if main:
        offers += [*_offer_directions(sample_evenly(clusters, MAX_TEMPLATES), columns), *_offer_from_runs(main, columns)]
    scope = Q(cluster=None) | Q(cluster=cluster) if cluster else Q(cluster=None)
    taken = QualityRule.objects.filter(scope, record_type=record_type)
    known = {(rule.kind, rule.attribute_id, rule.other_id, rule.list_id) for rule in taken}
    lists = {each.name: each for each in record_type.lists.all()}
    for number, offer in enumerate(offers):
        draft = _make_draft(offer, attributes, lists)
        same = (draft.kind, *(each.pk if each else None for each in (draft.attribute, draft.other, draft.list)))
        if same in known:
            found.known += 1
        else:
            found.rules.append(SuggestedRule(f"rule-{number}", write_rule(offer.demand), offer, draft))
    return found


def _find_most_released(clusters: Sequence[Cluster]) -> Cluster | None:
    """Return the template with the most released runs, of several the oldest."""
    released = RunRelease.objects.released().filter(cluster__in=clusters).order_by()
    counts = dict(released.values_list("cluster").annotate(n=Count("pk")))
    return max(clusters, key=lambda each: (counts.get(each.pk, 0), -each.pk), default=None)


def _make_column(attribute: Attribute) -> ColumnSeen:
    of_list = attribute.list.name if attribute.list else ""
    kind = attribute.type
    return ColumnSeen(attribute.name, kind, of_list, multiple=attribute.multiple, mandatory=attribute.mandatory)  # type: ignore[arg-type]


def _make_draft(offer: RuleOffer, attributes: Mapping[str, Attribute], lists: Mapping[str, object]) -> RuleDraft:
    demand = offer.demand
    return RuleDraft(
        kind=demand.kind,
        attribute=attributes.get(demand.attribute),
        other=attributes.get(demand.other),
        list=None if demand.attribute else lists.get(demand.list_name),  # type: ignore[arg-type]
        limits=demand.limits,
        allowed_fraction=demand.allowed_fraction,
        weight=offer.weight,
        basis=offer.basis,
    )


def _offer_from_values(found: Suggested, columns: Mapping[str, ColumnSeen]) -> list[RuleOffer]:
    """Look at the records of at most MAX_TEMPLATES templates, each with its share of MAX_RECORDS."""
    relations = RelationsSeen(columns.values())
    by_list: dict[str, list[ColumnSeen]] = defaultdict(list)
    for column in columns.values():
        by_list[column.list_name].append(column)
    looked = sample_evenly(found.clusters, MAX_TEMPLATES)
    found.looked = len(looked)
    schemas = read_key_schemas([cluster.pk for cluster in looked])
    for cluster in looked:
        most = MAX_RECORDS // len(looked)
        for number, (values, place) in enumerate(read_subjects(cluster, by_list.keys(), schemas[cluster.pk].followed)):
            if number == most:
                found.complete = False
                break
            found.records += 1
            relations.take(place.list_name, values)
            for column in by_list[place.list_name]:
                column.take(values)
    return [*(offer for column in columns.values() for offer in offer_for_column(column)), *relations.offer()]


def _offer_directions(clusters: Collection[Cluster], columns: Mapping[str, ColumnSeen]) -> Iterator[RuleOffer]:
    """Yield a rule for each attribute whose changes were all in one direction."""
    rises, falls = Counter[str](), Counter[str]()
    for cluster in clusters:
        rows = (
            RecordChange.objects.filter(cluster=cluster)
            .exclude(kind=RecordChange.Kind.ADDED)
            .exclude(values={})
            .order_by("-pk")
            .values_list("values", flat=True)
        )
        for values in rows[: MAX_CHANGES // len(clusters)]:
            for name, change in values.items():
                column = columns.get(name)
                if column and column.type in MEASURED and change["from"] and change["to"]:
                    before, after = (read_entry(change[side][0], column.type) for side in ("from", "to"))
                    distance = after.low - before.low if before and after else Decimal(0)
                    rises[name] += distance > 0
                    falls[name] += distance < 0
    found = (offer_monotony(column, rises[name], falls[name]) for name, column in columns.items())
    yield from (each for each in found if each)


def _offer_from_runs(cluster: Cluster, columns: Mapping[str, ColumnSeen]) -> Iterator[RuleOffer]:
    """Yield rules about the number of records and about their changes, from the newest released runs of a template."""
    releases = list(RunRelease.objects.released().filter(cluster=cluster).exclude(counts={}).order_by("-pk")[:MAX_RUNS])
    for name in sorted({name for each in releases for name in each.counts}):
        offer = offer_count([each.counts[name] for each in releases if name in each.counts], name)
        if offer:
            yield offer
    compared = [each for each in releases if each.base_id and each.counts.get("")]
    yield from offer_change(_count_changes(cluster, compared), columns)


def _count_changes(cluster: Cluster, releases: Sequence[RunRelease]) -> dict[str, list[float]]:
    """Return {"": the share of pages' records that changed or went, for each of these runs}.

    A run says nothing of changes if it is the first of its template.
    """
    changes = RecordChange.objects.filter(cluster=cluster, run__in=[each.run_id for each in releases], record__list_name="")
    changes = changes.filter(kind__in=(RecordChange.Kind.CHANGED, RecordChange.Kind.GONE)).order_by()
    counts = dict(changes.values_list("run").annotate(n=Count("record", distinct=True)))
    return {"": [min(1.0, counts.get(each.run_id, 0) / each.counts[""]) for each in releases]} if releases else {}
