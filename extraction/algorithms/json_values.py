"""Converts frozen dataclasses to and from plain JSON, by their annotations.

These types are supported: str, int, float, bool, enums of text, other such dataclasses, `X | None`, `tuple[X, ...]`, `Mapping[str, X]`, and
classes with their own `from_json` and `as_json`. Unknown keys are ignored and missing ones get the field's default, so that releases can
read each other's JSON. A field whose default is None is left out while it is None; every other field is always written.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Self, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


class JsonShapeError(ValueError):
    """JSON that does not have the expected shape. The message names the key that is wrong."""


class JsonValue:
    """Base of frozen dataclasses that are stored as JSON objects."""

    __slots__ = ()

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Return the value that `as_json` wrote. Raises JsonShapeError for anything else."""
        return read(cls, data, key=cls.__name__)

    def as_json(self) -> dict[str, Any]:
        """Return the value in JSON's own types, with the keys in the order of the fields."""
        return cast("dict[str, Any]", plain(self))


def plain(value: object) -> Any:
    """The value as JSON knows it."""
    if _has_own_form(cast("Any", type(value))):
        return cast("Any", value).as_json()
    if is_dataclass(value) and not isinstance(value, type):
        written = ((each, getattr(value, each.name)) for each in fields(value))
        return {each.name: plain(held) for each, held in written if held is not None or each.default is not None}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value.value if isinstance(value, StrEnum) else value


def read(kind: type[T], data: object, *, key: str) -> T:
    """Return the dataclass that `plain` wrote. Raises JsonShapeError, which names the key."""
    if not isinstance(data, Mapping):
        raise JsonShapeError(f"{key} must be an object, not {data!r:.200}")
    found: dict[str, Any] = {}
    hints = _hints(cast("Any", kind))
    for name, hint in hints.items():
        if name in data:
            found[name] = read_as(hint, data[name], key=name)
    missing = [each.name for each in fields(cast("Any", kind)) if each.name not in found and not _has_default(each)]
    found |= {name: None for name in missing if get_origin(hints[name]) is types.UnionType}
    if missing := [name for name in missing if name not in found]:
        raise JsonShapeError(f"{key} lacks {', '.join(missing)}")
    return kind(**found)


def read_as(hint: Any, value: object, *, key: str) -> Any:
    """Return the value that `plain` wrote, by its annotation. Raises JsonShapeError, which names the key."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        return None if value is None else read_as(arguments[0], value, key=key)
    if origin is tuple:
        return tuple(read_as(arguments[0], each, key=key) for each in _of(list, key, value))
    if origin is not None:
        return {str(name): read_as(arguments[1], each, key=f"{key}.{name}") for name, each in _of(dict, key, value).items()}
    if _has_own_form(hint):
        return _own(hint, key, value)
    if is_dataclass(hint):
        return read(cast("type[object]", hint), value, key=key)
    if issubclass(hint, StrEnum):
        return _enum(hint, key, value)
    return _of(hint, key, value)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


@cache
def _has_own_form(kind: Any) -> bool:
    return hasattr(kind, "as_json") and not issubclass(kind, JsonValue)


def _has_default(each: "Field[Any]") -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _own(kind: Any, key: str, value: object) -> Any:
    try:
        return kind.from_json(value)
    except (ValueError, TypeError, KeyError) as error:
        raise JsonShapeError(f"{key} is no {kind.__name__}: {value!r:.200}") from error


def _enum(kind: type[StrEnum], key: str, value: object) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError:
        raise JsonShapeError(f"{key} is {value!r}, none of {', '.join(kind)}") from None


def _of(kind: type[T], key: str, value: object) -> T:
    """Return the value. A whole number may stand for a fraction, but a boolean never for a number."""
    if kind is float and type(value) is int:
        return cast("T", float(value))
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise JsonShapeError(f"{key} must be {kind.__name__}, not {value!r:.200}")
    return value
