"""The records of a template as a table."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from extraction.forms.records import RecordsForm
from extraction.models import Record, RecordPart, Role, RunRelease
from extraction.services.records import outdated
from extraction.services.records import records as service
from extraction.services.records.exports.scopes import find_template_scope
from extraction.views.corrections import shown_corrections
from extraction.views.policy import requires
from extraction.views.records import export_view, exports
from extraction.views.sites import site_pages
from extraction.views.templates import cluster_view
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def list_records(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the table of records, searched, filtered and sorted. Each value links to its place on the page."""
    cluster = cluster_of(slug, number)
    attributes = list(cluster.record_type.attributes.of_page()) if cluster.record_type else []
    schema = site_pages.list_schema(cluster.record_type)
    form = RecordsForm(request.GET)
    found = Paginator(service.search_records(cluster, **form.asked()), PER_PAGE).get_page(request.GET.get("page", 1))
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "withheld": RunRelease.objects.withheld().filter(cluster=cluster).select_related("cluster__site").first(),
        "view": cluster_view.build_cluster_view(cluster),
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
