"""RoadRunner's results for a template's sample pages.

Screens show the wrapper and its data, take columns from it, and show which methods agree with suggested fields.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from extraction.models import Attribute, Cluster, Role
from extraction.services.core.runs import JobError
from extraction.services.lab import wrappers
from extraction.services.suggestions import second_opinions, taking_fields
from extraction.views.http import SignedInHttpRequest
from extraction.views.lab import wrapper_view
from extraction.views.policy import requires
from extraction.views.suggestions import taking
from extraction.views.templates.clusters import cluster_of


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def show_wrapper(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the page, whose content loads afterwards. POST takes the ticked columns and continues to the workbench."""
    cluster = cluster_of(slug, number)
    template = "extraction/lab/wrapper.html"
    return taking.show_or_take_columns(
        request, cluster, template=template, take=wrappers.take_columns, build=lambda: _build_content(request, cluster)
    )


@require_safe
@requires(Role.EDITOR)
def show_wrapper_content(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the content of the page. This takes seconds if the pages were not aligned before."""
    cluster = cluster_of(slug, number)
    return render(request, "extraction/lab/_wrapper.html", {"site": cluster.site, "cluster": cluster, **_build_content(request, cluster)})


@require_safe
@requires(Role.EDITOR)
def show_opinions(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show which methods agree with which suggested field, in a table that is already on the page."""
    cluster = cluster_of(slug, number)
    key, agreed = second_opinions.find_opinions(cluster)
    context = {"cluster": cluster, "site": cluster.site, "agreed": list(enumerate(agreed)) if key == request.GET.get("key") else []}
    context["count"] = sum(map(bool, agreed))
    return render(request, "extraction/suggestions/_opinions.html", context)


def _build_content(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the context of the page: the wrapper with the values already entered, or why there is no wrapper."""
    try:
        seen = wrappers.infer_wrapper(cluster)
    except JobError as error:
        return {"gave_up": f"{error}"}
    sent = request.POST
    grid = wrapper_view.build_grid(seen)
    read = [page for page in range(len(seen.snapshots)) if page not in seen.found.unread]
    return {
        "look": seen,
        "columns": taking.list_entries(wrappers.find_columns(cluster, seen), sent, taking.read_ticked(sent)),
        "unread": [(seen.snapshots[page], reason) for page, reason in seen.found.unread.items()],
        "pages": [seen.snapshots[page] for page in read],
        "data": [(letter, [grid.rows[page][column] for page in read]) for column, letter in enumerate(grid.heads)],
        "tables": wrappers.build_tables(seen),
        "types": Attribute.Type.choices,
        "type_name": sent.get("record_type", ""),
        "marked": taking_fields.MARKED_PAGES,
    }
