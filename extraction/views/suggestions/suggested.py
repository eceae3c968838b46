"""The suggested fields of a template: show, rename and accept them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from extraction.models import Attribute, Cluster, Role
from extraction.services.suggestions import suggested_fields as service
from extraction.services.suggestions import taking_fields
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.suggestions import taking
from extraction.views.templates.clusters import cluster_of

TICKED = 8
"""The number of fields ticked at first."""


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def suggested(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the page, whose table loads afterwards. POST accepts the ticked fields and continues to the workbench."""
    cluster = cluster_of(slug, number)
    template = "extraction/suggestions/suggested.html"
    return taking.show_or_take_columns(
        request, cluster, template=template, take=service.take_fields, build=lambda: _build_table(request, cluster)
    )


@require_safe
@requires(Role.EDITOR)
def table(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the table alone. This takes seconds if the pages were not read before."""
    cluster = cluster_of(slug, number)
    return render(
        request, "extraction/suggestions/_suggested.html", {"site": cluster.site, "cluster": cluster, **_build_table(request, cluster)}
    )


def _build_table(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the context of the table: the offer with the values already entered.

    Columns of lists are separate, by the name of their list, and so are fields that are nearly the same everywhere and further fields of
    the same rows. They are folded until something entered was refused, which may be in any of them.
    """
    offer = service.suggest_fields(cluster)
    sent = request.POST
    rows = taking.list_entries(offer.fields, sent, taking.read_ticked(sent) if sent else _tick_best(offer))
    own = [row for row in rows if not row[0].list and not row[0].folded and not row[0].further]
    further = [row for row in rows if not row[0].list and row[0].further]
    same = [row for row in rows if not row[0].list and row[0].folded]
    listed = {name: [row for row in rows if row[0].list == name] for name in dict.fromkeys(row[0].list for row in rows) if name}
    shown = {"types": Attribute.Type.choices, "marked": taking_fields.MARKED_PAGES, "more": taking_fields.MORE_PAGES, "refused": bool(sent)}
    return {"offer": offer, "rows": rows, "own": own, "further": further, "same": same, "listed": listed, **shown}


def _tick_best(offer: service.FieldOffer) -> set[int]:
    """Return the fields ticked at first: the best ones that are shown unfolded."""
    return {each.place for each in [each for each in offer.fields if not (each.folded or each.further or each.list)][:TICKED]}
