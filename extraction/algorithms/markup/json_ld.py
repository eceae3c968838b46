"""JSON-LD of a page, block by block, with the mistakes that templates make put right.

A block may end in a semicolon, stand between the marks of a CDATA section or a comment, have a comma before a closing bracket, line breaks
in its strings, or entities of HTML in them. A block that is broken otherwise is left out, and the others count. Fractions stay as they are
written, because ``20.00`` is looked for on the page.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from lxml import etree

MAX_BLOCKS = 100
"""Blocks read of a page. Real pages have up to thirty."""

_TYPE = re.compile(r"application/ld\+json\b", re.IGNORECASE)
_WRAPPED = re.compile(r"\A(?:\s|//|/\*|\*/|<!--|<!\[CDATA\[|;|\ufeff)+|(?:\s|//|/\*|\*/|-->|\]\]>|;)+\Z")
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+"|,(?=\s*+[}\]])', re.DOTALL)


def read_json_ld(root: etree._Element) -> list[Any]:
    """Return the things of a page's JSON-LD in document order."""
    found: list[Any] = []
    for _, block in zip(range(MAX_BLOCKS), _find_blocks(root), strict=False):
        value = read_block(block)
        found += value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    return found


def read_block(text: str) -> Any:
    """Return the value of one block, None if it is no JSON even with its mistakes put right."""
    bare = _WRAPPED.sub("", text)
    for attempt in (bare, _STRING_OR_COMMA.sub(lambda match: match[0] if match[0] != "," else "", bare)):
        try:
            return _unescape(json.loads(attempt, strict=False, parse_float=str))
        except (ValueError, RecursionError):
            continue
    return None


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
