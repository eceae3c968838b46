"""Downloads of records: the file, its JSON Schema, its data dictionary, and what the file would hold."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from extraction.forms.core import join_errors
from extraction.forms.records import ExportForm, RecordsForm
from extraction.models import Cluster, RecordType, Role
from extraction.services.deliveries.record_lines import ABOUT, NotDelivered, find_template_records, find_type_records, make_scope
from extraction.services.records import extract_records, stored_files
from extraction.services.records import records as service
from extraction.services.records.exports import describe, export_records, scopes
from extraction.services.records.exports.export_records import Export, ExportError
from extraction.services.records.exports.formats import FORMATS
from extraction.services.records.exports.scopes import ExportScope
from extraction.services.schema import versions
from extraction.views.core.keyset import MOST_LOOKED
from extraction.views.policy import requires
from extraction.views.records import export_view, resuming
from extraction.views.records.looking import find_last_record
from extraction.views.templates.clusters import cluster_of

_EXPORTED = "exported"
"""The key of the session that says that its person has downloaded records."""

FIGURES_LINES = 300
"""Lines that are counted while a person chooses: each change of the dialog waits for them."""


@require_safe
@requires(Role.VIEWER)
def download_csv(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    """Send the records that the table shows as a CSV file. The address stays the same for scripts."""
    return send_export(request, _find_scope(request, cluster_of(slug, number)), _name_template(cluster_of(slug, number)), form_name="csv")


@require_safe
@requires(Role.VIEWER)
def download_records(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    """Send the records that the table shows in the chosen format, or what describes them."""
    cluster = cluster_of(slug, number)
    return send_export(request, _find_scope(request, cluster), _name_template(cluster))


@require_safe
@requires(Role.VIEWER)
def show_figures(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what the file of `download_records` would hold and leave out."""
    cluster = cluster_of(slug, number)
    scope, asked = _find_scope(request, cluster), RecordsForm(request.GET).asked()
    last = find_last_record(cluster, {**asked, "sort": ""})  # figures are the same in any order
    if last is None or request.GET.get("released"):
        return show_export_figures(request, scope)
    return show_export_figures(request, replace(scope, records=scope.records.filter(pk__lte=last)), among=MOST_LOOKED)


@require_safe
@requires(Role.VIEWER)
def choose_type_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the choices for the records of a record type across all sites."""
    record_type = get_object_or_404(RecordType, slug=slug)
    export = export_view.build_export_dialog(
        offer_released(scopes.find_type_scope(record_type), record_type),
        address=reverse("record_type_export", args=[slug]),
        figures=reverse("record_type_export_figures", args=[slug]),
    )
    working = extract_records.find_working_rules(record_type)
    context = {"record_type": record_type, "export": export, "version": record_type.versions.first(), "runnable": working.exists()}
    return render(request, "extraction/records/type_records.html", context)


@require_safe
@requires(Role.VIEWER)
def download_type_records(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the records of a record type across all sites in the chosen format, or what describes them."""
    record_type = get_object_or_404(RecordType, slug=slug)
    return send_export(
        request, offer_released(scopes.find_type_scope(record_type), record_type), slugify(record_type.name)[:80] or "records"
    )


@require_safe
@requires(Role.VIEWER)
def show_type_figures(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the file of `download_type_records` would hold and leave out."""
    record_type = get_object_or_404(RecordType, slug=slug)
    return show_export_figures(request, offer_released(scopes.find_type_scope(record_type), record_type))


def _find_scope(request: HttpRequest, cluster: Cluster) -> ExportScope:
    asked = RecordsForm(request.GET).asked()
    return offer_released(scopes.find_template_scope(cluster, service.search_records(cluster, **asked), asked["part"]), cluster)


def offer_released(scope: ExportScope, of: Cluster | RecordType) -> ExportScope:
    """Return a scope with the choice of its released records. of: whose records they are."""

    def find(list_name: str) -> ExportScope:
        found = find_template_records(of, list_name) if isinstance(of, Cluster) else find_type_records(of, list_name)
        return make_scope(found)

    return replace(scope, released=find)


def _find_released(find: Callable[[str], ExportScope], list_name: str, *, filtered: bool) -> ExportScope:
    """Return the released records. Raises ExportError if they cannot be exported."""
    try:
        found = find(list_name)
    except NotDelivered as error:
        raise ExportError(str(error)) from error
    said = [gettext("Only released records, as they were at the last released run of each template.")]
    said += [gettext("The filter does not apply: these are all released records.")] if filtered else []
    return replace(found, notices=tuple(said))


def _plan(request: HttpRequest, scope: ExportScope, form_name: str = "") -> tuple[Export, str]:
    """Return the export that a request asks for, and which part of it. Raises ExportError."""
    name = request.GET.get("list", scope.usual_list)
    released = scope.released if request.GET.get("released") else None
    if released is not None:
        filtered = any(RecordsForm(request.GET).asked()[each] for each in ("query", "state", "attribute", "missing"))
        scope = _find_released(released, name, filtered=filtered)
    standard = export_records.make_default_choice(scope, name)
    form = ExportForm(request.GET, known=standard.columns)
    if name and name not in scope.lists:
        raise ExportError(gettext("%(title)s has no list “%(name)s”.") % {"title": scope.title, "name": name})
    if not form.is_valid():
        raise ExportError(join_errors(form))
    wanted = FORMATS[form_name or form.cleaned_data["format"] or "csv"]
    choice = form.read_choice(standard)
    if released is not None:  # the state at a released run knows less about the page
        choice = replace(choice, about=tuple(each for each in choice.about if each in ABOUT))
    return export_records.plan_export(scope, choice, wanted), form.cleaned_data["part"]


def send_template_export(request: HttpRequest, cluster: Cluster, *, who: str) -> HttpResponseBase:
    """Send the records of a template that a request asks for. who: as for `send_export`."""
    return send_export(request, _find_scope(request, cluster), _name_template(cluster), who=who)


def send_export(request: HttpRequest, scope: ExportScope, name: str, form_name: str = "", *, who: str = "") -> HttpResponseBase:
    """Send the file that a request asks for, or what describes it.

    name: of the file, without its ending.
    who: whose download it is. Downloads of others never go on with its file. Empty for the person who is signed in.
    """
    try:
        export, part = _plan(request, scope, form_name)
    except ExportError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    name = "-".join(filter(None, (name, slugify(export.choice.list)[:40])))
    version = versions.record_version(scope.record_type) if scope.record_type and part != "file" else None
    if part == "schema":
        export_records.count_lines(export, FIGURES_LINES)  # for its examples
        return _send_text(describe.write_json_schema(export, version), f"{name}.schema.json", "application/schema+json")
    if part == "dictionary":
        export_records.count_lines(export)
        return _send_text(describe.write_dictionary(export, version), f"{name}.dictionary.md", "text/markdown; charset=utf-8")
    answer = _send_file(request, export, f"{name}{export.format.suffix}", who or f"user {request.user.pk}")
    if not who:
        request.session[_EXPORTED] = True
    return answer


def has_exported(request: HttpRequest) -> bool:
    """Return whether the signed-in person has downloaded records since signing in."""
    return bool(request.session.get(_EXPORTED))


def _send_file(request: HttpRequest, export: Export, name: str, who: str) -> HttpResponseBase:
    """Send the file once it is complete. It is kept, so that a download that breaks off can go on with the same bytes."""
    place = stored_files.make_place(who, request.get_full_path())
    if started := resuming.find_started(request, place):
        return resuming.send_stored(request, started, same=True)
    with tempfile.TemporaryDirectory(prefix="vertex-export-") as folder:
        path = Path(folder) / "records"
        export_records.fill_file(export, path)
        stored = stored_files.store_file(path, place=place, name=name, content_type=export.format.content_type)
    return resuming.send_stored(request, stored, same=False)


def _send_text(text: str, name: str, content_type: str) -> HttpResponse:
    return HttpResponse(text, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def show_export_figures(request: HttpRequest, scope: ExportScope, *, among: int | None = None) -> HttpResponse:
    """Show what the file that a request asks for would hold and leave out.

    among: the scope has only what was found among the first so many records.
    """
    try:
        export, _ = _plan(request, scope)
    except ExportError as error:
        return render(request, "extraction/records/_export_figures.html", {"error": str(error)})
    complete = export_records.count_lines(export, FIGURES_LINES)
    query = request.GET.copy()
    query.pop("part", None)
    context = {
        "export": export,
        "complete": complete and among is None,
        "among": among if complete else None,
        "losses": describe.describe_losses(export),
        "address": request.path.removesuffix("figures/"),
        "query": query.urlencode(),
    }
    return render(request, "extraction/records/_export_figures.html", context)


def _name_template(cluster: Cluster) -> str:
    """Return the name of a file without its list and ending. It is short, so that the name of the list is always part of the whole."""
    return slugify(f"{cluster.site.name} {cluster.label}")[:80] or "records"
