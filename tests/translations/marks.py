"""Finds the words of a template that are not marked for translation."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

SHOWN = frozenset({"title", "aria-label", "alt", "placeholder", "label", "hx-confirm"})
"""The attributes whose text a person reads or hears."""

UNTRANSLATED = frozenset(
    {"ARIA", "API", "CSV", "CSS", "GB", "HTML", "HTTP", "JSON", "MB", "RE2", "URL", "UTC", "Vertex", "WARC", "XPath", "kB", "nbsp"}
)
"""Names and units that are the same in every language."""

CODES = frozenset({"import crawl", "open https://www.example.org/sign-in"})
"""Literals with a space that are no words for a reader."""

_LEFT_OUT = re.compile(
    r"\{#.*?#\}|\{% comment.*?endcomment %\}|\{% blocktranslate.*?endblocktranslate %\}|\{% verbatim.*?endverbatim %\}"
    r"|<(script|style|svg)\b.*?</\1>",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(r"\{% block body_attributes %\}.*?\{% endblock %\}")
_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_MARKED = re.compile(r"""_\((?:"[^"]*"|'[^']*')\)|^\{% (?:translate|stylesheets) .*""", re.DOTALL)
_LITERAL = re.compile(r'"([^"]*)"')
_PHRASE = re.compile(r"[A-Za-z]{2} [A-Za-z]")
_WORD = re.compile(r"[^\W\d_]{2,}\w*")


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in SHOWN and value]

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def find_unmarked(template: str) -> Iterator[str]:
    """Return each text of a template that has a word outside the tags of translation."""
    text = _LEFT_OUT.sub("", template)
    for tag in _TAG.findall(text):
        yield from (literal for literal in _LITERAL.findall(_MARKED.sub("", tag)) if _PHRASE.search(literal) and literal not in CODES)
    reader = _Words()
    reader.feed(_TAG.sub("", _ATTRIBUTES.sub("", text)))
    reader.close()
    for each in reader.found:
        if not each.startswith("https://") and set(_WORD.findall(each)) - UNTRANSLATED:
            yield " ".join(each.split())
