"""The Monitoring tab of a site: the state of its rules, starting a check, and the schedule."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.monitoring import MonitorForm
from extraction.models import Check, Role, Run, Site
from extraction.services.core.runs import JobError
from extraction.services.intake import outcome_words
from extraction.services.monitoring import monitors
from extraction.services.sites import sites
from extraction.views.http import SignedInHttpRequest
from extraction.views.monitoring import watch_view
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def monitoring(request: HttpRequest, slug: str) -> HttpResponse:
    """Each template with a live rule: its checks, its bellwethers, its rule's health."""
    return _page(request, get_object_or_404(Site, slug=slug))


@require_POST
@requires(Role.EDITOR)
def check_now(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Checks the site's rules at once."""
    site = get_object_or_404(Site, slug=slug)
    try:
        monitors.start_check(site, request.user)
    except JobError as error:
        messages.error(request, str(error))
    return redirect("site_monitoring", slug)


@require_POST
@requires(Role.OPERATOR)
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Changes when the site is checked, and whether repairs go live without a person."""
    site = get_object_or_404(Site, slug=slug)
    form = MonitorForm(request.POST, instance=monitors.find_monitor(site))
    if not form.is_valid():
        return _page(request, site, form)
    monitors.change_schedule(form.save(commit=False), now=timezone.now())
    messages.success(request, "Saved.")
    return redirect("site_monitoring", slug)


@require_safe
@requires(Role.VIEWER)
def check(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """One check with its evidence."""
    rows = Check.objects.select_related("cluster__site", "cluster__record_type", "rule", "run")
    found = get_object_or_404(rows, pk=check_id, cluster__site__slug=slug)
    context = {"site": found.cluster.site, "view": watch_view.show_check(found), "words": outcome_words.WORDS}
    return render(request, "extraction/monitoring/check.html", context)


def _page(request: HttpRequest, site: Site, form: MonitorForm | None = None) -> HttpResponse:
    going = Run.objects.unfinished().filter(site=site, kind=Run.Kind.CHECK).order_by("pk").first()
    monitor = monitors.find_monitor(site)
    context = {
        "site": site,
        "head": sites.summarize_site(site),
        "templates": watch_view.list_templates(site),
        "monitor": monitor,
        "last_checked_at": monitor.last_checked_at or watch_view.find_last_check(site),
        "form": form or MonitorForm(instance=monitor),
        "going": going,
        "words": outcome_words.WORDS,
        "tab": "monitoring",
    }
    return render(request, "extraction/monitoring/site_monitoring.html", context, status=400 if form else 200)
