"""How much speaks for a candidate being an attribute: one number for each kind of evidence.

A kind of evidence is the same for all attributes, so weights learned on some attributes hold for others (`weights`).
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from extraction.algorithms.markup.items import Item
from extraction.algorithms.markup.matching import rank_subjects
from extraction.algorithms.proposals.candidates import Candidate
from extraction.algorithms.proposals.learned_forms import LearnedForm
from extraction.algorithms.proposals.surroundings import Spot, View, mean
from extraction.algorithms.proposals.value_forms import VAGUE, match_form
from extraction.algorithms.suggestion.concepts import Meaning, find_owners
from extraction.algorithms.suggestion.words import Phrase, split_label

FROM_SPOTS = (
    "label", "label far", "label part", "second label", "heading above", "column header", "prefix", "begins with",
    "own name", "own name part", "name around", "property",
)  # fmt: skip
"""Kinds that are read from where values stand. Of several groups with the same values the best counts."""

AGAINST_FROM_SPOTS = ("foreign label", "foreign name")
"""Kinds that speak against a candidate. They count if no group is free of them."""

KINDS = (
    *FROM_SPOTS, *AGAINST_FROM_SPOTS, "is a label", "page data", "page data part", "page data differs",
    "form", "vague form", "not the form", "title of the page", "top heading", "heading", "titled though no name", "subject heading",
    "common word", "in parts", "first of several", "several though one", "one though several", "constant", "aside", "coverage", "long",
    "position", "holds its label", "element", "learned form", "known values", "learned form differs", "not a value seen",
)  # fmt: skip
"""The kinds of evidence, in the order of a vector's numbers."""

LISTS = frozenset(("ingredient", "step", "list"))
"""Forms of attributes that mostly have several values."""

OFTEN_LISTS = frozenset(("genre", "cuisine", "category", "person"))
"""Forms of attributes that may have several values."""

ALTERNATIVE = 0.9
"""What a value in a less likely property of the page's data counts for, compared with the next likelier one."""

OPEN_GRAPH = 0.7
"""What agreement with Open Graph counts for at most."""

SHORTEST = 3
"""The smallest number of characters of a phrase that is looked for in class names."""

_WORDS = re.compile(r"[^\W_]+")


class DataValues(NamedTuple):
    """Values that a page's own data may mean for an attribute. weight: how much agreement with them counts, up to 1."""

    values: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Sought:
    """An attribute that is sought.

    meaning: what its name means.
    multiple: whether it has several values, None where nobody said.
    data: {page: the values that the page's own data gives it, as alternatives}.
    learned: what its values look like on other sites.
    spots: the evidence of spots that were read before, by their id; many columns share a spot.
    """

    meaning: Meaning
    multiple: bool | None = None
    data: Mapping[int, Sequence[DataValues]] = field(default_factory=dict)
    learned: LearnedForm | None = None
    spots: dict[int, tuple[float, ...]] = field(default_factory=dict, compare=False)


def read_page_data(meanings: Sequence[Meaning], items: Sequence[Item]) -> list[list[DataValues]]:
    """Return what a page's own data says about each attribute: values of the properties that may be meant, the likeliest first.

    The thing that has most of the attributes is what the page is about. Open Graph is written for people who share a link: its title is
    often a sentence.
    """
    wanted = [[path.casefold() for path in (*meaning.properties, "".join(meaning.own))] for meaning in meanings]
    ranked = [(item, [_find_properties(item, paths) for paths in wanted]) for item in rank_subjects(items)]
    ranked.sort(key=lambda pair: (pair[0].syntax == "Open Graph", -sum(map(bool, pair[1]))))
    return [_weigh([(item, values) for item, row in ranked for values in row[at]]) for at in range(len(meanings))]


def _weigh(rows: Sequence[tuple[Item, tuple[str, ...]]]) -> list[DataValues]:
    found: dict[tuple[str, ...], float] = {}
    for item, values in rows:
        weight = min(ALTERNATIVE ** len(found), OPEN_GRAPH if item.syntax == "Open Graph" else 1.0)
        found.setdefault(values, weight)
    return [DataValues(*each) for each in found.items()]


def _find_properties(item: Item, paths: Sequence[str]) -> list[tuple[str, ...]]:
    found = [(paths.index(path.casefold()), values) for path, values in item.properties.items() if path.casefold() in paths]
    return [values for _, values in sorted(found)]


def measure_evidence(candidate: Candidate, view: View, sought: Sought) -> tuple[float, ...]:
    """Return the numbers of `KINDS` for a candidate, mostly shares from 0 to 1."""
    found = dict.fromkeys(KINDS, 0.0)
    found |= _read_spots(view, sought)
    found["is a label"] = mean(bool(find_owners(_split(text))) for text in view.texts)
    found |= _read_data(candidate, sought)
    found |= _read_form(view, sought)
    found |= _read_shape(view, sought)
    if sought.learned is not None:
        found |= sought.learned.measure(view.texts)
    return tuple(found[kind] for kind in KINDS)


def _read_spots(view: View, sought: Sought) -> dict[str, float]:
    """Return the evidence of labels, headings and names."""
    groups = [_mean_rows([_read_spot(spot, sought) for spot in spots]) for spots in view.spots]
    best = [max(row) for row in zip(*groups, strict=True)]
    least = [min(row) for row in zip(*groups, strict=True)]
    count = len(FROM_SPOTS)
    found = dict(zip(FROM_SPOTS, best[:count], strict=True)) | dict(zip(AGAINST_FROM_SPOTS, least[count:], strict=True))
    if found["own name"] or found["own name part"]:
        found["foreign name"] = 0.0
    return found


def _mean_rows(rows: Sequence[tuple[float, ...]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _read_spot(spot: Spot, sought: Sought) -> tuple[float, ...]:
    """Return the numbers of `FROM_SPOTS` and `AGAINST_FROM_SPOTS` of one spot."""
    known = sought.spots.get(id(spot))
    if known is None:
        known = sought.spots[id(spot)] = (*_read_labels(spot, sought.meaning.phrases), *_read_names(spot, sought.meaning))
    return known[:8] + known[9:13] + (known[8], known[13])


def _read_labels(spot: Spot, phrases: frozenset[Phrase]) -> tuple[float, ...]:
    is_own = spot.label in phrases
    return (
        is_own and spot.gap == 0,
        is_own and 0 < spot.gap < 4,
        0.0 if is_own or spot.gap > 1 else share_phrase(spot.label, phrases),
        spot.gap < 3 and spot.second in phrases,
        1.0 if spot.heading in phrases else 0.5 * share_phrase(spot.heading, phrases),
        1.0 if spot.header in phrases else share_phrase(spot.header, phrases),
        spot.prefix in phrases,
        any(words in phrases for words in spot.begins),
        spot.gap == 0 and _is_foreign(spot.label, phrases),
    )


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


def _read_names(spot: Spot, meaning: Meaning) -> tuple[float, ...]:
    near = [max((match_name(words, meaning.phrases) for words in names), default=0.0) for names in spot.names]
    own, first, second, third, *_ = (*near, 0.0, 0.0, 0.0, 0.0)
    properties = {path.casefold() for path in meaning.properties} if spot.properties else ()
    return (
        own if own > 0.9 else 0.0,
        0.0 if own > 0.9 else own,
        max(first, 0.7 * second, 0.4 * third),
        any(name.casefold() in properties for name in spot.properties),
        bool(spot.names) and any(_is_foreign(words[-1:], meaning.phrases) for words in spot.names[0]),
    )


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
        equal.append(max(_agree(mine.get(page, ()), other.values) * other.weight for other in sought.data[page]))
        said = [_bare(value) for other in sought.data[page] for value in other.values]
        part.append(any(one and other and (one in other or other in one) for one in values[:3] for other in said[:5]))
    share = mean(equal)
    return {"page data": share, "page data part": mean(part) * (1 - share), "page data differs": float(share < 0.2)}


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
    share = mean(match_form(form, text) for text in view.texts)
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
        "in parts": view.parts if form in ("name", "person", "organization") else 0.0,
        "first of several": float(form in OFTEN_LISTS and view.available > view.count + 0.3),
        "several though one": 0.0 if several else many * (0.25 if form in OFTEN_LISTS else 1.0),
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
