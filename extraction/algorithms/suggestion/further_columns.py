"""Further columns: what stands beside labels in the same rows as columns that are suggested.

Five of forty-five products may say how to care for them. Alone, such a text could be anything. But if its label stands in a row like those
of columns that are suggested, it names a property, too, also if all pages that have it say the same. These columns are suggested apart from
the others, because little was seen of most of them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from extraction.algorithms.suggestion.groups import Group, Key, UnitOccurrence
from extraction.algorithms.suggestion.labels import TemplateLabels, make_label_key
from extraction.algorithms.suggestion.ranking import ColumnCandidate
from extraction.algorithms.suggestion.redundancy import is_in_term, is_list
from extraction.algorithms.suggestion.units import INLINE, PageUnits, Unit, UnitPaths

SIBLINGS = 2
"""The smallest number of columns that must stand in rows of the same form."""

HELD = 0.5
"""The share of the texts of the larger of two columns that both must have for them to be the same."""

MERIT = 0.1
"""The merit of a column that all pages have. Others have a share of it, that of their pages."""

RowForm = tuple[str, str]
"""(last two steps of the label, last two steps of the value)"""


@dataclass(frozen=True, slots=True)
class FurtherColumnFinder:
    """Finds further columns among the groups of pages."""

    groups: Mapping[Key, Group]
    pages: Sequence[PageUnits]
    labels: TemplateLabels
    paths: UnitPaths

    def find_columns(self, taken: Sequence[ColumnCandidate], most: int) -> list[ColumnCandidate]:
        """Return at most `most` columns in rows like those of the columns taken that are none of these; first what most pages have."""
        rows = {(form, each.key.label) for each in taken if each.key.label and (form := self._read_form(each.group))} if most > 0 else set()
        known = {form for form, count in Counter(form for form, _ in rows).items() if count >= SIBLINGS}
        labels, held = {label for _, label in rows}, [_list_places(each.group) for each in taken]
        found = [each for each in self._list_rows(known, labels) if not _is_held(each, held)] if known else []
        return sorted(found, key=lambda each: (-len(each.group), each.key.label, each.key.steps))[:most]

    def _list_rows(self, known: Set[RowForm], labels: Set[str]) -> Iterator[ColumnCandidate]:
        """Yield the columns in rows of known forms, without those whose label has a column already."""
        for key, group in self.groups.items():
            possible = key.kind == "first after" and not key.whole and key.label in self.labels.marked and key.label not in labels
            if possible and self._read_form(group) in known:
                made = self._make_candidate(key)
                if not any(self._is_cut(page, row[-1].unit) for page, row in made.group.items()):
                    yield made

    def _read_form(self, group: Group) -> RowForm | None:
        """Return the form of the rows that a group's values stand in; None unless they all follow their labels directly, in one form."""
        forms = set[RowForm]()
        for page, (first, *_) in group.items():
            if first.gap or not first.unit.first:
                return None
            label = self.pages[page].texts[first.unit.first - 1]
            forms.add((self.paths.tail(label.path), self.paths.tail(first.unit.path)))
        return forms.pop() if len(forms) == 1 else None

    def _make_candidate(self, key: Key) -> ColumnCandidate:
        every = self.groups[key._replace(kind="all after")]
        wholes = self.groups.get(key._replace(kind="all after", whole=True), {})
        group = {page: self._read_run(page, row, wholes.get(page, ())) for page, row in every.items()}
        rows = list(group.values())
        several = all(is_in_term(found, self.paths) for row in rows for found in row) or is_list(rows, self.paths)
        group = {page: row if several else row[:1] for page, row in group.items()}
        values = frozenset((page, found.unit.text) for page, row in group.items() for found in row)
        return ColumnCandidate(key, group, MERIT * len(group) / len(self.pages), 0.0, values, values)

    def _read_run(self, page: int, row: Sequence[UnitOccurrence], wholes: Sequence[UnitOccurrence]) -> list[UnitOccurrence]:
        """Return the first values after a label that follow each other without a gap and without another row.

        wholes: elements with text and inline elements, each of which is one value.
        """
        by_first = {found.unit.first: found for found in wholes}
        begins = {each.first for each in self.pages[page].rows}
        run = [by_first.get(row[0].unit.first, row[0])]
        for found in row:
            if found.unit.first < run[-1].unit.end:
                continue
            if found.unit.first > run[-1].unit.end or (found.unit.first in begins and not is_in_term(found, self.paths)):
                break
            run.append(by_first.get(found.unit.first, found))
        return run

    def _is_cut(self, page: int, unit: Unit) -> bool:
        """Return whether the block that a text is in goes on after it, as in ``<td>50 <b>cm</b></td>`` or after the first of two links."""
        after = self.pages[page].texts[unit.end : unit.end + 1]
        if unit.place.kind == "element" or not after or make_label_key(after[0].text) in self.labels:
            return False
        above = [unit.path, *self.paths.list_above(unit.path)]
        block = next((path for path in above if self.paths.tags[path] not in INLINE), unit.path)
        goes_on = after[0].path == block and (block != unit.path or after[0].place.node == unit.place.node)
        return goes_on or block in self.paths.list_above(after[0].path)


def _is_held(each: ColumnCandidate, held: Sequence[Set[tuple[int, int]]]) -> bool:
    """Return whether a column is most of another one, or another one most of it. held: the places of the others."""
    places = _list_places(each.group)
    return any(len(places & others) > HELD * max(len(places), len(others)) for others in held)


def _list_places(group: Group) -> set[tuple[int, int]]:
    return {(page, place) for page, row in group.items() for found in row for place in range(found.unit.first, found.unit.end)}
