"""What the screens of targets show."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, Max, OuterRef
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.records.cell_types import Cell
from extraction.fetching.hidden_texts import HIDDEN
from extraction.models import Delivery, DeliveryTarget, RecordList, RecordType, RefreshSchedule, Rule, Site
from extraction.models.delivery import Selection
from extraction.services.core.repeating import describe_repetition
from extraction.services.deliveries.previews import DeliveryPreview
from extraction.services.deliveries.senders.reach import DeliveryError, read_address
from extraction.services.records.exports.formats import FORMATS
from extraction.services.records.exports.json_lines import to_json

KIND_NOTES = {
    DeliveryTarget.Kind.FOLDER: gettext_lazy("A folder on the machine of Vertex, below one that the administrator allows."),
    DeliveryTarget.Kind.S3: gettext_lazy("A bucket of Amazon S3, MinIO, Ceph or another store with the same interface."),
    DeliveryTarget.Kind.SFTP: gettext_lazy("A folder on a server that you reach with SSH."),
    DeliveryTarget.Kind.OTHER: gettext_lazy(
        "FTP, SMB, WebDAV, Google Cloud Storage or anything else that fsspec knows, if the administrator allows it."
    ),
    DeliveryTarget.Kind.WEBHOOK: gettext_lazy("Changes as signed JSON requests to a program of yours."),
    DeliveryTarget.Kind.SQL: gettext_lazy("A table of PostgreSQL or SQLite: one row for each record, kept up to date."),
}

MAX_CELL = 60
"""Characters of a cell in a dry run."""


@dataclass(frozen=True, slots=True)
class TargetRow:
    """A target in the list. place: where it leads, without secrets. last: its last delivery."""

    target: DeliveryTarget
    place: str
    when: str
    last: Delivery | None


def list_rows(targets: Sequence[DeliveryTarget]) -> list[TargetRow]:
    """Return the rows of targets, in two queries."""
    newest = Delivery.objects.filter(target__in=targets).order_by().values("target").annotate(newest=Max("pk")).values("newest")
    last = {each.target_id: each for each in Delivery.objects.filter(pk__in=newest)}
    return [TargetRow(target, describe_place(target), describe_when(target), last.get(target.pk)) for target in targets]


def _name_store(endpoint: str) -> str:
    try:
        return read_address(endpoint).header
    except DeliveryError:  # files of a site can hold any text
        return endpoint


def describe_place(target: DeliveryTarget) -> str:
    """Return where a target leads, without anything secret."""
    place = target.read_place()
    folder = f"/{place.folder.strip('/')}" if place.folder else ""
    return {
        DeliveryTarget.Kind.FOLDER: place.folder or gettext("the first allowed folder"),
        DeliveryTarget.Kind.S3: f"s3://{place.bucket}{folder}"
        + (gettext(" at %(netloc)s") % {"netloc": _name_store(place.endpoint)} if place.endpoint else ""),
        DeliveryTarget.Kind.SFTP: f"sftp://{place.user}@{place.host}{folder}",
        DeliveryTarget.Kind.OTHER: place.url,
        DeliveryTarget.Kind.WEBHOOK: f"{place.host}/{HIDDEN}",
        DeliveryTarget.Kind.SQL: gettext("%(url)s, table %(table)s") % {"url": place.url, "table": place.table},
    }[DeliveryTarget.Kind(target.kind)]


def describe_when(target: DeliveryTarget) -> str:
    """Return when a target gets deliveries."""
    return describe_repetition(target) or (
        gettext("after each run") if target.mode == DeliveryTarget.Mode.RUNS else gettext("only by hand")
    )


def describe_content(target: DeliveryTarget) -> str:
    """Return what a target gets."""
    content = target.read_content()
    of = {"of": gettext("rows of %(name)s") % {"name": target.list_name} if target.list_name else gettext("records")}
    if target.kind == DeliveryTarget.Kind.SQL:
        return gettext("all %(of)s; those that are gone stay and are marked") % of
    selected = str(_SELECTED[content.selection]) % of
    if target.kind == DeliveryTarget.Kind.WEBHOOK:
        return selected if content.changes_only else gettext("the changes of %(of)s") % of
    kept = (
        gettext("each file has a name of its own") if content.keeps_files or content.changes_only else gettext("the last file is replaced")
    )
    return gettext("%(selected)s as %(label)s; %(kept)s") % {"selected": selected, "label": FORMATS[content.format].label, "kept": kept}


_SELECTED = {
    Selection.ALL: gettext_lazy("all %(of)s that are present"),
    Selection.NEW: gettext_lazy("the %(of)s that are new since the last delivery"),
    Selection.NEW_CHANGED: gettext_lazy("the %(of)s that are new or changed since the last delivery"),
    Selection.GONE: gettext_lazy("the %(of)s that are gone since the last delivery"),
    Selection.CHANGES: gettext_lazy("every change of %(of)s since the last delivery"),
}


def list_lists(record_type: RecordType) -> list[tuple[RecordList, bool]]:
    """Return the lists of a record type, and whether their rows have a key. Only then can they be delivered."""
    keyed = set(record_type.attributes.filter(is_key=True, list__isnull=False).values_list("list", flat=True))
    return [(each, each.pk in keyed) for each in record_type.lists.order_by("name")]


def list_unrefreshed(record_type: RecordType) -> list[Site]:
    """Return the sites with records of a type that are not refreshed on schedule, so that nothing new comes by itself."""
    clusters = record_type.clusters.filter(ignored=False, rules__in=Rule.objects.serving())
    active = RefreshSchedule.objects.active()
    own = Exists(active.filter(cluster=OuterRef("pk")))
    of_site = Exists(active.filter(site=OuterRef("site"), cluster=None))
    return list(Site.objects.filter(pk__in=clusters.exclude(own | of_site).values("site")).order_by("name"))


def show_cells(preview: DeliveryPreview) -> list[list[str]]:
    """Return the example rows of a dry run as texts."""
    return [[_show_cell(cell) for cell in row] for row in preview.rows]


def _show_cell(cell: Cell) -> str:
    text = " · ".join(str(to_json(each)) for each in cell) if isinstance(cell, list) else "" if cell is None else str(to_json(cell))
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
