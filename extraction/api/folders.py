"""Sites as files (docs/site-files.md)."""

from typing import Annotated, Any, Literal

from django.http import FileResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import File, Form, Schema, UploadedFile

from extraction.api.operations import (
    ApiRequest,
    Operations,
    choose_team,
    find_site,
)
from extraction.api.problems import FieldError, ProblemError
from extraction.models import Role, Site
from extraction.services.core.access import list_teams, visible_to
from extraction.services.folders import uploads
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.change_words import describe_change, describe_changes, summarize_plan
from extraction.services.folders.errors import FolderError
from extraction.services.folders.importing import import_folder
from extraction.services.folders.planning import ConflictError, Options, Plan, plan_import
from extraction.views.folders import site_files

operations = Operations("Sites as files")


class FolderChange(Schema):
    """A difference between the files and what is here.

    kind: added, changed, removed, only here, newer here or conflict.
    subject: what it is about. details: what is different, a line each. place: the file and the line.
    """

    kind: str
    subject: str
    details: list[str]
    place: str


class FolderImport(Schema):
    """What an import does. imported: it was done. site: its slug; null if it would be new. pages, contents: numbers of new ones."""

    imported: bool
    site: str | None
    summary: str
    changes: list[FolderChange]
    pages: int
    contents: int
    notes: list[str]


@operations.get("/sites/{slug:slug}/files", like=site_files.download_files, file=True)
def download_site_files(request: ApiRequest, slug: str, pages: Literal["marked", "all"] = "marked") -> HttpResponseBase:
    """Send the files of a site as a zip file. `pages=all` adds every page whose content is kept, not only those that people worked on."""
    site = find_site(request, slug)
    try:
        file = uploads.make_zip(site, pages)
    except FileNotFoundError as error:
        raise ProblemError(409, "The storage has lost the content of a page, so the files are not complete.") from error
    return FileResponse(file, as_attachment=True, filename=f"{site.slug}.zip", content_type="application/zip")


@operations.post("/site-files", like=site_files.import_files, response=FolderImport)
def import_site_files(
    request: ApiRequest,
    file: Annotated[UploadedFile, File()],
    into: Annotated[str, Form()] = "",
    prefer: Annotated[Literal["stop", "folder", "installation"], Form()] = "stop",
    delete: Annotated[bool, Form()] = False,
    dry_run: Annotated[bool, Form()] = False,
    team: Annotated[str, Form()] = "",
) -> FolderImport:
    """Import a zip file with the files of a site, as a new site or into the one that is here.

    `dry_run` only says what would change. `into` names another site than the files do. If a part was changed in the files and here,
    nothing is imported, unless `prefer` says which side counts. `team` is the team of a new site. `delete` removes what is only here.
    """
    request.access.refuse_site_limits("An import may change record types, which belong to all sites of a team.")
    options = Options(
        into=_find_into(request, into) if into else None,
        prefer=prefer,
        delete=delete,
        team=choose_team(request, team, Role.OPERATOR),
        teams=frozenset(list_teams(request.access.user, least=Role.OPERATOR).values_list("pk", flat=True)),
    )
    try:
        with uploads.read_zip(file) as folder:
            if dry_run:
                plan = plan_import(folder, options)
                return _describe(plan, plan.site.slug if plan.site else None, imported=False)
            done = import_folder(folder, options, Publisher(request.access.user))
    except ConflictError as error:
        raise ProblemError(409, f"{error}. Choose with `prefer`.", _list_conflicts(error.plan)) from error
    except FolderError as error:
        raise ProblemError(422, f"{error}.", [FieldError(field=str(error.where) or "file", message=error.reason)]) from error
    return _describe(done.plan, done.site.slug, imported=True, notes=done.notes)


def _find_into(request: ApiRequest, slug: str) -> Site:
    """Return the site to import into, of a team in which the person is an operator. Raises Http404."""
    return get_object_or_404(visible_to(request.access.list_sites(), request.access.user, least=Role.OPERATOR), slug=slug)


def _describe(plan: Plan, site: str | None, *, imported: bool, notes: tuple[str, ...] = ()) -> FolderImport:
    lines = describe_changes(plan.changes)
    return FolderImport(
        imported=imported,
        site=site,
        summary=summarize_plan(plan),
        changes=[FolderChange(kind=each.kind, subject=each.subject, details=list(each.details), place=each.place) for each in lines],
        pages=plan.pages,
        contents=plan.contents,
        notes=list(notes or plan.notes),
    )


def _list_conflicts(plan: Plan) -> list[FieldError]:
    lines: list[Any] = [describe_change(each) for each in plan.conflicts]
    return [FieldError(field=each.place or "file", message=f"{each.subject} {each.text}") for each in lines]
