"""Breakages: the queue, one breakage with its pages side by side, and what people can do about it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.models import Breakage, Role, Run
from extraction.services.monitoring import breakages as life
from extraction.services.rules.rules import StateError
from extraction.services.sites import sources
from extraction.views.core import run_progress
from extraction.views.core.comments import build_comments
from extraction.views.http import HtmxHttpRequest, SignedInHttpRequest
from extraction.views.monitoring import breakage_looks
from extraction.views.monitoring import breakage_view as service
from extraction.views.policy import requires
from extraction.views.schema.shown_attributes import find_attributes
from extraction.views.workbench import workbench_url


@require_safe
@requires(Role.VIEWER)
def breakages(request: SignedInHttpRequest) -> HttpResponse:
    """The open breakages, worst first, and the closed ones under them."""
    rows = service.list_open(request.user)
    preparing = any(service.is_preparing(row.breakage) for row in rows)
    closed, count = service.list_closed(request.user), service.count_open(request.user)
    context = {"rows": rows, "count": count, "closed": closed, "preparing": preparing}
    return render(request, "extraction/monitoring/breakages.html", context)


@require_safe
@requires(Role.VIEWER)
def breakage(request: HtmxHttpRequest, breakage_id: int) -> HttpResponse:
    """One breakage: a page then and now, the places on it, the repair. `page=` is the page's number in the check.

    The page asks every two seconds while the repair is being prepared, and is loaded again once it is there.
    """
    found = _breakage(breakage_id)
    if request.htmx.trigger == "preparing":
        return HttpResponse(status=204) if service.is_preparing(found) else HttpResponse(headers={"HX-Refresh": "true"})
    pages = service.list_pages(found.check_found)
    number = service.choose_page_number(request.GET.get("page", ""), len(pages))
    renewal = service.find_renewal(found) if found.state == Breakage.State.REPAIRED else None
    working, unseen = service.list_unbroken(found)
    context = {
        "breakage": found,
        "working": working,
        "unseen": unseen,
        "site": found.cluster.site,
        "attributes": find_attributes(found.cluster, found.attributes),
        "proof": (proof := service.judge_proposal(found)),
        "ending": service.describe_ending(found, proof),
        "pages": pages,
        "number": number,
        "sides": service.show_page(found, pages[number - 1]) if pages else None,
        "preparing": service.is_preparing(found),
        "renewing": run_progress.describe_progress(renewal) if renewal else None,
        "next": service.find_next(found, request.user) if found.closed_at else None,
        "fetchable": sources.can_fetch(found.cluster.site),
        **build_comments(request, found),
    }
    return render(request, "extraction/monitoring/breakage.html", context)


@require_safe
@requires(Role.VIEWER)
def effect(request: HttpRequest, breakage_id: int) -> HttpResponse:
    """The tables under the pages: what each broken attribute had, has and would have."""
    found = _breakage(breakage_id)
    context = {"breakage": found, "effects": service.show_effects(found), "pages": service.list_pages(found.check_found)}
    return render(request, "extraction/monitoring/_breakage_effect.html", context)


@require_POST
@requires(Role.EDITOR)
def looks(request: SignedInHttpRequest, breakage_id: int) -> HttpResponse:
    """Starts loading the styles and pictures that the page looked at lacks. `page=` is the page's number in the check."""
    found = _breakage(breakage_id)
    run = breakage_looks.load_looks(found, request.POST.get("page", ""), request.user)
    return render(request, "extraction/monitoring/_breakage_looks.html", {"breakage": found, "run": run})


@require_safe
@requires(Role.VIEWER)
def looks_progress(request: HttpRequest, breakage_id: int, run_id: int) -> HttpResponse:
    """The progress of loading."""
    found = _breakage(breakage_id)
    run = get_object_or_404(Run, pk=run_id, kind=Run.Kind.ASSETS, cluster=found.cluster)
    return render(request, "extraction/monitoring/_breakage_looks.html", {"breakage": found, "run": run})


@require_POST
@requires(Role.OPERATOR)
def accept(request: SignedInHttpRequest, breakage_id: int) -> HttpResponse:
    """Publishes the repair; the site is fetched again and its records are renewed. `doubtful=1`: including what is not proven."""
    found = _breakage(breakage_id)
    try:
        rule = life.accept_repair(found, user=request.user, doubtful=bool(request.POST.get("doubtful")))
    except StateError as error:
        messages.error(request, str(error))
        return redirect(found)
    then = (
        gettext("The pages are being fetched again, then their records are extracted.")
        if sources.can_fetch(found.cluster.site)
        else gettext("Add the new pages, then run the rule.")
    )
    messages.success(request, gettext("Version %(version)s is live. %(then)s") % {"version": rule.version, "then": then})
    return redirect(found)


@require_POST
@requires(Role.OPERATOR)
def dismiss(request: SignedInHttpRequest, breakage_id: int) -> HttpResponse:
    """Says that nothing is broken."""
    if life.dismiss_breakage(_breakage(breakage_id), user=request.user):
        messages.success(request, gettext("Dismissed. The rule is live, and the next alarm for this template will need stronger evidence."))
    else:
        messages.info(request, gettext("This breakage is already closed."))
    return redirect("breakages")


@require_POST
@requires(Role.EDITOR)
def annotate(request: HttpRequest, breakage_id: int) -> HttpResponse:
    """Opens the workbench on a page as it is now. `page=` is its snapshot."""
    found = _breakage(breakage_id)
    chosen = service.choose_annotatable(found, request.POST.get("page", ""))
    if chosen is None:
        messages.error(request, gettext("No page of this check answered, so there is none to annotate."))
        return redirect(found)
    return redirect(f"{workbench_url(found.cluster.site.slug, found.cluster.number)}?page={chosen.pk}")


def _breakage(pk: int) -> Breakage:
    related = ("cluster__site", "cluster__record_type", "rule", "proposal", "check_found", "closed_by", "assignee")
    rows = Breakage.objects.select_related(*related)
    return get_object_or_404(rows, pk=pk)
