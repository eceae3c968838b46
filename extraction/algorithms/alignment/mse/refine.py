"""Refines records and dynamic sections with the help of each other (Zhao, Meng & Yu 2006, sections 5.3 and 5.4: refining MRs by SBMs,
mining records).

A section's records are cut at the boundary lines inside it. Static records at its ends are dropped, and a section most of whose records are
static (a menu) is no section. Lines that seem to bound sections, but look like lines in many of its records, are data, such as the same
countries in every table. Runs between boundaries in which no records were found are partitioned anew at every sign and also taken as a
single record. The partition of the highest cohesion wins.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from extraction.algorithms.alignment.class_names import read_classes
from extraction.algorithms.alignment.mse.boundaries import Texts, read_record
from extraction.algorithms.alignment.mse.page import LinePage
from extraction.algorithms.alignment.mse.records import RecordDistances, Region, SectionRecord
from extraction.algorithms.alignment.mse.regions import ALIKE, find_best_partition

DATA = 0.3
"""If at least this share of a section's records has a line with the same code, such lines are data."""

ITEMS = frozenset(("li", "dd", "article"))
"""Elements that are an item each. Rows of tables and plain blocks may be headings."""

STATIC = 0.5
"""A section is static if at least this share of its records is."""


def find_data_codes(page: LinePage, regions: Iterable[Region]) -> set[tuple[int, int]]:
    """Return the codes of lines that many records of a section have. Such a line bounds nothing, even if it is on all pages."""
    found = set[tuple[int, int]]()
    for region in regions:
        counts = Counter(code for record in region.records for code in {line.code for line in page.lines[record.low : record.high]})
        found |= {code for code, count in counts.items() if count >= max(2.0, DATA * len(region.records))}
    return found


def extend_region(page: LinePage, measure: RecordDistances, region: Region, bounds: set[int]) -> Region:
    """Return the region with the siblings before and after it that are records too, although they begin with another sign."""
    siblings = page.nodes[region.parent].children
    records = deque(region.records)
    for step, at in ((-1, 0), (1, -1)):
        place = bisect_left(siblings, records[at].first if step < 0 else records[at].last) + step
        while 0 <= place < len(siblings):
            record = _alone(page, siblings[place], bounds)
            if page.nodes[siblings[place]].tag != page.nodes[records[at].first].tag or record is None:
                break
            if measure.between(record, records[at]) > ALIKE:
                break
            records.appendleft(record) if step < 0 else records.append(record)
            place += step
    return replace(region, records=tuple(records))


def _alone(page: LinePage, child: int, bounds: set[int]) -> SectionRecord | None:
    """Return an element as a record, without the boundaries it begins with; None if it holds nothing but boundaries."""
    low, high = page.nodes[child].low, page.nodes[child].high
    while low < high and low in bounds:
        low += 1
    return SectionRecord(child, child, low, high) if low < high and not bounds & set(range(low, high)) else None


def refine_region(page: LinePage, region: Region, bounds: set[int], static: frozenset[Texts]) -> Iterator[Region]:
    """Yield the sections that a candidate consists of: it is cut at boundaries, and static sections are dropped."""
    run: list[SectionRecord] = []
    for record in region.records:
        low = next((line for line in range(record.low, record.high) if line not in bounds), record.high)
        cut = next((line for line in range(low, record.high) if line in bounds), record.high)
        if low > record.low and not _is_item(page, region.parent, record, record.low):
            yield from _dynamic(page, region, run, static)
            run = []
        kept = replace(record, low=low) if cut == record.high else _until(page, region.parent, replace(record, low=low), cut)
        if kept is not None and kept.low < kept.high:
            run.append(kept)
        if cut < record.high and not _is_item(page, region.parent, record, cut):
            yield from _dynamic(page, region, run, static)
            run = []
    yield from _dynamic(page, region, run, static)


def _is_item(page: LinePage, parent: int, record: SectionRecord, line: int) -> bool:
    """Return whether a static line is a whole item among a list's items. Then it is an advertisement and not a heading. Blocks are items of
    a list if they have a class of its records, as `div.tile.promo` among `div.tile` has."""
    nodes, children = page.nodes, page.nodes[parent].children
    at = bisect_right(children, line, key=lambda child: nodes[child].low) - 1
    item = nodes[children[at]] if at >= 0 else nodes[parent]
    if not item.low <= line < item.high or item.tag != nodes[record.first].tag:
        return False
    return item.tag in ITEMS or bool(read_classes(item.step) & read_classes(nodes[record.first].step))


def _until(page: LinePage, parent: int, record: SectionRecord, line: int) -> SectionRecord | None:
    """Return the siblings of a record that are entirely before a line, as a record; None if there are none."""
    siblings = [child for child in page.nodes[parent].children if record.first <= child <= record.last]
    kept = [child for child in siblings if page.nodes[child].high <= line]
    if not kept or page.nodes[kept[-1]].high <= record.low:
        return None
    return SectionRecord(record.first, kept[-1], record.low, page.nodes[kept[-1]].high)


def _dynamic(page: LinePage, region: Region, records: Sequence[SectionRecord], static: frozenset[Texts]) -> Iterator[Region]:
    """Yield the section of a run of records. Static records are dropped at its ends, and inside it if their number of texts differs
    from that of most records."""
    told = [read_record(page, record) for record in records]
    same = [each in static for each in told]
    if not records or all(same) or sum(same) > STATIC * len(records) or not any(texts for texts, _ in told):
        return
    first, last = same.index(False), len(same) - same[::-1].index(False)
    usual = Counter(len(texts) for texts, _ in told).most_common(1)[0][0]
    kept = [at for at in range(first, last) if not same[at] or len(told[at][0]) == usual]
    yield replace(region, records=tuple(records[at] for at in kept))


def mine_records(page: LinePage, measure: RecordDistances, run: tuple[int, int]) -> Region | None:
    """Return the records of a run of lines that no section has yet; None if no elements hold just these lines."""
    parent = _around(page, run)
    inside = [child for child in page.nodes[parent].children if run[0] <= page.nodes[child].low < page.nodes[child].high <= run[1]]
    if not inside:
        return None
    low, high = page.nodes[inside[0]].low, page.nodes[inside[-1]].high
    whole = (SectionRecord(inside[0], inside[-1], low, high),)
    single = measure.region(parent, (page.nodes[inside[0]].step, page.lines[low].kind), whole)
    several = find_best_partition(page, measure, parent, run)
    if several is not None and several.distance <= ALIKE and several.cohesion > single.cohesion:
        return several
    return single


def _around(page: LinePage, run: tuple[int, int]) -> int:
    """Return the innermost element that holds all lines of a run."""
    number = page.lines[run[0]].first
    while page.nodes[number].parent >= 0 and not (page.nodes[number].low <= run[0] and run[1] <= page.nodes[number].high):
        number = page.nodes[number].parent
    # An element that is an only child belongs to a record, not to a section.
    while page.nodes[number].parent >= 0 and len(page.nodes[number].children) < 2:
        number = page.nodes[number].parent
    return number
