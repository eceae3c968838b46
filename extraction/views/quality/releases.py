"""The quality of a template's records: the verdict on each run, the records that fail, and the decision about a held run."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.quality import DecisionForm
from extraction.models import QualityRule, Role, RuleFailure, RunRelease
from extraction.services.quality import releases as service
from extraction.views.core.keyset import read_page
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.quality import release_view, rule_view
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 50


@require_safe
@requires(Role.VIEWER)
def show_quality(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the rules of a template, what its newest run was found to be, and the verdicts on earlier runs."""
    cluster = cluster_of(slug, number)
    releases = RunRelease.objects.settled().filter(cluster=cluster).select_related("cluster__site", "run")
    pages = read_page(releases, request.GET, per_page=PER_PAGE, newest_first=True)
    newest = releases.first()
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "newest": release_view.describe_release(newest) if newest else None,
        "released": service.find_released(cluster),
        "pages": pages,
        "rows": rule_view.list_template_rules(cluster),
        "options": rule_view.list_options(cluster.record_type) if cluster.record_type else [],
        "kinds": QualityRule.Kind,
    }
    return render(request, "extraction/quality/quality.html", context)


@require_safe
@requires(Role.VIEWER)
def show_release(request: HttpRequest, slug: str, number: int, release_id: int) -> HttpResponse:
    """Show the verdict on one run. `result=` chooses the rule whose failing records are listed."""
    release = _find_release(slug, number, release_id)
    view = release_view.describe_release(release)
    chosen = view.choose_result(request.GET.get("result", ""))
    failures = RuleFailure.objects.filter(result=chosen.result.pk if chosen else None).select_related("record__cluster__site", "page")
    pages = read_page(failures, request.GET, per_page=PER_PAGE)
    context = {
        "site": release.cluster.site,
        "cluster": release.cluster,
        "view": view,
        "release": release,
        "released": service.find_released(release.cluster),
        "chosen": chosen,
        "pages": pages,
        "failures": [release_view.describe_failure(release, chosen.result, each) for each in pages] if chosen else [],
    }
    return render(request, "extraction/quality/release.html", context)


@require_POST
@requires(Role.OPERATOR)
def decide(request: SignedInHttpRequest, slug: str, number: int, release_id: int) -> HttpResponse:
    """Release or reject a held run. If somebody else was faster, nothing changes and the person is told."""
    release = _find_release(slug, number, release_id)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect(release)
    act = service.release_run if form.cleaned_data["decision"] == "release" else service.reject_run
    decided = act(release, request.user, form.cleaned_data["note"])
    if decided.taken:
        words = (
            gettext("Run %(run_id)s is released. It is delivered from now on.")
            if decided.release.state == RunRelease.State.RELEASED
            else gettext("Run %(run_id)s is rejected.")
        )
        messages.success(request, words % {"run_id": release.run_id})
    else:
        messages.error(request, describe_lost(decided.release))
    return redirect(release)


def describe_lost(release: RunRelease) -> str:
    """Return why a decision does not count: somebody has decided before."""
    values = {"who": release.decided_name or "Vertex", "state": release.get_state_display().lower()}
    if not release.decided_at:
        return gettext("Your decision does not count: %(who)s has already decided, and the run is %(state)s.") % values
    values["at"] = f"{timezone.localtime(release.decided_at):%H:%M}"
    return gettext("Your decision does not count: %(who)s has already decided at %(at)s, and the run is %(state)s.") % values


def _find_release(slug: str, number: int, release_id: int) -> RunRelease:
    rows = RunRelease.objects.settled().select_related("cluster__site", "cluster__record_type", "run", "base", "decided_by")
    return get_object_or_404(rows, pk=release_id, cluster=cluster_of(slug, number))
