"""Puts the values of a section's records into columns. This step is our own; the paper does not look into records.

A text that at least half of the records have is a label, not a value, unless other records have another text in its place. Texts at the
same path after the same label form a column. If most records have the same number of them there, the first, second, … are columns of their
own. Otherwise it is one column that takes several values.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.mse.page import LinePage
from extraction.algorithms.alignment.mse.records import SectionRecord
from extraction.algorithms.alignment.schema import Value

MAX_APART = 6
"""The largest number of equal places in a record that are told apart."""

SAME_COUNT = 0.8
"""Texts at a place become separate columns if this share of the records with any text there has equally many."""

LABEL, FEWEST = 0.5, 3
"""The share of the records, and their least number, that must have a label word for word."""

Spot = tuple[int, str]
"""(path, label before it)"""

Place = tuple[Spot, int]
"""Which of the texts at a spot, from 1; 0 for all."""

Texts = tuple[tuple[int, Value], ...]
"""The texts of a record in document order, each with the path it stands at."""


@dataclass(frozen=True, slots=True)
class SectionColumn:
    """A column of a section's records."""

    place: Place

    @property
    def path(self) -> int:
        """The path of its values."""
        return self.place[0][0]

    @property
    def label(self) -> str:
        """The text before its values, "" for none."""
        return self.place[0][1]

    @property
    def multiple(self) -> bool:
        """Whether a record may have several values."""
        return not self.place[1]


def record_texts(page: LinePage, record: SectionRecord) -> Texts:
    """Return the texts of a record."""
    return tuple(pair for line in page.lines[record.low : record.high] for pair in zip(line.paths, line.values, strict=True))


class SectionColumns:
    """The columns of a section's records, in their order within the records."""

    def __init__(self, records: Sequence[Texts]) -> None:
        said = Counter(said for record in records for said in {(path, value.text) for path, value in record})
        instead = _instead(records)
        self.labels = {each for each, count in said.items() if count >= max(FEWEST, LABEL * len(records)) and _labels(*each, instead)}
        counts: dict[Spot, Counter[int]] = {}
        for record in records:
            for spot, count in Counter(spot for spot, _ in self._spots(record)).items():
                counts.setdefault(spot, Counter())[count] += 1
        self.apart = {spot: _even(found) for spot, found in counts.items()}
        ranks: dict[Place, list[int]] = {}
        for record in records:
            for rank, (place, _) in enumerate(self.placed(record)):
                ranks.setdefault(place, []).append(rank)
        order = sorted(ranks, key=lambda place: (sum(ranks[place]) / len(ranks[place]), place))
        self.all = tuple(SectionColumn(place) for place in order)
        self._number = {place: number for number, place in enumerate(order)}

    def values(self, record: Texts) -> dict[int, tuple[Value, ...]]:
        """Return {number of the column: its values} of a record."""
        row: dict[int, list[Value]] = {}
        for place, value in self.placed(record):
            row.setdefault(self._number[place], []).append(value)
        return {number: tuple(row[number]) for number in sorted(row)}

    def placed(self, record: Texts) -> Iterator[tuple[Place, Value]]:
        """Yield the values of a record with their places."""
        seen: Counter[Spot] = Counter()
        for spot, value in self._spots(record):
            seen[spot] += 1
            yield (spot, seen[spot] if self.apart[spot] else 0), value

    def _spots(self, record: Texts) -> Iterator[tuple[Spot, Value]]:
        """Yield the texts with their spots. A label belongs to the next text and to those after it at the same path."""
        label, of = "", -1
        for path, value in record:
            if (path, value.text) in self.labels:
                label, of = value.text, -1
                continue
            if of < 0:
                of = path
            elif of != path:
                label, of = "", path
            yield (path, label), value


def _instead(records: Sequence[Texts]) -> set[int]:
    """Return the paths at which no record has two texts and different records have different ones. A text there is a value, even if it
    is frequent."""
    most, texts = Counter[int](), dict[int, set[str]]()
    for record in records:
        for path, count in Counter(path for path, _ in record).items():
            most[path] = max(most[path], count)
        for path, value in record:
            texts.setdefault(path, set()).add(value.text)
    return {path for path, many in texts.items() if most[path] == 1 and len(many) > 1}


def _labels(path: int, text: str, instead: set[int]) -> bool:
    return path not in instead or text.endswith((":", "："))


def _even(counts: Counter[int]) -> bool:
    """Return whether a spot holds the same number of texts in most records."""
    _, times = counts.most_common(1)[0]
    return max(counts) == 1 or (times >= SAME_COUNT * counts.total() and max(counts) <= MAX_APART)
