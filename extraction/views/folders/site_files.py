"""Sites as files: a zip file of a site, and its import with the difference first."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.folders import FolderForm
from extraction.models import Role, Site
from extraction.services.core.access import list_teams, visible_to
from extraction.services.folders import uploads
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.change_words import describe_changes, summarize_plan
from extraction.services.folders.errors import FolderError
from extraction.services.folders.importing import import_folder
from extraction.services.folders.planning import ConflictError, Options, Plan, plan_import
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

SALT = "extraction.folders.upload"

KEPT_S = 24 * 60 * 60
"""How long an upload can be imported after its dry run."""

MAX_SHOWN = 1_000
"""The largest number of differences that are shown."""

PAGE = "extraction/folders/site_files_import.html"


@require_safe
@requires(Role.EDITOR)
def download_files(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the files of a site as a zip file. ?pages=all: with all pages."""
    site = get_object_or_404(Site, slug=slug)
    try:
        file = uploads.make_zip(site, "all" if request.GET.get("pages") == "all" else "marked")
    except FileNotFoundError:
        messages.error(
            request, gettext("The storage has lost the content of a page, so the files are not complete. Fetch the pages again.")
        )
        return redirect("site_settings", site.slug)
    return FileResponse(file, as_attachment=True, filename=f"{site.slug}.zip", content_type="application/zip")


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.OPERATOR)
def upload_files(request: SignedInHttpRequest) -> HttpResponse:
    """Take a zip file with the files of a site, and show what its import would change. Nothing is changed yet."""
    form = FolderForm(
        request.POST if request.method == "POST" else None,
        request.FILES or None,
        initial={"into": request.GET.get("into", "")},
        user=request.user,
    )
    if request.method != "POST" or not form.is_valid():
        return _show_form(request, form)
    data = form.cleaned_data
    try:
        with uploads.read_zip(data["file"]) as folder:
            plan = plan_import(folder, _read_options(request, data))
    except FolderError as error:
        form.add_error("file", f"{data['file'].name}: {error}.")
        return _show_form(request, form)
    said = {"upload": uploads.keep_upload(data["file"]), "into": data["into"].pk if data["into"] else None, "team": data["team"].pk}
    token = signing.dumps({**said, "prefer": data["prefer"], "delete": data["delete"], "user": request.user.pk}, salt=SALT)
    return render(request, PAGE, {"form": form, "token": token, **describe_plan(plan)})


@require_POST
@requires(Role.OPERATOR)
def import_files(request: SignedInHttpRequest) -> HttpResponse:
    """Import an upload whose difference was shown."""
    try:
        said = signing.loads(request.POST.get("token", ""), salt=SALT, max_age=KEPT_S)
    except signing.BadSignature:
        said = {}
    if said.get("user") != request.user.pk:
        messages.error(request, gettext("The upload can no longer be imported. Upload it again."))
        return redirect("site_files_upload")
    said["into"] = (
        visible_to(Site.objects.all(), request.user, least=Role.OPERATOR).filter(pk=said["into"]).first() if said["into"] else None
    )
    said["team"] = get_object_or_404(list_teams(request.user, least=Role.OPERATOR), pk=said["team"])
    try:
        with uploads.open_upload(said["upload"]) as folder:
            done = import_folder(folder, _read_options(request, said), Publisher(request.user))
    except ConflictError as error:
        return render(request, PAGE, {"form": FolderForm(user=request.user), **describe_plan(error.plan)}, status=409)
    except FolderError as error:
        messages.error(request, gettext("Nothing was imported: %(error)s.") % {"error": error})
        return redirect("site_files_upload")
    uploads.drop_upload(said["upload"])
    messages.success(request, gettext("Imported. %(summarize_plan)s") % {"summarize_plan": summarize_plan(done.plan)})
    for note in done.notes:
        messages.warning(request, note)
    return redirect(done.site)


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Return what the page shows of a plan."""
    lines = describe_changes(plan.changes)
    return {
        "plan": plan,
        "lines": lines[:MAX_SHOWN],
        "left": max(0, len(lines) - MAX_SHOWN),
        "summary": summarize_plan(plan),
    }


def _show_form(request: HttpRequest, form: FolderForm) -> HttpResponse:
    context = {"form": form, "most_bytes": settings.VERTEX_UPLOAD_MAX_BYTES}
    return render(request, PAGE, context, status=400 if form.errors else 200)


def _read_options(request: SignedInHttpRequest, data: dict[str, Any]) -> Options:
    teams = frozenset(list_teams(request.user, least=Role.OPERATOR).values_list("pk", flat=True))
    return Options(into=data["into"], prefer=data["prefer"], delete=data["delete"], team=data["team"], teams=teams)
