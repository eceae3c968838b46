"""Checks, breakages and refreshes."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Schema, Status

from extraction.api import comments
from extraction.api.bodies import RequestBody
from extraction.api.comments import AddedComment, CommentIn, CommentOut
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_cluster, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.monitoring import MonitorForm
from extraction.models import Breakage, Check, Monitor
from extraction.services.monitoring import breakages as life
from extraction.services.monitoring import monitors
from extraction.services.refresh import start_refreshes
from extraction.views.core import comments as comment_views
from extraction.views.monitoring import breakages, monitoring
from extraction.views.refresh import refresh

operations = Operations("Monitoring")


class CheckOut(Schema):
    """What one check found for the rule of a template.

    verdict: ok, shingle (structure changed), null (values missing), incorrect (wrong values) or unreachable.
    confirmed: a second fetch agreed.
    asked, reached: pages that were fetched, and that answered.
    attributes: what was found for each attribute.
    """

    id: int
    site: str
    template: int
    version: int
    run: int | None
    checked_at: datetime
    verdict: str
    confirmed: bool
    asked: int
    reached: int
    attributes: dict[str, Any]


class BreakageOut(Schema):
    """A broken rule, from the check that found it until it is repaired, recovers or is dismissed.

    subject: what broke, in words.
    attributes: that broke; none if pages only lost their template.
    version, proposal: the version of the rule that broke, and the one that would repair it.
    importance: number of records that are affected.
    note: why there is no proposal, or what a person wrote.
    """

    id: int
    site: str
    template: int
    state: str
    subject: str
    attributes: list[str]
    version: int
    proposal: int | None
    check: int
    importance: float
    note: str
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str | None
    assignee: str | None


class BreakageChange(RequestBody):
    """Changes of a breakage. assignee: the name of the person who looks after it; empty for nobody."""

    assignee: str


class AcceptIn(RequestBody):
    """How to accept a repair. doubtful: also what is not proven."""

    doubtful: bool = False


class MonitorOut(Schema):
    """How often a site's rules are checked. auto_repair: repairs that pass every test go live without a person."""

    enabled: bool
    every_hours: int
    auto_repair: bool
    next_due_at: datetime
    last_checked_at: datetime | None


class MonitorChange(RequestBody):
    """Changes of how a site is checked. What is left out stays as it is."""

    enabled: bool | None = None
    every_hours: int | None = None
    auto_repair: bool | None = None


def describe_check(check: Check) -> CheckOut:
    """Return what the API says about a check."""
    return CheckOut(
        id=check.pk,
        site=check.cluster.site.slug,
        template=check.cluster.number,
        version=check.rule.version,
        run=check.run_id,
        checked_at=check.checked_at,
        verdict=check.verdict,
        confirmed=check.confirmed,
        asked=check.asked,
        reached=check.reached,
        attributes=check.attributes,
    )


def describe_breakage(breakage: Breakage) -> BreakageOut:
    """Return what the API says about a breakage."""
    return BreakageOut(
        id=breakage.pk,
        site=breakage.cluster.site.slug,
        template=breakage.cluster.number,
        state=breakage.state,
        subject=breakage.subject,
        attributes=breakage.attributes,
        version=breakage.rule.version,
        proposal=breakage.proposal.version if breakage.proposal else None,
        check=breakage.check_found_id,
        importance=breakage.importance,
        note=breakage.note,
        opened_at=breakage.opened_at,
        closed_at=breakage.closed_at,
        closed_by=breakage.closed_by.get_username() if breakage.closed_by else None,
        assignee=breakage.assignee.get_username() if breakage.assignee else None,
    )


@operations.get("/sites/{slug:slug}/checks", like=monitoring.monitoring, response=Paged[CheckOut])
def list_checks(request: ApiRequest, slug: str, paging: Asked, template: int | None = None, verdict: str = "") -> dict[str, Any]:
    """List the checks of a site, newest first."""
    found = Check.objects.filter(cluster__site=find_site(request, slug)).select_related("cluster__site", "rule")
    if template is not None:
        found = found.filter(cluster__number=template)
    if verdict:
        found = found.filter(verdict=verdict)
    return take_page(found, paging, describe_check, newest_first=True)


@operations.get("/sites/{slug:slug}/checks/{int:check_id}", like=monitoring.check, response=CheckOut)
def show_check(request: ApiRequest, slug: str, check_id: int) -> CheckOut:
    """Show a check."""
    rows = Check.objects.select_related("cluster__site", "rule")
    return describe_check(get_object_or_404(rows, cluster__site=find_site(request, slug), pk=check_id))


@operations.post("/sites/{slug:slug}/check", like=monitoring.check_now, response=RunOut, status=202)
def check_site(request: ApiRequest, slug: str) -> Status[RunOut]:
    """Start a check of a site's rules."""
    return Status(202, describe_run(monitors.start_check(find_site(request, slug), request.access.user)))


@operations.get("/sites/{slug:slug}/monitor", like=monitoring.monitoring, response=MonitorOut)
def show_monitor(request: ApiRequest, slug: str) -> MonitorOut:
    """Show how often a site's rules are checked."""
    return _describe_monitor(monitors.find_monitor(find_site(request, slug)))


@operations.change("PATCH", "/sites/{slug:slug}/monitor", like=monitoring.settings, response=MonitorOut)
def change_monitor(request: ApiRequest, slug: str, body: MonitorChange) -> MonitorOut:
    """Change how often a site's rules are checked, and whether repairs go live without a person."""
    monitor = monitors.find_monitor(find_site(request, slug))
    fields = {name: getattr(monitor, name) for name in MonitorForm.Meta.fields} | body.model_dump(exclude_none=True)
    form = MonitorForm(fields, instance=monitor)
    if not form.is_valid():
        raise refuse_form(form)
    monitors.change_schedule(form.save(commit=False), now=timezone.now())
    return _describe_monitor(monitor)


@operations.post("/sites/{slug:slug}/refresh", like=refresh.refresh_now, response=RunOut, status=202)
def refresh_site(request: ApiRequest, slug: str, template: int | None = None) -> Status[RunOut]:
    """Start to fetch the pages of a site, or of one template, that may have changed, and renew their records."""
    site = find_site(request, slug)
    cluster = find_cluster(request, slug, template) if template is not None else None
    made = start_refreshes.start_refresh(site, cluster, now=timezone.now(), user=request.access.user)
    if made.run is None:
        raise ProblemError(409, made.note or "There was nothing to fetch.")
    return Status(202, describe_run(made.run))


@operations.get("/breakages", like=breakages.breakages, response=Paged[BreakageOut])
def list_breakages(request: ApiRequest, paging: Asked, site: str = "", state: str = "") -> dict[str, Any]:
    """List breakages, newest first. Filter by the slug of a site and by state: open, repaired, recovered or dismissed."""
    found = _select(request)
    found = found.filter(cluster__site__slug=site) if site else found
    found = found.filter(state=state) if state else found
    return take_page(found, paging, describe_breakage, newest_first=True)


@operations.get("/breakages/{int:breakage_id}", like=breakages.breakage, response=BreakageOut)
def show_breakage(request: ApiRequest, breakage_id: int) -> BreakageOut:
    """Show a breakage."""
    return describe_breakage(get_object_or_404(_select(request), pk=breakage_id))


@operations.change("PATCH", "/breakages/{int:breakage_id}", like=comment_views.assign_breakage, response=BreakageOut)
def change_breakage(request: ApiRequest, breakage_id: int, body: BreakageChange) -> BreakageOut:
    """Assign a breakage to somebody."""
    comments.assign(get_object_or_404(_select(request), pk=breakage_id), body.assignee)
    return describe_breakage(_select(request).get(pk=breakage_id))


@operations.get("/breakages/{int:breakage_id}/comments", like=breakages.breakage, response=Paged[CommentOut])
def list_breakage_comments(request: ApiRequest, breakage_id: int, paging: Asked) -> dict[str, Any]:
    """List the comments on a breakage, oldest first."""
    found = comments.select_comments(get_object_or_404(_select(request), pk=breakage_id))
    return take_page(found, paging, comments.describe_comment)


@operations.post("/breakages/{int:breakage_id}/comments", like=comment_views.comment_breakage, response=AddedComment, status=201)
def comment_breakage(request: ApiRequest, breakage_id: int, body: CommentIn) -> Status[dict[str, Any]]:
    """Add a comment to a breakage. @name tells that person."""
    return Status(201, comments.add_comment(get_object_or_404(_select(request), pk=breakage_id), body, request.access.user))


@operations.post("/breakages/{int:breakage_id}/accept", like=breakages.accept, response=BreakageOut)
def accept_breakage(request: ApiRequest, breakage_id: int, body: AcceptIn) -> BreakageOut:
    """Publish the repair. The site is then fetched again and its records are renewed."""
    found = get_object_or_404(_select(request), pk=breakage_id)
    life.accept_repair(found, user=request.access.user, doubtful=body.doubtful)
    return describe_breakage(_select(request).get(pk=breakage_id))


@operations.post("/breakages/{int:breakage_id}/dismiss", like=breakages.dismiss, response=BreakageOut)
def dismiss_breakage(request: ApiRequest, breakage_id: int) -> BreakageOut:
    """Say that nothing is broken. The next alarm for this template will need stronger evidence."""
    found = get_object_or_404(_select(request), pk=breakage_id)
    if not life.dismiss_breakage(found, user=request.access.user):
        raise ProblemError(409, "This breakage is already closed.")
    return describe_breakage(_select(request).get(pk=breakage_id))


def _describe_monitor(monitor: Monitor) -> MonitorOut:
    return MonitorOut(
        enabled=monitor.enabled,
        every_hours=monitor.every_hours,
        auto_repair=monitor.auto_repair,
        next_due_at=monitor.next_due_at,
        last_checked_at=monitor.last_checked_at,
    )


def _select(request: ApiRequest) -> Any:
    rows = Breakage.objects.select_related("cluster__site", "rule", "proposal", "closed_by", "assignee")
    return rows.filter(cluster__site__in=request.access.list_sites())
