"""The records of a template as a table."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from extraction.forms.records import RecordsForm
from extraction.models import Cluster, Record, RecordCount, RecordPart, Role, RunRelease
from extraction.models.record import RecordQuerySet
from extraction.services.records import outdated
from extraction.services.records import records as service
from extraction.services.records.exports.scopes import find_template_scope
from extraction.views.core.keyset import MOST_LOOKED, ListPage, read_numbered_page, read_page
from extraction.views.corrections import shown_corrections
from extraction.views.policy import requires
from extraction.views.records import export_view, exports
from extraction.views.records.looking import find_last_record
from extraction.views.sites import site_pages
from extraction.views.templates import cluster_view
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 40


def list_page(cluster: Cluster, asked: Mapping[str, Any], query: Mapping[str, Any]) -> ListPage[Record]:
    """Return a page of the records that are asked for. query: that of the address."""
    rows, last = service.search_records(cluster, **asked), find_last_record(cluster, asked)
    if last is not None:
        found = _read_rows(rows.filter(pk__lte=last), asked, query, count=None)
        return replace(found, among=MOST_LOOKED)
    counts = RecordCount.objects.filter(cluster=cluster).in_part(asked["part"])
    if asked["state"] in Record.State.values:
        counts = counts.filter(state=asked["state"])
    count = None if any(asked[name] for name in ("query", "attribute", "missing")) else counts.total()
    return _read_rows(rows.none() if count == 0 else rows, asked, query, count=count)


def _read_rows(rows: RecordQuerySet, asked: Mapping[str, Any], query: Mapping[str, Any], *, count: int | None) -> ListPage[Record]:
    if asked["sort"]:
        return read_numbered_page(rows, query, per_page=PER_PAGE, count=count)
    return read_page(rows, query, per_page=PER_PAGE, count=count)


@require_safe
@requires(Role.VIEWER)
def list_records(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the table of records, searched, filtered and sorted. Each value links to its place on the page."""
    cluster = cluster_of(slug, number)
    attributes = list(cluster.record_type.attributes.of_page()) if cluster.record_type else []
    schema = site_pages.list_schema(cluster.record_type)
    form = RecordsForm(request.GET)
    found = list_page(cluster, form.asked(), request.GET)
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "withheld": RunRelease.objects.withheld().filter(cluster=cluster).select_related("cluster__site").first(),
        "view": (view := cluster_view.build_cluster_view(cluster)),
        "runnable": bool(view.live and not view.broken and view.records.total),
        "attributes": attributes,
        "pages": found,
        "rows": [
            (each, site_pages.list_columns(each, attributes), site_pages.list_rows(each, schema), outdated.explain_outdated(each))
            for each in found
        ],
        "lists": schema,
        "export": export_view.build_export_dialog(
            exports.offer_released(find_template_scope(cluster), cluster),
            address=reverse("records_export", args=[slug, number]),
            figures=reverse("records_export_figures", args=[slug, number]),
        ),
        "states": Record.State,
        "to_review": shown_corrections.count_to_review(cluster),
        "part": form.asked()["part"] if form.asked()["part"] in RecordPart.values and form.asked()["part"] != RecordPart.NOW else "",
        "asked": form.asked(),
        "query": form.asked()["query"],
        "filters": [(field, request.GET[field]) for field in RecordsForm.base_fields if request.GET.get(field)],
    }
    return render(request, "extraction/records/records.html", context)
