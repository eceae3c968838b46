"""Finds known values on a page, to tell what a rule lost and to learn the rule again
(Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

A value is looked for in four stages. Each is less certain than the one before and is tried only where that one finds nothing:

- *exact*: a text node or an element whose cleaned text is the value, or the attribute that held it;
- *typed*: a short text that reads as the same number, price or date ("12.90 €" for "EUR 12,90");
- *loose*: the same letters and digits, however they are written and whatever stands between them;
- *part*: the value inside a longer text.

Cost: a `ValueFinder` indexes a page's texts once for each stage. After that, a value costs one look-up and a climb from the texts that it
begins with. Only parts are searched for in all texts of the page each time.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, get_args

import numpy as np

from extraction.algorithms.dom.nodes import Location, clean, raw_text, whole_text
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.learning.page_table import PageTable, hash_text
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.comparing import loosen_text, may_be_written_otherwise, normalise_value
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType

Stage = Literal["exact", "typed", "loose", "part"]

STAGES: tuple[Stage, ...] = get_args(Stage)

MAX_TYPED_LENGTH = 40
"""Longest text read as a number, price or date."""

MIN_PART_LENGTH = 3
"""Shorter values stand inside longer texts by chance."""

KEY_LENGTH = 4
"""The number of characters of a value by which the texts that it begins with are looked up."""

MAX_CLIMBS = 300
"""The largest number of texts that a value begins with from which the search climbs, the longest first. Very frequent texts begin
everything."""

MAX_HOLDER_LENGTH = 400
"""Longest text in which a part is looked for. A value that is mentioned in running prose is not the attribute."""


@dataclass(frozen=True, slots=True)
class SoughtValue:
    """A value and how it may be written.

    attribute: the attribute that held it (`src`, `content`), "" for text.
    column: what the rule has stored of its attribute's values, by which the value and the page's texts are read.
    """

    value: str
    type: ValueType = "text"
    attribute: str = ""
    column: ColumnEvidence = NO_EVIDENCE


class ValueFinder:
    """Looks for many values on one page.

    language: the page's, in which sought values are read, too.
    """

    def __init__(self, page: PageTable) -> None:
        self.page, self._unseen, self.language = page, raw_text(page.nodes[0]), detect_language(page.root)
        self._starts: dict[Callable[[str], str], dict[str, list[tuple[int, str]]]] = {}
        self._readings: dict[tuple[ValueType, ColumnEvidence], dict[str, list[int]]] = {}
        self._held: dict[str, dict[str, list[int]]] = {}
        self._loose: dict[str, list[int]] | None = None

    def find(self, sought: SoughtValue, stage: Stage = "exact") -> list[Location]:
        """The places of a value at one stage, in document order.

        Only text that readers see counts. The page's title counts if the value is found nowhere else.
        """
        if not sought.value:
            return []
        if sought.attribute:
            return self._attributes(sought) if stage == "exact" else []
        return {"exact": self._exact, "typed": self._typed, "loose": self._loosely, "part": self._parts}[stage](sought)

    def stands(self, value: str) -> bool:
        """Whether a value is the whole of some text or element of the page."""
        return bool(self.find(SoughtValue(value)))

    def _exact(self, sought: SoughtValue) -> list[Location]:
        page = self.page
        rows = np.flatnonzero(np.asarray(page.texts.text[:-1]) == np.uint64(hash_text(sought.value)))
        found = [self._text(int(row)) for row in rows if self._seen(int(row))]
        found += self._elements(sought.value, clean)
        found = found or [self._text(int(row)) for row in rows if page.nodes[int(page.texts.owner[row])].tag == "title"]
        return sorted(found, key=lambda place: (place.node, place.text))

    def _typed(self, sought: SoughtValue) -> list[Location]:
        if not may_be_written_otherwise(sought.type):
            return []
        wanted = read_value(sought.value, sought.type, language=self.language, column=sought.column).value
        if wanted is None:
            return []
        key = (sought.type, sought.column)
        if key not in self._readings:
            self._readings[key] = self._read_as(*key)
        return [self._text(row) for row in self._readings[key].get(wanted, ())]

    def _read_as(self, kind: ValueType, column: ColumnEvidence) -> dict[str, list[int]]:
        found = defaultdict(list)
        for row, text in enumerate(self.page.strings):
            if len(text) <= MAX_TYPED_LENGTH and any(map(str.isdigit, text)) and self._seen(row):
                reading = read_value(text, kind, language=self.language, column=column).value
                if reading is not None:
                    found[reading].append(row)
        return found

    def _loosely(self, sought: SoughtValue) -> list[Location]:
        wanted = loosen_text(sought.value)
        if not wanted:
            return []
        if self._loose is None:
            self._loose = defaultdict(list)
            for row, text in enumerate(self.page.strings):
                self._loose[loosen_text(text)].append(row)
        limit = 2 * len(sought.value) + 8
        rows = self._loose.get(wanted, [])
        found = [self._text(row) for row in rows if len(self.page.strings[row]) <= limit and self._seen(row)]
        found += self._elements(sought.value, loosen_text)
        return sorted(found, key=lambda place: (place.node, place.text))

    def _parts(self, sought: SoughtValue) -> list[Location]:
        if len(sought.value) < MIN_PART_LENGTH:
            return []
        pattern = re.compile(rf"(?<!\w){re.escape(sought.value)}(?!\w)")
        found = []
        for row, text in enumerate(self.page.strings):
            fits = len(sought.value) < len(text) <= MAX_HOLDER_LENGTH and sought.value in text
            inside = pattern.search(text) if fits else None
            if inside and self._seen(row):
                found.append(replace(self._text(row), start=inside.start(), end=inside.end()))
        return found

    def _attributes(self, sought: SoughtValue) -> list[Location]:
        name = sought.attribute
        if name not in self._held:
            self._held[name] = defaultdict(list)
            for row, element in enumerate(self.page.nodes):
                if name in element.attrib:
                    self._held[name][clean(element.get(name) or "")].append(row)
        return [Location(row, "attribute", attribute=name) for row in self._held[name].get(sought.value, ())]

    def _elements(self, value: str, form: Callable[[str], str]) -> Iterator[Location]:
        """Yield the innermost elements of several text nodes whose text has the value's form, climbing up from their first texts."""
        page, wanted, limit = self.page, form(value), 2 * len(value) + 200
        parent, owners, known = page.elements.parent, page.texts.owner, set[int]()
        begin = (row for row, start in self._beginning(wanted, form) if start != wanted and wanted.startswith(start) and self._seen(row))
        for row in islice(begin, MAX_CLIMBS):
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

    def _beginning(self, wanted: str, form: Callable[[str], str]) -> Iterator[tuple[int, str]]:
        """Yield (number, form) of texts, among them all texts with which the wanted text can begin."""
        if form not in self._starts:
            starts: dict[str, list[tuple[int, str]]] = defaultdict(list)
            for row, text in enumerate(self.page.strings):
                start = form(text)
                if start:
                    starts[start[:KEY_LENGTH]].append((row, start))
            self._starts[form] = starts
        for length in range(min(KEY_LENGTH, len(wanted)), 0, -1):
            yield from self._starts[form].get(wanted[:length], ())

    def _text(self, row: int) -> Location:
        return Location(int(self.page.texts.owner[row]), "text", int(self.page.texts.nth[row]))

    def _seen(self, row: int) -> bool:
        return self.page.nodes[int(self.page.texts.owner[row])].tag not in self._unseen


def find_value(page: PageTable, sought: SoughtValue, stage: Stage = "exact") -> list[Location]:
    """Return the places of one value, see `ValueFinder.find`."""
    return ValueFinder(page).find(sought, stage)


def normalise_values(attribute: AttributeRule, values: Iterable[str], language: str | None) -> frozenset[str]:
    """Return the values of an attribute on one page in the form in which they are compared, regardless of their order."""
    return frozenset(normalise_value(each, attribute.type, language=language, column=attribute.column) for each in values)
