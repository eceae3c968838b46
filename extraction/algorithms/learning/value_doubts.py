"""Signs that a rule is wrong on pages that nobody has looked at, from the values that it gives there.

Rules that fit the marks can all agree and all be wrong: where one group of pages, such as a language, is built differently, each of them
finds nothing there, or the same wrong text. So the values of a group are compared with those of the other pages: how many there are,
whether they differ among themselves, and their form. Nothing is rejected here; a person is asked to look.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from extraction.algorithms.learning.outliers import MIN_OCTAVES, MIN_SHARE, SLACK_CHARS, find_outliers
from extraction.algorithms.learning.page_groups import IN_LANGUAGE, PageGroup

MANY_MISSING, FEW_MISSING = 0.5, 0.1
"""Values are missing in a group if at least the first share of its pages lacks them and at most the second share of the other pages."""

LUCK = 0.001
"""A group without any value is in doubt if so many pages would lack it by chance less often than this, judged by the other pages."""

TOLD = 0.05
"""A person who said so often that the value is not on pages of such a group would have done so by chance less often than this."""

TOLD_PAGES = 3
"""On so many pages of a language, or on all, a person has to say that the value is not there before nobody is asked about it. One such mark
may be a slip, and it would hide that the value is missing from all other pages. Of a rare value, `TOLD` asks for more: it is not on most
pages anyway."""

RARE = 0.05
"""A language without any value is asked about if so many pages would lack it by chance less often than this."""

MIN_VALUES = 4
"""With fewer values on either side, a group's values are not compared with the others'."""

VARIED = 0.5
"""The share of different values from which on values differ from page to page."""

SHOWN_CHARS = 80
MAX_PAGES = 50

Kind = Literal["missing", "constant", "form", "unread", "unlike"]


@dataclass(frozen=True, slots=True)
class ValueDoubt:
    """A reason to look at some values of an attribute.

    words: the reason, in words that follow the name of the attribute and a colon.
    pages: the first pages to look at.
    count: the number of pages.
    """

    kind: Kind
    words: str
    pages: tuple[int, ...]
    count: int


def find_value_doubts(
    values: Mapping[int, Sequence[str]],
    groups: Sequence[PageGroup],
    *,
    unread: Collection[str] = (),
    said: Collection[int] = (),
) -> list[ValueDoubt]:
    """Return what is doubtful about the values of one attribute, the gravest first.

    values: {page: its values}, also for pages without any.
    groups: groups of these pages.
    unread: the values that cannot be read as the type of the attribute.
    said: the pages on which a person said what the value is or that there is none. They are not in doubt, and what they show of their
        group is not either.
    """
    said = set(said)
    found: list[ValueDoubt] = []
    for group in groups:
        inside = {page: each for page, each in values.items() if page in group.pages}
        outside = {page: each for page, each in values.items() if page not in group.pages}
        found += _find_missing(group, inside, outside, said) or _find_group_form(group, inside, outside, said)
    return _drop_repeated(found) + _find_unread(values, unread, said) + _find_unlike(values, unread, said)


def find_empty_languages(
    values: Mapping[int, Sequence[str]], groups: Sequence[PageGroup], *, said: Collection[int], besides: Sequence[ValueDoubt]
) -> list[ValueDoubt]:
    """Return a doubt for each language in which the attribute has no value.

    It is raised also if a mark or two say that the value is not there.

    besides: doubts that are known, and are not repeated.
    """
    found: list[ValueDoubt] = []
    for group in groups:
        inside = sorted(page for page in values if page in group.pages)
        hits, others = sum(bool(values[page]) for page in values if page not in group.pages), len(values) - len(inside)
        known = any(each.kind == "missing" and group.pages.issuperset(each.pages) for each in besides)
        if known or not group.name.startswith(IN_LANGUAGE) or not hits or any(values[page] for page in inside):
            continue
        told, by_chance = sum(page in said for page in inside), 1 - hits / others
        settled = told == len(inside) or (told >= TOLD_PAGES and by_chance**told < TOLD)
        if not settled and by_chance ** len(inside) < RARE:
            words = f"no value on any of the {len(inside):,} pages {group.name}, while {hits:,} of {others:,} other pages have one"
            found.append(_make("missing", words, [page for page in inside if page not in said]))
    return found


def _find_missing(
    group: PageGroup, inside: Mapping[int, Sequence[str]], outside: Mapping[int, Sequence[str]], said: Collection[int]
) -> list[ValueDoubt]:
    lacking = [page for page, each in inside.items() if not each]
    others = sum(not each for each in outside.values())
    if not inside or not outside:
        return []
    unsaid = [page for page in lacking if page not in said]
    most = len(unsaid) == len(lacking) >= MANY_MISSING * len(inside) and others <= FEW_MISSING * len(outside)
    if not most and not _is_empty(len(inside), len(lacking), len(unsaid), others / len(outside)):
        return []
    words = f"no value on {len(lacking):,} of {len(inside):,} pages {group.name}, and on {others:,} of {len(outside):,} other pages"
    return [_make("missing", words, unsaid)]


def _is_empty(pages: int, lacking: int, unsaid: int, share: float) -> bool:
    """Whether all pages of a group lack a value that the other pages do not lack so often.

    share: of the other pages, how many lack it.
    """
    return lacking == pages and share**unsaid < LUCK and share ** (lacking - unsaid) >= TOLD


def _find_group_form(
    group: PageGroup, inside: Mapping[int, Sequence[str]], outside: Mapping[int, Sequence[str]], said: Collection[int]
) -> list[ValueDoubt]:
    """Look whether the values of a group are all the same, or of another form than the others."""
    mine, theirs = [_join(each) for each in inside.values() if each], [_join(each) for each in outside.values() if each]
    pages = [page for page, each in inside.items() if each]
    if len(mine) < MIN_VALUES or len(theirs) < MIN_VALUES or any(page in said for page in pages):
        return []
    if len(set(mine)) == 1 and len(set(theirs)) >= VARIED * len(theirs):
        return [_make("constant", f"“{_cut(mine[0])}” on all {len(mine):,} pages {group.name}, while other pages differ", pages)]
    how = _compare_forms(mine, theirs)
    if not how:
        return []
    return [_make("form", f"the values on {len(mine):,} pages {group.name} have {how} than on others, such as “{_cut(mine[0])}”", pages)]


def _compare_forms(mine: Sequence[str], theirs: Sequence[str]) -> str:
    """Return how the usual value of one side differs from that of the other, in words; empty if it does not."""
    letters = median(_share_letters(text) for text in mine) - median(_share_letters(text) for text in theirs)
    digits = median(_share_digits(text) for text in mine) - median(_share_digits(text) for text in theirs)
    octaves = median(map(_measure_length, mine)) - median(map(_measure_length, theirs))
    if abs(digits) > MIN_SHARE:
        return "more digits" if digits > 0 else "fewer digits"
    if abs(letters) > MIN_SHARE:
        return "more letters" if letters > 0 else "fewer letters"
    if abs(octaves) > MIN_OCTAVES:
        return "more text" if octaves > 0 else "less text"
    return ""


def _find_unread(values: Mapping[int, Sequence[str]], unread: Collection[str], said: Collection[int]) -> list[ValueDoubt]:
    pages = [page for page, each in values.items() if page not in said and any(text in unread for text in each)]
    if not pages:
        return []
    first = next(text for text in values[pages[0]] if text in unread)
    total = sum(bool(each) for each in values.values())
    return [_make("unread", f"cannot be read as its type on {len(pages):,} of {total:,} pages, such as “{_cut(first)}”", pages)]


def _find_unlike(values: Mapping[int, Sequence[str]], unread: Collection[str], said: Collection[int]) -> list[ValueDoubt]:
    odd = [each for each in find_outliers(values) if each.page not in said and each.value not in unread]
    if not odd:
        return []
    what = f"{len(odd):,} value{'s' if len(odd) > 1 else ''} unlike the others, such as “{_cut(odd[0].value)}” ({odd[0].reason})"
    return [_make("unlike", what, [each.page for each in odd])]


def _drop_repeated(found: Sequence[ValueDoubt]) -> list[ValueDoubt]:
    """Keep one doubt for the same pages; two divisions may have nearly the same groups."""
    return list({(each.kind, each.pages, each.count): each for each in reversed(found)}.values())[::-1]


def _make(kind: Kind, words: str, pages: Sequence[int]) -> ValueDoubt:
    return ValueDoubt(kind, words, tuple(sorted(pages)[:MAX_PAGES]), len(pages))


def _join(values: Sequence[str]) -> str:
    return " · ".join(values)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def _measure_length(text: str) -> float:
    return math.log2(len(text) + SLACK_CHARS)


def _share_letters(text: str) -> float:
    return sum(map(str.isalpha, text)) / max(len(text), 1)


def _share_digits(text: str) -> float:
    return sum(map(str.isdigit, text)) / max(len(text), 1)
