"""The proposed values of a record type's attributes: show and accept them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from extraction.forms.suggestions import ProposedForm
from extraction.models import Cluster, Role
from extraction.services.suggestions import proposed_values as service
from extraction.services.suggestions import taking_fields
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.suggestions import taking
from extraction.views.templates.clusters import cluster_of
from extraction.views.workbench import workbench_url


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def proposed(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the proposals, which takes seconds if the pages were not read before.

    POST marks the values of the ticked attributes and continues to the workbench.
    """
    cluster = cluster_of(slug, number)
    context = {"site": cluster.site, "cluster": cluster}
    if request.method != "POST":
        return render(request, "extraction/suggestions/_proposed.html", {**context, "proposed": _rows(request, cluster)})
    form = ProposedForm(request.POST)

    def take() -> str:
        pages = service.take_proposals(cluster, form.cleaned_data["key"], form.cleaned_data["attribute"], request.user)
        return taking_fields.describe_fields(len(form.cleaned_data["attribute"]), pages)

    problems = taking.accept_suggestions(request, form, take)
    if not problems:
        return redirect(workbench_url(slug, number))
    return render(
        request, "extraction/suggestions/suggested.html", {**context, "problems": problems, "proposed": _rows(request, cluster)}, status=400
    )


def _rows(request: HttpRequest, cluster: Cluster) -> dict[str, object]:
    """Return the context: the offer, and which proposals are ticked. At first, the confident ones for attributes without marks are."""
    offer = service.propose_attributes(cluster)
    sent = request.POST.getlist("attribute") if request.method == "POST" else None
    rows = [
        (each, (each.confident and not each.marked) if sent is None else str(each.attribute) in sent)
        for each in offer.attributes
        if each.filled
    ]
    missing = [each.name for each in offer.attributes if not each.filled]
    return {"offer": offer, "rows": rows, "missing": missing, "marked": taking_fields.MARKED_PAGES}
