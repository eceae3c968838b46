"""Frozen dataclasses to and from plain JSON, by their annotations.

Understood: str, int, float, bool, enums of text, other such dataclasses, `X | None`, `tuple[X, ...]`, `Mapping[str, X]`.
Unknown keys are ignored and missing ones take the field's default, so that two releases understand each other.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


class MessageError(ValueError):
    """A value that is no message; says which key is wrong."""


def plain(value: object) -> Any:
    """The value as JSON knows it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _hints(type(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value.value if isinstance(value, StrEnum) else value


def read(kind: type[T], data: object, *, key: str = "message") -> T:
    """The dataclass that `plain` wrote. Raises MessageError, naming the key."""
    if not isinstance(data, Mapping):
        raise MessageError(f"{key} must be an object, not {data!r:.200}")
    found: dict[str, Any] = {}
    for name, hint in _hints(cast("Any", kind)).items():
        if name in data:
            found[name] = _value(hint, name, data[name])
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]  # type: ignore[arg-type]
    if missing := [name for name in needed if name not in found]:
        raise MessageError(f"{key} lacks {', '.join(missing)}")
    return kind(**found)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _value(hint: Any, key: str, value: object) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        return None if value is None else _value(arguments[0], key, value)
    if origin is tuple:
        return tuple(_value(arguments[0], key, each) for each in _of(list, key, value))
    if origin is not None:
        return {str(name): _value(arguments[1], f"{key}.{name}", each) for name, each in _of(dict, key, value).items()}
    if is_dataclass(hint):
        return read(cast("type[object]", hint), value, key=key)
    if issubclass(hint, StrEnum):
        return _enum(hint, key, value)
    return _of(hint, key, value)


def _enum(kind: type[StrEnum], key: str, value: object) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError:
        raise MessageError(f"{key} is {value!r}, none of {', '.join(kind)}") from None


def _of(kind: type[T], key: str, value: object) -> T:
    """The value; whole numbers are taken where fractions are meant, truth values never for numbers."""
    if kind is float and type(value) is int:
        return cast("T", float(value))
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise MessageError(f"{key} must be {kind.__name__}, not {value!r:.200}")
    return value
