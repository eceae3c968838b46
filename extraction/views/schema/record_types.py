"""Record types: the list and the editor."""

from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.schema import (
    EMPTY_ROWS,
    BaseAttributeFormSet,
    NewRecordTypeForm,
    RecordTypeForm,
    build_attribute_rows,
)
from extraction.models import Cluster, RecordType, Role
from extraction.services.core.access import list_teams, visible_to
from extraction.services.schema import new_attributes, versions
from extraction.services.schema import record_types as service
from extraction.services.schema.versions import SchemaAttribute, SchemaChange
from extraction.services.suggestions import page_data
from extraction.services.templates import clusters
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.workbench import workbench_url

EDIT = ("GET", "HEAD", "POST")


@require_safe
@requires(Role.VIEWER)
def list_record_types(request: SignedInHttpRequest) -> HttpResponse:
    """Show the record types of the person's teams with their attributes."""
    context = {"rows": service.list_record_types(request.user), "teams": list_teams(request.user).count() > 1}
    return render(request, "extraction/schema/record_types.html", context)


@require_http_methods(EDIT)
@requires(Role.EDITOR)
def create_record_type(request: SignedInHttpRequest) -> HttpResponse:
    """Create a record type.

    `template=id` names the template that the user came from. If it has no record type yet,
    it gets the new one, and the workbench opens next. `from=data` fills the form in from the embedded data of that template's pages.
    """
    cluster = _find_template(request)
    data = request.POST if request.method == "POST" else None
    name, first = _propose_rows(cluster) if request.GET.get("from") == "data" and data is None else ("", _make_blank_rows())
    form, rows = NewRecordTypeForm(data, initial={"name": name}, user=request.user), build_attribute_rows(data, first)
    if cluster:
        form.fix_team(cluster.site.team)
    if request.method == "POST" and form.is_valid() and rows.is_valid():
        made = service.create_record_type(form.cleaned_data["name"], form.cleaned_data["description"], rows.drafts, team=form.instance.team)
        messages.success(request, gettext("%(made)s is ready.") % {"made": made.name})
        if cluster and cluster.record_type_id is None:
            clusters.set_record_type(cluster, made)
            return redirect(workbench_url(cluster.site.slug, cluster.number))
        return redirect(made)
    return _render_editor(request, None, form, rows)


@require_http_methods(EDIT)
@requires(Role.VIEWER)
def show_record_type(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one record type. POST changes it, which needs an editor.

    `template=id` names the template whose workbench the user came from, and goes back to.
    """
    found = get_object_or_404(RecordType, slug=slug)
    if request.method == "POST":
        return change_record_type(request, slug=slug)
    return _render_editor(request, found, RecordTypeForm(instance=found), build_attribute_rows(None, _describe_rows(found)))


@requires(Role.EDITOR)
def change_record_type(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the form of a record type."""
    found = get_object_or_404(RecordType, slug=slug)
    form = RecordTypeForm(request.POST, instance=RecordType.objects.get(pk=found.pk))
    rows = build_attribute_rows(request.POST, _describe_rows(found))
    if form.is_valid() and rows.is_valid():
        breaking = [each for each in versions.find_changes(found, _describe_drafts(rows)) if each.breaking]
        if breaking and not request.POST.get("break_readers"):
            return _render_editor(request, found, form, rows, breaking=breaking)
        drop = bool(request.POST.get("drop_labels"))
        known = {each.pk: each.name for each in found.attributes.all()}
        try:
            judged = service.update_record_type(
                found, form.cleaned_data["name"], form.cleaned_data["description"], rows.drafts, drop_labels=drop
            )
        except service.InUse as error:
            return _render_editor(request, found, form, rows, lost=str(error))
        again = gettext(" Run the rule again to update the records.") if judged else ""
        messages.success(request, f"{gettext('Saved.')}{_describe_effect(found, rows, known)}{again}")
        return redirect(_find_workbench(request, found) or found)
    return _render_editor(request, found, form, rows)


@require_POST
@requires(Role.OPERATOR)
def delete_record_type(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a record type that no template uses."""
    found = get_object_or_404(RecordType, slug=slug)
    try:
        service.delete_record_type(found)
    except service.InUse as error:
        messages.error(
            request, gettext("%(name)s is %(error)s. Choose another record type there first.") % {"name": found.name, "error": error}
        )
        return redirect(found)
    messages.success(request, gettext("%(name)s was deleted.") % {"name": found.name})
    return redirect("record_types")


def _render_editor(
    request: HttpRequest,
    found: RecordType | None,
    form: RecordTypeForm,
    rows: BaseAttributeFormSet,
    lost: str = "",
    breaking: Sequence[SchemaChange] = (),
) -> HttpResponse:
    bad = request.method == "POST"
    counts = service.count_labels(found) if found else {}
    users = found.clusters.select_related("site").order_by("site__name", "number") if found else []
    attributes = found.attributes.select_related("list") if found else []
    context = {
        "record_type": found,
        "attributes": attributes,
        "form": form,
        "rows": rows,
        "counts": counts,
        "users": users,
        "back": _find_workbench(request, found) if found else "",
        "lost": lost,
        "breaking": breaking,
        "readers": versions.name_readers(found) if found and breaking else "",
    }
    return render(request, "extraction/schema/record_type.html", context, status=400 if bad else 200)


def _describe_effect(found: RecordType, rows: BaseAttributeFormSet, known: Mapping[int, str]) -> str:
    """Return what new and renamed attributes mean for the templates that use the record type, in sentences. known: {id: old name}."""
    said = ""
    before = [(known.get(each.id or 0, each.name), each.name) for each in rows.drafts]
    renamed = [gettext("%(old)s is called %(name)s") % {"old": old, "name": name} for old, name in before if old != name]
    if renamed:
        said += " " + gettext("%(renamed)s, also in rules, records and deliveries.") % {"renamed": ", ".join(renamed)}
    new = [each.name for each in rows.drafts if each.id not in known]
    waiting = new_attributes.find_new_attributes(Cluster.objects.filter(record_type=found)) if new else {}
    if waiting:
        where = ngettext("%(count)s template", "%(count)s templates", len(waiting)) % {"count": len(waiting)}
        said += " " + ngettext(
            "%(names)s must be annotated on %(where)s before records have it.",
            "%(names)s must be annotated on %(where)s before records have them.",
            len(new),
        ) % {"names": ", ".join(new), "where": where}
    return said


def _describe_drafts(rows: BaseAttributeFormSet) -> list[SchemaAttribute]:
    return [SchemaAttribute(each.id, each.name, each.type, each.list, each.multiple, each.mandatory) for each in rows.drafts]


def _find_template(request: HttpRequest) -> Cluster | None:
    """Return the template that the person came from, if they may edit it."""
    wanted = request.GET.get("template", "")
    if not wanted.isdecimal() or len(wanted) > 18:
        return None
    return visible_to(Cluster.objects.select_related("site__team"), request.user, least=Role.EDITOR).filter(pk=wanted).first()


def _find_workbench(request: HttpRequest, found: RecordType) -> str:
    """Return the address of the workbench that the person came from; "" if there is none with this record type."""
    cluster = _find_template(request)
    return workbench_url(cluster.site.slug, cluster.number) if cluster and cluster.record_type_id == found.pk else ""


def _propose_rows(cluster: Cluster | None) -> tuple[str, list[dict[str, object]]]:
    """Return (name, rows) for the form, from the embedded data of the template's pages."""
    if cluster is None:
        return "", _make_blank_rows()
    proposal = page_data.propose_record_type(cluster)
    return proposal.type, [
        {"name": each.name, "type": each.type, "multiple": each.multiple} for each in proposal.attributes
    ] or _make_blank_rows()


def _make_blank_rows() -> list[dict[str, object]]:
    return [{"type": "text"} for _ in range(EMPTY_ROWS)]


def _describe_rows(record_type: RecordType) -> list[dict[str, object]]:
    fields = ("id", "name", "type", "multiple", "mandatory", "hotkey")
    rows = record_type.attributes.select_related("list")
    return [{field: getattr(each, field) for field in fields} | {"list": each.list.name if each.list else ""} for each in rows]
