"""The Monitoring tab of a site: the state of its rules, starting a check, and the schedule."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.monitoring import MonitorForm
from extraction.models import Check, Role, Run, Site
from extraction.services.core.runs import JobError
from extraction.services.intake import outcome_words
from extraction.services.monitoring import drifting, monitors
from extraction.services.sites import sites
from extraction.views.core import run_progress
from extraction.views.http import SignedInHttpRequest
from extraction.views.monitoring import watch_view
from extraction.views.policy import requires
from extraction.views.workbench import workbench_url


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
    messages.success(request, gettext("Saved."))
    return redirect("site_monitoring", slug)


@require_POST
@requires(Role.OPERATOR)
def note_silence(request: HttpRequest, slug: str) -> HttpResponse:
    """Says that one knows that the site does not answer. `known=`: empty to be told again. `from=home` leads back to the home page."""
    site, known = get_object_or_404(Site, slug=slug), bool(request.POST.get("known"))
    monitors.note_silence(site, known=known, now=timezone.now())
    messages.success(
        request,
        gettext("%(site)s is left out of the home page until it answers.") % {"site": site.name}
        if known
        else gettext("%(site)s is listed again.") % {"site": site.name},
    )
    return redirect("home") if request.POST.get("from") == "home" else redirect("site_monitoring", slug)


@require_safe
@requires(Role.VIEWER)
def check(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """One check with its evidence."""
    rows = Check.objects.select_related("cluster__site", "cluster__record_type", "rule", "run")
    found = get_object_or_404(rows, pk=check_id, cluster__site__slug=slug)
    waits = found.accepted_at is None and (found.drifting or not found.confirmed)
    context = {"site": found.cluster.site, "view": watch_view.show_check(found), "words": outcome_words.WORDS, "acceptable": waits}
    return render(request, "extraction/monitoring/check.html", context)


@require_POST
@requires(Role.OPERATOR)
def accept_check(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Says that the site is as the check found it."""
    found = get_object_or_404(Check.objects.select_related("cluster__site"), pk=check_id, cluster__site__slug=slug)
    if drifting.accept_check(found, now=timezone.now()):
        messages.success(request, gettext("Later checks of %(cluster)s are compared with this one.") % {"cluster": found.cluster.label})
    else:
        messages.info(request, gettext("This has been accepted already."))
    return redirect("home")


@require_POST
@requires(Role.EDITOR)
def annotate(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Opens the workbench on a page as the check found it. `page=` is its snapshot, `attribute=` the attribute to choose."""
    found = get_object_or_404(Check.objects.select_related("cluster__site"), pk=check_id, cluster__site__slug=slug)
    chosen = watch_view.take_page(found, request.POST.get("page", ""))
    if chosen is None:
        messages.error(request, gettext("This page is no longer kept."))
        return redirect("site_check", slug, check_id)
    asked = request.POST.get("attribute", "")
    attribute = int(asked) if asked.isdecimal() and len(asked) < 19 else None
    return redirect(workbench_url(slug, found.cluster.number, page=chosen.pk, attribute=attribute))


def _page(request: HttpRequest, site: Site, form: MonitorForm | None = None) -> HttpResponse:
    going = Run.objects.unfinished().filter(site=site, kind=Run.Kind.CHECK).order_by("pk").first()
    monitor = monitors.find_monitor(site)
    context = {
        "site": site,
        "head": sites.summarize_site(site),
        "templates": watch_view.list_templates(site),
        "monitor": monitor,
        "silent": watch_view.is_silent(site),
        "last_checked_at": monitor.last_checked_at or watch_view.find_last_check(site),
        "form": form or MonitorForm(instance=monitor),
        "going": run_progress.describe_progress(going) if going else None,
        "words": outcome_words.WORDS,
        "tab": "monitoring",
    }
    return render(request, "extraction/monitoring/site_monitoring.html", context, status=400 if form else 200)
