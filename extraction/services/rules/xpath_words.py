"""Say what is wrong with a person's XPath, and where. libxml2 only says "Invalid expression"."""

from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.xpath import XPath, blanked, unknown_name
from extraction.algorithms.errors import XPathError
from extraction.services.core import stored_texts

MAX_EXPLAINED = 1_000
"""Longest XPath whose error is located, since each character is tried as the end."""

_PAIRS = {"]": "[", ")": "("}


def explain_xpath(text: str) -> str:
    """Return what is wrong with the XPath and at which character, counted from 1; empty if the XPath can be used."""
    try:
        XPath(text)
    except XPathError as error:
        if not isinstance(error.__cause__, etree.XPathError) or len(text) > MAX_EXPLAINED:
            return stored_texts.tell(str(error))
        located = _find_open_quote(text) or _find_bracket_error(text) or stored_texts.tell(unknown_name(text)) or _locate_error(text)
        return located or stored_texts.tell(str(error))
    return ""


def _find_open_quote(text: str) -> str:
    bare = blanked(text)
    for quote in ('"', "'"):
        if quote in bare:
            return gettext("The text that begins with %(quote)s at character %(index)s has no closing %(quote)s.") % {
                "quote": quote,
                "index": bare.index(quote) + 1,
            }
    return ""


def _find_bracket_error(text: str) -> str:
    bare, open_at = blanked(text), []
    for position, character in enumerate(bare, 1):
        if character in "[(":
            open_at.append((character, position))
        elif character in _PAIRS:
            if not open_at:
                return gettext("The %(character)s at character %(position)s has no opening bracket.") % {
                    "character": character,
                    "position": position,
                }
            opened, at = open_at.pop()
            if opened != _PAIRS[character]:
                return gettext("The %(character)s at character %(position)s does not close the %(opened)s at character %(at)s.") % {
                    "character": character,
                    "position": position,
                    "opened": opened,
                    "at": at,
                }
    if open_at:
        return gettext("The %(open_at)s at character %(open_at_2)s is never closed.") % {
            "open_at": open_at[-1][0],
            "open_at_2": open_at[-1][1],
        }
    return ""


def _locate_error(text: str) -> str:
    """Say in words where the longest valid XPath at the beginning of the text ends; empty if all of it is valid."""
    end = _measure_valid(text)
    if end >= len(text):
        return ""
    if not end:
        return gettext("An XPath cannot begin with “%(text)s”.") % {"text": text.strip()[:20]}
    return gettext("At character %(end)s, “%(text)s” cannot follow “%(text_2)s”.") % {
        "end": end + 1,
        "text": text[end : end + 20],
        "text_2": text[:end][-20:],
    }


def _measure_valid(text: str) -> int:
    for end in range(len(text), 0, -1):
        try:
            etree.XPath(text[:end])
        except etree.XPathSyntaxError:
            continue
        return end
    return 0
