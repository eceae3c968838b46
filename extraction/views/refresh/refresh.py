"""The Refresh tab of a site, and the same page for a template: the schedule, and what each refresh did."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.algorithms.refresh.times import ScheduleError
from extraction.forms.refresh import RefreshForm
from extraction.forms.repeating import list_zones
from extraction.models import Cluster, Role, Site
from extraction.services.core import stored_texts
from extraction.services.core.runs import JobError
from extraction.services.refresh import schedules, start_refreshes
from extraction.services.sites import sites
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.refresh import refresh_view


@require_safe
@requires(Role.VIEWER)
def show_refreshes(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """When the records are refreshed, and what the last refreshes did."""
    return _page(request, *_find(slug, number))


@require_POST
@requires(Role.OPERATOR)
def change_schedule(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """Set when the records are refreshed."""
    site, cluster = _find(slug, number)
    form = RefreshForm(request.POST, instance=schedules.find_schedule(site, cluster))
    if not form.is_valid():
        return _page(request, site, cluster, form)
    try:
        schedules.change_schedule(form.save(commit=False), now=timezone.now())
    except ScheduleError as error:
        form.add_error(None, stored_texts.tell(str(error)))
        return _page(request, site, cluster, form)
    messages.success(request, gettext("Saved."))
    return _back(slug, number)


@require_POST
@requires(Role.EDITOR)
def refresh_now(request: SignedInHttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """Refresh the records at once. The schedule stays as it is."""
    try:
        start_refreshes.start_refresh(*_find(slug, number), now=timezone.now(), user=request.user)
    except JobError as error:
        messages.error(request, str(error))
    return _back(slug, number)


@require_POST
@requires(Role.OPERATOR)
def control_schedule(request: SignedInHttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """Pause or resume the schedule, skip the next refresh, or remove the schedule."""
    try:
        schedule = schedules.require_schedule(*_find(slug, number))
    except JobError as error:
        messages.error(request, str(error))
        return _back(slug, number)
    now, action = timezone.now(), request.POST.get("action", "")
    if action == "pause":
        schedules.pause_schedule(schedule, now=now)
    elif action == "resume":
        schedules.resume_schedule(schedule, now=now)
    elif action == "skip":
        schedules.skip_refresh(schedule, now=now, user=request.user)
    elif action == "remove":
        schedules.remove_schedule(schedule)
    else:
        messages.error(request, gettext("Nothing was changed: the request names no action."))
    return _back(slug, number)


def _find(slug: str, number: int | None) -> tuple[Site, Cluster | None]:
    site = get_object_or_404(Site, slug=slug)
    return site, get_object_or_404(Cluster.objects.select_related("site"), site=site, number=number) if number is not None else None


def _back(slug: str, number: int | None) -> HttpResponse:
    return redirect("site_refresh", slug) if number is None else redirect("cluster_refresh", slug, number)


def _page(request: HttpRequest, site: Site, cluster: Cluster | None, form: RefreshForm | None = None) -> HttpResponse:
    schedule = schedules.find_schedule(site, cluster)
    context = {
        "site": site,
        "cluster": cluster,
        "head": sites.summarize_site(site),
        "form": form or RefreshForm(instance=schedule),
        "zones": list_zones() if request.user.is_authenticated else [],
        "view": refresh_view.show_refreshes(site, cluster, schedule, timezone.now()),
        "tab": "refresh",
    }
    return render(request, "extraction/refresh/refresh.html", context, status=400 if form else 200)
