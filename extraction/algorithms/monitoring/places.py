"""Where a known value stands on a page: for telling what a rule lost, and for relearning it (Vertex §3.2.3; ALGORITHMS 7).

Four stages, each tried only where the one before finds nothing, because each is less sure than the one before:
*exact*, a text node or an element whose cleaned text is the value, or the attribute that held it; *typed*, a short text that
reads as the same number, price or date ("12.90 €" for "EUR 12,90"); *loose*, the same letters and digits, whatever stands
between them and however they are written; *part*, the value inside a longer text.

Cost: the exact stage looks texts up by their hash and climbs from those that a longer value begins with; the others read
all texts of the page once.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from extraction.algorithms.dom.nodes import Location, clean, raw_text, whole_text
from extraction.algorithms.learning.features import PageTable, key
from extraction.algorithms.rules.rule import ValueType
from extraction.algorithms.rules.values import read

Stage = Literal["exact", "typed", "loose", "part"]

STAGES: tuple[Stage, ...] = get_args(Stage)

MAX_TYPED_LENGTH = 40
"""Longest text read as a number, price or date."""

MIN_PART_LENGTH = 3
"""Shorter values stand inside longer texts by chance."""

MAX_HOLDER_LENGTH = 400
"""Longest text in which a part is looked for: a value mentioned in running prose is not the attribute."""

_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Sought:
    """A value and how it may be written. attribute: the attribute that held it (`src`, `content`), "" for text."""

    value: str
    type: ValueType = "text"
    attribute: str = ""


def find(page: PageTable, sought: Sought, stage: Stage = "exact") -> list[Location]:
    """The places of a value at one stage, in document order: text that readers see, the page's title only where there is no other."""
    if not sought.value:
        return []
    if sought.attribute:
        return _attributes(page, sought) if stage == "exact" else []
    return {"exact": _exact, "typed": _typed, "loose": _loosely, "part": _parts}[stage](page, sought)


def stands(page: PageTable, value: str) -> bool:
    """Whether a value is the whole of some text or element of the page."""
    return bool(find(page, Sought(value)))


def loose(text: str) -> str:
    """The letters and digits of a text in lower case, words apart by one space."""
    return " ".join(_WORDS.findall(text.casefold()))


def _exact(page: PageTable, sought: Sought) -> list[Location]:
    rows = np.flatnonzero(np.asarray(page.texts["text"][:-1]) == np.uint64(key(sought.value)))
    found = [_text(page, int(row)) for row in rows if _seen(page, int(row))]
    found += _elements(page, sought.value, clean)
    found = found or [_text(page, int(row)) for row in rows if page.nodes[int(page.texts["owner"][row])].tag == "title"]
    return sorted(found, key=lambda place: (place.node, place.text))


def _typed(page: PageTable, sought: Sought) -> list[Location]:
    if sought.type not in ("number", "price", "date"):
        return []
    wanted = read(sought.value, sought.type).value
    if wanted is None:
        return []
    return [
        _text(page, row)
        for row, text in enumerate(page.strings)
        if len(text) <= MAX_TYPED_LENGTH and any(map(str.isdigit, text)) and _seen(page, row) and read(text, sought.type).value == wanted
    ]


def _loosely(page: PageTable, sought: Sought) -> list[Location]:
    wanted = loose(sought.value)
    if not wanted:
        return []
    limit = 2 * len(sought.value) + 8
    found = [_text(page, row) for row, text in enumerate(page.strings) if len(text) <= limit and loose(text) == wanted and _seen(page, row)]
    found += _elements(page, sought.value, loose)
    return sorted(found, key=lambda place: (place.node, place.text))


def _parts(page: PageTable, sought: Sought) -> list[Location]:
    if len(sought.value) < MIN_PART_LENGTH:
        return []
    pattern = re.compile(rf"(?<!\w){re.escape(sought.value)}(?!\w)")
    found = []
    for row, text in enumerate(page.strings):
        inside = pattern.search(text) if len(sought.value) < len(text) <= MAX_HOLDER_LENGTH else None
        if inside and _seen(page, row):
            found.append(replace(_text(page, row), start=inside.start(), end=inside.end()))
    return found


def _attributes(page: PageTable, sought: Sought) -> list[Location]:
    name = sought.attribute
    return [
        Location(row, "attribute", attribute=name)
        for row, element in enumerate(page.nodes)
        if name in element.attrib and clean(element.get(name) or "") == sought.value
    ]


def _elements(page: PageTable, value: str, form: Callable[[str], str]) -> Iterator[Location]:
    """Innermost elements whose text, of several nodes, has the value's form: climbed to from texts that it begins with."""
    wanted, limit = form(value), 2 * len(value) + 200
    parent, owners, known = page.elements["parent"], page.texts["owner"], set[int]()
    for row, text in enumerate(page.strings):
        start = form(text)
        if not start or start == wanted or not wanted.startswith(start) or not _seen(page, row):
            continue
        node = int(owners[row])
        while node < len(page.nodes) and node not in known:
            raw = whole_text(page.nodes[node])
            whole = form(raw) if len(raw) <= 10 * limit else None
            if whole is None or len(whole) > limit or not wanted.startswith(whole[: len(wanted)]):
                break
            if whole == wanted:
                known.add(node)
                yield Location(node)
                break
            node = int(parent[node])


def _text(page: PageTable, row: int) -> Location:
    return Location(int(page.texts["owner"][row]), "text", int(page.texts["text_nth"][row]))


def _seen(page: PageTable, row: int) -> bool:
    return page.nodes[int(page.texts["owner"][row])].tag not in raw_text(page.nodes[0])
