"""The API: all rooms together, how errors become problem details, and its description as OpenAPI 3.1."""

from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.exceptions import ValidationError as FormError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.json_texts import parse_json
from extraction.api import (
    alerts,
    audit_log,
    core,
    corrections,
    deliveries,
    folders,
    intake,
    joins,
    lab,
    labels,
    monitoring,
    placing,
    quality,
    records,
    refresh,
    releases,
    rules,
    schema,
    sign_in,
    sites,
    teams,
    templates,
)
from extraction.api.problems import CONTENT_TYPE, FieldError, Problem, ProblemError, write_problem
from extraction.services.core.runs import JobError
from extraction.services.labels.labelling import LabelError
from extraction.services.rules.doubts import Doubtful
from extraction.services.rules.rules import StateError
from extraction.services.schema.record_types import InUse
from extraction.services.sites.sites import PageInUse, SiteInUse

DESCRIPTION = """
Everything that the dashboard does from a site's address to its records, for programs. Make a token in the dashboard, under “Your tokens”,
and send it in the header `Authorization: Bearer …`. Errors are problem details (RFC 9457). docs/api.md says more.
""".strip()

ROOMS = (
    sites,
    sign_in,
    intake,
    core,
    templates,
    placing,
    schema,
    labels,
    rules,
    records,
    corrections,
    quality,
    releases,
    joins,
    deliveries,
    refresh,
    monitoring,
    alerts,
    lab,
    folders,
    teams,
    audit_log,
)


class _Encoder(NinjaJSONEncoder):
    """Writes times with their microseconds: a program that asks for what came after a time must not get that again."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


class _Parser(Parser):
    def parse_body(self, request: HttpRequest) -> Any:
        return parse_json(request.body)


class _Renderer(JSONRenderer):
    encoder_class = _Encoder


class VertexApi(NinjaAPI):
    """The API with the parts of its description that Ninja does not write."""

    def get_openapi_schema(self, **kwargs: Any) -> Any:
        """Return the OpenAPI document: errors are described once, and files are files."""
        found = super().get_openapi_schema(**kwargs)
        found["components"]["schemas"]["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        found["components"]["schemas"]["Problem"].pop("$defs", None)
        found["components"]["schemas"]["FieldError"] = FieldError.model_json_schema()
        error = {"description": "Problem details", "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
        for operations in found["paths"].values():
            for operation in operations.values():
                operation["responses"]["default"] = error
                if operation["description"] == f"{operation['summary']}.":  # Ninja takes the docstring where there is nothing more to say
                    del operation["description"]
                if operation.pop("x-file", False):
                    operation["responses"][200]["content"] = {"*/*": {}}
        return found


api = VertexApi(
    title="Vertex",
    version="1.0.0",
    description=DESCRIPTION,
    docs_url=None,
    openapi_url=None,
    urls_namespace="api-v1",
    renderer=_Renderer(),
    parser=_Parser(),
)
for room in ROOMS:
    api.add_router("", room.operations.router)


PATH_SHOWN = 200
"""How many characters of an address an error repeats."""


@api.exception_handler(ProblemError)
def _refuse(_: HttpRequest, error: ProblemError) -> HttpResponse:
    return write_problem(error.status, str(error), error.errors)


@api.exception_handler(ValidationError)
def _refuse_invalid(_: HttpRequest, error: ValidationError) -> HttpResponse:
    # Pydantic's errors repeat what was sent, which may be long or secret. Only the place and the reason are said.
    found = [FieldError(field=".".join(str(part) for part in each["loc"]), message=str(each["msg"])) for each in error.errors]
    return write_problem(422, "The request is not valid. “errors” says which parts of it.", found)


@api.exception_handler(HttpError)
def _refuse_request(_: HttpRequest, error: HttpError) -> HttpResponse:
    return write_problem(error.status_code, str(error))


@api.exception_handler(PermissionDenied)
def _forbid(_: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return write_problem(403, str(error) or "This is not permitted.")


@api.exception_handler(Http404)
def _miss(request: HttpRequest, _error: Http404) -> HttpResponse:
    return write_problem(404, f"There is nothing at {request.path[:PATH_SHOWN]}, or this token may not be used for it.")


@api.exception_handler(RequestDataTooBig)
def _refuse_large(_: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return write_problem(413, str(error))


def _conflict(_: HttpRequest, error: Any) -> HttpResponse:
    return write_problem(409, _sentence(str(error)))


def _refuse_value(_: HttpRequest, error: Any) -> HttpResponse:
    text = " ".join(error.messages) if isinstance(error, FormError) else str(error)
    return write_problem(422, _sentence(text))


CONFLICTS: tuple[type[Exception], ...] = (JobError, StateError, InUse, PageInUse, SiteInUse)
WRONG: tuple[type[Exception], ...] = (LabelError, RuleError, XPathError, PageError, FormError)

for kind in CONFLICTS:
    api.add_exception_handler(kind, _conflict)
for kind in WRONG:
    api.add_exception_handler(kind, _refuse_value)


@api.exception_handler(Doubtful)
def _ask(_: HttpRequest, error: Doubtful) -> HttpResponse:
    return write_problem(409, f"{_sentence(str(error))} Look at them, or publish with “despite_doubts”.")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
