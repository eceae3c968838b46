"""Schedules: when the records of a site or template are refreshed, and what each refresh did."""

from datetime import datetime
from typing import Any, Literal

from django.utils import timezone
from ninja import Field, Schema, Status

from extraction.algorithms.refresh.times import ScheduleError
from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_cluster, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.refresh import RefreshForm
from extraction.forms.repeating import describe_repeating
from extraction.models import Cluster, Refresh, RefreshSchedule, Site
from extraction.services.refresh import schedules
from extraction.views.refresh import refresh, refresh_view

operations = Operations("Schedules")


class ScheduleOut(Schema):
    """When the records of a site, or of one of its templates, are refreshed.

    set: there is a schedule; if not, the other fields are what a new one would begin with.
    mode: interval, times, cron or checks (after each check of the rules).
    max_pages: the most pages that a refresh asks for; null if only politeness limits it.
    skip_next: the refresh after the next check is left out.
    words: when it refreshes, in words; empty without a schedule.
    """

    set: bool
    template: int | None
    mode: str
    every_hours: int
    times: list[str]
    cron: str
    zone: str
    max_pages: int | None
    paused_at: datetime | None
    next_due_at: datetime | None
    skip_next: bool
    words: str


class RefreshPlanIn(RequestBody):
    """When to refresh. What is left out stays as it is, except max_pages: null means no limit.

    every_hours: for interval. times: for times, such as 06:30 or Mon-Fri 18:00. cron: for cron. zone: the time zone of times and cron.
    """

    mode: Literal["interval", "times", "cron", "checks"]
    every_hours: int | None = None
    times: list[str] | None = None
    cron: str | None = None
    zone: str | None = None
    max_pages: int | None = Field(None, ge=1, le=2**31 - 1)


class RefreshOut(Schema):
    """One refresh, or one that was skipped or could not start.

    cause: schedule, check or person. state: started, skipped or refused.
    missed: later due times that passed before it could start. known: pages it could have fetched; due: those it asked for; left_out: those
        that had to wait. note: what was left out, or why it did not start.
    """

    id: int
    template: int | None
    cause: str
    state: str
    due_at: datetime
    created_at: datetime
    created_by: str | None
    run: int | None
    missed: int
    known: int
    due: int
    left_out: int
    note: str


@operations.get("/sites/{slug:slug}/schedule", like=refresh.show_refreshes, response=ScheduleOut)
def show_schedule(request: ApiRequest, slug: str, template: int | None = None) -> ScheduleOut:
    """Show when the records of a site are refreshed; with `template`, those of one template."""
    return _describe(schedules.find_schedule(*_find(request, slug, template)))


@operations.change("PUT", "/sites/{slug:slug}/schedule", like=refresh.change_schedule, response=ScheduleOut)
def change_schedule(request: ApiRequest, slug: str, body: RefreshPlanIn, template: int | None = None) -> ScheduleOut:
    """Set when the records of a site are refreshed; with `template`, those of one template. A paused schedule stays paused."""
    found = schedules.find_schedule(*_find(request, slug, template))
    given = body.model_dump(exclude_none=True)
    if "times" in given:
        given["times"] = ", ".join(given["times"])
    form = RefreshForm({**describe_repeating(found), **given}, instance=found)
    if not form.is_valid():
        raise refuse_form(form)
    try:
        schedules.change_schedule(form.save(commit=False), now=timezone.now())
    except ScheduleError as error:
        raise ProblemError(422, str(error)) from error
    return show_schedule(request, slug, template)


@operations.change("DELETE", "/sites/{slug:slug}/schedule", like=refresh.control_schedule)
def remove_schedule(request: ApiRequest, slug: str, template: int | None = None) -> Status[None]:
    """Remove a schedule. What was refreshed stays in the list."""
    schedules.remove_schedule(_require(request, slug, template))
    return Status(204, None)


@operations.post("/sites/{slug:slug}/schedule/pause", like=refresh.control_schedule, response=ScheduleOut)
def pause_schedule(request: ApiRequest, slug: str, template: int | None = None) -> ScheduleOut:
    """Pause a schedule. A refresh that is under way goes on. If it is paused already, nothing changes."""
    schedules.pause_schedule(_require(request, slug, template), now=timezone.now())
    return show_schedule(request, slug, template)


@operations.post("/sites/{slug:slug}/schedule/resume", like=refresh.control_schedule, response=ScheduleOut)
def resume_schedule(request: ApiRequest, slug: str, template: int | None = None) -> ScheduleOut:
    """Resume a paused schedule with the next time. If it is not paused, nothing changes."""
    schedules.resume_schedule(_require(request, slug, template), now=timezone.now())
    return show_schedule(request, slug, template)


@operations.post("/sites/{slug:slug}/schedule/skip", like=refresh.control_schedule, response=ScheduleOut)
def skip_refresh(request: ApiRequest, slug: str, template: int | None = None) -> ScheduleOut:
    """Leave out the next refresh. Several can be skipped one after the other."""
    if not schedules.skip_refresh(_require(request, slug, template), now=timezone.now(), user=request.access.user):
        raise ProblemError(409, "There is no refresh that could be skipped: the schedule is paused, or the next one is left out already.")
    return show_schedule(request, slug, template)


@operations.get("/sites/{slug:slug}/refreshes", like=refresh.show_refreshes, response=Paged[RefreshOut])
def list_refreshes(request: ApiRequest, slug: str, paging: Asked, template: int | None = None) -> dict[str, Any]:
    """List the refreshes of a site and its templates, newest first; with `template`, those of one template."""
    site, cluster = _find(request, slug, template)
    found = Refresh.objects.filter(site=site).select_related("cluster", "created_by")
    return take_page(found.filter(cluster=cluster) if cluster else found, paging, _describe_refresh, newest_first=True)


def _find(request: ApiRequest, slug: str, template: int | None) -> tuple[Site, Cluster | None]:
    return find_site(request, slug), find_cluster(request, slug, template) if template is not None else None


def _require(request: ApiRequest, slug: str, template: int | None) -> RefreshSchedule:
    return schedules.require_schedule(*_find(request, slug, template))


def _describe(found: RefreshSchedule) -> ScheduleOut:
    return ScheduleOut(
        set=found.pk is not None,
        template=found.cluster.number if found.cluster else None,
        mode=found.mode,
        every_hours=found.every_hours,
        times=list(found.times),
        cron=found.cron,
        zone=found.zone,
        max_pages=found.max_pages,
        paused_at=found.paused_at,
        next_due_at=found.next_due_at,
        skip_next=found.skip_next,
        words=refresh_view.describe_schedule(found) if found.pk is not None else "",
    )


def _describe_refresh(found: Refresh) -> RefreshOut:
    return RefreshOut(
        id=found.pk,
        template=found.cluster.number if found.cluster else None,
        cause=found.cause,
        state=found.state,
        due_at=found.due_at,
        created_at=found.created_at,
        created_by=found.created_by.get_username() if found.created_by else None,
        run=found.run_id,
        missed=found.missed,
        known=found.known,
        due=found.due,
        left_out=found.left_out,
        note=found.note,
    )
