"""Pages of one template in several languages: a column for each label of the template becomes one for both languages.

A shop in English and German has the labels "Maker" and "Hersteller". Each makes a column of its own, which has values on the pages of its
language only. Two such columns are the same if their labels mean the same (`concepts`), if their values look the same, or if their labels
are paired when the labels of both languages are aligned (`learning.label_pairs`). Texts that differ between languages and never within one
belong to the template.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Protocol

from lxml import etree

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.page_language import primary_language
from extraction.algorithms.learning.label_pairs import LabelledPages, find_partner
from extraction.algorithms.suggestion.concepts import find_owners
from extraction.algorithms.suggestion.words import split_label

MIN_PAGES = 2
"""The smallest number of pages of a language."""

MIN_ALIKE = 0.3
"""The share of the values of the smaller column, without their figures, that the other column must have."""

SURE_PAGES = 3
"""A further column on fewer pages is joined only if the labels mean the same: its values may be alike by chance."""

SAME_MEANING = 4
"""What a common meaning of the labels counts; more than all else."""

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")

Languages = Sequence[str]
"""The language of each page; empty if the pages are not in several languages."""


class LabelledColumn(Protocol):
    """A column. words: the label before its values."""

    @property
    def words(self) -> str: ...
    @property
    def values(self) -> Mapping[int, tuple[Value, ...]]: ...
    @property
    def multiple(self) -> bool: ...
    @property
    def further(self) -> bool: ...
    @property
    def pages(self) -> Set[int]: ...
    @property
    def texts(self) -> Set[str]: ...


def read_languages(roots: Sequence[etree._Element]) -> Languages:
    """Return the language that each page says it is in; empty unless there are several, of `MIN_PAGES` pages each."""
    found = [primary_language(root) for root in roots]
    large = {language for language in found if language and found.count(language) >= MIN_PAGES}
    return found if len(large) > 1 else ()


def choose_pages(languages: Languages, most: int, columns: Sequence[Mapping[int, Sequence[object]]] = (), *, more: int = 0) -> list[int]:
    """Return the numbers of pages to mark: those that together show the most of the columns in each language; of equal ones, the first.

    Thus a column that few pages have gets a mark, in each language where a page has it. One with several values gets several marked in
    one language, which is enough to learn where they stand.

    columns: {page: values} each.
    more: how many more pages may be marked to show columns that the others do not show at all.
    """
    pages = range(max(most, len(languages), *(max(each, default=0) + 1 for each in columns), 0))
    shown: list[dict[tuple[int, str], int]] = [{} for _ in pages]
    for page in pages:
        language = languages[page] if languages else ""
        shown[page] = {(-1, language): 2} if language else {}
        shown[page] |= {(n, language): 2 for n, each in enumerate(columns) if each.get(page)}
        shown[page] |= {(n, "several"): 1 for n, each in enumerate(columns) if len(each.get(page, ())) > 1}
    chosen: list[int] = []
    while len(chosen) < min(most, len(pages)):
        known = {key for page in chosen for key in shown[page]}
        gains = {page: sum(weight for key, weight in shown[page].items() if key not in known) for page in pages if page not in chosen}
        chosen.append(max(gains, key=lambda page: (gains[page], -page)))
    return sorted([*chosen, *_choose_more(chosen, more, columns)])


def _choose_more(chosen: Sequence[int], most: int, columns: Sequence[Mapping[int, Sequence[object]]]) -> list[int]:
    """Return at most `most` other pages that show the most of the columns that no chosen page shows; of equal ones, the first."""
    found: list[int] = []
    while len(found) < most:
        missing = [each for each in columns if not any(each.get(page) for page in (*chosen, *found))]
        shown = Counter(page for each in missing for page, values in each.items() if values)
        if not shown:
            break
        found.append(min(shown, key=lambda page: (-shown[page], page)))
    return found


def is_same_in_each(contents: Iterable[tuple[int, tuple[str, ...]]], languages: Languages) -> bool:
    """Return whether the contents of pages differ between languages only. contents: (number of a page, its texts)."""
    by_language: dict[str, list[tuple[str, ...]]] = {}
    for page, texts in contents:
        by_language.setdefault(languages[page] if languages else "", []).append(texts)
    return len(by_language) > 1 and all(len(set(each)) == 1 and len(each) >= MIN_PAGES for each in by_language.values())


def find_pairs(columns: Sequence[LabelledColumn], languages: Languages) -> dict[int, int]:
    """Return {number of a column: number of the earlier column that is the same in another language}.

    A column that several others might be the same as stays alone.
    """
    if not languages:
        return {}
    spoken = [{languages[page] for page in each.pages} for each in columns]
    labelled = [n for n, each in enumerate(columns) if each.words and len(spoken[n]) == 1]
    alike: dict[int, dict[int, int]] = {n: {} for n in labelled}
    for n in labelled:
        for m in labelled:
            degree = _compare(columns[n], columns[m]) if spoken[n].isdisjoint(spoken[m]) else 0
            if degree >= SAME_MEANING or (degree and _is_sure(columns[n]) and _is_sure(columns[m])):
                alike[n][m] = degree
    found: dict[int, int] = {}
    while chosen := _pair_best(alike, [each.words for each in columns]):
        found |= chosen
        gone = {*chosen, *chosen.values()}
        alike = {n: {m: degree for m, degree in row.items() if m not in gone} for n, row in alike.items() if n not in gone}
    rare = {n for n, each in enumerate(columns) if not _is_sure(each)}
    return found | _pair_by_order(columns, languages, {*found, *found.values()}, rare)


def _is_sure(column: LabelledColumn) -> bool:
    return not column.further or len(column.pages) >= SURE_PAGES


def _pair_by_order(columns: Sequence[LabelledColumn], languages: Languages, paired: Set[int], rare: Set[int]) -> dict[int, int]:
    """Return {later column: earlier column} for those whose labels are paired by their order on the pages.

    paired: columns that have a partner already.
    rare: columns that do not count.
    """
    spoken = list(dict.fromkeys(filter(None, languages)))
    if len(spoken) != 2:
        return {}
    words = list(dict.fromkeys(each.words for each in columns if each.words))
    known = [each for n, each in enumerate(columns) if n not in rare]
    mine, theirs = (_read_labels(known, words, [n for n, said in enumerate(languages) if said == each]) for each in spoken)
    found: dict[int, int] = {}
    for label in mine.values.keys() - theirs.values.keys():
        other = find_partner(label, mine, theirs)
        if other is None or other in mine.values:
            continue
        mine_of, theirs_of = (
            [n for n, each in enumerate(columns) if each.words == words[at] and n not in paired | rare] for at in (label, other)
        )
        found |= {max(both): min(both) for both in _match_columns(columns, mine_of, theirs_of)}
    return found


def _match_columns(columns: Sequence[LabelledColumn], mine: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of columns of two labels that are paired: in their order, those with several values apart from the others.

    If each label has one column only, they are a pair. The pages of a language may happen to have one value each.
    """
    if len(mine) == len(theirs) == 1:
        return [(mine[0], theirs[0])]
    halves = [[[n for n in row if columns[n].multiple == several] for row in (mine, theirs)] for several in (False, True)]
    return [pair for one, other in halves for pair in zip(one, other, strict=False)]


def _read_labels(columns: Sequence[LabelledColumn], words: Sequence[str], pages: Sequence[int]) -> LabelledPages:
    """Return the labels of columns on some pages, as places in `words`, in the order of their first values."""
    rows: list[list[int]] = []
    values: dict[int, list[str]] = {}
    for page in pages:
        first: dict[int, int] = {}
        for each in columns:
            if each.words and page in each.values:
                label, texts = words.index(each.words), each.values[page]
                first[label] = min(first.get(label, texts[0].place.node), texts[0].place.node)
                values.setdefault(label, []).extend(value.text for value in texts)
        rows.append(sorted(first, key=lambda label: first[label]))
    return LabelledPages(rows, values)


def _pair_best(alike: dict[int, dict[int, int]], words: Sequence[str]) -> dict[int, int]:
    """Return {later column: earlier column} for those that are each other's only best."""
    best = {n: _choose_best(row, words) for n, row in alike.items()}
    return {n: m for n, m in best.items() if m is not None and m < n and best.get(m) == n}


def _choose_best(row: dict[int, int], words: Sequence[str]) -> int | None:
    """Return the column that is most alike, None if columns with different labels are. Of columns with one label, the first is best."""
    most = [n for n, degree in row.items() if degree == max(row.values())]
    return min(most) if len({words[n] for n in most}) == 1 else None


def _compare(one: LabelledColumn, other: LabelledColumn) -> int:
    """Return how much speaks for two columns being the same: the meaning of the label most, then equal values, then their form."""
    means = not set(find_owners(split_label(one.words))).isdisjoint(find_owners(split_label(other.words)))
    mine, theirs = ({_FIGURE.sub("0", text) for text in each.texts} for each in (one, other))
    alike = len(mine & theirs) >= MIN_ALIKE * min(len(mine), len(theirs))
    forms = [{_WORD.sub("a", text) for text in each} for each in (mine, theirs)]
    return SAME_MEANING * means + 2 * alike + (forms[0] == forms[1] and all("0" in form for form in forms[0]))
