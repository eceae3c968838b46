"""Correct the values of a record, and review corrections whose page has changed."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.corrections import CorrectionForm
from extraction.models import Correction, Record, Role, RunRelease
from extraction.services.core.stored_texts import tell
from extraction.services.corrections.storing import CorrectionError
from extraction.services.records import correcting, outdated
from extraction.services.records.correcting import CorrectionOutcome
from extraction.views.core.keyset import read_page
from extraction.views.corrections import shown_corrections
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 50

REVIEWED = 20
"""Corrections to review that are shown at once, the oldest. The next ones follow as these are decided."""


def _find_record(slug: str, number: int, page_id: int) -> Record:
    cluster = cluster_of(slug, number)
    record = correcting.find_shown_record(page_id)
    if record is None or record.cluster_id != cluster.pk:
        raise Http404(gettext("The page has no record of this template."))
    return record


@require_safe
@requires(Role.VIEWER)
def show_values(request: SignedInHttpRequest, slug: str, number: int, page_id: int) -> HttpResponse:
    """Show the values of a page's record beside what the page says. Editors open one of them to correct it."""
    return _render_values(request, _find_record(slug, number, page_id))


@require_POST
@requires(Role.EDITOR)
def correct_value(request: SignedInHttpRequest, slug: str, number: int, page_id: int) -> HttpResponse:
    """Correct, fill or reject the values at one place of the record."""
    record = _find_record(slug, number, page_id)
    form = CorrectionForm(request.POST)
    if not form.is_valid():
        return _render_values(request, record, form=form, error=form.problem)
    given = form.given()
    try:
        outcome = correcting.correct_value(record, given, request.user, replaces=form.cleaned_data["replaces"])
    except CorrectionError as error:
        return _render_values(request, record, form=form, error=str(error))
    messages.success(request, describe_outcome(outcome))
    query = urlencode({"of": given.place[1]}) if given.place[1] else ""
    return redirect(f"{reverse('record_values', args=[slug, number, page_id])}{'?' if query else ''}{query}")


@require_safe
@requires(Role.VIEWER)
def list_corrections(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the corrections of a template: first those whose page says something else now."""
    cluster = cluster_of(slug, number)
    waiting = shown_corrections.select_corrections(cluster, review=True)
    pages = read_page(shown_corrections.select_corrections(cluster, review=False), request.GET, per_page=PER_PAGE)
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "review": shown_corrections.list_corrections(waiting[:REVIEWED]),
        "to_review": shown_corrections.count_to_review(cluster),
        "active": shown_corrections.list_corrections(pages),
        "pages": pages,
    }
    return render(request, "extraction/corrections/corrections.html", context)


@require_POST
@requires(Role.EDITOR)
def end_correction(request: SignedInHttpRequest, slug: str, number: int, correction_id: int) -> HttpResponse:
    """Take the value of the page in place of the correction."""
    correction = _find_correction(slug, number, correction_id)
    said = gettext("%(attribute)s has the page’s value again.") % {"attribute": correction.attribute.name}
    return _decide(request, slug, number, correction, correcting.withdraw_correction, said)


@require_POST
@requires(Role.EDITOR)
def keep_correction(request: SignedInHttpRequest, slug: str, number: int, correction_id: int) -> HttpResponse:
    """Keep a correction for what the page says now."""
    correction = _find_correction(slug, number, correction_id)
    said = gettext("The correction of %(attribute)s is kept while the page says what it says now.") % {
        "attribute": correction.attribute.name
    }
    return _decide(request, slug, number, correction, correcting.keep_correction, said)


def _decide(
    request: SignedInHttpRequest, slug: str, number: int, correction: Correction, decide: Callable[[Correction, User], object], said: str
) -> HttpResponse:
    try:
        decide(correction, request.user)
        messages.success(request, said)
    except CorrectionError as error:
        messages.error(request, str(error))
    return redirect(_find_return(request, slug, number, correction))


def describe_outcome(outcome: CorrectionOutcome) -> str:
    """Return what a correction did, and what it taught the learner, in words."""
    correction, lesson = outcome.correction, outcome.lesson
    done = {
        "corrected": gettext("%(name)s is corrected and stays so while the page says the same."),
        "filled": gettext("%(name)s is filled in and stays so while the page says the same."),
        "rejected": gettext("%(name)s is rejected and stays so while the page says the same."),
    }[correction.kind] % {"name": correction.attribute.name}
    if lesson is None or lesson.reason:
        taught = gettext("No mark was made: %(reason)s.") % {"reason": tell(lesson.reason)} if lesson else ""
    elif lesson.places is None:
        taught = gettext("It is marked as “not on this page” for the next time the rule is learned.")
    else:
        taught = gettext("It is marked where it stands on the page, for the next time the rule is learned.")
    withheld = find_withheld(outcome.record.cluster_id) if outcome.record else None
    later = (
        gettext("The newest run of this template is held back. Deliveries and the latest files get this once a run is released.")
        if withheld
        else ""
    )
    return " ".join(filter(None, (done, taught, later)))


def find_withheld(cluster_id: int) -> RunRelease | None:
    """Return the newest run of a template if it is not released. Until one is, corrections are not delivered."""
    return RunRelease.objects.withheld().filter(cluster=cluster_id).select_related("cluster__site").first()


def _find_correction(slug: str, number: int, correction_id: int) -> Correction:
    found = Correction.objects.select_related("attribute__list", "page", "by")
    return get_object_or_404(found, pk=correction_id, page__site=cluster_of(slug, number).site)


def _find_return(request: HttpRequest, slug: str, number: int, correction: Correction) -> str:
    if request.POST.get("back") == "values" and correcting.find_current_record(correction.page_id):
        return reverse("record_values", args=[slug, number, correction.page_id])
    return reverse("corrections", args=[slug, number])


def _render_values(request: SignedInHttpRequest, record: Record, *, form: CorrectionForm | None = None, error: str = "") -> HttpResponse:
    asked: Any = form.data if form else request.GET
    row = asked.get("row", "")
    list_name = asked.get("of", "")
    place = (asked.get("attribute", ""), list_name, int(row) if row.isdecimal() and len(row) < 10 else None)
    may_correct = request.held_role >= Role.EDITOR
    lists = list(record.read_rows())
    rows = shown_corrections.list_row_cells(record, list_name or next(iter(lists), ""), request.GET.get("page", ""))
    context = {
        "site": record.cluster.site,
        "cluster": record.cluster,
        "record": record,
        "cells": shown_corrections.list_cells(record),
        "withheld": find_withheld(record.cluster_id),
        "why_outdated": outdated.explain_outdated(record),
        "lists": lists,
        "rows": rows,
        "pages": rows.pages if rows else None,
        "correctable": may_correct and record.is_current,
        "fixable": may_correct and record.snapshot.kept and record.snapshot.cluster_id == record.cluster_id,
        "edited": shown_corrections.find_cell(record, place) if place[0] and may_correct and record.is_current else None,
        "replaces": Correction.objects.open().filter(pk=_number(asked.get("replaces", "")), page=record.snapshot.page_id).first(),
        "typed": form.data.get("values", "") if form else None,
        "error": error,
    }
    return render(request, "extraction/corrections/values.html", context, status=400 if error else 200)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0
