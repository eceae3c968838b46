"""Joined records: the table, one record, and downloads."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from extraction.algorithms.records.join import Way
from extraction.forms.joins import JoinedForm
from extraction.models import Join, JoinedRecord, Role
from extraction.services.joins import joined_history, search
from extraction.services.joins.corrected import read_corrected
from extraction.services.joins.export_scope import find_join_scope
from extraction.services.joins.state import describe_state
from extraction.services.records.exports.scopes import ExportScope
from extraction.views.core.keyset import MOST_LOOKED, ListPage, find_last_looked, read_numbered_page, read_page
from extraction.views.http import HtmxHttpRequest
from extraction.views.joins import join_view
from extraction.views.joins.joins import join_of
from extraction.views.policy import requires
from extraction.views.records import export_view, exports, history

PER_PAGE = 50

MAX_CHANGES = 200
"""Newest changes on the page of a joined record."""

MAX_ROWS = 100
"""Rows on the page of a joined record."""


@require_safe
@requires(Role.VIEWER)
def list_records(request: HtmxHttpRequest, slug: str, join_id: int) -> HttpResponse:
    """Show the joined records as a table, searched, filtered and sorted."""
    join = join_of(slug, join_id)
    state = describe_state(join)
    if request.htmx and not state.moves:  # the page waits for the run
        return HttpResponse(headers={"HX-Refresh": "true"})
    form = JoinedForm(request.GET)
    result = join.read_result()
    pages = _list_page(join, form.asked(), request.GET)
    figures = result.figures
    corrected = read_corrected(list(pages))
    context = {
        "site": join.site,
        "join": join,
        "state": state,
        "counts": join_view.describe_counts(figures),
        "columns": join_view.list_shown_columns(result.columns),
        "pages": pages,
        "rows": [join_view.show_record(each, result.columns, corrected[each.pk]) for each in pages],
        "parts": search.PARTS,
        "asked": form.asked(),
        "query": form.asked()["query"],
        "filters": [(field, request.GET[field]) for field in JoinedForm.base_fields if request.GET.get(field)],
        "view": {"extracted": figures.joined + figures.row_alone + figures.page_alone},
        "export": export_view.build_export_dialog(
            find_join_scope(join),
            address=reverse("joined_export", args=[slug, join_id]),
            figures=reverse("joined_export_figures", args=[slug, join_id]),
        ),
    }
    return render(request, "extraction/joins/records.html", context)


def _list_page(join: Join, asked: Mapping[str, Any], query: Mapping[str, Any]) -> ListPage[JoinedRecord]:
    """Return a page of the joined records that are asked for. query: that of the address."""
    rows, last = search.search_joined(join, **asked), None
    of_state = asked["part"] in JoinedRecord.State.values
    if not asked["query"] and (asked["sort"] or asked["missing"] or (asked["part"] and not of_state)):
        listed = JoinedRecord.objects.filter(join=join)
        last = find_last_looked(listed.filter(state=asked["part"]) if of_state else listed)
    if last is not None:
        rows = rows.filter(pk__lte=last)
    read = read_numbered_page if asked["sort"] else read_page
    return replace(read(rows, query, per_page=PER_PAGE), among=MOST_LOOKED if last is not None else None)


@require_safe
@requires(Role.VIEWER)
def show_record(request: HttpRequest, slug: str, join_id: int, record_id: int) -> HttpResponse:
    """Show one joined record: the values of both sides, its sources, and the changes of both sides."""
    join = join_of(slug, join_id)
    record = get_object_or_404(JoinedRecord.objects.select_related("page", "join__site"), pk=record_id, join=join)
    found = joined_history.read_history(record, most=MAX_CHANGES)
    sources = list(record.sources.select_related("page", "listing__cluster", "listing__list").order_by("pk")[:MAX_ROWS])
    context = {
        "site": join.site,
        "join": join,
        "record": record,
        "state": describe_state(join),
        "shown": join_view.show_record(record, join.read_result().columns, read_corrected([record])[record.pk]),
        "way": join_view.WAYS[Way[record.way.upper()]] if record.way else "",
        "sources": sources,
        "history": found,
        "changes": [history.describe_change(each.cluster, each) for each in found.changes],
    }
    return render(request, "extraction/joins/record.html", context)


@require_safe
@requires(Role.VIEWER)
def download_records(request: HttpRequest, slug: str, join_id: int) -> HttpResponseBase:
    """Send the joined records that the table shows in the chosen format, or what describes them."""
    return send_joined_export(request, join_of(slug, join_id))


def send_joined_export(request: HttpRequest, join: Join, *, who: str = "") -> HttpResponseBase:
    """Send the joined records that the address asks for. who: as for `send_export`."""
    return exports.send_export(request, _find_scope(request, join), slugify(f"{join.site.name} {join.name}")[:80] or "records", who=who)


@require_safe
@requires(Role.VIEWER)
def show_figures(request: HttpRequest, slug: str, join_id: int) -> HttpResponse:
    """Show what the file of `download_records` would hold and leave out."""
    return exports.show_export_figures(request, _find_scope(request, join_of(slug, join_id)))


def _find_scope(request: HttpRequest, join: Join) -> ExportScope:
    return find_join_scope(join, search.search_joined(join, **JoinedForm(request.GET).asked()))
