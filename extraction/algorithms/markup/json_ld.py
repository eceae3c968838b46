"""JSON-LD of a page, block by block, with the mistakes that templates make put right.

A block may end in a semicolon, stand between the marks of a CDATA section or a comment, have a comma before a closing bracket, line breaks
in its strings, or entities of HTML in them. A block that is broken otherwise is left out, and the others count. Fractions stay as they are
written, because ``20.00`` is looked for on the page.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

from lxml import etree

MAX_BLOCKS = 100
"""The largest number of blocks read of a page. Real pages have up to thirty."""

_TYPE = re.compile(r"application/ld\+json\b", re.IGNORECASE)
_WRAPPED = re.compile(r"\A(?:\s|//|/\*|\*/|<!--|<!\[CDATA\[|;|\ufeff)+|(?:\s|//|/\*|\*/|-->|\]\]>|;)+\Z")
_STRING_OR_COMMA = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"|,(?=\s*+[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonLd:
    """The things of a page's JSON-LD in document order, and why blocks could not be read."""

    things: tuple[dict[str, Any], ...]
    problems: tuple[str, ...] = ()


def read_json_ld(root: etree._Element) -> JsonLd:
    """Read the JSON-LD of a page. A block that cannot be read is a problem, and the others count."""
    things: list[Any] = []
    problems: list[str] = []
    for _, block in zip(range(MAX_BLOCKS), _find_blocks(root), strict=False):
        try:
            value = read_block(block)
        except (ValueError, RecursionError) as error:
            problems.append(f"{type(error).__name__}: {error}")
            continue
        things += value if isinstance(value, list) else [value]
    return JsonLd(tuple(thing for thing in things if isinstance(thing, dict)), tuple(problems))


def read_block(text: str) -> Any:
    """Return the value of one block, with its mistakes put right if it cannot be read otherwise.

    Raises ValueError if it is no JSON even then, RecursionError if it is nested too deep.
    """
    bare = _WRAPPED.sub("", text)
    try:
        value = _parse(bare)
    except ValueError:
        value = _parse(_STRING_OR_COMMA.sub(lambda match: match[0] if match[0] != "," else "", bare))
    return _unescape(value)


def _parse(text: str) -> Any:
    return json.loads(text, strict=False, parse_float=str)


def _find_blocks(root: etree._Element) -> Iterator[str]:
    for script in root.iter("script"):
        if _TYPE.match((script.get("type") or "").strip()):
            yield script.text or ""


def _unescape(value: Any) -> Any:
    """Return the value with the entities of HTML in its strings decoded."""
    if isinstance(value, str):
        return unescape(value) if "&" in value else value
    if isinstance(value, list):
        return [_unescape(each) for each in value]
    return {name: _unescape(each) for name, each in value.items()} if isinstance(value, dict) else value
