"""Runs: the list of a site, one run with its progress, cancelling."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.models import ProblemCount, Role, Rule, Run, RunRelease, Site
from extraction.services.core import runs as service
from extraction.services.intake import absent_pages, rest
from extraction.services.sites import sites
from extraction.views.core import crawl_view, run_progress, search_view
from extraction.views.core.keyset import read_page
from extraction.views.policy import may_control, requires

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def list_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the site's runs, newest first."""
    site = get_object_or_404(Site, slug=slug)
    found = Run.objects.filter(site=site).select_related("cluster", "created_by")
    shown = read_page(found, request.GET, per_page=PER_PAGE, newest_first=True)
    rows = [run_progress.describe_progress(run) for run in shown]
    problems = ProblemCount.objects.filter(run__in=[run.pk for run in shown]).totals("run")
    for run in shown:
        run.problem_count = problems.get(run.pk, 0)  # type: ignore[attr-defined]
    context = {"site": site, "head": sites.summarize_site(site), "pages": shown, "rows": rows, "tab": "runs"}
    return render(request, "extraction/sites/site_runs.html", context)


@require_safe
@requires(Role.VIEWER)
def show_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show one run: its progress, its rate and what it could not use."""
    return render(request, "extraction/core/run.html", _build_context(request, run_id))


@require_safe
@requires(Role.VIEWER)
def show_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the part of the run's page that changes. The browser requests it again each second until the run has ended."""
    context = _build_context(request, run_id)
    following = context["next_run"]
    # A user who watched the import wants to see the search for templates, so the page continues with that run.
    headers = {"HX-Redirect": following.get_absolute_url()} if isinstance(following, Run) else {}
    return HttpResponse(render_to_string("extraction/core/_run_progress.html", context, request), headers=headers)


@require_POST
@requires(Role.EDITOR)
def cancel_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Cancel a run. Editors may cancel their own, operators all."""
    found = get_object_or_404(Run, pk=run_id)
    may_control(request, found, or_refuse=True)
    if service.cancel_run(found):
        messages.success(request, gettext("Cancelled. Work done before that is kept."))
    else:
        messages.info(request, gettext("The run has already ended."))
    return redirect(found)


@require_POST
@requires(Role.EDITOR)
def acknowledge_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Say that one knows that a run failed. `known=`: empty to list it on the home page again. `from=home` leads back there."""
    found, known = get_object_or_404(Run.objects.select_related("site"), pk=run_id), bool(request.POST.get("known"))
    if not service.acknowledge_failure(found, known=known):
        messages.info(request, gettext("The run has not failed."))
    elif known:
        messages.success(request, gettext("The failed run is left out of the home page."))
    else:
        messages.success(request, gettext("The failed run is listed on the home page again."))
    return redirect("home") if request.POST.get("from") == "home" else redirect(found)


def _build_context(request: HttpRequest, run_id: int) -> dict[str, object]:
    found = get_object_or_404(Run.objects.select_related("site", "cluster__site", "created_by"), pk=run_id)
    problems = run_progress.list_problems(found, request.GET)
    return {
        "site": found.site,
        "run": found,
        "progress": run_progress.describe_progress(found),
        "problems": problems,
        "withheld": found.releases.filter(state__in=(RunRelease.State.HELD, RunRelease.State.REJECTED)).select_related("cluster__site"),
        "may_cancel": not found.finished and may_control(request, found),
        "may_control": may_control(request, found),
        "outcomes": crawl_view.list_outcomes(found, examples=True) if found.kind == Run.Kind.CRAWL else [],
        "search_states": search_view.list_states(found, examples=True) if found.kind == Run.Kind.CRAWL else [],
        **_find_absent(found),
        **_find_rest(found),
        "next_run": run_progress.find_following(found),
        "again": _find_restart(found),
        "upload_again": found.kind == Run.Kind.IMPORT and found.state in (Run.State.FAILED, Run.State.CANCELLED),
        "has_templates": found.site.clusters.exists(),
        "has_pages": found.site.pages.exists(),
    }


def _find_absent(run: Run) -> dict[str, object]:
    """Return the import that a run is or follows, and how many pages of earlier imports it does not contain."""
    after = run.read_parameters().after if run.kind == Run.Kind.CLUSTER else run.pk
    found = Run.objects.filter(pk=after or 0, kind=Run.Kind.IMPORT, state=Run.State.DONE).first()
    return {"import_run": found, "absent": absent_pages.count_absent(found) if found else 0}


def _find_rest(run: Run) -> dict[str, object]:
    """Return how many addresses of the site are left out after a fetch or an extraction, and whether their records can be had at once."""
    shown = run.state == Run.State.DONE and run.kind in (Run.Kind.CRAWL, Run.Kind.EXTRACT)
    left = rest.count_left_out(run.site) if shown else 0
    return {"left_out": left, "extractable": bool(left) and Rule.objects.serving().of_site(run.site).not_ignored().exists()}


def _find_restart(run: Run) -> str:
    """Return the address that starts a failed or cancelled run again.

    Empty for other runs and for imports, which need their file again.
    """
    names = {
        Run.Kind.CRAWL: "run_resume",
        Run.Kind.CLUSTER: "cluster_start",
        Run.Kind.LEARN: "rule_learn",
        Run.Kind.EXTRACT: "extract_start",
    }
    name = names.get(Run.Kind(run.kind))
    if run.state not in (Run.State.FAILED, Run.State.CANCELLED) or name is None:
        return ""
    if name == "run_resume":
        return reverse(name, args=[run.pk])
    if name == "cluster_start":
        return reverse(name, args=[run.site.slug])
    return reverse(name, args=[run.site.slug, run.cluster.number]) if run.cluster else ""
