"""RoadRunner's results for a template's sample pages.

Screens show the wrapper and its data, take columns from it, and show which methods agree with suggested fields.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from extraction.forms.suggestions import SuggestedForm
from extraction.models import Attribute, Cluster, Role
from extraction.services.core.runs import JobError
from extraction.services.lab import wrappers
from extraction.services.suggestions import second_opinions, taking_fields
from extraction.views.http import SignedInHttpRequest
from extraction.views.lab import wrapper_view
from extraction.views.policy import requires
from extraction.views.suggestions import taking
from extraction.views.templates.clusters import cluster_of
from extraction.views.workbench import workbench_url


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def wrapper(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the page, whose content loads afterwards. POST takes the ticked columns and continues to the workbench."""
    cluster = cluster_of(slug, number)
    if request.method != "POST":
        return render(request, "extraction/lab/wrapper.html", {"site": cluster.site, "cluster": cluster})
    form = SuggestedForm(request.POST, cluster)

    def take() -> str:
        data = form.cleaned_data
        pages = wrappers.take_columns(cluster, data["key"], form.taken, request.user, type_name=data["record_type"])
        return taking_fields.describe_fields(len(form.taken), pages)

    problems = taking.problems(request, form, take)
    if not problems:
        return redirect(workbench_url(slug, number))
    context = {"site": cluster.site, "cluster": cluster, "problems": problems, **_look(request, cluster)}
    return render(request, "extraction/lab/wrapper.html", context, status=400)


@require_safe
@requires(Role.EDITOR)
def look(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the content of the page. This takes seconds if the pages were not aligned before."""
    cluster = cluster_of(slug, number)
    return render(request, "extraction/lab/_wrapper.html", {"site": cluster.site, "cluster": cluster, **_look(request, cluster)})


@require_safe
@requires(Role.EDITOR)
def opinions(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show which methods agree with which suggested field, in a table that is already on the page."""
    cluster = cluster_of(slug, number)
    key, agreed = second_opinions.find_opinions(cluster)
    context = {"cluster": cluster, "site": cluster.site, "agreed": list(enumerate(agreed)) if key == request.GET.get("key") else []}
    context["count"] = sum(map(bool, agreed))
    return render(request, "extraction/suggestions/_opinions.html", context)


def _look(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the context of the page: the wrapper with the values already entered, or why there is no wrapper."""
    try:
        seen = wrappers.infer_wrapper(cluster)
    except JobError as error:
        return {"gave_up": f"{error}"}
    sent = request.POST
    ticked = {int(place) for place in sent.getlist("take") if place.isdecimal() and len(place) < 4}
    columns = [
        (each, sent.get(f"name-{each.place}", each.name), sent.get(f"type-{each.place}", each.type), each.place in ticked)
        for each in wrappers.find_columns(cluster, seen)
    ]
    unread = [(seen.snapshots[page], reason) for page, reason in seen.found.unread.items()]
    shown = {"types": Attribute.Type.choices, "type_name": sent.get("record_type", ""), "marked": taking_fields.MARKED_PAGES}
    data = wrapper_view.build_grid(seen)
    read = [page for page in range(len(seen.snapshots)) if page not in seen.found.unread]
    lines = [(letter, [data.rows[page][at] for page in read]) for at, letter in enumerate(data.heads)]
    pages = [seen.snapshots[page] for page in read]
    return {
        "look": seen,
        "columns": columns,
        "unread": unread,
        "pages": pages,
        "data": lines,
        "tables": wrappers.build_tables(seen),
        **shown,
    }
