"""Lists suggested for pages of one template of which nothing is known: sections with several records, with names and rows to mark.

MSE finds the sections (`alignment/mse`), and `list_names` names them. Another method *agrees* with a list if a set of its structure has
as many rows on most pages and most of their texts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lxml import etree

from extraction.algorithms.alignment.mse import Section, SectionRow, find_sections
from extraction.algorithms.alignment.schema import Row as SchemaRow
from extraction.algorithms.alignment.schema import Structure, Value
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.suggestion.list_names import ListNames, make_unique
from extraction.algorithms.suggestion.row_links import add_links, is_link

LISTS = 6
"""The largest number of lists suggested unless the caller says otherwise."""

FEWEST = 2
"""The smallest number of fields of a list. A list of one field is an attribute with several values, and is suggested as a field."""

FIELDS = 12
"""The largest number of fields of a list, those of most rows first."""

FILLED = 0.1
"""Share of the rows that must have a field."""

USUAL = 0.75
"""Share of the rows that must have a field for it to be a usual one, and share of the rows that must have one of these."""

SHEET = 0.5
"""Share of the pages that must have the name of a field, and of the rows that must begin with such a name, for rows to be fields."""

SEVERAL, INSIDE = 0.5, 0.8
"""Share of a list's pages that must have several rows, and of a column's values that must be in them, for it to belong to the list."""

LABELLED = 0.5
"""Share of a list's rows that must have a label of their own for the rows to be properties of the page."""

SAME_ROWS, SAME_TEXTS = 0.8, 0.6
"""Least share of the pages with as many rows, and of the texts in common, with which two methods agree."""

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class ListField:
    """A field of a list.

    number: that of the section's field.
    name: an identifier, unique in the list.
    filled: how many rows have it.
    """

    number: int
    name: str
    multiple: bool
    filled: int


@dataclass(frozen=True, slots=True, eq=False)
class SuggestedList:
    """A suggested list. name: an identifier. agree: the other methods that found it as well."""

    name: str
    fields: tuple[ListField, ...]
    section: Section
    agree: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows all pages have together."""
        return sum(map(len, self.section.rows.values()))


def suggest_lists(
    roots: Sequence[etree._Element], *, others: Mapping[str, Structure] | None = None, most: int = LISTS
) -> list[SuggestedList]:
    """Return at most `most` lists of pages of one template, the richest first. others: {method: what it found on the same pages}."""
    if len(roots) < 2:
        return []
    candidates = map(_drop_strangers, find_sections(roots))
    sections = [section for section in candidates if section.several and len(section.rows) > 1 and not _is_sheet(section)]
    told = [(section, ListNames(section, roots)) for section in sections]
    found = [(section, names) for section, names in told if len(_choose_fields(section, names)) >= FEWEST]
    found.sort(key=lambda each: -_measure_richness(each[0], len(roots)))
    linked = [(add_links(section, roots), names) for section, names in found[:most]]
    lists = [
        SuggestedList(name, _choose_fields(section, names), section)
        for name, (section, names) in zip(make_unique(names.name_list() for _, names in linked), linked, strict=True)
    ]
    return add_opinions(lists, others or {})


def add_opinions(lists: Sequence[SuggestedList], others: Mapping[str, Structure]) -> list[SuggestedList]:
    """Return the lists with the methods that agree. others: {method: what it found on the same pages}."""
    return [
        replace(each, agree=tuple(method for method, other in others.items() if is_in_structure(each.section, other))) for each in lists
    ]


def choose_rows_to_mark(found: SuggestedList, page: int, numbers: Sequence[int], *, most: int) -> list[SectionRow]:
    """Return at most `most` rows of a page that show the fields with these numbers best, in document order."""
    rows = found.section.rows.get(page, ())
    best = sorted(range(len(rows)), key=lambda at: (-sum(number in rows[at].values for number in numbers), at))[:most]
    return [rows[at] for at in sorted(best)]


def _drop_strangers(section: Section) -> Section:
    """Return a section without the few rows that are no items of it, such as adverts among the items: they have fewer than half of the
    usual fields, and not the first of these."""
    counts = Counter(number for rows in section.rows.values() for row in rows for number in row.values)
    total = sum(map(len, section.rows.values()))
    usual = {number for number, count in counts.items() if count >= USUAL * total}
    if not usual:
        return section
    first = min(usual)
    rows = {
        page: tuple(row for row in rows if first in row.values or 2 * len(row.values.keys() & usual) >= len(usual))
        for page, rows in section.rows.items()
    }
    left = sum(map(len, rows.values()))
    return replace(section, rows={page: many for page, many in rows.items() if many}) if USUAL * total <= left < total else section


def _is_sheet(section: Section) -> bool:
    """Return whether the rows are the fields of one record, each after its name: most begin with words that many pages have, in one
    order."""
    pages = [[next(_values(row)).text for row in rows] for rows in section.rows.values()]
    counts = Counter(text for page in pages for text in set(page) if _LETTER.search(text))
    many = {text for text, count in counts.items() if count >= max(2.0, SHEET * len(pages))}
    if sum(text in many for page in pages for text in page) < SHEET * sum(map(len, pages)):
        return False
    shown = [[text for text in page if text in many] for page in pages]
    return all(_in_order(one, other) for one, other in pairwise(shown))


def _in_order(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the texts that both have come in the same order."""
    common = set(one) & set(other)
    return [text for text in one if text in common] == [text for text in other if text in common]


def find_columns_within(
    lists: Sequence[SuggestedList],
    roots: Sequence[etree._Element],
    columns: Sequence[Mapping[int, Sequence[Value]]],
    labels: Sequence[str] = (),
) -> dict[int, SuggestedList]:
    """Return {number of a column: the list} of the columns whose values are in a list's rows.

    Only lists with several rows on most of their pages count. The rows of some lists are properties: most of them have a label of
    their own, which makes a column. Such columns are fields of the page, not of the list.

    columns: {page: values} each.
    labels: the label of each column, "" for none.
    """
    within: dict[int, SuggestedList] = {}
    for found in lists:
        rows = found.section.rows
        if sum(len(many) > 1 for many in rows.values()) < SEVERAL * len(rows):
            continue
        spans = {page: _spans(many, roots[page]) for page, many in rows.items()}
        inside = {n: touched for n, column in enumerate(columns) if (touched := _find_touched(column, spans))}
        properties = _find_properties(inside, labels, sum(map(len, rows.values())))
        within |= {n: found for n in inside if n not in within and n not in properties}
    return within


def _find_properties(inside: Mapping[int, set[tuple[int, int]]], labels: Sequence[str], rows: int) -> set[int]:
    """Return the columns whose label names one row of each page, if such labels name most of a list's rows; else none.

    inside: {number of a column: the rows (page, number) that have its values}.
    rows: how many the list has.
    """
    named: dict[str, set[tuple[int, int]]] = {}
    for n, touched in inside.items():
        if n < len(labels) and labels[n]:
            named.setdefault(labels[n], set()).update(touched)
    once = {label for label, touched in named.items() if len({page for page, _ in touched}) == len(touched)}
    covered = {row for label in once for row in named[label]}
    return {n for n in inside if n < len(labels) and labels[n] in once} if len(covered) >= LABELLED * rows else set()


def _find_touched(column: Mapping[int, Sequence[Value]], spans: Mapping[int, Sequence[tuple[int, int]]]) -> set[tuple[int, int]]:
    """Return the rows (page, number) that have a column's values; none unless nearly all its values are in rows."""
    places = [(page, value.place.node) for page, values in column.items() for value in values]
    rows = [next((n for n, (first, end) in enumerate(spans.get(page, ())) if first <= node < end), None) for page, node in places]
    touched = {(page, n) for (page, _), n in zip(places, rows, strict=True) if n is not None}
    return touched if sum(n is not None for n in rows) >= INSIDE * len(places) else set()


def _spans(rows: Sequence[SectionRow], root: etree._Element) -> list[tuple[int, int]]:
    """Return the elements of each row as half-open ranges."""
    nodes = elements(root)
    return [(row.first, row.last + len(elements(nodes[row.last]))) for row in rows]


def is_in_structure(section: Section, found: Structure) -> bool:
    """Return whether a set of the structure has the same rows as the section."""
    return any(_has_same_rows(section, pages) for pages in found.tables().values())


def _has_same_rows(section: Section, pages: Mapping[int, Sequence[SchemaRow]]) -> bool:
    every = section.rows.keys() | pages.keys()
    equal = sum(len(section.rows.get(page, ())) == len(pages.get(page, ())) for page in every)
    if equal < SAME_ROWS * len(every):
        return False
    mine = Counter(
        value.text for rows in section.rows.values() for row in rows for value in _values(row) if value.place.attribute != "href"
    )
    theirs = Counter(text for rows in pages.values() for row in rows for text in _texts(row))
    return (mine & theirs).total() >= SAME_TEXTS * min(mine.total(), theirs.total()) > 0


def _values(row: SectionRow) -> Iterator[Value]:
    for values in row.values.values():
        yield from values


def _texts(row: SchemaRow) -> Iterator[str]:
    waiting = [row]
    while waiting:
        for held in waiting.pop().values():
            if isinstance(held, Value):
                yield held.text
            else:
                waiting += held


def _measure_richness(section: Section, pages: int) -> float:
    """Return how many different values the fields have, weighted by the share of pages that show the list and of rows that have the
    values."""
    rows = [row for rows in section.rows.values() for row in rows]
    told = {(number, one.text) for row in rows for number, many in row.values.items() for one in many}
    numbers = {number for number, _ in told}
    filled = sum(len(row.values) for row in rows) / (len(numbers) * len(rows))
    return len(told) * filled * len(section.rows) / pages


def _choose_fields(section: Section, names: ListNames) -> tuple[ListField, ...]:
    counts: Counter[int] = Counter()
    texts: dict[int, list[str]] = {}
    for row in (row for rows in section.rows.values() for row in rows):
        for number, values in row.values.items():
            counts[number] += 1
            texts.setdefault(number, []).extend(value.text for value in values)
    total = sum(map(len, section.rows.values()))
    kept = [number for number, count in counts.most_common() if count >= FILLED * total and len(set(texts[number])) > 1][:FIELDS]
    kept.sort()
    named = make_unique(
        "link" if is_link(section.fields[at]) else names.name_field(section.fields[at], texts[at], first=at == kept[0]) for at in kept
    )
    return tuple(ListField(at, name, section.fields[at].multiple, counts[at]) for at, name in zip(kept, named, strict=True))
