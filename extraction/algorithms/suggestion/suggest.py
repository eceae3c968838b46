"""Columns suggested for pages of one template of which nothing is known.

    suggest_columns([page.root for page in pages])

Texts are grouped by keys (`groups`), and the groups are ranked (`ranking`). The best groups are taken, each of which adds something
(`taking`). Familiar ones come first (`familiarity`), then constants if they are asked for (`nearly_constant`), and all are named
(`naming`). The order of the pages makes no difference. The cost is linear in the texts, about 5 µs for each of their eight keys, and in the
candidates' values.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from lxml import etree

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.suggestion.familiarity import order_by_familiarity
from extraction.algorithms.suggestion.further_columns import FurtherColumnFinder
from extraction.algorithms.suggestion.groups import group_units
from extraction.algorithms.suggestion.labels import find_labels, list_label_keys
from extraction.algorithms.suggestion.languages import Languages, find_pairs, is_same_in_each, read_languages
from extraction.algorithms.suggestion.naming import Namer
from extraction.algorithms.suggestion.nearly_constant import MOSTLY, measure_sameness, take_constants
from extraction.algorithms.suggestion.ranking import ColumnCandidate, Ranking
from extraction.algorithms.suggestion.redundancy import leave_out_redundant
from extraction.algorithms.suggestion.table_headers import find_headers
from extraction.algorithms.suggestion.taking import take_columns
from extraction.algorithms.suggestion.units import Unit, read_units

COLUMNS = 60
"""The largest number of columns suggested unless the caller says otherwise."""

PARTED = 0.9
"""The share of a column's texts that must begin with the same words and a colon, or with a colon alone, for them to be left out. Otherwise
they belong to the values."""

_COLON = re.compile(r"((?:[^\W\d_][^:：]{0,30})?)[:：](?!//)\s*(?=\S)")


@dataclass(frozen=True, slots=True, eq=False)
class SuggestedColumn:
    """A suggested column.

    name: an identifier, unique among the columns.
    words: the label that its values stand after, empty for none.
    score: above 0, higher is better.
    values: {number of the page: its values in document order}, without pages that have none.
    constant: whether it is the same on every page seen.
    of_language: whether it is the same on all pages of a language, and differs between languages.
    further: whether the rows that it stands in are the only reason to suggest it (`further_columns`).
    """

    name: str
    words: str
    score: float
    values: Mapping[int, tuple[Value, ...]]
    constant: bool
    of_language: bool = False
    further: bool = False

    @property
    def pages(self) -> Set[int]:
        """The numbers of the pages that have it."""
        return self.values.keys()

    @property
    def texts(self) -> Set[str]:
        """All its values."""
        return {value.text for row in self.values.values() for value in row}

    @property
    def sameness(self) -> float:
        """The share of its pages that have the most common values."""
        return measure_sameness([tuple(value.text for value in row) for row in self.values.values()])

    @property
    def mostly_constant(self) -> bool:
        """Whether it is the same on nearly every page, or on every page of a language."""
        return self.of_language or self.sameness >= MOSTLY

    @property
    def multiple(self) -> bool:
        """Whether some page has several values."""
        return any(len(row) > 1 for row in self.values.values())


def suggest_columns(roots: Sequence[etree._Element], *, most: int = COLUMNS, constants: int = 0, further: int = 0) -> list[SuggestedColumn]:
    """Return at most `most` columns for pages of one template, the best first; none for fewer than two pages.

    constants: how many more columns may follow that are the same on all or nearly all pages.
    further: how many more may follow that stand in the same rows, most of them on few pages.
    """
    if len(roots) < 2:
        return []
    pages, paths = read_units(roots)
    keys = list_label_keys(pages)
    languages = read_languages(roots)
    labels = find_labels(pages, keys, paths, languages=languages)
    namer = Namer(pages, keys, labels, paths)
    groups = group_units(pages, keys, labels, paths)
    pool = leave_out_redundant(Ranking(groups, pages, labels, paths, languages=languages).list_candidates(), groups, paths)
    taken = order_by_familiarity(list(take_columns(pool, max(most, COLUMNS))), paths)[: 2 * most if languages else most]
    taken += [(each.merit, each) for each in take_constants(pool, [each for _, each in taken], groups, paths, constants)]
    finder, count = FurtherColumnFinder(groups, pages, labels, paths), len(taken)
    taken += [(each.merit, each) for each in finder.find_columns([each for _, each in taken], further)]
    columns = [each for _, each in taken]
    names = namer.name_columns(columns, find_headers(roots, columns))
    words = [namer.written.get(each.key.label, "") for each in columns]
    made = [
        replace(_make_column(name, said, score, each), further=number >= count)
        for number, (name, said, (score, each)) in enumerate(zip(names, words, taken, strict=True))
    ]
    return _join_languages(made, languages, most) if languages else made


def _join_languages(columns: Sequence[SuggestedColumn], languages: Languages, most: int) -> list[SuggestedColumn]:
    """Return the columns with those that are the same in two languages joined: at most `most` that vary, then constants, then further ones.

    Those that were joined count as two.
    """
    pairs = find_pairs(columns, languages)
    others: dict[int, list[SuggestedColumn]] = {}
    for number, first in pairs.items():
        others.setdefault(first, []).append(columns[number])
    joined = []
    for number, each in enumerate(columns):
        if number in pairs:
            continue
        values = dict(sorted({page: row for one in (each, *others.get(number, ())) for page, row in one.values.items()}.items()))
        contents = [(page, tuple(value.text for value in row)) for page, row in values.items()]
        joined.append(replace(each, values=values, of_language=is_same_in_each(contents, languages)))
    varied = sorted((each for each in joined if not each.constant and not each.further), key=lambda each: each.of_language)
    count = sum(not columns[number].further for number in pairs)
    constants, further = [each for each in joined if each.constant], [each for each in joined if each.further]
    return [*varied[: most - count], *constants, *further]


def _make_column(name: str, words: str, score: float, each: ColumnCandidate) -> SuggestedColumn:
    units = [found.unit for row in each.group.values() for found in row]
    before = _find_beginning(units)
    values = {page: tuple(_make_value(found.unit, before) for found in row) for page, row in sorted(each.group.items())}
    found = SuggestedColumn(name, words, score, values, each.constant)
    return replace(found, constant=each.constant and found.sameness == 1)


def _find_beginning(units: Sequence[Unit]) -> str | None:
    """Return what stands before the colon that nearly all texts begin with, "" for the colon alone; None if they do not begin alike.

    It belongs to the label.
    """
    beginnings = Counter(match[1].strip() for unit in units if (match := _match_beginning(unit)))
    text, count = min(beginnings.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    return text if units and count >= PARTED * len(units) else None


def _make_value(unit: Unit, before: str | None) -> Value:
    """Return a unit as a value, without what belongs to the label before it. before: as `_find_beginning` returns it."""
    match = _match_beginning(unit) if before is not None else None
    start = match.end() if match and match[1].strip() == before else 0
    place = replace(unit.place, start=start, end=len(unit.text)) if start else unit.place
    return Value(unit.text[start:], place)


def _match_beginning(unit: Unit) -> re.Match[str] | None:
    """Return the words and the colon that a text begins with."""
    return _COLON.match(unit.text) if unit.place.kind == "text" and unit.place.start is None else None
