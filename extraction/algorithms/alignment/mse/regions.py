"""Candidates for sections with several records on one page: MRE, and the granularity step (Zhao, Meng & Yu 2006, section 4).

Below each element, the children are partitioned at every sign that begins several of them. The partition of the highest cohesion, weighted
by the share of the element's lines it covers, is taken if it has three records that are alike. Candidates may be nested: a row of
cards in a list of rows, authors in a book, a list in a column of the layout. The granularity step decides which of them are the real
records:

- If most outer records hold an inner section and hardly anything else, or otherwise only headings that are the same on all pages, the inner
  ones are meant.
- If most outer records hold one and lines of their own, or if the inner ones begin with the same labels in most of them, the outer one is
  meant.
- If few outer records hold one, and it has most of the outer one's lines, the outer one is the layout and the inner ones are meant.
  Otherwise the outer one is meant, and some of its records are long.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from extraction.algorithms.alignment.mse.page import LinePage
from extraction.algorithms.alignment.mse.records import RecordDistances, Region, SectionRecord, find_signs, partition_children
from extraction.algorithms.alignment.schema import MAX_NESTING

MIN_RECORDS = 3
"""The smallest number of records of a section that is found by them alone (section 4). Two are often alike by chance."""

ALIKE = 0.4
"""Largest inter-record distance of a section."""

REGULAR = 0.8
"""Share of a section's records that must have the same number of elements of the name they begin with."""

ITEMS = frozenset(("li", "article"))
"""Elements that are an item each: no record has two of them side by side."""

MOST = 0.5
LAYOUT = 0.6
"""Share of an outer candidate's lines that the sections of a layout have."""


def find_candidates(page: LinePage, measure: RecordDistances) -> dict[int, Region]:
    """Return {parent: its records} for all elements that have candidate records."""
    found = {}
    for number, node in enumerate(page.nodes):
        if len(node.children) < MIN_RECORDS or node.high - node.low < MIN_RECORDS:
            continue
        best = find_best_partition(page, measure, number)
        if best is not None and len(best.records) >= MIN_RECORDS and best.distance <= ALIKE:
            found[number] = best
    return found


def find_best_partition(page: LinePage, measure: RecordDistances, parent: int, within: tuple[int, int] | None = None) -> Region | None:
    """Return the partition of an element's children with the highest cohesion, weighted by the lines it covers. Ties go to the one
    with the most records."""
    options = []
    for sign in find_signs(page, parent):
        records = partition_children(page, parent, sign, within)
        if len(records) > 1 and _regular(page, parent, records):
            options.append(measure.region(parent, sign, records))
    return max(options, key=lambda each: (round(each.cohesion * each.lines, 6), len(each.records), -each.records[0].low), default=None)


def _regular(page: LinePage, parent: int, records: Sequence[SectionRecord]) -> bool:
    """Return whether most records have equally many elements of the name they begin with. If not, the sign misses some records.

    So it does if a record has two elements that are an item each.
    """
    children = page.nodes[parent].children
    counts: Counter[int] = Counter()
    for record in records:
        tags = [page.nodes[child].tag for child in children[bisect_left(children, record.first) : bisect_right(children, record.last)]]
        counts[tags.count(tags[0])] += 1
        if tags[0] in ITEMS and tags.count(tags[0]) > 1:
            return False
    return counts.most_common(1)[0][1] >= REGULAR * len(records)


def choose_granularity(page: LinePage, found: Mapping[int, Region], bounds: set[int]) -> list[Region]:
    """Return candidates of which none is within another's records.

    bounds: the lines that bound sections.
    """
    inner: dict[int, list[int]] = {}
    tops: list[int] = []
    stack: list[int] = []
    for parent in sorted(found):
        while stack and page.nodes[stack[-1]].end <= parent:
            stack.pop()
        holder = next((each for each in reversed(stack[-MAX_NESTING:]) if _record_of(page, found[each], parent) >= 0), None)
        (tops if holder is None else inner.setdefault(holder, [])).append(parent)
        stack.append(parent)
    return list(_chosen(page, found, inner, tops, bounds))


def _chosen(
    page: LinePage, found: Mapping[int, Region], inner: Mapping[int, list[int]], tops: Sequence[int], bounds: set[int]
) -> Iterator[Region]:
    waiting = list(reversed(tops))
    while waiting:
        parent = waiting.pop()
        below = inner.get(parent, [])
        if below and _means_inner(page, found[parent], [found[each] for each in below], bounds):
            waiting += reversed(below)
        else:
            yield found[parent]


def _means_inner(page: LinePage, outer: Region, below: Sequence[Region], bounds: set[int]) -> bool:
    holding = len({_record_of(page, outer, each.parent) for each in below})
    if _labelled(page, outer, below):
        return False
    covered = {line for each in below for record in each.records for line in range(record.low, record.high)}
    own = [line for record in outer.records for line in range(record.low, record.high) if line not in covered and line not in bounds]
    if holding >= MOST * len(outer.records):
        return len(own) < MOST * holding
    return len(covered) >= LAYOUT * outer.lines


def _labelled(page: LinePage, outer: Region, below: Sequence[Region]) -> bool:
    """Return whether most inner records begin with a text that most outer ones have. Then the inner records are merely the
    labelled lines of the outer record."""
    begins = [(page.lines[record.low].text_at(0), _record_of(page, outer, each.parent)) for each in below for record in each.records]
    counts = Counter(text for text, _ in set(begins) if text)
    recurring = sum(counts[text] >= MOST * len(outer.records) for text, _ in begins)
    return recurring >= MOST * len(begins) and len(outer.records) > 1


def _record_of(page: LinePage, region: Region, node: int) -> int:
    """Return the index of the record that a node is in, -1 if it is in none."""
    at = bisect_right(region.records, node, key=lambda record: record.first) - 1
    return at if at >= 0 and node < page.nodes[region.records[at].last].end else -1
