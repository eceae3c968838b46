"""Finds records among siblings and measures how alike they are and how cohesive a section is (Zhao, Meng & Yu 2006, sections 4 and 5).

A record is a run of siblings with everything below them. The distance of two records combines that of their lines (edit distance of the
line codes) and that of their tags. For tags, we count the parent-child pairs that they do not share; the paper uses a tree edit distance. A
section's *inter-record distance* is the mean distance of neighbouring records. A record's *diversity* is the mean distance of its lines.
The cohesion of a section is high if its records are alike and each is diverse. If records are cut in half or joined in pairs, they are less
diverse or less alike than the right records.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.algorithms.alignment.mse.page import LineKind, LinePage

Sign = tuple[str, LineKind | None]
"""How a record's first element is recognised: by its step or its name, and by the kind of its first line."""

MAX_SIGNS = 8
"""The largest number of signs tried in one parent, the most frequent first."""

COMPARED = 12
"""The number of pairs of neighbours of a section that are compared, evenly over it."""

MAX_LINES = 30
"""The largest number of lines of a record that are compared."""

MAX_TAGS = 200
"""The largest number of elements of a record that are compared."""

PLAIN = 0.5
"""Used instead of the diversity for a record of one line, which has none."""

UNLIKE = 3.0
"""How much a distance between records counts against a section. One different record in four lowers the cohesion by a third."""

Codes = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SectionRecord:
    """A run of siblings.

    first, last: nodes of the first and the last sibling.
    low, high: the half-open range of its lines.
    """

    first: int
    last: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Region:
    """Records that follow each other below one element.

    sign: the sign that each record begins with.
    distance: the inter-record distance.
    """

    parent: int
    sign: Sign
    records: tuple[SectionRecord, ...]
    distance: float = 0.0
    cohesion: float = 0.0

    @property
    def lines(self) -> int:
        """How many lines it covers."""
        return sum(record.high - record.low for record in self.records)


def find_signs(page: LinePage, parent: int) -> list[Sign]:
    """Return the signs, with and without class names, that begin at least two children of an element.

    The most frequent come first, and of those that are equally frequent the one seen first, with class names before without.
    """
    counts: Counter[Sign] = Counter()
    for child in page.nodes[parent].children:
        if begins_line(page, child):
            node, kind = page.nodes[child], page.lines[page.nodes[child].low].kind
            counts.update(dict.fromkeys(((node.step, kind), (node.tag, kind), (node.step, None), (node.tag, None)), 1))
    return [sign for sign, count in counts.most_common(MAX_SIGNS) if count > 1]


def begins_line(page: LinePage, child: int) -> bool:
    """Return whether an element holds a line from its beginning."""
    node = page.nodes[child]
    return node.low < node.high and child <= page.lines[node.low].first < node.end


def has_sign(page: LinePage, child: int, sign: Sign) -> bool:
    """Return whether an element begins with the given sign."""
    node = page.nodes[child]
    if sign[0] not in (node.step, node.tag) or not begins_line(page, child):
        return False
    return sign[1] is None or page.lines[node.low].kind == sign[1]


def partition_children(page: LinePage, parent: int, sign: Sign, within: tuple[int, int] | None = None) -> tuple[SectionRecord, ...]:
    """Return the records below an element that begin with a sign.

    within: only children whose lines are in this half-open range.
    """
    children = page.nodes[parent].children
    if within is not None:
        children = [child for child in children if within[0] <= page.nodes[child].low and page.nodes[child].high <= within[1]]
    starts = [place for place, child in enumerate(children) if has_sign(page, child, sign)]
    found: list[list[int]] = []
    held: set[str] = set()
    for start, stop in pairwise([*starts, len(children)]):
        group = children[start:stop]
        if stop == len(children) and found:
            group = _trimmed(page, group, held, longest=max(len(each) for each in found))
        held |= {page.nodes[child].tag for child in group[1:]}
        found.append(group)
    return tuple(_record(page, group) for group in found)


def _trimmed(page: LinePage, group: list[int], held: set[str], *, longest: int) -> list[int]:
    """Return the last record without siblings of a kind that no other record has."""
    stop = next((at for at, child in enumerate(group) if at and page.nodes[child].tag not in held), len(group))
    return group[: min(stop, longest)]


def _record(page: LinePage, group: Sequence[int]) -> SectionRecord:
    low = page.nodes[group[0]].low
    return SectionRecord(group[0], group[-1], low, max(page.nodes[child].high for child in group))


@dataclass(slots=True)
class RecordDistances:
    """Distances of records. Results are cached, because a list has few different records."""

    page: LinePage
    _known: dict[tuple[Codes, Codes], float] = field(default_factory=dict)
    _tags: dict[int, Counter[tuple[str, str]]] = field(default_factory=dict)

    def region(self, parent: int, sign: Sign, records: tuple[SectionRecord, ...]) -> Region:
        """Return the records as a region, with the measures of their cohesion."""
        step = max(1, len(records) // COMPARED)
        pairs = list(pairwise(records))[::step][:COMPARED]
        distance = sum(self.between(one, other) for one, other in pairs) / len(pairs) if pairs else 0.0
        some = records[::step][:COMPARED]
        diverse = sum(measure_diversity(self.codes(record)) for record in some) / len(some)
        return Region(parent, sign, records, distance, (PLAIN + diverse) / (1 + UNLIKE * distance))

    def codes(self, record: SectionRecord) -> Codes:
        """Return the codes of a record's lines."""
        return tuple(line.code for line in self.page.lines[record.low : min(record.high, record.low + MAX_LINES)])

    def between(self, one: SectionRecord, other: SectionRecord) -> float:
        """Return the distance of two records, from 0 to 1."""
        return (self._lines(self.codes(one), self.codes(other)) + self._trees(one, other)) / 2

    def _lines(self, one: Codes, other: Codes) -> float:
        if one == other:
            return 0.0
        if (one, other) not in self._known:
            self._known[one, other] = edit_distance(one, other) / max(len(one), len(other))
        return self._known[one, other]

    def _trees(self, one: SectionRecord, other: SectionRecord) -> float:
        first, second = self._pairs(one), self._pairs(other)
        return 1 - 2 * (first & second).total() / max(first.total() + second.total(), 1) if first or second else 0.0

    def _pairs(self, record: SectionRecord) -> Counter[tuple[str, str]]:
        if record.first not in self._tags:
            nodes = self.page.nodes
            some = range(record.first, min(nodes[record.last].end, record.first + MAX_TAGS))
            self._tags[record.first] = Counter((nodes[nodes[number].parent].tag, nodes[number].tag) for number in some)
        return self._tags[record.first]


def line_distance(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return 0 for lines of one code, 1/4 if their kinds differ, since a line may lack a part, and 3/4 if their paths differ."""
    return 0.25 * (one[0] != other[0]) + 0.75 * (one[1] != other[1])


def edit_distance(one: Codes, other: Codes) -> float:
    """Return the cost of making one sequence of lines the other. A line costs 1, and one in the place of another costs their distance."""
    row = [float(n) for n in range(len(other) + 1)]
    for line in one:
        above, row[0] = row[0], row[0] + 1
        for at, mine in enumerate(other):
            cheapest = min(above + line_distance(line, mine), row[at] + 1, row[at + 1] + 1)
            above, row[at + 1] = row[at + 1], cheapest
    return row[-1]


def measure_diversity(codes: Codes) -> float:
    """Return the mean distance of two lines, 0 for a single line."""
    counts = list(Counter(codes).items())
    pairs = len(codes) * (len(codes) - 1) / 2
    return sum(_apart(counts)) / pairs if pairs else 0.0


def _apart(counts: Sequence[tuple[tuple[int, int], int]]) -> Iterator[float]:
    for at, (one, many) in enumerate(counts):
        for other, more in counts[:at]:
            yield line_distance(one, other) * many * more
