"""Which texts of a template's pages are labels: texts that name what comes after them and are no values themselves.

A label is on at least 90 % of the pages. An optional one is on at least 25 % of them and looks like a label: it ends with a colon, the next
text begins with one or is one, or it is in dt, th or label. At lower shares, ordinary values ("Hardcover") would become labels. Spelling
variants are one label: "Director:" and "Directors:", "Author(s)".
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.suggestion.units import COLONS, PageUnits, UnitPaths

ALWAYS, OPTIONAL = 0.9, 0.25
MAX_LABEL = 60
"""Longest text, in characters, that is a label."""

LABEL_TAGS = frozenset(("dt", "th", "label"))

_PLURAL = re.compile(r"\((?:s|es)\)")
_WORDS = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class TemplateLabels:
    """The labels of a template.

    marked: labels that look like one.
    constant: other texts that are on nearly all pages.
    """

    marked: frozenset[str]
    constant: frozenset[str]

    def __contains__(self, key: str) -> bool:
        return key in self.marked or key in self.constant


def make_label_key(text: str) -> str:
    """Return the key by which labels are compared: the words in lower case without the plural's s; "" for a text that cannot be a label."""
    if len(text) > MAX_LABEL or not _LETTER.search(text):
        return ""
    words = " ".join(_WORDS.findall(_PLURAL.sub("", text.casefold())))
    return words[:-1] if len(words) > 4 and words.endswith("s") and not words.endswith("ss") else words


def list_label_keys(pages: Sequence[PageUnits]) -> list[list[str]]:
    """Return `make_label_key` of each page's texts."""
    known: dict[str, str] = {}
    for page in pages:
        for unit in page.texts:
            if unit.text not in known:
                known[unit.text] = make_label_key(unit.text)
    return [[known[unit.text] for unit in page.texts] for page in pages]


def find_labels(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], paths: UnitPaths) -> TemplateLabels:
    """Return the labels of pages. keys: `make_label_key` of each page's texts."""
    anywhere, marked = Counter[str](), Counter[str]()
    for page, row in zip(pages, keys, strict=True):
        following = [*(unit.text for unit in page.texts[1:]), ""][: len(page.texts)]
        found = [
            (key, unit.text.endswith(COLONS) or unit.before_colon or after.startswith(COLONS) or paths.tags[unit.path] in LABEL_TAGS)
            for key, unit, after in zip(row, page.texts, following, strict=True)
            if key
        ]
        anywhere.update({key for key, _ in found})
        marked.update({key for key, looks in found if looks})
    least = max(2.0, OPTIONAL * len(pages))
    strong = frozenset(key for key, count in marked.items() if count >= least)
    constant = frozenset(key for key, count in anywhere.items() if count >= max(2.0, ALWAYS * len(pages)))
    return TemplateLabels(strong, constant - strong)
