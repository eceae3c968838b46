"""The description of the API: as OpenAPI for programs, and as a page for people. The page needs no script and nothing from elsewhere."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from extraction.api.application import api
from extraction.models import Role
from extraction.views.policy import requires


@dataclass(frozen=True, slots=True)
class ShownField:
    """A parameter, or a field of a body or an answer. place: path, query, header or body."""

    name: str
    place: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class ShownOperation:
    """An operation in the words of the page. answers: the fields of its answer; answer: what it is as a whole."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    role: str
    takes: tuple[ShownField, ...]
    answer: str
    answers: tuple[ShownField, ...]


@dataclass(frozen=True, slots=True)
class ShownRoom:
    """The operations under one title."""

    title: str
    operations: list[ShownOperation] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownShape:
    """An object that stands inside bodies or answers: its name as types give it, what it means, and its fields."""

    name: str
    description: SafeString
    fields: tuple[ShownField, ...]


@login_not_required
@require_safe
def serve_openapi(_: HttpRequest) -> HttpResponse:
    """Send the OpenAPI document. It says nothing about this installation, so programs need no token for it."""
    return JsonResponse(api.get_openapi_schema(), json_dumps_params={"indent": 1})


@require_safe
@requires(Role.VIEWER)
def show_reference(request: HttpRequest) -> HttpResponse:
    """Show all operations with what they take and give."""
    context = {
        "rooms": list_rooms(),
        "shapes": list_shapes(),
        "root": settings.VERTEX_PUBLIC_URL,
        "openapi": reverse("api_openapi"),
        "per_minute": settings.VERTEX_API_REQUESTS_PER_MINUTE,
    }
    return render(request, "extraction/core/api_reference.html", context)


@cache
def list_rooms() -> tuple[ShownRoom, ...]:
    """Return all operations by room, in the order of the OpenAPI document."""
    document = api.get_openapi_schema()
    schemas = document["components"]["schemas"]
    rooms: dict[str, ShownRoom] = {}
    for path, methods in document["paths"].items():
        for method, each in methods.items():
            title = each["tags"][0]
            rooms.setdefault(title, ShownRoom(title)).operations.append(_show_operation(path, method, each, schemas))
    return tuple(rooms.values())


@cache
def list_shapes() -> tuple[ShownShape, ...]:
    """Return the objects that the types of fields name, by their names. Their own fields are in no table of an operation."""
    document = api.get_openapi_schema()
    schemas = document["components"]["schemas"]
    waiting = [each for methods in document["paths"].values() for said in methods.values() for each in _list_properties(said, schemas)]
    found: dict[str, ShownShape] = {}
    while waiting:
        for reference in _list_references(waiting.pop()):
            shape = schemas[reference]
            name = _name_type({"$ref": reference})
            if name not in found:
                found[name] = ShownShape(name, _mark_code(shape.get("description", "")), tuple(_list_fields(shape, schemas, "")))
                waiting += shape.get("properties", {}).values()
    return tuple(found[name] for name in sorted(found))


def _list_properties(operation: Any, schemas: Any) -> list[Any]:
    """Return the schemas of the fields that an operation's tables show."""
    answers: Any = (answer for status, answer in operation["responses"].items() if str(status).startswith("2"))
    found = []
    for each in (operation.get("requestBody", {}), *answers):
        for content in each.get("content", {}).values():
            found += _find_object(content.get("schema", {}), schemas).get("properties", {}).values()
    return found


def _list_references(schema: Any) -> list[str]:
    """Return the names of the schemas that a field's type consists of."""
    if "$ref" in schema:
        return [schema["$ref"].rpartition("/")[2]]
    parts = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]
    return [name for part in parts for name in _list_references(part)]


def _show_operation(path: str, method: str, said: Any, schemas: Any) -> ShownOperation:
    takes = [
        ShownField(
            each["name"],
            each["in"],
            _name_type(each["schema"]),
            each.get("required", False),
            _mark_code(each["schema"].get("description", "")),
        )
        for each in said.get("parameters", ())
    ]
    for content in said.get("requestBody", {}).get("content", {}).values():
        takes += _list_fields(content["schema"], schemas, "body")
    good: Any = next((answer for status, answer in said["responses"].items() if str(status).startswith("2")), {})
    schema = good.get("content", {}).get("application/json", {}).get("schema", {})
    answer = _name_type(schema) if schema else ("a file" if good.get("content") else "nothing")
    return ShownOperation(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        summary=_mark_code(said.get("summary", "")),
        description=_mark_code(said.get("description", "")),
        scope=said["x-scope"],
        role=said["x-role"],
        takes=tuple(takes),
        answer=answer,
        answers=tuple(_list_fields(schema, schemas, "answer")),
    )


def _list_fields(schema: Any, schemas: Any, place: str) -> list[ShownField]:
    """Return the fields of an object, or of the items of a list or of a page of a list."""
    found = _find_object(schema, schemas)
    needed = found.get("required", ())
    return [
        ShownField(name, place, _name_type(each), name in needed, _mark_code(each.get("description", "")))
        for name, each in found.get("properties", {}).items()
    ]


def _find_object(schema: Any, schemas: Any) -> Any:
    """Return the schema of an object; of a list or of a page of a list, that of its items."""
    found = _resolve(schema, schemas)
    if found.get("type") == "array":
        return _find_object(found["items"], schemas)
    properties = found.get("properties", {})
    return _find_object(properties["items"], schemas) if set(properties) == {"items", "next"} else found


def _resolve(schema: Any, schemas: Any) -> Any:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _mark_code(text: str) -> SafeString:
    """Return a text as HTML. What stands between backticks is code."""
    parts = text.split("`")
    return format_html_join("", "{}", ((format_html("<code>{}</code>", part) if place % 2 else part,) for place, part in enumerate(parts)))


def _name_type(schema: Any) -> str:
    """Return a type in words: "text or null", "list of numbers"."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2]).strip("_").replace("Paged_", "page of ").removesuffix("Out")
    if "anyOf" in schema:
        return " or ".join(_name_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(each) for each in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_name_type(schema.get('items', {}))}"
    words = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object", "null": "null"}
    formats = {"date-time": "time", "binary": "file"}
    return formats.get(schema.get("format", ""), words.get(kind, str(kind)))
