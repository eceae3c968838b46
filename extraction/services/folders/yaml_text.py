"""YAML as it is written to and read from the files of a site.

Writing is our own, because files that are compared by people and by git must not change with the version of a library. What it writes is
read alike by readers of YAML 1.1 and 1.2.

Reading uses the events of PyYAML and not its objects. So each value keeps its line, and nothing is built that the files do not need:
anchors, aliases and tags are refused, and so are keys that stand twice.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext

from extraction.services.core.percent import write_number
from extraction.services.folders.errors import FolderError, Where

MAX_BYTES = 32 * 1024**2
"""The largest file. The marks on a page take about a kilobyte."""

MAX_DEPTH = 40
MAX_VALUES = 3_000_000

INLINE = frozenset({"at"})
"""Keys whose value is a small mapping on one line."""

_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_NOT_PLAIN = re.compile("[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_WORDS = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_INTEGER = re.compile(r"[-+]?[0-9]{1,19}")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NUMBER_LIKE = re.compile(r"[-+.]*[0-9][0-9_.,:eExXoOa-fA-F+-]*|[-+]?\.(?:inf|nan)", re.IGNORECASE)
_LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a file: a scalar, a tuple of nodes or {key: node}."""

    where: Where
    value: "str | int | float | bool | tuple[Node, ...] | Mapping[str, Node] | None"
    key_where: Where | None = None

    def plain(self) -> Any:
        """Return the value as JSON has it."""
        if isinstance(self.value, tuple):
            return [each.plain() for each in self.value]
        if isinstance(self.value, Mapping):
            return {key: each.plain() for key, each in self.value.items()}
        return self.value


def write_yaml(value: Mapping[str, Any]) -> str:
    """Return a mapping as YAML. Keys keep their order. Raises ValueError for what YAML cannot hold."""
    return "".join(_write_mapping(value, 0)) or "{}\n"


def read_yaml(content: bytes, file: str) -> Node:
    """Return what a file holds. Raises FolderError with its line."""
    if len(content) > MAX_BYTES:
        reason = gettext("it has %(size)s bytes; at most %(most)s are read")
        raise FolderError(reason % {"size": write_number(len(content)), "most": write_number(MAX_BYTES)}, Where(file))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FolderError(gettext("it is not in UTF-8"), Where(file, content[: error.start].count(b"\n") + 1)) from error
    try:
        return _Reader(text, file).read()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise FolderError(gettext("it is not YAML: %(error)s") % {"error": error.problem or error.context}, Where(file, line)) from error
    except yaml.YAMLError as error:
        raise FolderError(gettext("it is not YAML: %(error)s") % {"error": str(error)[:200]}, Where(file)) from error


def _write_mapping(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    for key, held in value.items():
        yield f"{' ' * indent}{_write_text(str(key))}:"
        if key in INLINE and isinstance(held, Mapping):
            inside = ", ".join(f"{name}: {_write_inside(each)}" for name, each in held.items())
            yield f" {{{inside}}}\n"
        else:
            yield from _write_held(held, indent)


def _write_held(held: Any, indent: int) -> Iterator[str]:
    """Yield a value behind its key."""
    if isinstance(held, Mapping):
        yield "\n" if held else " {}\n"
        yield from _write_mapping(held, indent + 2)
    elif isinstance(held, list | tuple):
        if not held:
            yield " []\n"
        elif _is_short(held):
            yield f" [{', '.join(_write_scalar(each) for each in held)}]\n"
        else:
            yield "\n"
            yield from _write_list(held, indent + 2)
    else:
        yield f" {_write_scalar(held)}\n"


def _write_list(values: Any, indent: int) -> Iterator[str]:
    for each in values:
        if isinstance(each, Mapping) and each:
            lines = "".join(_write_mapping(each, indent + 2))
            yield f"{' ' * indent}- {lines[indent + 2 :]}"
        elif isinstance(each, list | tuple) and each and not _is_short(each):
            lines = "".join(_write_list(each, indent + 2))
            yield f"{' ' * indent}- {lines[indent + 2 :]}"
        else:
            yield f"{' ' * indent}-{''.join(_write_held(each, indent))}"


def _is_short(values: Any) -> bool:
    """Return whether a list fits into one line: numbers and simple words only."""
    words = [
        str(each) for each in values if isinstance(each, int) or (isinstance(each, str) and _SIMPLE.fullmatch(each) and _is_plain(each))
    ]
    return len(words) == len(values) and sum(map(len, words)) + 2 * len(words) <= 80


def _write_scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _write_float(value)
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, Mapping) and not value:
        return "{}"
    if isinstance(value, list | tuple) and not value:
        return "[]"
    raise ValueError(f"{type(value).__name__} cannot be written as YAML")


def _write_inside(value: Any) -> str:
    """Return a scalar for a place between brackets."""
    return _quote(value) if isinstance(value, str) and not (_SIMPLE.fullmatch(value) and _is_plain(value)) else _write_scalar(value)


def _write_float(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as YAML")
    text = repr(value)
    # Readers of YAML 1.1 take 1e-07 for a text.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _write_text(text: str) -> str:
    return text if _is_plain(text) else _quote(text)


def _quote(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _is_plain(text: str) -> bool:
    """Return whether a text outside of brackets needs no quotes for any reader. XPaths are to be readable, so a slash may begin it."""
    if not text or not (text[0].isalpha() or text.startswith(("/", "./", "../", "("))):
        return False
    if text.lower() in _WORDS or _NUMBER_LIKE.fullmatch(text) or text != text.strip() or _NOT_PLAIN.search(text):
        return False
    return ": " not in text and " #" not in text and not text.endswith(":")


class _Reader:
    """Builds nodes from the events of one file."""

    def __init__(self, text: str, file: str) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events = yaml.parse(text, Loader=loader)
        self._file = file
        self._values = 0

    def read(self) -> Node:
        """Return the one document of the file."""
        event = self._next()
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = self._next()
        if isinstance(event, yaml.StreamEndEvent):
            raise FolderError(gettext("it is empty"), Where(self._file))
        node = self._build(event, 1)
        self._next()  # the end of the document
        after = self._next()
        if not isinstance(after, yaml.StreamEndEvent):
            raise FolderError(gettext("a second document begins here; each file holds one"), self._place(after))
        return node

    def _next(self) -> yaml.Event:
        try:
            return next(self._events)
        except (ValueError, UnicodeError) as error:  # such as an escape for half of a character
            raise FolderError(gettext("it is not YAML: %(error)s") % {"error": str(error)[:200]}, Where(self._file)) from error

    def _place(self, event: yaml.Event) -> Where:
        return Where(self._file, event.start_mark.line + 1 if event.start_mark else 0)

    def _build(self, event: yaml.Event, depth: int) -> Node:
        where = self._place(event)
        self._values += 1
        if depth > MAX_DEPTH:
            raise FolderError(gettext("values are nested more than %(most)s deep") % {"most": MAX_DEPTH}, where)
        if self._values > MAX_VALUES:
            raise FolderError(gettext("it holds more than %(most)s values") % {"most": write_number(MAX_VALUES)}, where)
        if isinstance(event, yaml.AliasEvent):
            raise FolderError(gettext("it uses an alias (*); write the value out"), where)
        if getattr(event, "anchor", None) is not None:
            raise FolderError(gettext("it defines an anchor (&); anchors are not used in these files"), where)
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise FolderError(gettext("it uses the tag %(tag)s; tags are not used in these files") % {"tag": repr(tag)}, where)
        if isinstance(event, yaml.MappingStartEvent):
            return Node(where, self._build_mapping(depth))
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(event := self._next(), yaml.SequenceEndEvent):
                items.append(self._build(event, depth + 1))
            return Node(where, tuple(items))
        return Node(where, _resolve(event, where))

    def _build_mapping(self, depth: int) -> Mapping[str, Node]:
        found: dict[str, Node] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._build(event, depth + 1)
            if not isinstance(event, yaml.ScalarEvent):
                raise FolderError(gettext("a key must be a text"), key.where)
            if event.value in found:
                raise FolderError(gettext("the key %(key)s stands twice") % {"key": repr(event.value)}, key.where)
            found[event.value] = self._build(self._next(), depth + 1)
        return found


def _resolve(event: Any, where: Where) -> str | int | float | bool | None:
    text: str = event.value
    if "\x00" in text:
        raise FolderError(gettext("it holds a character that cannot be stored (U+0000)"), where)
    if event.style in ("'", '"', "|", ">") or event.tag == "!":
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if len(text) <= _LONGEST_NUMBER and _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
