"""Documents from and to plain values, by the annotations of their fields. A key that is not known and a value of another type are errors
with their line: a person who makes such a mistake should learn of it."""

import difflib
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from django.utils.translation import gettext, gettext_noop, ngettext

from extraction.services.folders.documents import Document
from extraction.services.folders.errors import FolderError
from extraction.services.folders.yaml_text import Node

D = TypeVar("D", bound=Document)

_REASONS = {
    str: gettext_noop("%(name)s must be a text, not %(found)s"),
    int: gettext_noop("%(name)s must be a whole number, not %(found)s"),
    float: gettext_noop("%(name)s must be a number, not %(found)s"),
    bool: gettext_noop("%(name)s must be true or false, not %(found)s"),
}
_UNQUOTED = gettext_noop("%(name)s must be a text, not %(found)s; put it in quotes")

MAX_INTEGER = 2**31 - 1
"""The largest number that every database stores."""


def write_document(document: Document) -> dict[str, Any]:
    """Return a document as plain values, without fields that have their default."""
    found = {}
    for each in fields(document):
        if each.name == "where":
            continue
        value = getattr(document, each.name)
        default = (
            each.default if each.default is not MISSING else each.default_factory() if each.default_factory is not MISSING else MISSING
        )
        if default is MISSING or value != default:
            found[each.name] = _write(value)
    return found


def read_document(kind: type[D], node: Node, **given: Any) -> D:
    """Return the document that `write_document` wrote. Raises FolderError.

    given: fields that stand elsewhere, such as in the name of the file.
    """
    if not isinstance(node.value, Mapping):
        reason = gettext("%(keys)s are expected here, not %(found)s")
        raise FolderError(reason % {"keys": _list_keys(kind), "found": _describe(node)}, node.where)
    hints = _hints(kind)
    for key, held in node.value.items():
        if key not in hints or key in given:
            raise FolderError(_refuse_key(key, [name for name in hints if name not in given]), held.where)
    found = {name: _read(hints[name], held, name) for name, held in node.value.items()}
    missing = [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
    if lacks := [name for name in missing if name not in found and name not in given]:
        reason = ngettext("%(names)s is missing", "%(names)s are missing", len(lacks))
        raise FolderError(reason % {"names": ", ".join(map(repr, lacks))}, node.where)
    return kind(**found, **given, where=node.where)


def _refuse_key(key: str, known: list[str]) -> str:
    """Return why a key cannot be there."""
    close = difflib.get_close_matches(key, known, 1)
    if close:
        return gettext("%(key)s is not known here; did you mean %(close)s?") % {"key": repr(key), "close": repr(close[0])}
    return gettext("%(key)s is not known here") % {"key": repr(key)}


def _hints(kind: Any) -> dict[str, Any]:
    return _find_hints(kind)


@cache
def _find_hints(kind: Any) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name != "where"}


def _list_keys(kind: type[Document]) -> str:
    return ", ".join(_hints(kind))


def _write(value: Any) -> Any:
    if isinstance(value, Document):
        return write_document(value)
    if isinstance(value, tuple):
        return [_write(each) for each in value]
    return value


def _read(hint: Any, node: Node, name: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        return None if node.value is None else _read(arguments[0], node, name)
    if origin is tuple:
        if not isinstance(node.value, tuple):
            reason = gettext("%(name)s must be a list, not %(found)s")
            raise FolderError(reason % {"name": repr(name), "found": _describe(node)}, node.where)
        return tuple(_read(arguments[0], each, name) for each in node.value)
    if origin is not None:
        if not isinstance(node.value, Mapping):
            reason = gettext("%(name)s must have keys and values, not %(found)s")
            raise FolderError(reason % {"name": repr(name), "found": _describe(node)}, node.where)
        return node.plain()
    if is_dataclass(hint):
        return read_document(cast("type[Document]", hint), node)
    return _read_scalar(hint, node, name)


def _read_scalar(kind: type, node: Node, name: str) -> Any:
    value = node.value
    if kind is float and type(value) is int:
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        reason = _UNQUOTED if kind is str and isinstance(value, int | float) else _REASONS[kind]
        raise FolderError(gettext(reason) % {"name": repr(name), "found": _describe(node)}, node.where)
    if kind is int and not -MAX_INTEGER <= cast("int", value) <= MAX_INTEGER:
        raise FolderError(gettext("%(name)s is too large: %(value)s") % {"name": repr(name), "value": value}, node.where)
    return value


def _describe(node: Node) -> str:
    if isinstance(node.value, tuple):
        return gettext("a list")
    if isinstance(node.value, Mapping):
        return gettext("keys and values")
    return gettext("nothing") if node.value is None else repr(node.plain())[:80]
