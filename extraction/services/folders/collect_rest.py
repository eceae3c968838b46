"""What belongs to a site beside its templates and pages, as documents: its source, schedules, joins, deliveries and corrections."""

from collections.abc import Collection, Mapping
from typing import Any

from extraction.algorithms.json_values import JsonValue
from extraction.models import (
    Attribute,
    Cluster,
    Correction,
    DeliveryTarget,
    Join,
    JoinListing,
    Monitor,
    RecordList,
    RefreshSchedule,
    Site,
    Source,
)
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.services.folders.collect_templates import collect_refresh
from extraction.services.folders.documents import (
    FORMAT,
    ChecksDocument,
    CorrectedRowDocument,
    CorrectionDocument,
    DeliveryDocument,
    JoinDocument,
    JoinKeyDocument,
    JoinListingDocument,
    ScheduleDocument,
    SiteDocument,
    SourceDocument,
)
from extraction.services.joins.plans import ListingPlan, read_plan

SOURCE_FIELDS = tuple(name for name in SourceDocument.__dataclass_fields__ if name != "where")


def collect_settings(site: Site) -> SiteDocument:
    """Return what `site.yaml` holds."""
    monitor = Monitor.objects.filter(site=site).first()
    checks = (
        ChecksDocument(enabled=monitor.enabled, every_hours=monitor.every_hours, auto_repair=monitor.auto_repair)
        if monitor
        else ChecksDocument()
    )
    schedule = RefreshSchedule.objects.meant_for(site, None).first()
    return SiteDocument(
        format=FORMAT,
        name=site.name,
        slug=site.slug,
        address=site.address,
        method=site.method,
        source=_collect_source(site),
        checks=checks,
        refresh=collect_refresh(schedule),
    )


def collect_joins(site: Site) -> tuple[JoinDocument, ...]:
    """Return the joins of a site by name."""
    clusters = dict(Cluster.objects.filter(site=site).values_list("pk", "number"))
    found = []
    for join in sort_joins(site):
        plan = read_plan(join)
        attributes = _name_attributes(join)
        lists = dict(RecordList.objects.filter(pk__in=[each.list for each in plan.listings]).values_list("pk", "name"))
        found.append(
            JoinDocument(
                name=plan.name,
                template=clusters.get(plan.detail or 0),
                winner=plan.winner,
                other_side=tuple(sorted(attributes[pk] for pk in plan.turned if pk in attributes)),
                listings=tuple(_collect_listing(each, clusters, lists, attributes) for each in plan.listings),
            )
        )
    return tuple(found)


def sort_joins(site: Site) -> list[Join]:
    """Return the joins of a site by name. Databases sort texts differently, and files must not depend on that."""
    return sorted(Join.objects.filter(site=site), key=lambda join: (join.name, join.pk))


def collect_deliveries(record_types: Collection[int]) -> tuple[DeliveryDocument, ...]:
    """Return the targets of record types by name, without secrets."""
    rows = DeliveryTarget.objects.filter(record_type__in=record_types).select_related("record_type")
    return tuple(
        DeliveryDocument(
            name=row.name,
            record_type=row.record_type.slug,
            kind=row.kind,
            list=row.list_name,
            place=_list_set(row.read_place(), TargetPlace()),
            content=_list_set(row.read_content(), TargetContent()),
            schedule=ScheduleDocument(mode=row.mode, every_hours=row.every_hours, times=tuple(row.times), cron=row.cron, zone=row.zone),
        )
        for row in sorted(rows, key=lambda row: row.name)
    )


def collect_corrections(site: Site) -> tuple[CorrectionDocument, ...]:
    """Return the corrections that are in use or wait for a person, by page."""
    rows = list(Correction.objects.open().filter(page__site=site).select_related("page", "attribute__record_type"))
    rows.sort(key=_sort_key)
    names = {
        str(pk): name for pk, name in Attribute.objects.filter(record_type__attributes__corrections__in=rows).values_list("pk", "name")
    }
    return tuple(
        CorrectionDocument(
            url=row.page.url,
            record_type=row.attribute.record_type.slug,
            attribute=row.attribute.name,
            row=_collect_row(row, names),
            kind=row.kind,
            state=row.state,
            texts=tuple(row.texts),
            type=row.type,
            values=tuple(each.as_json() for each in row.read_values()),
            basis=tuple(row.basis),
            found=None if row.found is None else tuple(row.found),
            reason=row.reason,
            by=row.by_name,
            at=row.at.isoformat(),
        )
        for row in rows
    )


def _sort_key(row: Correction) -> tuple[int, str, int, str, int]:
    place = row.read_row()
    return row.page_id, row.attribute.record_type.slug, row.attribute.position, row.attribute.name, place.position if place else -1


def _collect_source(site: Site) -> SourceDocument | None:
    source = Source.objects.filter(site=site).first()
    if source is None:
        return None
    values: dict[str, Any] = {name: getattr(source, name) for name in SOURCE_FIELDS}
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return SourceDocument(**fields)


def _name_attributes(join: Join) -> dict[int, str]:
    """Return {id: name} of the attributes of all record types that take part in a join."""
    types = {join.detail.record_type_id if join.detail else None}
    types |= set(JoinListing.objects.filter(join=join).values_list("cluster__record_type", flat=True))
    return dict(Attribute.objects.filter(record_type__in=types - {None}).values_list("pk", "name"))


def _collect_listing(
    plan: ListingPlan, clusters: Mapping[int, int], lists: Mapping[int, str], attributes: Mapping[int, str]
) -> JoinListingDocument:
    return JoinListingDocument(
        template=clusters.get(plan.cluster or 0),
        list=lists.get(plan.list or 0, ""),
        link=attributes.get(plan.link or 0, ""),
        by_key=plan.by_key,
        keys=tuple(JoinKeyDocument(row=attributes.get(row or 0, ""), page=attributes.get(page or 0, "")) for row, page in plan.keys),
        with_page=plan.with_page,
    )


def _list_set(value: JsonValue, default: JsonValue) -> dict[str, Any]:
    """Return the fields that differ from the default, as JSON."""
    usual = default.as_json()
    return {name: held for name, held in value.as_json().items() if held != usual[name]}


def _collect_row(correction: Correction, names: Mapping[str, str]) -> CorrectedRowDocument | None:
    place = correction.read_row()
    if place is None:
        return None
    texts = {names[pk]: list(each) for pk, each in sorted(place.texts.items(), key=lambda pair: int(pair[0])) if pk in names}
    key = tuple(names[pk] for pk in place.key if pk in names)
    return CorrectedRowDocument(position=place.position, texts=texts, key=key, alike=place.alike, digest=place.digest)
