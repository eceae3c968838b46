"""What changed in a template's records, and the time line of one record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from extraction.forms.records import ChangesForm
from extraction.models import Cluster, Record, RecordChange, Role, TrackedCount, TrackedRecord
from extraction.services.records import history as service
from extraction.services.records.key_schema import read_key_schemas
from extraction.views.core.keyset import ListPage, read_page
from extraction.views.corrections import shown_corrections
from extraction.views.policy import requires
from extraction.views.templates import cluster_view
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 50

MOST_FOUND = 100
"""Changes up to which those that a search finds are counted. To find a change costs several reads."""

SHOWN_CONFLICTS = 20
"""Records with sources that disagree that are named."""

MAX_CHANGES = 500
"""Newest changes on the page of a record."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The values of an attribute at one time. url: the place on the page as it was then, "" if that is no longer kept."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One attribute's change. cause: why, in words; "" if the page changed, which is the usual case."""

    attribute: str
    before: ShownText
    after: ShownText
    cause: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change with its attributes for display."""

    change: RecordChange
    values: list[ShownChange]


@require_safe
@requires(Role.VIEWER)
def list_changes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what is new, changed, gone and back in a template, of late or since a run."""
    cluster = cluster_of(slug, number)
    asked = ChangesForm(request.GET).asked()
    runs = service.list_runs(cluster)
    since = cluster.site.runs.filter(pk=asked["since"]).first() if asked["since"] else None
    without_kind = service.search_changes(cluster, since=since, cause=asked["cause"], query=asked["query"])
    found = without_kind.filter(kind=asked["kind"]) if asked["kind"] in RecordChange.Kind.values else without_kind
    whole = since is None and not asked["query"]
    counts = service.count_all_kinds(cluster, cause=asked["cause"]) if whole else service.count_kinds(without_kind, MOST_FOUND)
    pages = _read_page(request, found, counts, asked["kind"])
    in_conflict = TrackedRecord.objects.filter(cluster=cluster).with_conflicts()
    conflicts = list(in_conflict[: SHOWN_CONFLICTS + 1])
    conflict_count = in_conflict.count() if len(conflicts) > SHOWN_CONFLICTS else len(conflicts)
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "asked": asked,
        "query": asked["query"],
        "since": since,
        "runs": runs if since is None or since in runs else [since, *runs],
        "kinds": [(kind, RecordChange.Kind(kind).label, counts[kind] if counts else None) for kind in RecordChange.Kind.values],
        "causes": RecordChange.Cause,
        "pages": pages,
        "rows": [describe_change(cluster, change) for change in pages],
        "oldest": service.find_oldest(cluster),
        "conflicts": conflicts[:SHOWN_CONFLICTS],
        "conflict_count": conflict_count,
        "more_conflicts": conflict_count - SHOWN_CONFLICTS,
        "unfollowed": _find_unfollowed(cluster),
        "any": TrackedCount.objects.filter(cluster=cluster).total() > 0,
        "runnable": cluster_view.can_run(cluster),
    }
    return render(request, "extraction/records/changes.html", context)


def _read_page(request: HttpRequest, found: QuerySet[RecordChange], counts: Mapping[str, int] | None, kind: str) -> ListPage[RecordChange]:
    read = partial(read_page, found, request.GET, per_page=PER_PAGE, newest_first=True, ids_first=True)
    if counts is not None:
        return read(count=counts.get(kind, sum(counts.values())))
    if kind not in RecordChange.Kind.values:
        return replace(read(count=MOST_FOUND), exact=False)
    page = read(count=PER_PAGE)  # to find out whether there are many more would take longer than to find these
    return replace(page, exact=False) if page.has_other_pages else replace(page, count=len(page))


@require_safe
@requires(Role.VIEWER)
def show_record(request: HttpRequest, slug: str, number: int, record_id: int) -> HttpResponse:
    """Show one record: its present values, the pages on which it stands, and its time line."""
    cluster = cluster_of(slug, number)
    known = TrackedRecord.objects.select_related("page", "joined", "cluster__site")
    record = get_object_or_404(known, pk=record_id, cluster__site=cluster.site)
    if record.cluster_id != cluster.pk:
        return redirect(record)  # its page is in another template now
    changes = list(service.search_changes(cluster).filter(record=record)[: MAX_CHANGES + 1])
    cut, changes = len(changes) > MAX_CHANGES, changes[:MAX_CHANGES]
    marks = shown_corrections.find_marks(record)
    values = [
        (each, _show(cluster, each.attribute, each.values, record.snapshot_id, record.page_id, record.list_name))
        for each in service.list_present_values(record, changes, without=marks)
    ]
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "record": record,
        "values": values,
        "corrected": marks,
        "sources": record.sources.select_related("page", "snapshot").order_by("pk"),
        "repeats": service.list_repeats(record),
        "canonical": Record.objects.filter(snapshot=record.snapshot_id).values_list("canonical", flat=True).first(),
        "rows": [describe_change(cluster, change) for change in changes],
        "cut": cut,
        "dropped": 0 if cut else record.number - len(changes),
        "joiners": record.joiners.all(),
    }
    return render(request, "extraction/records/record.html", context)


def describe_change(cluster: Cluster, change: RecordChange) -> ChangeRow:
    """Return a change with links to the pages as they were before and after it."""
    listed = change.record.list_name
    values = [
        ShownChange(
            name,
            _show(cluster, name, each["from"], change.before_id, change.before.page_id if change.before else None, listed),
            _show(cluster, name, each["to"], change.snapshot_id, change.snapshot.page_id if change.snapshot else None, listed),
            _explain(each),
        )
        for name, each in change.values.items()
    ]
    return ChangeRow(change, values)


def _explain(change: Mapping[str, Any]) -> str:
    """Return why a value changed, in words; "" for the usual cause."""
    cause = str(change["cause"])
    if cause == "correction" and change.get("by"):
        return gettext("%(change)s corrected it") % {"change": change["by"]}
    return "" if cause == "page" else str(service.CAUSES.get(cause, cause))


def _show(
    cluster: Cluster, name: str, values: Iterable[Mapping[str, Any]], snapshot_id: int | None, page_id: int | None, list_name: str
) -> ShownText:
    text = " · ".join(str(each.get("value") or each["raw"]) for each in values)
    if not (snapshot_id and page_id):
        return ShownText(text, "")
    place = "" if list_name or not text else f"&value={name}.0"
    return ShownText(text, f"{reverse('page', args=[cluster.site.slug, page_id])}?snapshot={snapshot_id}{place}")


def _find_unfollowed(cluster: Cluster) -> list[str]:
    """Return the lists whose rows have no key, so that their changes are not followed."""
    if cluster.record_type is None:
        return []
    followed = read_key_schemas([cluster.pk])[cluster.pk].followed
    return [each.name for each in cluster.record_type.lists.filter(attributes__isnull=False).distinct() if each.name not in followed]
