"""The reference of the Python client, from its signatures and docstrings."""

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from types import FunctionType

from tests.guide.reference.markdown import begin_page, code, end_page, write_docstring, write_table
from vertex import client, client_rows

INTRODUCTION = (
    "Every method of `vertex.client.Vertex` and every kind of row that it gives. [The API](../api.md#the-python-client) has an example. "
    "Methods raise `VertexError` when the server refuses a request or cannot be reached."
)


def write_page() -> str:
    """Return the text of the page."""
    lines = begin_page("The Python client", introduction=INTRODUCTION)
    lines += [*_describe_class(client.Vertex), *_describe_methods(client.Vertex)]
    for error in (client.VertexError, client.RunFailed):
        lines += _describe_class(error)
    lines += ["## Rows", "", "Frozen dataclasses. Their fields can be read, not changed.", ""]
    modules = (client_rows, *(sys.modules[each.__module__] for each in _list_bases(client.Vertex)))
    for module in modules:
        for _, row in inspect.getmembers(module, inspect.isclass):
            if row.__module__ == module.__name__ and is_dataclass(row):
                lines += _describe_row(row)
    return end_page(lines)


def _describe_class(kind: type) -> list[str]:
    return [f"## {kind.__name__}", "", *_write_signature(kind.__name__, kind), *_write_docstring(kind)]


def _describe_methods(kind: type) -> list[str]:
    """Describe the methods of a class, and those that it has from the parts of the client."""
    lines = []
    for part in (kind, *_list_bases(kind)):
        for name, method in vars(part).items():
            if isinstance(method, FunctionType) and not name.startswith("_"):
                lines += [f"### {name}", "", *_write_signature(name, method), *_write_docstring(method)]
    return lines


def _list_bases(kind: type) -> list[type]:
    return [each for each in kind.__mro__[1:] if each is not object]


def _write_signature(name: str, called: type | FunctionType) -> list[str]:
    signature = inspect.signature(called)
    kept = [each for each in signature.parameters.values() if each.name != "self"]
    shown = str(signature.replace(parameters=kept))
    shown = re.sub(r"vertex\.client_\w+\.", "", shown)
    for module in ("collections.abc.", "pathlib.", "typing.", "~"):
        shown = shown.replace(module, "")
    return ["```python", name + shown, "```", ""]


def _write_docstring(documented: type | FunctionType) -> list[str]:
    return write_docstring(inspect.getdoc(documented) or "")


def _describe_row(row: type) -> list[str]:
    lines = [f"### {row.__name__}", "", *_write_docstring(row)]
    shown = [(code(each.name), code(str(getattr(each.type, "__name__", each.type)))) for each in fields(row)]
    lines += write_table(["field", "type"], shown)
    methods = [
        (name, found) for name, found in vars(row).items() if isinstance(found, FunctionType | property) and not name.startswith("_")
    ]
    for name, method in methods:
        lines.append(f"- `{name}`: {' '.join((inspect.getdoc(method) or '').split())}")
    return [*lines, ""] if methods else lines
