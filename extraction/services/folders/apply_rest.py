"""Set what belongs to a site beside its templates and pages: source, schedules, joins, deliveries, corrections."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.corrected_rows import RowPlace
from extraction.models import (
    Attribute,
    Cluster,
    Correction,
    DeliveryTarget,
    Join,
    Page,
    RecordList,
    RecordType,
    Site,
    Source,
)
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.models.record_values import RecordValue
from extraction.services.deliveries.senders import sql_table
from extraction.services.deliveries.senders.reach import DeliveryError, read_address
from extraction.services.deliveries.targets import TargetDraft, save_target
from extraction.services.folders.checking import fill_schedule
from extraction.services.folders.collect_rest import SOURCE_FIELDS
from extraction.services.folders.documents import (
    ChecksDocument,
    CorrectionDocument,
    DeliveryDocument,
    JoinDocument,
    JoinListingDocument,
    RefreshDocument,
    SiteDocument,
)
from extraction.services.folders.entries import Key, key_correction
from extraction.services.folders.errors import FolderError
from extraction.services.joins.plans import JoinPlan, ListingPlan, save_plan
from extraction.services.monitoring import monitors
from extraction.services.refresh import schedules
from extraction.services.sites import sites

Keys = Collection[Key]

_GONE = gettext_noop("It is not in the site’s files.")
"""Why a correction ended. It is stored, so it is in English."""


def write_settings(site: Site, document: SiteDocument, chosen: Keys) -> None:
    """Set the name, the source and the checks of a site."""
    if ("site",) in chosen:
        sites.rename_site(site, document.name, document.address)
        Site.objects.filter(pk=site.pk).update(method=document.method)
    if ("source",) in chosen and document.source:
        values = {name: getattr(document.source, name) for name in SOURCE_FIELDS}
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        Source.objects.update_or_create(site=site, defaults=fields)
    monitor, checks = monitors.find_monitor(site), document.checks
    if ("checks",) in chosen and (monitor.pk or checks != ChecksDocument()):  # Vertex makes the usual one when there is a rule to check
        monitor.enabled, monitor.every_hours, monitor.auto_repair = checks.enabled, checks.every_hours, checks.auto_repair
        monitors.change_schedule(monitor, now=timezone.now())


def write_refresh(site: Site, cluster: Cluster | None, document: RefreshDocument | None) -> None:
    """Set when records are refreshed; None to remove the schedule."""
    schedule = schedules.find_schedule(site, cluster)
    if document is None:
        schedules.remove_schedule(schedule)
        return
    fill_schedule(schedule, document)
    schedule.max_pages = document.max_pages
    schedule.paused_at = (schedule.paused_at or timezone.now()) if document.paused else None
    schedules.change_schedule(schedule, now=timezone.now())


def write_join(site: Site, document: JoinDocument, join: Join | None, clusters: Mapping[int, Cluster], user: User | None) -> None:
    """Create or change a join. Raises FolderError for an attribute or a list that is not there."""
    detail = clusters.get(document.template or 0)
    listings = tuple(_read_listing(each, clusters, detail) for each in document.listings)
    turned = frozenset(_find_attribute(detail, name, "", document) for name in document.other_side)
    winner = "listing" if document.winner == "listing" else "page"
    save_plan(site, JoinPlan(document.name, detail.pk if detail else None, winner, turned, listings), join, user)  # type: ignore[arg-type]


def write_delivery(document: DeliveryDocument, user: User | None) -> list[str]:
    """Create or change a target. Return sentences about what a person has to do. Raises FolderError."""
    kind = RecordType.objects.get(slug=document.record_type)
    known = DeliveryTarget.objects.filter(name=document.name, record_type__team=kind.team_id)
    row = known.first() or DeliveryTarget(name=document.name, enabled=False, created_by=user)
    try:
        place, content = TargetPlace.from_json(document.place), TargetContent.from_json(document.content)
    except JsonShapeError as error:
        raise FolderError(gettext("the delivery cannot be read: %(error)s") % {"error": error}, document.where) from error
    strange = [*(set(document.place) - set(place.as_json())), *(set(document.content) - set(content.as_json()))]
    if strange:
        raise FolderError(gettext("%(name)s is not known in a delivery") % {"name": repr(min(strange))}, document.where)
    _refuse_password(document, place)
    _refuse_endpoint(document, place)
    new, moved = row.pk is None, row.pk is not None and row.place != place.as_json()
    if moved:
        row.secret = ""  # a password is not sent to another place unasked
    row.record_type, row.kind, row.list_name = kind, document.kind, document.list
    schedule = document.schedule
    times = {"mode": schedule.mode, "every_hours": schedule.every_hours, "times": list(schedule.times), "cron": schedule.cron}
    enabled = row.enabled and not moved
    save_target(
        row,
        TargetDraft(
            name=document.name, place=place, content=content, secrets={}, schedule=times | {"zone": schedule.zone}, enabled=enabled
        ),
    )
    if new:
        note = gettext("The delivery %(name)s is switched off: passwords are not in the files. Enter them and switch it on.")
        return [note % {"name": document.name}]
    note = gettext("The delivery %(name)s leads to another place now. Enter its password and switch it on again.")
    return [note % {"name": document.name}] if moved else []


def write_corrections(site: Site, documents: Collection[CorrectionDocument], chosen: Keys) -> None:
    """Create or change corrections."""
    for document in documents:
        if key_correction(document) in chosen:
            _write_correction(site, document)


def remove_corrections(site: Site, documents: Collection[CorrectionDocument]) -> None:
    """End corrections. They stay as history."""
    for document in documents:
        row = _find_correction(site, document)
        if row is not None:
            row.state, row.found, row.ended_at, row.reason = Correction.State.ENDED, None, timezone.now(), _GONE
            row.save(update_fields=["state", "found", "ended_at", "reason"])


def _read_listing(document: JoinListingDocument, clusters: Mapping[int, Cluster], detail: Cluster | None) -> ListingPlan:
    cluster = clusters.get(document.template or 0)
    listed = None
    if document.list and cluster:
        listed = RecordList.objects.filter(record_type=cluster.record_type, name=document.list).first()
        if listed is None:
            reason = gettext("%(record_type)s has no list %(list)s")
            raise FolderError(reason % {"record_type": cluster.label, "list": repr(document.list)}, document.where)

    def find(of: Cluster | None, name: str, list_name: str) -> int | None:
        return _find_attribute(of, name, list_name, document) if name else None

    keys = tuple((find(cluster, each.row, document.list), find(detail, each.page, "")) for each in document.keys)
    return ListingPlan(
        cluster.pk if cluster else None,
        listed.pk if listed else None,
        document.by_key,
        find(cluster, document.link, document.list),
        keys,
        document.with_page,
    )


def _find_attribute(cluster: Cluster | None, name: str, list_name: str, document: JoinDocument | JoinListingDocument) -> int:
    rows = Attribute.objects.of_cluster(cluster).filter(name=name) if cluster else Attribute.objects.none()
    found = next((each for each in rows.select_related("list") if (each.list.name if each.list else "") == list_name), None)
    if found is None:
        raise FolderError(gettext("there is no attribute %(attribute)s there") % {"attribute": repr(name)}, document.where)
    return found.pk


def _refuse_password(document: DeliveryDocument, place: TargetPlace) -> None:
    """Raise FolderError for the address of a database with a password: it would be shown to everybody who sees the delivery."""
    if document.kind != DeliveryTarget.Kind.SQL or not place.url:
        return
    try:
        url = sql_table.check_address(place.url)
    except DeliveryError as error:
        raise FolderError(str(error), document.where) from error
    if url.password:
        raise FolderError(gettext("the address has a password; passwords do not belong in files"), document.where)


def _refuse_endpoint(document: DeliveryDocument, place: TargetPlace) -> None:
    """Raise FolderError for a store whose address cannot be read."""
    try:
        if place.endpoint:
            read_address(place.endpoint)
    except DeliveryError as error:
        raise FolderError(f"endpoint: {error}", document.where) from error


def _find_row(document: CorrectionDocument, attribute: Attribute) -> RowPlace | None:
    """Return the place of a corrected row with the ids of attributes as names, as it is stored."""
    if document.row is None:
        return None
    ids = {each.name: str(each.pk) for each in Attribute.objects.filter(list=attribute.list_id)}
    if strange := next((name for name in (*document.row.texts, *document.row.key) if name not in ids), None):
        raise FolderError(gettext("there is no attribute %(attribute)s in the list") % {"attribute": repr(strange)}, document.row.where)
    values = {"position": document.row.position, "key": [ids[name] for name in document.row.key], "alike": document.row.alike}
    texts = {ids[name]: list(each) for name, each in document.row.texts.items()}
    return RowPlace.from_json({**values, "texts": texts, "digest": document.row.digest})


def _find_correction(site: Site, document: CorrectionDocument) -> Correction | None:
    attribute = Attribute.objects.get(record_type__slug=document.record_type, name=document.attribute)
    row = _find_row(document, attribute)
    open_rows = Correction.objects.open().filter(page__site=site, page__url=document.url, attribute=attribute)
    return open_rows.filter(row_digest=row.identity if row else "").first()


def _write_correction(site: Site, document: CorrectionDocument) -> None:
    attribute = Attribute.objects.get(record_type__slug=document.record_type, name=document.attribute)
    place = _find_row(document, attribute)
    page = Page.objects.get(site=site, url=document.url)
    try:
        values = [RecordValue.from_json(dict(each)).as_json() for each in document.values]
    except (JsonShapeError, KeyError, TypeError) as error:
        raise FolderError(gettext("the values cannot be read: %(error)s") % {"error": error}, document.where) from error
    row = _find_correction(site, document) or Correction(page=page, attribute=attribute, row_digest=place.identity if place else "")
    row.row, row.kind, row.state, row.texts = place.as_json() if place else None, document.kind, document.state, list(document.texts)
    row.type, row.values, row.basis = document.type, values, list(document.basis)
    row.found, row.reason = None if document.found is None else list(document.found), document.reason
    row.by_name, row.at = document.by, datetime.fromisoformat(document.at)
    row.save()
