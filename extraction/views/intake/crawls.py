"""Fetch a site: start, watch, pause and resume a crawl, and see the outcomes of its addresses."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.sites import SourceForm
from extraction.models import Role, Run, SearchTerm, Site
from extraction.services.core import runs
from extraction.services.intake import crawl_site, outcome_words
from extraction.services.sites import sites, sources
from extraction.views.core import crawl_view, run_progress, search_view
from extraction.views.core.site_activity import build_activity_context
from extraction.views.http import HtmxHttpRequest, SignedInHttpRequest
from extraction.views.policy import may_control, requires
from extraction.views.sites.sites import render_settings


@require_POST
@requires(Role.EDITOR)
def start_crawl(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Start to fetch the site's pages, for the first time or again."""
    return _start(request, slug, crawl_site.start_crawl)


@require_POST
@requires(Role.EDITOR)
def start_extracting_crawl(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Start a crawl of the whole site that extracts records."""
    return _start(request, slug, crawl_site.start_extracting_crawl)


@require_safe
@requires(Role.VIEWER)
def show_activity(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Show the part of the site's page that says what is being done, with the figures above the tabs.

    The browser requests it again each second until nothing is being done. On the other tabs only the header follows: they may have forms in
    which somebody is writing, so they are never reloaded.
    """
    site = get_object_or_404(Site, slug=slug)
    going = run_progress.find_going(site) or request.htmx.trigger == "site-busy"
    # The results are on the page itself, so reload it.
    headers = {} if going else {"HX-Refresh": "true"}
    context = build_activity_context(request, site) | {"head": sites.summarize_site(site), "later": True}
    return HttpResponse(render_to_string("extraction/sites/_site_now.html", context, request), headers=headers)


@require_POST
@requires(Role.EDITOR)
def edit_source(request: HttpRequest, slug: str) -> HttpResponse:
    """Change where the site's pages are fetched from, and how."""
    site = get_object_or_404(Site, slug=slug)
    form = SourceForm(request.POST, request.FILES, instance=sources.get_source(site))
    if not form.is_valid():
        return render_settings(request, site, source=form)
    sources.save_source(form.save(commit=False))
    messages.success(request, gettext("Saved. The changes apply the next time pages are fetched."))
    return redirect("site_settings", site.slug)


@require_safe
@requires(Role.VIEWER)
def list_addresses(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the addresses of a crawl with one outcome, or those that are waiting; or the pages that an import does not contain."""
    run = get_object_or_404(Run.objects.select_related("site"), pk=run_id, kind__in=(Run.Kind.CRAWL, Run.Kind.IMPORT))
    outcome, query = request.GET.get("outcome", outcome_words.QUEUED), request.GET.get("q", "").strip()
    if outcome not in outcome_words.WORDS:
        raise Http404(f"there is no outcome {outcome!r}")
    rows = crawl_view.list_outcomes(run)
    found = crawl_view.list_addresses(run, outcome, request.GET, query=query)
    context = {"run": run, "site": run.site, "outcome": outcome, "word": outcome_words.WORDS[outcome], "rows": rows, "pages": found}
    return render(request, "extraction/intake/run_addresses.html", context | {"query": query})


@require_safe
@requires(Role.VIEWER)
def list_search_terms(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the terms of the search of a crawl in one state, or all, and what the search said to them."""
    run = get_object_or_404(Run.objects.select_related("site"), pk=run_id, kind=Run.Kind.CRAWL)
    state = request.GET.get("state", "")
    if state and state not in SearchTerm.State.values:
        raise Http404(f"there is no state {state!r}")
    found = search_view.list_terms(run, state, request.GET)
    context = {"run": run, "site": run.site, "state": state, "rows": search_view.list_states(run), "pages": found}
    return render(request, "extraction/intake/run_search_terms.html", context)


@require_POST
@requires(Role.EDITOR)
def pause_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Pause a crawl. Editors may pause their own, operators all."""
    run = _find_controlled(request, run_id)
    if runs.pause_run(run):
        messages.success(request, gettext("Paused. Resume it to continue where it stopped."))
    else:
        messages.info(request, gettext("The run is already paused or has ended."))
    return redirect(_find_origin(request, run))


@require_POST
@requires(Role.EDITOR)
def resume_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Resume a crawl that is paused, failed or was cancelled."""
    run = _find_controlled(request, run_id)
    outcome = runs.resume_run(run)
    if outcome is runs.Resumption.NOT_RESTING:
        messages.info(request, gettext("The run is already running or has ended."))
    elif outcome is runs.Resumption.ANOTHER_UNDER_WAY:
        messages.error(request, gettext("Another crawl of this site is running. Wait until it ends or cancel it, then resume this one."))
    return redirect(_find_origin(request, run))


def _find_controlled(request: HttpRequest, run_id: int) -> Run:
    run = get_object_or_404(Run.objects.select_related("site"), pk=run_id, kind=Run.Kind.CRAWL)
    may_control(request, run, or_refuse=True)
    return run


def _find_origin(request: HttpRequest, run: Run) -> str:
    """Return the page that had the button: the site's or the run's."""
    return run.site.get_absolute_url() if request.POST.get("from") == "site" else run.get_absolute_url()


def _start(request: SignedInHttpRequest, slug: str, begin: Callable[..., Run]) -> HttpResponse:
    site = get_object_or_404(Site, slug=slug)
    try:
        begin(site, request.user)
    except runs.JobError as error:
        messages.error(request, str(error))
        return redirect("site_settings", site.slug)
    return redirect(site)
