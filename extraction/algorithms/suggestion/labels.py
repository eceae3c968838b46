"""Which texts of a template's pages are labels: texts that name what comes after them and are no values themselves.

A label is on at least 90 % of the pages. An optional one is on at least 25 % of them and looks like a label: it ends with a colon, the next
text begins with one or is one, or it is in dt, th or label. At lower shares, ordinary values ("Hardcover") would become labels. Spelling
variants are one label: "Director:" and "Directors:", "Author(s)".

Rows of two elements show labels without any sign of one, too: what stands first is one of a few texts, each once on a page, and what stands
second varies. Where the pages are in several languages, an optional label needs to be on its share of the pages of a language only.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from extraction.algorithms.suggestion.languages import Languages
from extraction.algorithms.suggestion.units import COLONS, PageUnits, UnitPaths

ALWAYS, OPTIONAL = 0.9, 0.25
MAX_LABEL = 60
"""Longest text, in characters, that is a label."""

RECURRING, VARIED = 0.8, 0.5
"""The share of rows that must begin with a text of several pages, and of these rows the share whose texts have different values."""

SEVERAL = 2
"""How many such rows a page must have, on average."""

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


def find_labels(
    pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], paths: UnitPaths, *, languages: Languages = ()
) -> TemplateLabels:
    """Return the labels of pages.

    keys: `make_label_key` of each page's texts.
    languages: the language of each page, if there are several.
    """
    anywhere, marked = Counter[str](), Counter[str]()
    in_rows = _find_in_rows(pages, keys)
    for page, row in zip(pages, keys, strict=True):
        following = [*(unit.text for unit in page.texts[1:]), ""][: len(page.texts)]
        first = {each.first for each in page.rows}
        found = [
            (
                key,
                unit.text.endswith(COLONS)
                or unit.before_colon
                or after.startswith(COLONS)
                or paths.tags[unit.path] in LABEL_TAGS
                or (key in in_rows and unit.first in first),
            )
            for key, unit, after in zip(row, page.texts, following, strict=True)
            if key
        ]
        anywhere.update({key for key, _ in found})
        marked.update({key for key, looks in found if looks})
    least = max(2.0, OPTIONAL * len(pages) / max(1, len(set(languages))))
    strong = frozenset(key for key, count in marked.items() if count >= least or key in in_rows)
    strong |= _find_rare(pages, keys, strong) & marked.keys()
    constant = frozenset(key for key, count in anywhere.items() if count >= max(2.0, ALWAYS * len(pages)))
    return TemplateLabels(strong, constant - strong)


def _find_rare(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], known: Set[str]) -> Set[str]:
    """Return the texts of few pages, without figures, in elements of a path where hardly anything else but known labels stands."""
    held: dict[int, Counter[str]] = {}
    for page, row in zip(pages, keys, strict=True):
        for unit, key in zip(page.texts, row, strict=True):
            held.setdefault(unit.path, Counter())[key] += 1
    for_labels = (texts for texts in held.values() if sum(n for key, n in texts.items() if key in known) >= RECURRING * texts.total())
    return {key for texts in for_labels for key in texts if key and not any(map(str.isdigit, key))}


def _find_in_rows(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the texts that rows of two elements begin with, if those of one path are labels."""
    by_path: dict[int, list[tuple[int, str, tuple[str, ...]]]] = {}
    for number, (page, row) in enumerate(zip(pages, keys, strict=True)):
        for each in page.rows:
            contents = tuple(unit.text for unit in page.texts[each.first + 1 : each.end])
            by_path.setdefault(each.path, []).append((number, row[each.first], contents))
    return frozenset().union(*(_read_rows(rows) for rows in by_path.values()))


def _read_rows(rows: Sequence[tuple[int, str, tuple[str, ...]]]) -> frozenset[str]:
    """Return the labels among rows of one path, given as (page, text before, texts after); none if they are not labelled.

    A label of one page is among them: what stands before it does not go on after it.
    """
    on_pages = Counter(key for _, key in {(page, key) for page, key, _ in rows})
    recurring = {key for key, count in on_pages.items() if key and count > 1}
    values = {key: {contents for _, other, contents in rows if other == key} for key in recurring}
    held = [key for _, key, _ in rows if key in recurring]
    varied = [key for key in held if len(values[key]) > 1]
    once = len(rows) == on_pages.total()
    few = 2 * len(on_pages) <= len(rows) and SEVERAL * len({page for page, _, _ in rows}) <= len(rows)
    labelled = once and few and len(recurring) > 1 and len(held) >= RECURRING * len(rows) and len(varied) >= VARIED * len(held)
    return frozenset(key for key in on_pages if key) if labelled else frozenset()
