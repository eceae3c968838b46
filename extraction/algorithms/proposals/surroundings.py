"""What stands around a candidate's values: labels, headings, column headers, names of elements, and how prominent they are."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean
from extraction.algorithms.proposals.candidates import Candidate, TemplatePages, list_occurrences
from extraction.algorithms.suggestion.groups import UnitOccurrence
from extraction.algorithms.suggestion.words import MAX_WORDS, Phrase, split_identifier, split_label

SEEN_PAGES = 8
"""The number of pages of a candidate that are looked at, evenly over all."""

SEEN_VALUES = 4
"""The number of values of a page that are looked at."""

ABOVE = 4
"""The number of elements from the value's own outwards whose names are read."""

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend"))
MAX_HEADER = 60
"""Longest text of a header cell, in characters."""

_PREFIX = re.compile(r"([^\W\d][^:：]{0,40})[:：]\s*\S")
_FIRST_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?")
_MARKED_NUMBER = re.compile(r"(?<=\W)\d+|\d+(?=\W)")
_TOKENS = re.compile(r"[^\s/?#&=]+")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value stands.

    label: the words of the label before it.
    gap: how many other texts stand between.
    second: those of the label before that one.
    heading, header: those of the heading above it and of its column's header.
    prefix: the words before a colon inside the value.
    begins: its first words.
    names: for each element from its own outwards, the words of its classes, ids and the like.
    properties: names that markup gives to its element or the one around it, such as an itemprop.
    """

    label: Phrase
    gap: int
    second: Phrase
    heading: Phrase
    header: Phrase
    prefix: Phrase
    begins: tuple[Phrase, ...]
    names: tuple[frozenset[Phrase], ...]
    properties: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A candidate as evidence is read from it; shares are of the pages looked at.

    spots: where the first value of each page looked at stands, for each of its groups.
    texts: values looked at.
    titled, top_heading, heading: how many have a value in the page's title, in an h1, in another heading.
    aside: how many have it in navigation and the like.
    coverage: share of all pages that have it.
    count: values per page.
    different: distinct contents among pages, 0 for one.
    length: mean length of a value.
    position: where on the page, from 0 to 1.
    labelled: how many begin with a label of the template.
    whole: whether the values are elements.
    affix: 1 if all values begin or end with the same word.
    available: values per page that the same label or path has.
    parts: how many have a value that consists of several texts.
    """

    spots: tuple[tuple[Spot, ...], ...]
    texts: tuple[str, ...]
    titled: float
    top_heading: float
    heading: float
    aside: float
    coverage: float
    count: float
    different: float
    length: float
    position: float
    labelled: float
    whole: bool
    affix: float
    available: float
    parts: float


def mean(values: Iterable[float]) -> float:
    """Return the mean of some numbers, much faster than `statistics.fmean`, and exact enough."""
    numbers = list(values)
    return sum(numbers) / len(numbers)


class Surroundings:
    """Reads views of candidates. What pages have in common is read once."""

    def __init__(self, pages: TemplatePages) -> None:
        self.pages = pages
        self.labels = [_list_labels(pages, number) for number in range(len(pages.units))]
        self.headings = [_list_headings(pages, number) for number in range(len(pages.units))]
        self.headers = [_read_headers(root) for root in pages.roots]
        self.written = _list_written(pages)
        self.titles = [page.title.casefold() for page in pages.units]
        self._spots: dict[tuple[int, Location, int], Spot] = {}
        self._names: dict[tuple[int, int], tuple[tuple[frozenset[Phrase], ...], frozenset[str]]] = {}

    def view(self, candidate: Candidate) -> View:
        """Return a candidate's view."""
        seen = [list(list_occurrences(group, most=SEEN_PAGES)) for _, group in candidate.groups]
        first, paths = seen[0], self.pages.paths
        count = len(first)
        tags = [[self._tags(found) for _, found in group] for group in seen]
        values = [value for _, row in candidate.values for value in row]
        return View(
            tuple(tuple(self._spot(page, found) for page, found in group) for group in seen),
            tuple(value for page, _ in first for value in dict(candidate.values)[page][:SEEN_VALUES]),
            sum(self._in_title(page, found) for page, found in first) / count,
            max(mean("h1" in chain for chain in group) for group in tags),
            max(mean(bool(HEADINGS & chain) for chain in group) for group in tags),
            min(sum(paths.aside[found.unit.path] for _, found in group) / len(group) for group in seen),
            len(candidate.values) / len(self.pages.roots),
            len(values) / len(candidate.values),
            (len({row for _, row in candidate.values}) - 1) / max(1, len(candidate.values) - 1),
            sum(map(len, values)) / len(values),
            sum(found.unit.position for _, found in first) / count,
            sum(
                self.pages.keys[page][found.unit.first] in self.pages.labels and found.unit.place.kind == "element" for page, found in first
            )
            / count,
            first[0][1].unit.place.kind == "element",
            _share_affix([row[0] for _, row in candidate.values]),
            candidate.available,
            mean(found.unit.end - found.unit.first > 1 for _, found in first),
        )

    def _in_title(self, page: int, found: UnitOccurrence) -> bool:
        return len(found.unit.text) > 2 and found.unit.text.casefold() in self.titles[page]

    def _tags(self, found: UnitOccurrence) -> frozenset[str]:
        path, tags = found.unit.path, []
        for _ in range(3):
            if path >= 0:
                tags.append(self.pages.paths.tags[path])
                path = self.pages.paths.above[path]
        return frozenset(tags)

    def _spot(self, page: int, found: UnitOccurrence) -> Spot:
        key = page, found.unit.place, found.unit.first
        if key not in self._spots:
            self._spots[key] = self._read_spot(page, found)
        return self._spots[key]

    def _read_spot(self, page: int, found: UnitOccurrence) -> Spot:
        unit = found.unit
        label, gap, second = self.labels[page][unit.first]
        node = self.pages.nodes[page][unit.place.node]
        names, properties = self._read_names(page, unit.place.node, node)
        prefix = _PREFIX.match(unit.text[:60])
        words = _FIRST_WORDS.match(unit.text[:40])
        begins = [words[0], words[0].split(" ")[0]] if words else []
        header = self.headers[page].get(_find_cell(node), ())
        return Spot(
            label, gap, second, self.headings[page][unit.first], header,
            split_label(prefix[1]) if prefix else (), tuple(map(split_label, begins)), names, properties,
        )  # fmt: skip

    def _read_names(self, page: int, number: int, node: etree._Element) -> tuple[tuple[frozenset[Phrase], ...], frozenset[str]]:
        if (page, number) not in self._names:
            chain = [node, *node.iterancestors()][:ABOVE]
            names = tuple(frozenset(map(split_identifier, _list_names(each))) - {()} for each in chain)
            said = (each.get(name) or "" for each in chain[:2] for name in ("itemprop", "property", "rel"))
            self._names[page, number] = names, frozenset(word.rsplit(":", 1)[-1] for text in said for word in text.split())
        return self._names[page, number]


def _list_names(element: etree._Element) -> list[str]:
    """Return the names that a template's author gave an element, one for each class, and the words of a link's address."""
    found: list[str] = []
    for name, value in element.items():
        if name in ("class", "id", "itemprop", "rel", "name", "property", "title", "headers") or str(name).startswith(
            ("data-", "aria-label")
        ):
            found += value[:300].split() if name in ("class", "rel", "itemprop") else [value[:60]]
    if element.tag == "a":
        found += _TOKENS.findall(element.get("href") or "")[1:6]
    elif element.tag in ("time", "address", "h1"):
        found.append({"time": "date", "address": "address", "h1": "title"}[str(element.tag)])
    return found


def _list_labels(pages: TemplatePages, number: int) -> list[tuple[Phrase, int, Phrase]]:
    """Return for each text of a page: the label before it, how many texts stand between, and the label before that one."""
    found: list[tuple[Phrase, int, Phrase]] = []
    label: Phrase = ()
    second: Phrase = ()
    gap = 0
    for unit, key in zip(pages.units[number].texts, pages.keys[number], strict=True):
        found.append((label, gap, second))
        if key in pages.labels:
            words = split_label(unit.text)
            if words and words != label:
                second, label = label, words[:MAX_WORDS]
            gap = 0
        else:
            gap += 1
    return found


def _list_written(pages: TemplatePages) -> dict[Phrase, str]:
    """Return how the pages write the words of their labels, the first of several in alphabetical order."""
    found: dict[Phrase, str] = {}
    for page, keys in zip(pages.units, pages.keys, strict=True):
        for unit, key in zip(page.texts, keys, strict=True):
            if key in pages.labels:
                words = split_label(unit.text)[:MAX_WORDS]
                found[words] = min(found.get(words, unit.text), unit.text)
    return found


def _list_headings(pages: TemplatePages, number: int) -> list[Phrase]:
    """Return for each text of a page the words of the last heading before it that the template has."""
    found: list[Phrase] = []
    heading: Phrase = ()
    paths = pages.paths
    for unit, key in zip(pages.units[number].texts, pages.keys[number], strict=True):
        found.append(heading)
        tags = {paths.tags[unit.path], paths.tags[paths.above[unit.path]] if paths.above[unit.path] >= 0 else ""}
        if key in pages.labels and tags & HEADINGS:
            heading = split_label(unit.text)[:MAX_WORDS]
    return found


def _share_affix(texts: Sequence[str]) -> float:
    """Return 1 if different texts all begin or end with the same word and have others: then that word is the template's.

    Numbers with marks around them are the same word: "Night Train (1994)" and "Harbour (2001)" are names with years.
    """
    words = [text.split() for text in set(texts)]
    if len(words) < 2 or any(len(row) < 2 for row in words):
        return 0.0
    ends = ({_MARKED_NUMBER.sub("0", row[at].casefold()) for row in words} for at in (0, -1))
    return float(any(len(found) == 1 for found in ends))


def _find_cell(node: etree._Element) -> etree._Element | None:
    for each in (node, *node.iterancestors()):
        if each.tag in ("td", "th"):
            return each
        if each.tag in ("table", "body"):
            return None
    return None


def _read_headers(root: etree._Element) -> Mapping[etree._Element | None, Phrase]:
    """Return the words of the column's header of each cell of tables whose first row has several short cells."""
    found: dict[etree._Element | None, Phrase] = {}
    for table in root.iter("table"):
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        heads = [_read_cell(cell) for cell in rows[0].iterchildren("td", "th")] if len(rows) > 1 else []
        if sum(map(bool, heads)) > 1:
            for row in rows[1:]:
                found.update(zip(row.iterchildren("td", "th"), heads, strict=False))
    return found


def _read_cell(cell: etree._Element) -> Phrase:
    text = clean("".join(list(_first_texts(cell))))
    return split_label(text) if len(text) <= MAX_HEADER else ()


def _first_texts(cell: etree._Element) -> Sequence[str]:
    found: list[str] = []
    for text in cell.itertext(etree.Element):
        found.append(str(text))
        if len(found) > MAX_HEADER:
            break
    return found
