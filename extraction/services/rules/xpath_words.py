"""Say what is wrong with a person's XPath, and where. libxml2 only says "Invalid expression"."""

from lxml import etree

from extraction.algorithms.dom.xpath import XPath, blanked, unknown_name
from extraction.algorithms.errors import XPathError

MAX_EXPLAINED = 1_000
"""Longest XPath whose error is located, since each character is tried as the end."""

_PAIRS = {"]": "[", ")": "("}


def explain_xpath(text: str) -> str:
    """Return what is wrong with the XPath and at which character, counted from 1; empty if the XPath can be used."""
    try:
        XPath(text)
    except XPathError as error:
        misspelt = isinstance(error.__cause__, etree.XPathError) and len(text) <= MAX_EXPLAINED
        return (
            _find_open_quote(text) or _find_bracket_error(text) or unknown_name(text) or _locate_error(text) if misspelt else ""
        ) or str(error)
    return ""


def _find_open_quote(text: str) -> str:
    bare = blanked(text)
    for quote in ('"', "'"):
        if quote in bare:
            return f"The text that begins with {quote} at character {bare.index(quote) + 1} has no closing {quote}."
    return ""


def _find_bracket_error(text: str) -> str:
    bare, open_at = blanked(text), []
    for position, character in enumerate(bare, 1):
        if character in "[(":
            open_at.append((character, position))
        elif character in _PAIRS:
            if not open_at:
                return f"The {character} at character {position} has no opening bracket."
            opened, at = open_at.pop()
            if opened != _PAIRS[character]:
                return f"The {character} at character {position} does not close the {opened} at character {at}."
    if open_at:
        return f"The {open_at[-1][0]} at character {open_at[-1][1]} is never closed."
    return ""


def _locate_error(text: str) -> str:
    """Say in words where the longest valid XPath at the beginning of the text ends; empty if all of it is valid."""
    end = _measure_valid(text)
    if end >= len(text):
        return ""
    if not end:
        return f"An XPath cannot begin with “{text.strip()[:20]}”."
    return f"At character {end + 1}, “{text[end : end + 20]}” cannot follow “{text[:end][-20:]}”."


def _measure_valid(text: str) -> int:
    for end in range(len(text), 0, -1):
        try:
            etree.XPath(text[:end])
        except etree.XPathSyntaxError:
            continue
        return end
    return 0
