"""Cut the attributes of a tag that has absurdly many, before the page is parsed.

For each attribute of a tag, libxml2's HTML parser compares it with all others of the tag. So a page of one megabyte can take a minute, and
one of ten megabytes a day. Only pages that could hold such a tag are read tag by tag; for all others, two quick searches show that they
hold none.
Cost: linear in the page.
"""

import re
from itertools import islice

MAX_TAG_ATTRIBUTES = 1_000
"""The largest number of attributes kept of a tag. None of 642 real pages has a tag with so many."""

MANY_VALUES = 5_000
"""A page with fewer ``=`` than this has no tag with many values."""

LONG_TAG = 10_000
"""The number of characters of a tag that is looked at. A tag with many attributes without values has at least so many between its
brackets."""

_LONG = re.compile(rf"<[a-zA-Z][^<>]{{{LONG_TAG}}}")
_VALUE = r"=[\t\n\f\r ]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\"'\t\n\f\r >][^\t\n\f\r >]*+|(?=>|\Z))"
_OPEN = re.compile(rf"<!--.*?(?:--!?>|\Z)|<(?P<name>[a-zA-Z][^\s<>/]*+)(?P<rest>[^=>]*+(?>(?:{_VALUE}[^=>]*+)*))(?:>|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(rf"[^\s=>]++(?:\s*+{_VALUE})?\s*+")
_RAW = frozenset(("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"))


def _may_have_long_tag(text: str) -> bool:
    """Return whether there are as many characters without a bracket between as a long tag has. One of every so many is looked around."""
    for place in range(LONG_TAG - 1, len(text), LONG_TAG):
        first, last = max(0, place - LONG_TAG), min(place + LONG_TAG, len(text))
        since = max(text.rfind("<", first, place), text.rfind(">", first, place), first - 1)
        until = min(each for each in (text.find("<", place, last), text.find(">", place, last), last) if each >= 0)
        if until - since > LONG_TAG:
            return True
    return False


def limit_attributes(text: str) -> str:
    """Return the page with only the first attributes of tags that have more than `MAX_TAG_ATTRIBUTES`, any other page as it is."""
    if text.count("=") < MANY_VALUES and not (_may_have_long_tag(text) and _LONG.search(text)):
        return text
    parts, done, at = list[str](), 0, 0
    unclosed: set[str] = set()
    while tag := _OPEN.search(text, at):
        at, name = tag.end(), (tag["name"] or "").lower()
        if name in _RAW and name not in unclosed:
            # Skip the content of a raw-text element. If its end tag is missing, read the content as ordinary markup.
            end = re.compile(f"</{name}", re.IGNORECASE).search(text, at)
            at = end.start() if end else at
            unclosed |= set() if end else {name}
        if name and len(tag["rest"]) > LONG_TAG:
            start, end_of_tag = tag.span("rest")
            kept = [each.end() for each in islice(_ATTRIBUTE.finditer(text, start, end_of_tag), MAX_TAG_ATTRIBUTES)]
            if len(kept) == MAX_TAG_ATTRIBUTES:
                parts.append(text[done : kept[-1]])
                done = end_of_tag
    return "".join((*parts, text[done:])) if parts else text
