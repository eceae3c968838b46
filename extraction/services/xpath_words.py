"""What is wrong with a person's XPath, and where: libxml2 says "Invalid expression" and keeps the place to itself."""

import re

from lxml import etree

from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import XPathError

MAX_EXPLAINED = 1_000
"""Longest XPath whose error is looked for: each character is tried as the end."""

_PAIRS = {"]": "[", ")": "("}
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_CALL = re.compile(r"([\w.-]+(?::[\w.-]+)?)\s*\(")
_PREFIX = re.compile(r"(?<![\w:.-])([A-Za-z_][\w.-]*):(?!:)[A-Za-z_*]")

_NAMES = (
    "last position count id local-name namespace-uri name string concat starts-with contains substring-before substring-after "
    "substring string-length normalize-space translate boolean not true false lang number sum floor ceiling round "
    "text node comment processing-instruction"
)
_FUNCTIONS = frozenset(_NAMES.split())
"""The functions and node tests of XPath 1.0."""


def check(text: str) -> str:
    """Empty when the XPath can be used, else what is wrong with it, in words, with the character's position from 1."""
    try:
        XPath(text)
    except XPathError as error:
        misspelt = isinstance(error.__cause__, etree.XPathError) and len(text) <= MAX_EXPLAINED
        return (_quotes(text) or _brackets(text) or _names(text) or _place(text) if misspelt else "") or str(error)
    return ""


def _quotes(text: str) -> str:
    bare = _blank(text)
    for quote in ('"', "'"):
        if quote in bare:
            return f"The text that begins with {quote} at character {bare.index(quote) + 1} has no closing {quote}."
    return ""


def _brackets(text: str) -> str:
    bare, open_at = _blank(text), []
    for position, character in enumerate(bare, 1):
        if character in "[(":
            open_at.append((character, position))
        elif character in _PAIRS:
            if not open_at:
                return f"The {character} at character {position} closes nothing."
            opened, at = open_at.pop()
            if opened != _PAIRS[character]:
                return f"The {character} at character {position} does not close the {opened} at character {at}."
    if open_at:
        return f"The {open_at[-1][0]} at character {open_at[-1][1]} is never closed."
    return ""


def _names(text: str) -> str:
    bare = _blank(text)
    for match in _CALL.finditer(bare):
        if match[1] not in _FUNCTIONS and match[1] not in ("and", "or", "div", "mod"):
            return f"“{match[1]}” at character {match.start() + 1} is no function of XPath 1.0."
    prefix = _PREFIX.search(bare)
    if prefix:
        return f"The prefix “{prefix[1]}:” at character {prefix.start() + 1} has no meaning on an HTML page; leave it out."
    return ""


def _place(text: str) -> str:
    """Where the longest beginning ends that would be an XPath by itself."""
    end = _valid_length(text)
    if end >= len(text):
        return ""
    if not end:
        return f"It cannot begin with “{text.strip()[:20]}”."
    return f"What begins at character {end + 1}, “{text[end : end + 20]}”, cannot stand after “{text[:end][-20:]}”."


def _valid_length(text: str) -> int:
    for end in range(len(text), 0, -1):
        try:
            etree.XPath(text[:end])
        except etree.XPathSyntaxError:
            continue
        return end
    return 0


def _blank(text: str) -> str:
    """The text with its quoted parts blanked, positions kept."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)
