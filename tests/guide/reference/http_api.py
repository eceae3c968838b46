"""The reference of the HTTP API, from the OpenAPI document that the dashboard serves."""

from html import unescape

from extraction.api.documentation import ShownOperation, ShownShape, list_rooms, list_shapes
from tests.guide.reference.markdown import begin_page, code, end_page, write_docstring, write_table

INTRODUCTION = (
    "Every operation of the HTTP API: what it takes, what it gives, and which scope a token needs for it. "
    "[The API](../api.md) explains tokens, lists, errors, ETags and idempotency keys. The dashboard shows the same under `/api/`, and "
    "`/api/v1/openapi.json` is the OpenAPI 3.1 document."
)

SHAPES = "What the types above name. An asterisk stands at the fields that are always there: a body must have them."


def write_page() -> str:
    """Return the text of the page."""
    lines = begin_page("Operations of the HTTP API", introduction=INTRODUCTION)
    for room in list_rooms():
        lines += [f"## {room.title}", ""]
        for operation in room.operations:
            lines += _describe(operation)
    lines += ["## Objects inside bodies and answers", "", SHAPES, ""]
    for shape in list_shapes():
        lines += _describe_shape(shape)
    return end_page(lines)


def _describe(operation: ShownOperation) -> list[str]:
    lines = [f"### {_write_text(operation.summary)}", "", code(f"{operation.method} {operation.path}"), ""]
    if operation.description:
        lines += [_write_text(operation.description), ""]
    lines += [f"Scope `{operation.scope}`, role {operation.role}. Gives: {operation.answer}.", ""]
    takes = []
    for each in operation.takes:
        type_name = each.type if each.required else f"{each.type} (optional)"
        takes.append((code(each.name), each.place, type_name, _write_text(each.description)))
    lines += write_table(["takes", "in", "type", "meaning"], takes)
    answers = [(code(each.name), each.type, _write_text(each.description)) for each in operation.answers]
    return lines + write_table(["gives", "type", "meaning"], answers)


def _describe_shape(shape: ShownShape) -> list[str]:
    rows = [(code(each.name) + ("*" if each.required else ""), each.type) for each in shape.fields]
    about = unescape(shape.description.replace("<code>", "`").replace("</code>", "`"))
    return [f"### {shape.name}", "", *write_docstring(about), *write_table(["field", "type"], rows)]


def _write_text(html: str) -> str:
    """Return a text of the dashboard's page as Markdown. Its only markup is code."""
    return unescape(" ".join(html.replace("<code>", "`").replace("</code>", "`").split()))
