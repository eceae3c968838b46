"""Strong features of a target node: its own and its ancestors' names, labels, headings, table headers, places
(ALGORITHMS 4.1; Vertex 3.1.3).

Only features that all annotated nodes share are made, since a set with any other has no recall of 1. Each is a
condition at one level: on the text node (-1), its element (0), the ancestor d levels up, or any ancestor; and it comes
with the candidates that satisfy it, on all pages at once. The XPath of a condition means the same as its array
operation; a test holds the two against each other.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from extraction.algorithms.dom.nodes import clean, value
from extraction.algorithms.dom.xpath import XPath, cleaned, has_word, name_test, quote, same_text, self_test
from extraction.algorithms.learning.above import somewhere_under
from extraction.algorithms.learning.columns import find_header_cells
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.feature_maker import PEERS, TEXT, FeatureMaker, MaskedFeature, RuleFeature, name_kind, name_words
from extraction.algorithms.learning.page_table import TOO_LONG, Bools, Hashes, Ints, hash_name, hash_text, list_names, make_shape

STEM_ENDS = "s:.,;() "
"""What may follow a label's stem: "Author", "Authors:" and "Author(s)" are one label, "(Author)," and "(Author)" are."""

MIN_STEM, MAX_STEMS = 3, 3_000
"""Fewest characters of a stem; most different labels that are looked at for it."""


def find_features(corpus: Corpus, nodes: Candidates, positives: Ints, *, cost: Cost) -> list[MaskedFeature]:
    """All features that the positives (places among the candidates) share, each with the candidates that have it.

    None looks along siblings where a positive's page has so many that the rule could not run there.
    """
    maker = _Near(corpus, nodes, positives, cost)
    found = list(maker.of_text()) if nodes.target.kind == "text" else []
    found += maker.own_shape()
    for level in range(len(maker.levels)):
        found += maker.of_element(level)
    found += somewhere_under(maker)
    crowded = corpus.crowded(nodes.page[positives])
    return [row for row in found if "-sibling::" not in row[0].test] if crowded else found


class _Near(FeatureMaker):
    """Features of the levels one by one."""

    def of_text(self) -> Iterator[MaskedFeature]:
        """Conditions on the text node among its siblings."""
        corpus, texts = self.corpus, self.nodes.texts
        for name, kind in (("text_nth", "text-nth"), ("text_last", "text-nth")):
            column = corpus.text_places[name][texts]
            value = int(column[self.example])
            if (column[self.positives] == value).all() and (name == "text_nth" or value == 1):
                test = str(value) if name == "text_nth" else "last()"
                words = f"text {value} of its element" if name == "text_nth" else "last text of its element"
                yield self.feature(kind, TEXT, "", test, words, 0, place=True), column == value
        for side, axis, kind in (("left", "preceding", "label"), ("right", "following", "label-after")):
            beside = corpus.text_rows[side][texts]
            yield from self._beside(beside, TEXT, "", axis, kind, 1)
        before = corpus.text_numbers["left_text"][texts]
        if self.shared(before):
            label = self._left_text()
            test = same_text("preceding-sibling::text()[1]", label)
            yield self.feature("label", TEXT, "", test, f"after the text “{label}”", 1, of=label), before == before[self.example]

    def _left_text(self) -> str:
        nth = int(self.corpus.text_places["text_nth"][self.nodes.texts[self.example]])
        return self._string(int(self.nodes.rows[self.example]), f"text()[{nth - 1}]")

    def own_shape(self) -> Iterator[MaskedFeature]:
        """The shape of the node's own text: its signs and its digits, whichever they are."""
        corpus, nodes = self.corpus, self.nodes
        is_text = nodes.target.kind == "text"
        column = corpus.text_numbers["text_shape"][nodes.texts] if is_text else corpus.numbers["shape"][nodes.rows]
        if nodes.target.kind != "attribute" and self.shared(column):
            page, location = corpus.location(nodes.target, int(nodes.rows[self.example]), int(nodes.texts[self.example]))
            own = make_shape(value(corpus.pages[page].nodes, location) or "")
            test = f"translate({cleaned('.')}, '123456789', '000000000') = {quote(own)}"
            level, tag = (TEXT, "") if is_text else (0, nodes.target.tag)
            yield self.feature("shape", level, tag, test, f"written like “{own}”", 0), column == column[self.example]

    def _beside(self, beside: Ints, level: int, tag: str, axis: str, kind: str, distance: int) -> Iterator[MaskedFeature]:
        """Conditions on the neighbouring element sibling: its text as a label, its tag, its names."""
        corpus, sibling = self.corpus, f"{axis}-sibling::*[1]"
        side = "after" if axis == "preceding" else "before"
        row = int(beside[self.example])
        keep = self._at(level, tag)
        whole = corpus.numbers["whole"][beside]
        if self.shared(whole):
            label = self.text_of(row)
            test = same_text(sibling, label)
            if tag in PEERS and self.tag_of(row) == tag and not label.endswith(":"):
                kind = "peer"
            mask = keep & (whole == whole[self.example])
            yield self.feature(kind, level, tag, test, f"{side} “{label}”", distance, of=label), mask
            if kind != "peer":
                texts = self.stemmed(label, whole, keep, lambda place: self.text_of(int(beside[place])))
                yield from self._stem(kind, level, tag, sibling, label, side, distance, texts)
        tags = corpus.numbers["tag"][beside]
        if not self.shared(tags):
            return
        same = keep & (tags == tags[self.example])
        name = self.tag_of(row)
        yield self.feature("beside", level, tag, f"{sibling}[{self_test(name)}]", f"right {side} <{name}>", distance), same
        for pair in list_names(corpus.element(row)):
            mask = corpus.named(hash_name(*pair))[beside] & same
            if mask[self.positives].all():
                test = f"{sibling}[{self_test(name)}][{name_test(*pair)}]"
                words = f"right {side} <{name}> with {name_words(*pair)}"
                yield self.feature("neighbour", level, tag, test, words, distance, of=pair[1]), mask

    def stemmed(self, label: str, column: Hashes, keep: Bools, text: Callable[[int], str]) -> Bools | None:
        """Candidates whose label has the stem of `label`, None where it is the only label that has.

        column: hashes of the labels. text: the label of a candidate.
        """
        stem, stems = label.rstrip(STEM_ENDS), self.corpus.stems
        if len(stem) < MIN_STEM:
            return None
        among = np.flatnonzero(keep & (column > TOO_LONG))
        hashes, first = np.unique(column[among], return_index=True)
        if len(hashes) > MAX_STEMS:
            return None
        alike = []
        for number, place in zip(hashes.tolist(), among[first].tolist(), strict=True):
            if number not in stems:
                stems[number] = text(place).rstrip(STEM_ENDS)
            if stems[number] == stem:
                alike.append(number)
        return keep & np.isin(column, np.array(alike, column.dtype)) if len(alike) > 1 else None

    def _stem(
        self, kind: str, level: int, tag: str, path: str, label: str, side: str, distance: int, mask: Bools | None
    ) -> Iterator[MaskedFeature]:
        """The condition that a label at `path` is one of some stem: "Directors:" for "Director:"."""
        if mask is not None:
            stem, whole = label.rstrip(STEM_ENDS), cleaned(path)
            rest = f"translate(substring({whole}, {len(stem) + 1}), {quote(STEM_ENDS)}, '')"
            test = f"{has_word(path, stem)} and starts-with({whole}, {quote(stem)}) and {rest} = ''"
            yield self.feature(f"{kind}-stem", level, tag, test, f"{side} “{stem}…”", distance, of=stem), mask

    def _at(self, level: int, tag: str) -> Bools:
        """Candidates whose ancestor at the level has the tag; all for the text level."""
        if level == TEXT:
            return np.ones(len(self.nodes.rows), np.bool_)
        same: Bools = self.corpus.numbers["tag"][self.levels[level]] == np.uint64(hash_text(tag))
        return same

    def of_element(self, level: int) -> Iterator[MaskedFeature]:
        """Conditions on the ancestor `level` up (0: the element itself), when the positives share its tag there."""
        corpus, rows = self.corpus, self.levels[level]
        if not self.shared(corpus.numbers["tag"][rows]):
            return
        row = int(rows[self.example])
        tag = self.tag_of(row)
        keep = self._at(level, tag)
        if level:
            yield self.feature("tag", level, tag, "", f"in <{tag}> {level} up", level), keep
        yield from self._names(level, tag, keep, row)
        yield from self._places(level, tag, keep)
        yield from self._labels(level, tag, keep, row)

    def _names(self, level: int, tag: str, keep: Bools, row: int) -> Iterator[MaskedFeature]:
        rows = self.levels[level]
        where = f"{level} up " if level else ""
        for pair in list_names(self.corpus.element(row)):
            mask = self.corpus.named(hash_name(*pair))[rows] & keep
            if mask[self.positives].all():
                words = f"{where}<{tag}> with {name_words(*pair)}"
                yield self.feature(name_kind(pair[0]), level, tag, name_test(*pair), words, level, of=pair[1]), mask

    def _places(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        rows = self.levels[level]
        for name, kind in (("nth", "nth"), ("nth_last", "nth-last")):
            column = self.corpus.places[name][rows]
            value = int(column[self.example])
            if not (column[self.positives] == value).all() or (kind == "nth-last" and value > 3):
                continue
            test = str(value) if kind == "nth" else "last()" if value == 1 else f"last() - {value - 1}"
            words = f"<{tag}> number {value}{' from the end' if kind == 'nth-last' else ''}, {level} up"
            yield self.feature(kind, level, tag, test, words, level, place=True), keep & (column == value)

    def _labels(self, level: int, tag: str, keep: Bools, row: int) -> Iterator[MaskedFeature]:
        corpus, rows = self.corpus, self.levels[level]
        for side, axis, kind in (("before", "preceding", "label"), ("after", "following", "label-after")):
            yield from self._beside(corpus.rows[side][rows], level, tag, axis, kind, level + 1)
            column = corpus.numbers[f"text_{side}"][rows]
            if self.shared(column):
                label = self._string(row, f"{axis}-sibling::text()[1]")
                test = same_text(f"{axis}-sibling::text()[1]", label)
                words = f"{'after' if side == 'before' else 'before'} the text “{label}”, {level} up"
                mask = keep & (column == column[self.example])
                yield self.feature(kind, level, tag, test, words, level + 1, of=label), mask
                path = f"{axis}-sibling::text()[1]"
                texts = self.stemmed(label, column, keep, partial(self._text_at, rows, path))
                yield from self._stem(kind, level, tag, path, label, "after" if side == "before" else "before", level + 1, texts)
        heading = corpus.numbers["heading"][rows]
        if self.shared(heading):
            yield self._heading(level, tag, row), keep & (heading == heading[self.example])
        yield from self._first(level, tag, keep)
        if tag in ("td", "th"):
            yield from self._column(level, tag, keep)

    def _heading(self, level: int, tag: str, row: int) -> RuleFeature:
        test, label = self.heading_test(row)
        return self.feature(self.heading_kind(row), level, tag, test, f"under the heading “{label}”", level + 1, of=label)

    def _first(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        """The first child of an ancestor as its header: the first cell of a row, the title of a box."""
        if not level:
            return
        first = self.corpus.rows["first"][self.levels[level]]
        whole = self.corpus.numbers["whole"][first]
        inside = first[self.positives] == self.levels[level - 1][self.positives]
        if self.shared(whole) and not inside.any():
            label = self.text_of(int(first[self.example]))
            test = same_text("*[1]", label)
            yield (
                self.feature("first", level, tag, test, f"in <{tag}> that begins with “{label}”", level + 1, of=label),
                keep & (whole == whole[self.example]),
            )

    def _column(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        """The cell of the table's first row that stands as many places along as this one."""
        cells = self.levels[level]
        header = find_header_cells(self.corpus, cells)
        whole = self.corpus.numbers["whole"][header]
        if self.shared(whole) and not (header == cells)[self.positives].any():
            label = self.text_of(int(header[self.example]))
            cell = f"ancestor::table[1]/descendant::tr[1]/*[{same_text('.', label)}][1]"
            test = f"{cell} and count(preceding-sibling::*) = count({cell}/preceding-sibling::*)"
            yield self.feature("column", level, tag, test, f"in the column “{label}”", level + 1), keep & (whole == whole[self.example])

    def _text_at(self, rows: Ints, path: str, place: int) -> str:
        return self._string(int(rows[place]), path)

    def _string(self, row: int, path: str) -> str:
        return clean(str(XPath(path).select(self.corpus.element(row))[0]))
