"""Accept what was suggested."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from extraction.services.core.runs import JobError


def problems(request: HttpRequest, form: forms.Form, take: Callable[[], str]) -> list[str]:
    """Accept what a form contains, and return the problems. If there are none, a message is shown on the next page.

    take: marks what is in the form's cleaned data and returns the message. It may raise JobError.
    """
    if not form.is_valid():
        return [str(message) for errors in form.errors.values() for message in errors]
    try:
        messages.success(request, take())
    except JobError as error:
        return [f"Nothing was used: {error}."]
    return []
