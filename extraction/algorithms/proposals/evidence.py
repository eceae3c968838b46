"""How much speaks for a candidate being an attribute: one number for each kind of evidence.

A kind of evidence is the same for all attributes, so weights learned on some attributes hold for others (`weights`).
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean

from extraction.algorithms.markup.items import Item
from extraction.algorithms.markup.matching import rank_subjects
from extraction.algorithms.proposals.candidates import Candidate
from extraction.algorithms.suggestion.concepts import Meaning, find_owners
from extraction.algorithms.proposals.learned_forms import LearnedForm
from extraction.algorithms.proposals.surroundings import Spot, View
from extraction.algorithms.proposals.value_forms import VAGUE, match_form
from extraction.algorithms.suggestion.words import Phrase, split_label

KINDS = (
    "label", "label far", "label part", "second label", "foreign label", "heading above", "column header", "prefix", "begins with",
    "own name", "name around", "own name part", "property", "foreign name", "page data", "page data part", "page data differs",
    "form", "vague form", "not the form", "title of the page", "top heading", "heading", "titled though no name", "subject heading",
    "common word", "first of several", "several though one", "one though several", "constant", "aside", "coverage", "long", "position", "holds its label", "is a label", "element",
    "learned form", "known values", "learned form differs", "not a value seen",
)  # fmt: skip
"""The kinds of evidence, in the order of a vector's numbers."""

LISTS = frozenset(("ingredient", "step", "list"))
"""Forms of attributes that mostly have several values."""

OFTEN_LISTS = frozenset(("genre", "cuisine", "category", "person"))
"""Forms of attributes that may have several values."""

ALTERNATIVE = 0.9
"""What a value in a less likely property of the page's data counts for, compared with the next likelier one."""

SHORTEST = 3
"""Fewest characters of a phrase that is looked for in class names."""

_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Sought:
    """An attribute that is sought.

    meaning: what its name means. multiple: whether it has several values, None where nobody said.
    data: {page: the values that the page's own data gives it, as alternatives}. learned: what its values look like on other sites.
    """

    meaning: Meaning
    multiple: bool | None = None
    data: Mapping[int, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    learned: LearnedForm | None = None


def read_page_data(meanings: Sequence[Meaning], items: Sequence[Item]) -> list[list[tuple[str, ...]]]:
    """Return what a page's own data says about each attribute: values of the properties that may be meant, the likeliest first.

    The thing that has most of the attributes is what the page is about.
    """
    wanted = [[path.casefold() for path in (*meaning.properties, "".join(meaning.own))] for meaning in meanings]
    ranked = [(item, [_find_properties(item, paths) for paths in wanted]) for item in rank_subjects(items)]
    ranked.sort(key=lambda pair: (pair[0].syntax == "Open Graph", -sum(map(bool, pair[1]))))
    rows = [row for _, row in ranked]
    return [list(dict.fromkeys(values for row in rows for values in row[at])) for at in range(len(meanings))]


def _find_properties(item: Item, paths: Sequence[str]) -> list[tuple[str, ...]]:
    found = [(paths.index(path.casefold()), values) for path, values in item.properties.items() if path.casefold() in paths]
    return [values for _, values in sorted(found)]


def measure_evidence(candidate: Candidate, view: View, sought: Sought) -> tuple[float, ...]:
    """Return the numbers of `KINDS` for a candidate, mostly shares from 0 to 1."""
    found = dict.fromkeys(KINDS, 0.0)
    found |= _read_labels(view, sought.meaning)
    found |= _read_names(view, sought.meaning)
    found |= _read_data(candidate, sought)
    found |= _read_form(view, sought)
    found |= _read_shape(view, sought)
    if sought.learned is not None:
        found |= sought.learned.measure(view.texts)
    return tuple(found[kind] for kind in KINDS)


def _read_labels(view: View, meaning: Meaning) -> dict[str, float]:
    phrases = meaning.phrases

    def best(measure: Callable[[Spot], float]) -> float:
        return max(fmean(map(measure, spots)) for spots in view.spots)

    return {
        "label": best(lambda spot: spot.gap == 0 and spot.label in phrases),
        "label far": best(lambda spot: 0 < spot.gap < 4 and spot.label in phrases),
        "label part": best(lambda spot: 0.0 if spot.label in phrases or spot.gap > 1 else share_phrase(spot.label, phrases)),
        "second label": best(lambda spot: spot.gap < 3 and spot.second in phrases),
        "foreign label": min(fmean(_is_foreign(spot.label, phrases) and spot.gap == 0 for spot in spots) for spots in view.spots),
        "heading above": best(lambda spot: 1.0 if spot.heading in phrases else 0.5 * share_phrase(spot.heading, phrases)),
        "column header": best(lambda spot: 1.0 if spot.header in phrases else share_phrase(spot.header, phrases)),
        "prefix": best(lambda spot: spot.prefix in phrases),
        "begins with": best(lambda spot: any(words in phrases for words in spot.begins)),
        "is a label": fmean(bool(find_owners(_split(text))) for text in view.texts),
    }


@lru_cache(maxsize=100_000)
def _split(text: str) -> Phrase:
    return split_label(text) if len(text) < 40 else ()


def share_phrase(words: Phrase, phrases: frozenset[Phrase]) -> float:
    """Return which share of some words is the longest phrase among them, 0 for none."""
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if part in phrases and (len(part) > 1 or len(part[0]) >= SHORTEST):
                return length / len(words)
    return 0.0


def _is_foreign(words: Phrase, phrases: frozenset[Phrase]) -> bool:
    return bool(words) and words not in phrases and bool(find_owners(words))


def _read_names(view: View, meaning: Meaning) -> dict[str, float]:
    phrases, properties = meaning.phrases, {path.casefold() for path in meaning.properties}

    def near(spot: Spot, depth: int) -> float:
        return max((match_name(words, phrases) for words in spot.names[depth]), default=0.0) if depth < len(spot.names) else 0.0

    def best(measure: Callable[[Spot], float]) -> float:
        return max(fmean(map(measure, spots)) for spots in view.spots)

    own = best(lambda spot: near(spot, 0))
    return {
        "own name": float(own > 0.9) * own,
        "own name part": float(own <= 0.9) * own,
        "name around": best(lambda spot: max(near(spot, 1), 0.7 * near(spot, 2), 0.4 * near(spot, 3))),
        "property": best(lambda spot: any(name.casefold() in properties for name in spot.properties)),
        "foreign name": 0.0
        if own
        else min(
            fmean(any(_is_foreign(words[-1:], phrases) for words in spot.names[0]) if spot.names else False for spot in spots)
            for spots in view.spots
        ),
    }


@lru_cache(maxsize=200_000)
def match_name(words: Phrase, phrases: frozenset[Phrase]) -> float:
    """Return how well the words of a class name match: 1 if they end with a phrase, 0.5 if they hold one elsewhere."""
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            part = words[start:end]
            if part in phrases and sum(map(len, part)) >= SHORTEST:
                return 1.0 if end == len(words) else 0.5
    return 0.0


def _read_data(candidate: Candidate, sought: Sought) -> dict[str, float]:
    told = [page for page, alternatives in sought.data.items() if alternatives]
    if not told:
        return {}
    mine = dict(candidate.values)
    equal, part = [], []
    for page in told:
        values = [_bare(value) for value in mine.get(page, ())]
        equal.append(max(_agree(mine.get(page, ()), other) * ALTERNATIVE**rank for rank, other in enumerate(sought.data[page])))
        said = [_bare(value) for other in sought.data[page] for value in other]
        part.append(any(one and other and (one in other or other in one) for one in values[:3] for other in said[:5]))
    share = fmean(equal)
    return {"page data": share, "page data part": fmean(part) * (1 - share), "page data differs": float(share < 0.2)}


@lru_cache(maxsize=100_000)
def _bare(text: str) -> str:
    return "".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))


def _agree(values: Sequence[str], other: Sequence[str]) -> float:
    """Return how well values agree with those of the data; a little less if only their letters agree."""
    bare = _overlap([_bare(value) for value in values], [_bare(value) for value in other])
    return 0.95 * bare + 0.05 * _overlap(values, other) if bare else 0.0


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    first, second = set(one), set(other)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _read_form(view: View, sought: Sought) -> dict[str, float]:
    form = sought.meaning.form
    share = fmean(match_form(form, text) for text in view.texts)
    if form in VAGUE:
        return {"vague form": share}
    return {"form": share, "not the form": 1 - share}


def _read_shape(view: View, sought: Sought) -> dict[str, float]:
    form = sought.meaning.form
    is_name = form == "name"
    many = math.log2(max(1.0, view.count))
    several = sought.multiple if sought.multiple is not None else form in LISTS
    most = 120 if form in VAGUE else 60
    return {
        "title of the page": view.titled if is_name else 0.0,
        "top heading": view.top_heading if is_name else 0.0,
        "heading": view.heading if is_name else 0.0,
        "subject heading": min(view.titled, view.top_heading) if is_name else 0.0,
        "titled though no name": 0.0 if is_name else view.titled,
        "common word": view.affix if is_name else 0.0,
        "first of several": float(form in OFTEN_LISTS and view.available > view.count + 0.3),
        "several though one": 0.0 if several else many * (0.4 if form in OFTEN_LISTS else 1.0),
        "one though several": float(several and view.count < 2),
        "constant": 1 - view.different,
        "aside": view.aside,
        "coverage": view.coverage,
        "long": 0.0 if form in ("long", "step", "text") else math.log2(max(1.0, view.length / most)),
        "position": view.position,
        "holds its label": view.labelled,
        "element": float(view.whole),
    }


def list_kinds(evidence: Iterable[float]) -> dict[str, float]:
    """Return {kind: number} of the kinds that are there."""
    return {kind: number for kind, number in zip(KINDS, evidence, strict=True) if number}
