"""Show suggested fields and accept those that an editor ticked."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from extraction.forms.suggestions import SuggestedForm
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.suggestions import taking_fields
from extraction.views.http import SignedInHttpRequest
from extraction.views.workbench import workbench_url


def show_or_take_columns(
    request: SignedInHttpRequest, cluster: Cluster, *, template: str, take: Callable[..., int], build: Callable[[], dict[str, Any]]
) -> HttpResponse:
    """Show a screen whose content loads afterwards. POST accepts the ticked columns and continues to the workbench.

    template: the path of the screen's template.
    take: makes attributes of the ticked columns and returns the number of pages that it marked.
    build: returns the context of the screen's content, for a POST that was refused.
    """
    context = {"site": cluster.site, "cluster": cluster}
    if request.method != "POST":
        return render(request, template, context)
    form = SuggestedForm(request.POST, cluster)

    def take_and_describe() -> str:
        data = form.cleaned_data
        pages = take(cluster, data["key"], form.taken, request.user, type_name=data["record_type"])
        return taking_fields.describe_fields(len(form.taken), pages)

    problems = accept_suggestions(request, form, take_and_describe)
    if not problems:
        return redirect(workbench_url(cluster.site.slug, cluster.number))
    return render(request, template, {**context, "problems": problems, **build()}, status=400)


def accept_suggestions(request: HttpRequest, form: forms.Form, take: Callable[[], str]) -> list[str]:
    """Accept what a form contains, and return the problems. If there are none, a message is shown on the next page.

    take: marks what is in the form's cleaned data and returns the message. It may raise JobError.
    """
    if not form.is_valid():
        return [str(message) for errors in form.errors.values() for message in errors]
    try:
        messages.success(request, take())
    except JobError as error:
        return [gettext("Nothing was used: %(error)s.") % {"error": error}]
    return []


def read_ticked(sent: QueryDict) -> set[int]:
    """Return the numbers of the columns that were ticked."""
    return {int(place) for place in sent.getlist("take") if place.isdecimal() and len(place) < 4}


def list_entries(fields: Iterable[Any], sent: QueryDict | dict[str, str], ticked: Collection[int]) -> list[tuple[Any, str, str, bool]]:
    """Return (field, name, type, ticked) for each suggested field, with what was already entered instead of the suggestion."""
    return [
        (field, str(sent.get(f"name-{field.place}", field.name)), str(sent.get(f"type-{field.place}", field.type)), field.place in ticked)
        for field in fields
    ]
