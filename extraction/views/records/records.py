"""The records of a template as a table and as CSV."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from extraction.forms.core import join_errors
from extraction.forms.records import ExportForm, RecordsForm
from extraction.models import Cluster, Record, RecordPart, Role
from extraction.services.records import export_csv
from extraction.services.records import records as service
from extraction.views.policy import requires
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
        "view": cluster_view.build_cluster_view(cluster),
        "attributes": attributes,
        "pages": found,
        "rows": [(record, site_pages.list_columns(record, attributes), site_pages.list_rows(record, schema)) for record in found],
        "lists": schema,
        "layouts": [
            (name, export_csv.get_default_layout(cluster, list=name).columns) for name in (("", *schema) if attributes else (*schema, ""))
        ],
        "states": Record.State,
        "part": form.asked()["part"] if form.asked()["part"] in (RecordPart.EARLIER, RecordPart.ELSEWHERE) else "",
        "asked": form.asked(),
        "query": form.asked()["query"],
        "filters": [(field, request.GET[field]) for field in RecordsForm.base_fields if request.GET.get(field)],
    }
    return render(request, "extraction/records/records.html", context)


@require_safe
@requires(Role.VIEWER)
def download_csv(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    """Send the records that the table shows as a CSV file with the chosen columns.

    For a record type that has only lists, the file has the rows of the first list by default.
    """
    cluster = cluster_of(slug, number)
    name = request.GET.get("list", export_csv.find_usual_list(cluster))
    if name and name not in export_csv.find_list_names(cluster):
        return HttpResponse(f"{cluster.label} has no list “{name}”.", status=400, content_type="text/plain")
    standard = export_csv.get_default_layout(cluster, list=name)
    form = ExportForm(request.GET, known=standard.columns)
    if not form.is_valid():
        return HttpResponse(join_errors(form), status=400, content_type="text/plain")
    lines = export_csv.write_rows(service.search_records(cluster, **RecordsForm(request.GET).asked()), form.layout(standard))
    return StreamingHttpResponse(
        export_csv.join_lines(lines),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{_name_file(cluster, name)}"'},
    )


def _name_file(cluster: Cluster, list_name: str) -> str:
    """Return the name of the file. The site's name is shortened, so that the name of the list is always part of it.

    list_name: the list whose rows the file has; empty for pages.
    """
    listed = slugify(list_name)[:40]
    return f"{'-'.join(filter(None, (slugify(f'{cluster.site.name} {cluster.label}')[:80] or 'records', listed)))}.csv"
