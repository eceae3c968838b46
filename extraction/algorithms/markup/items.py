"""The data that a page carries for machines, as things with properties: JSON-LD, microdata, RDFa and Open Graph in one form.

A page holds whatever its author wrote: any depth, any size, any type where a text is expected. Only texts, numbers and booleans become
values. A nested thing is represented by one value (a person's name, a picture's address), and its own properties get longer paths below it.
Everything is bounded.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from extraction.algorithms.dom.nodes import clean

MAX_ITEMS = 60
MAX_PROPERTIES = 150
MAX_VALUES = 150
MAX_DEPTH = 4
MAX_CHARS = 5_000
"""Bounds of what is kept of a page: things, properties of a thing, values of a property, things within things, characters of a value."""

KNOWN_BY = ("@value", "text", "name", "url", "contentUrl")
"""What stands for a thing where a value is wanted: the first of these that it has, such as a step's text, a person's name or a picture's
address."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing.

    syntax: "JSON-LD", "microdata", "RDFa" or "Open Graph".
    type: "Product", as schema.org has it, "" for none.
    properties: {path, such as "offers.price": its values, cleaned, in their order}.
    """

    syntax: str
    type: str
    properties: Mapping[str, tuple[str, ...]]

    def as_json(self) -> dict[str, Any]:
        """Return the item as JSON values."""
        return {"syntax": self.syntax, "type": self.type, "properties": {path: list(values) for path, values in self.properties.items()}}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Item":
        """Return the item that `as_json` wrote."""
        return cls(row["syntax"], row["type"], {path: tuple(values) for path, values in row["properties"].items()})


def parse_items(found: Mapping[str, Any]) -> list[Item]:
    """Return the items of what extruct found.

    found: {syntax: list}, with "json-ld", "microdata", "rdfa" and "opengraph".
    """
    items: list[Item] = []
    for syntax, name in (("json-ld", "JSON-LD"), ("microdata", "microdata"), ("rdfa", "RDFa")):
        for thing in _things(found.get(syntax)):
            items.append(_item(name, thing))
    items += [_open_graph(page) for page in _dicts(found.get("opengraph"))]
    return [item for item in items if item.properties][:MAX_ITEMS]


def _dicts(rows: Any) -> Iterator[dict[str, Any]]:
    if isinstance(rows, list):
        yield from (row for row in rows[: 10 * MAX_ITEMS] if isinstance(row, dict))


def _things(rows: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the things of a list. Those that a JSON-LD graph or a page's main entity holds are things of their own."""
    for row in _dicts(rows):
        within = [row.get("@graph"), row.get("mainEntity")]
        for inner in within if depth < MAX_DEPTH else ():
            yield from _things(inner if isinstance(inner, list) else [inner], depth + 1)
        yield row


def _item(syntax: str, thing: dict[str, Any]) -> Item:
    gathered: dict[str, list[str]] = {}
    _gather(gathered, "", _own(thing), 0)
    return Item(syntax, read_type(thing), {path: tuple(dict.fromkeys(values)) for path, values in gathered.items() if values})


def read_type(thing: Mapping[str, Any]) -> str:
    """Return the last word of a thing's type, or of the first of several types: "Product" of "https://schema.org/Product"."""
    named = thing.get("@type") or thing.get("type") or ""
    first = named[0] if isinstance(named, list) and named else named
    return _last(first) if isinstance(first, str) else ""


def _last(name: str) -> str:
    return name.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1].rsplit(":", 1)[-1][:80]


def _own(thing: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a thing's properties by name. Microdata keeps them apart, and RDFa gives them whole addresses."""
    inner = thing.get("properties")
    if isinstance(inner, dict):
        return inner
    return {_last(name) if "/" in name else name: value for name, value in thing.items() if isinstance(name, str)}


def _gather(into: dict[str, list[str]], path: str, thing: Mapping[str, Any], depth: int) -> None:
    for name, value in thing.items():
        if not isinstance(name, str) or (name.startswith("@") and name != "@value") or name in ("@graph", "mainEntity"):
            continue
        here = f"{path}.{name[:80]}" if path else name[:80]
        for each in (value if isinstance(value, list) else [value])[:MAX_VALUES]:
            _add(into, here, each, depth)


def _add(into: dict[str, list[str]], path: str, value: Any, depth: int) -> None:
    text = _text(value)
    if isinstance(value, dict):
        own = _own(value)
        known = next((shown for name in KNOWN_BY if (shown := _first(own.get(name)))), None)
        text = known
        if depth + 1 < MAX_DEPTH and "@value" not in own:
            _gather(into, path, own, depth + 1)
    if text and (path in into or len(into) < MAX_PROPERTIES) and len(into.setdefault(path, [])) < MAX_VALUES:
        into[path].append(text)


def _first(value: Any) -> str | None:
    return _text(value[0] if isinstance(value, list) and value else value)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return clean(value)[:MAX_CHARS] or None if isinstance(value, str) else None


def _open_graph(page: Mapping[str, Any]) -> Item:
    gathered: dict[str, list[str]] = {}
    rows: Iterable[Any] = page.get("properties") or ()
    for row in list(rows)[: 4 * MAX_PROPERTIES]:
        if isinstance(row, (list, tuple)) and len(row) == 2 and isinstance(row[0], str):
            _add(gathered, row[0][:80], row[1], 0)
    kind = gathered.get("og:type", [""])[0]
    return Item("Open Graph", _last(kind), {path: tuple(values) for path, values in gathered.items()})
