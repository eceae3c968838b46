"""Sections of several pages, each with its instances (Zhao, Meng & Yu 2006, section 6: clustering instances, wrappers, section families).

A section is recognised on another page by its *wrapper*: the path of the element around its records, and the sign that each record begins
with. Every wrapper found on some page is applied to all pages, so that a section with one or two records is found if another page shows
three. Instances of one wrapper are a *family*. Two of them are one section if the boundaries above them have the same text, or if no page
shows both.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extraction.algorithms.alignment.mse.boundaries import SHARED, SharedLines, Texts, find_dynamic_runs, read_record
from extraction.algorithms.alignment.mse.page import LinePage
from extraction.algorithms.alignment.mse.records import RecordDistances, Region, SectionRecord, Sign, partition_children
from extraction.algorithms.alignment.mse.refine import extend_region, find_data_codes, mine_records, refine_region
from extraction.algorithms.alignment.mse.regions import choose_granularity, find_candidates

Wrapper = tuple[int, Sign]
"""(path of the element around the records, what each begins with)"""

MAX_WRAPPERS = 60
"""The largest number of wrappers that are applied; those with the most lines come first. The evaluation sites have up to 20."""


FEWEST_STATIC = 3
"""The smallest number of pages whose equal records are static although most pages have no such section."""

MAX_RUNS = 100
"""The largest number of runs of lines without a section that are searched on a page; the longest come first."""


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section.

    label: the text of the boundary above it, "" for none.
    family: equal for sections of one wrapper.
    records: {page: its records}.
    """

    label: str
    family: int
    records: Mapping[int, tuple[SectionRecord, ...]]


@dataclass(slots=True)
class _SeenPage:
    """A page while its sections are being found.

    taken: the lines of the sections found so far.
    by_path: its elements, grouped by path.
    above: its boundaries, in order.
    """

    page: LinePage
    measure: RecordDistances
    bounds: set[int]
    regions: list[Region]
    taken: set[int] = field(default_factory=set)
    by_path: dict[int, list[int]] = field(default_factory=dict)
    above: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, node in enumerate(self.page.nodes):
            self.by_path.setdefault(node.path, []).append(number)
        self.above = sorted(self.bounds)

    def label(self, line: int) -> str:
        """Return the text of the boundary above a line."""
        at = bisect_left(self.above, line) - 1
        return self.page.lines[self.above[at]].mark[0] if at >= 0 else ""


@dataclass(slots=True)
class _Family:
    """Instances of one wrapper.

    labels: {text of the boundary above: {page: records}}.
    """

    labels: dict[str, dict[int, list[SectionRecord]]] = field(default_factory=dict)

    def add(self, label: str, number: int, records: Sequence[SectionRecord]) -> None:
        self.labels.setdefault(label, {}).setdefault(number, []).extend(records)

    def sections(self, family: int) -> Iterator[FoundSection]:
        """Yield the sections. Labels that no page shows together are one section, which gets the label that most pages have."""
        merged: list[tuple[str, dict[int, list[SectionRecord]]]] = []
        for label, pages in sorted(self.labels.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            into = next((held for _, held in merged if not held.keys() & pages.keys()), None)
            if into is None:
                merged.append((label, pages))
            else:
                into |= pages
        for label, pages in merged:
            yield FoundSection(label, family, {number: tuple(pages[number]) for number in sorted(pages)})


def follow_sections(pages: Sequence[LinePage]) -> list[FoundSection]:
    """Return the dynamic sections of pages of one template, those with the most lines first."""
    common = SharedLines(pages)
    seen = _look(pages, common)
    static = _static(seen, common)
    wrappers = _wrappers(seen, static)
    families = [_applied(wrapper, seen, static) for wrapper in wrappers]
    mined_families: dict[Wrapper, _Family] = {}
    for number, each in enumerate(seen):
        runs = sorted(find_dynamic_runs(each.page, each.bounds | common.fixed(each.page), each.taken), key=lambda run: run[0] - run[1])
        for run in sorted(runs[:MAX_RUNS]):
            region = mine_records(each.page, each.measure, run)
            if region is not None:
                family = mined_families.setdefault(_wrapper(each.page, region), _Family())
                family.add(each.label(region.records[0].low), number, region.records)
    every = [*families, *mined_families.values()]
    return [section for number, family in enumerate(every) for section in family.sections(number)]


def _look(pages: Sequence[LinePage], common: SharedLines) -> list[_SeenPage]:
    """Return each page with its boundaries and its candidates."""
    measures = [RecordDistances(page) for page in pages]
    found = [find_candidates(page, measure) for page, measure in zip(pages, measures, strict=True)]
    data = {code for page, regions in zip(pages, found, strict=True) for code in find_data_codes(page, regions.values())}
    seen = []
    for page, measure, regions in zip(pages, measures, found, strict=True):
        bounds = {line for line in common.bounds(page) if page.lines[line].code not in data}
        seen.append(_SeenPage(page, measure, bounds, choose_granularity(page, regions, bounds)))
    return seen


def _static(seen: Sequence[_SeenPage], common: SharedLines) -> frozenset[Texts]:
    """Return the texts of records that many pages have word for word: half of all pages, or of those with such a section."""
    counts: Counter[Texts] = Counter()
    within: Counter[tuple[Wrapper, Texts]] = Counter()
    having: Counter[Wrapper] = Counter()
    for each in seen:
        told = {(_wrapper(each.page, region), read_record(each.page, record)) for region in each.regions for record in region.records}
        counts.update({texts for _, texts in told})
        within.update(told)
        having.update({wrapper for wrapper, _ in told})
    often = {texts for texts, count in counts.items() if count >= common.least}
    return frozenset(often | {texts for (wrapper, texts), count in within.items() if count >= max(FEWEST_STATIC, SHARED * having[wrapper])})


def _wrapper(page: LinePage, region: Region) -> Wrapper:
    return page.nodes[region.parent].path, region.sign


def _wrappers(seen: Sequence[_SeenPage], static: frozenset[Texts]) -> list[Wrapper]:
    """Return the wrappers of all refined sections, those with the most lines first."""
    lines: Counter[Wrapper] = Counter()
    for each in seen:
        for region in each.regions:
            for part in refine_region(each.page, region, each.bounds, static):
                lines[_wrapper(each.page, part)] += part.lines
    return [wrapper for wrapper, _ in lines.most_common(MAX_WRAPPERS)]


def _applied(wrapper: Wrapper, seen: Sequence[_SeenPage], static: frozenset[Texts]) -> _Family:
    """Return the instances of a wrapper on all pages."""
    path, sign = wrapper
    family = _Family()
    for number, each in enumerate(seen):
        for parent in each.by_path.get(path, ()):
            records = partition_children(each.page, parent, sign)
            if not records:
                continue
            region = extend_region(each.page, each.measure, Region(parent, sign, records), each.bounds)
            for part in refine_region(each.page, region, each.bounds, static):
                lines = {line for record in part.records for line in range(record.low, record.high)}
                if not lines & each.taken:
                    each.taken |= lines
                    family.add(each.label(part.records[0].low), number, part.records)
    return family
