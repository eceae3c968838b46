"""The suggested lists of a template: show, rename and accept them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from extraction.forms.suggestions import SuggestedListForm
from extraction.models import Attribute, Cluster, Role
from extraction.services.suggestions import suggested_lists as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.suggestions import taking
from extraction.views.templates.clusters import cluster_of
from extraction.views.workbench import workbench_url


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def lists(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the lists, which takes seconds if the pages were not read before.

    POST accepts one of them and continues to the workbench.
    """
    cluster = cluster_of(slug, number)
    context = {"site": cluster.site, "cluster": cluster}
    if request.method != "POST":
        return render(request, "extraction/suggestions/_suggested_lists.html", {**context, "lists": _lists(request, cluster)})
    form = SuggestedListForm(request.POST, cluster)

    def take() -> str:
        data = form.cleaned_data
        marked = service.take_list(cluster, data["key"], form.taken_list, request.user, type_name=data["record_type"])
        return _describe_marked(data["list_name"], marked)

    problems = taking.accept_suggestions(request, form, take)
    if not problems:
        return redirect(workbench_url(slug, number))
    return render(
        request, "extraction/suggestions/suggested.html", {**context, "problems": problems, "lists": _lists(request, cluster)}, status=400
    )


def _describe_marked(name: str, marked: service.Marked) -> str:
    if not marked.rows:
        return gettext("The list “%(name)s” exists already. Its marked rows stay as they are.") % {"name": name}
    pages = ngettext("%(pages)s page", "%(pages)s pages", marked.pages) % {"pages": marked.pages}
    return ngettext(
        "%(rows)s row of the list “%(name)s” marked on %(pages)s. Check them, then press Learn.",
        "%(rows)s rows of the list “%(name)s” marked on %(pages)s. Check them, then press Learn.",
        marked.rows,
    ) % {"rows": marked.rows, "name": name, "pages": pages}


def _lists(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the context: the offer, with the values already entered for the list that was sent."""
    offer, sent = service.suggest_lists(cluster), request.POST
    rows = []
    for each in offer.lists:
        if sent.get("list") == str(each.place):
            fields = taking.list_entries(each.fields, sent, taking.read_ticked(sent))
            shown = {"name": sent.get("list_name", each.name), "fields": fields, "every": "every" in sent}
        else:
            ticked = {field.place for field in each.fields} if each.known is None else each.known
            fields = taking.list_entries(each.fields, {}, ticked)
            shown = {"name": each.name, "fields": fields, "every": each.first <= service.WHOLE_ROWS}
        rows.append((each, shown))
    return {"offer": offer, "rows": rows, "types": Attribute.Type.choices, "sent": bool(sent.get("list"))}
