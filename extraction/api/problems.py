"""Errors of the API, as problem details (RFC 9457)."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from django import forms
from django.http import HttpResponse, JsonResponse
from ninja import Schema

CONTENT_TYPE = "application/problem+json"


class FieldError(Schema):
    """What is wrong with a part of the request. field: its path in the request, such as `body.name`."""

    field: str
    message: str


class Problem(Schema):
    """An error. title: of the status; detail: what happened and what to do; errors: for each part of the request that is wrong."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []


class ProblemError(Exception):
    """A request cannot be done. The message is for the person who wrote the program."""

    def __init__(self, status: int, detail: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.status, self.errors = status, errors


def refuse_form(form: "forms.BaseForm", *, prefix: str = "body") -> ProblemError:
    """Return the error for a form that is not valid."""
    found = [
        FieldError(field=prefix if name == "__all__" else f"{prefix}.{name}", message=str(each))
        for name, many in form.errors.items()
        for each in many
    ]
    return ProblemError(422, " ".join(dict.fromkeys(each.message for each in found)), found)


def write_problem(status: int, detail: str, errors: Sequence[FieldError] = (), headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return the answer for an error."""
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=list(errors))
    answer = JsonResponse(problem.model_dump(exclude_defaults=True), status=status, content_type=CONTENT_TYPE, headers=dict(headers or {}))
    answer.headers.setdefault("Cache-Control", "no-store")
    return answer
