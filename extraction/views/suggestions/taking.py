"""Taking what was suggested."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from extraction.services.core.runs import JobError


def problems(request: HttpRequest, form: forms.Form, take: Callable[[], str]) -> list[str]:
    """Takes what a form says, and what stood in the way; nothing when all is taken, which is said on the next page.

    take: marks what is in the form's cleaned data and gives what to say; it may raise JobError.
    """
    if not form.is_valid():
        return [str(message) for errors in form.errors.values() for message in errors]
    try:
        messages.success(request, take())
    except JobError as error:
        return [f"Nothing was used: {error}."]
    return []
