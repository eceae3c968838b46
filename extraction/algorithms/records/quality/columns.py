"""What the values of one attribute have been, collected record by record in memory that does not grow with them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from extraction.algorithms.records.keys import Values
from extraction.algorithms.records.quality.checks import read_entry, write_value
from extraction.algorithms.records.quality.demands import MEASURED
from extraction.algorithms.records.quality.judging import Uniqueness
from extraction.algorithms.records.quality.languages import detect_text_language
from extraction.algorithms.values.reading import ValueType

MAX_DISTINCT = 12
"""The largest number of different values for which a list of allowed values is a rule that people can read."""

MAX_SHAPES = 3
"""The largest number of shapes of which a pattern is made."""

MAX_TEXTS = 500
"""The number of texts whose language is told: enough for a share, and a tenth of a second."""

Shape = tuple[str, ...]
"""The runs of a text: "9" for digits, "A" and "a" for ASCII letters, and every other character as itself."""


@dataclass(slots=True)
class ColumnSeen:
    """What is known of an attribute's values.

    records: how many records there are; present: how many have a value; entries: how many values they have.
    unread: values that could not be read.
    low, high: the smallest and the largest measure, with their texts.
    units: currencies. shortest, longest: numbers of characters.
    distinct: {value: how often it occurs}, while there are few.
    shapes: {shape: [(fewest, most) characters of each run]}, while there are few; shape_counts: values of each.
    languages: {code: texts}, "" for texts that cannot be told.
    """

    attribute: str
    type: ValueType
    list_name: str = ""
    multiple: bool = False
    mandatory: bool = False
    records: int = 0
    present: int = 0
    entries: int = 0
    unread: int = 0
    low: tuple[Decimal, str] | None = None
    high: tuple[Decimal, str] | None = None
    units: set[str] = field(default_factory=set)
    shortest: int = 0
    longest: int = 0
    distinct: Counter[str] = field(default_factory=Counter)
    shapes: dict[Shape, list[tuple[int, int]]] = field(default_factory=dict)
    shape_counts: Counter[Shape] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    unique: Uniqueness = field(init=False)
    texts: int = 0

    def __post_init__(self) -> None:
        self.unique = Uniqueness(self.attribute)

    def take(self, values: Values) -> None:
        """Take in the values of a record."""
        self.records += 1
        entries = values.get(self.attribute, ())
        self.present += bool(entries)
        self.unique.collect(values)
        for entry in entries:
            self.entries += 1
            if self.type in MEASURED:
                self._take_measure(entry)
            elif self.type == "text":
                self._take_text(write_value(entry))

    def _take_measure(self, entry: Mapping[str, Any]) -> None:
        measure = read_entry(entry, self.type)
        if measure is None:
            self.unread += 1
            return
        text = write_value(entry)
        self.units.add(measure.unit)
        if self.low is None or measure.low < self.low[0]:
            self.low = (measure.low, text)
        if self.high is None or measure.high > self.high[0]:
            self.high = (measure.high, text)

    def _take_text(self, text: str) -> None:
        self.shortest = min(self.shortest, len(text)) if self.texts else len(text)
        self.longest = max(self.longest, len(text))
        if len(self.distinct) <= MAX_DISTINCT:
            self.distinct[text] += 1
        if len(self.shapes) <= MAX_SHAPES:
            self._take_shape(text)
        if self.texts < MAX_TEXTS:
            self.languages[detect_text_language(text)] += 1
        self.texts += 1

    def _take_shape(self, text: str) -> None:
        runs = [(kind, len(list(run))) for kind, run in groupby(text[:200].translate(_KINDS))]
        shape = tuple(kind for kind, _ in runs)
        known = self.shapes.get(shape)
        lengths = [length for _, length in runs]
        self.shapes[shape] = (
            [(min(low, each), max(high, each)) for (low, high), each in zip(known, lengths, strict=True)]
            if known
            else [(each, each) for each in lengths]
        )
        self.shape_counts[shape] += 1


_KINDS = str.maketrans(ascii_uppercase + ascii_lowercase + digits, "A" * 26 + "a" * 26 + "9" * 10)
"""What stands for each character in a shape. Others stand for themselves."""
