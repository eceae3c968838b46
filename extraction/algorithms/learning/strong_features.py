"""Makes the strong features of a target node: the names, labels, headings, table headers and places of the node and its ancestors
(docs/algorithms.md#rule-learning; Gulhane et al. 2011, section 3.1.3).

Only features that all annotated nodes have are made, because a set with any other feature does not select all of them. Each feature is
computed as an array and written as an XPath, and a test checks that both select the same nodes. The module is longer than others because it
contains every kind of feature.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from extraction.algorithms.dom.xpath import XPath, cleaned, has_word, name_test, quote, same_text, self_test
from extraction.algorithms.learning.columns import find_header_cells
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.feature_maker import ANY, MOST_STRANGE, TEXT, FeatureMaker, MaskedFeature, classify_name, describe_name
from extraction.algorithms.learning.label_trust import LABEL_TAGS, is_label_place
from extraction.algorithms.learning.page_table import BLANK, HEADINGS, HEADS, PRESENTATION, TOO_LONG, Bools, Hashes, Ints, hash_text

STEM_ENDS = "s:.,;() "
"""Characters that may follow a label's stem. "Author", "Authors:" and "Author(s)" have one stem; "(Author)" has another."""

MIN_STEM, MAX_STEMS = 3, 3_000
"""The smallest number of characters of a stem, and the largest number of different labels that are compared with it."""

MAX_NTH_LAST = 3
"""Farthest place from the end that a feature asks for. Longer lists differ in length from page to page."""

PEERS = frozenset(("li", "p", "dd", "option", "tr"))
"""Tags of list items. The text of an item before another item of the same list is a value and no label."""

ITEM_HOLDERS = frozenset(("ul", "ol", "dl", "select", "menu"))
"""Tags of lists. The first child of a list is an item and no header of the other items."""

MAX_ADDRESS = 200
"""Longest beginning of an address, in characters."""

_ADDRESS_PART = re.compile(r"(?<![^/?=&#])[^/?=&#]*+[/?=]")
_NAMED_PART = re.compile(r"[A-Za-z]")
_HOST = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*")

CELLS = frozenset(("td", "th"))

HEADING_HASHES, HEAD_HASHES = frozenset(map(hash_text, HEADINGS)), frozenset(map(hash_text, HEADS))
IS_HEAD = " or ".join(f"self::{tag}" for tag in HEADS)


def find_features(corpus: Corpus, nodes: Candidates, positives: Ints, *, cost: Cost) -> list[MaskedFeature]:
    """Makes all features that the positives share, each with the candidates that have it.

    If a page has so many siblings that a rule could not compare them, there are no features that look at siblings.

    positives: places among the candidates.
    """
    maker = _StrongFeatures(corpus, nodes, positives, cost)
    found = list(maker.of_text()) if nodes.target.kind == "text" else []
    found += maker.own_shape()
    for level in range(len(maker.levels)):
        found += maker.of_element(level)
    found += maker.names_above()
    found += maker.labels_above()
    crowded = corpus.is_crowded(nodes.page[positives])
    return [row for row in found if "-sibling::" not in row[0].test] if crowded else found


def find_link_features(corpus: Corpus, nodes: Candidates, positives: Ints, *, cost: Cost) -> list[MaskedFeature]:
    """The features on where a link leads. They are apart because reading all addresses takes long, and most rules need none."""
    return list(_StrongFeatures(corpus, nodes, positives, cost).own_link())


class _StrongFeatures(FeatureMaker):
    """Makes the features of each level, then those of ancestors at any level.

    place_extra: added to the cost of a place among siblings, because a label right before the value says more.
    """

    def __init__(self, corpus: Corpus, nodes: Candidates, positives: Ints, cost: Cost) -> None:
        super().__init__(corpus, nodes, positives, cost)
        self.place_extra = cost.labelled if self._follows_label() else 0.0

    def _follows_label(self) -> bool:
        """Whether a text of the template in a label's place stands right before all positives."""
        is_text = self.nodes.target.kind == "text"
        before = self.corpus.texts.left[self.nodes.texts] if is_text else self.corpus.elements.before[self.nodes.rows]
        if self.find_shared(self.corpus.elements.whole[before]):
            row = int(before[self.example])
            text = self.corpus.read_text(row)
            return (text.endswith(":") or is_label_place(self.corpus, row)) and self.measure_strangeness(text, row) < MOST_STRANGE
        return False

    def of_text(self) -> Iterator[MaskedFeature]:
        """Conditions on the text node among its siblings."""
        columns, texts = self.corpus.texts, self.nodes.texts
        for from_end, column in ((False, columns.nth[texts]), (True, columns.nth_last[texts])):
            value = int(column[self.example])
            if self.is_shared(column == value) and (not from_end or value == 1):
                test, words = ("last()", "last text") if from_end else (str(value), f"text {value}")
                feature = self.make_feature("text-nth", TEXT, "", test, f"{words} of its element", 0, place=True, extra=self.place_extra)
                yield feature, column == value
        for beside, axis, kind in ((columns.left[texts], "preceding", "label"), (columns.right[texts], "following", "label-after")):
            yield from self._beside(beside, TEXT, "", axis, kind, 1)
        before = columns.left_text[texts]
        between = self.corpus.elements.whole[columns.left[texts[self.example]]]
        if self.find_shared(before) and between == BLANK:  # else what stands between is nearer, and may be a label
            nth = int(columns.nth[texts[self.example]])
            label = self._read_string(int(self.nodes.rows[self.example]), f"text()[{nth - 1}]")
            test, words = same_text("preceding-sibling::text()[1]", label), f"after the text “{label}”"
            strange = self.measure_strangeness(label)
            yield self.make_feature("label", TEXT, "", test, words, 1, of=label, strange=strange), before == before[self.example]

    def own_shape(self) -> Iterator[MaskedFeature]:
        """The shape of the node's own text, in which every digit counts as 0."""
        nodes, is_text = self.nodes, self.nodes.target.kind == "text"
        column = self.corpus.texts.shape[nodes.texts] if is_text else self.corpus.elements.shape[nodes.rows]
        if nodes.target.kind != "attribute" and self.find_shared(column):
            own = self.corpus.read_shape(nodes, self.example)
            test = f"translate({cleaned('.')}, '123456789', '000000000') = {quote(own)}"
            level, tag = (TEXT, "") if is_text else (0, nodes.target.tag)
            yield self.make_feature("shape", level, tag, test, f"written like “{own}”", 0), column == column[self.example]

    def own_link(self) -> Iterator[MaskedFeature]:
        """The beginning of a link's address: a template links to the pages of one kind in one way."""
        if self.nodes.target.tag != "a":
            return
        addresses = self.corpus.read_addresses(self.nodes)
        for start in _list_starts([addresses[place] for place in self.positives.tolist()]):
            mask = np.array([address.startswith(start) for address in addresses], np.bool_)
            test = f"starts-with(@href, {quote(start)})"
            yield self.make_feature("link", 0, "a", test, f"linking to “{start}…”", 0), mask

    def of_element(self, level: int) -> Iterator[MaskedFeature]:
        """Conditions on the ancestor `level` levels up (0: the element itself), if its tag is the same for all positives."""
        rows = self.levels[level]
        if not self.find_shared(self.corpus.elements.tag[rows]):
            return
        row = int(rows[self.example])
        tag = self.corpus.read_tag(row)
        keep = self._has_tag(level)
        if level:
            yield self.make_feature("tag", level, tag, "", f"in <{tag}> {level} up", level), keep
        yield from self._names(level, tag, keep, row)
        yield from self._places(level, tag, keep)
        yield from self._labels(level, tag, keep, row)

    def names_above(self) -> Iterator[MaskedFeature]:
        """Names of ancestors at any distance.

        If a page gets a new div around a block, the distances change and the ancestors stay. So these features hold on more pages than
        the same conditions at a fixed level.
        """
        seen = set()
        for level in range(1, len(self.levels)):
            row = int(self.levels[level][self.example])
            tag = self.corpus.read_tag(row)
            for pair in self.corpus.read_names(row):
                if (tag, pair) in seen or pair[0] in PRESENTATION or self.is_own_name(pair):
                    continue
                seen.add((tag, pair))
                mask = self._under(self.corpus.list_named(pair, tag))
                if self.is_shared(mask):
                    kind = f"under-{pair[0]}" if pair[0] in ("id", "class") else "under-name"
                    words = f"somewhere in <{tag}> with {describe_name(*pair)}"
                    extra = self.price_common_name(pair, tag)
                    yield self.make_feature(kind, ANY, tag, name_test(*pair), words, level, of=pair[1], extra=extra), mask

    def labels_above(self) -> Iterator[MaskedFeature]:
        """Headings and labels before an ancestor at any level.

        A label before the element itself does not count here. If a row lacks its value, its label would be the label of the next row.
        For the same reason, a label before an ancestor of the label's own tag does not count: the two are two rows.
        """
        elements, seen = self.corpus.elements, set[int]()
        labels = np.where(elements.tag == elements.tag[elements.before], np.uint64(BLANK), elements.whole[elements.before])
        for level, rows in enumerate(self.levels[1:], 1):
            row = int(rows[self.example])
            heading, label = int(elements.heading[row]), int(labels[row])
            if heading > TOO_LONG and heading not in seen:
                seen.add(heading)
                mask = self._under(np.flatnonzero(elements.heading == np.uint64(heading)).astype(np.int32))
                if self.is_shared(mask):
                    test, text, strange = self._heading_test(row)
                    words, kind = f"somewhere under the heading “{text}”", f"under-{self._heading_kind(row)}"
                    yield self.make_feature(kind, ANY, "", test, words, level + 1, of=text, strange=strange), mask
            if label > TOO_LONG and label not in seen:
                seen.add(label)
                mask = self._under(np.flatnonzero(labels == np.uint64(label)).astype(np.int32))
                if self.is_shared(mask):
                    before = int(elements.before[row])
                    text = self.corpus.read_text(before)
                    strange = self.measure_strangeness(text, before)
                    test = f"name(preceding-sibling::*[1]) != name() and {same_text('preceding-sibling::*[1]', text)}"
                    words = f"somewhere after “{text}”"
                    yield self.make_feature("under-label", ANY, "", test, words, level + 1, of=text, strange=strange), mask

    def _under(self, above: Ints) -> Bools:
        """Finds the candidates that are within one of the elements `above`."""
        return self.corpus.find_under(above, self.nodes.rows)

    def _has_tag(self, level: int) -> Bools:
        """Finds the candidates whose ancestor at the level has the same tag as the example's; for the text level, all."""
        if level == TEXT:
            return np.ones(len(self.nodes.rows), np.bool_)
        tags = self.corpus.elements.tag[self.levels[level]]
        same: Bools = tags == tags[self.example]
        return same

    def _beside(self, beside: Ints, level: int, tag: str, axis: str, kind: str, distance: int) -> Iterator[MaskedFeature]:
        """Conditions on the next or previous sibling element: its text as a label, its tag, its names."""
        corpus, sibling = self.corpus, f"{axis}-sibling::*[1]"
        side = "after" if axis == "preceding" else "before"
        row = int(beside[self.example])
        keep = self._has_tag(level)
        whole = corpus.elements.whole[beside]
        if self.find_shared(whole):
            label, name = corpus.read_text(row), corpus.read_tag(row)
            test = same_text(sibling, label)
            if name in LABEL_TAGS and self.find_shared(corpus.elements.tag[beside]):
                # A box that holds nothing but the label, because its value is missing, is not the label.
                test, keep = f"{sibling}[{self_test(name)}] and {test}", keep & (corpus.elements.tag[beside] == corpus.elements.tag[row])
            if tag in PEERS and corpus.read_tag(row) == tag and not label.endswith(":"):
                kind = "peer"
            mask, strange = keep & (whole == whole[self.example]), self.measure_strangeness(label, row)
            yield self.make_feature(kind, level, tag, test, f"{side} “{label}”", distance, of=label, strange=strange), mask
            if kind != "peer":
                stemmed = self._same_stem(label, whole, keep, lambda place: corpus.read_text(int(beside[place])))
                yield from self._stem(kind, level, tag, sibling, label, side, distance, stemmed, strange)
        if not self.find_shared(corpus.elements.tag[beside]):
            return
        same = keep & (corpus.elements.tag[beside] == corpus.elements.tag[row])
        name = corpus.read_tag(row)
        yield self.make_feature("beside", level, tag, f"{sibling}[{self_test(name)}]", f"right {side} <{name}>", distance), same
        for pair in corpus.read_names(row):
            mask = corpus.find_named(pair)[beside] & same
            if self.is_shared(mask):
                test = f"{sibling}[{self_test(name)}][{name_test(*pair)}]"
                words = f"right {side} <{name}> with {describe_name(*pair)}"
                yield self.make_feature("neighbour", level, tag, test, words, distance, of=pair[1]), mask

    def _same_stem(self, label: str, column: Hashes, keep: Bools, read: Callable[[int], str]) -> Bools | None:
        """Finds the candidates whose label has the same stem as `label`. Returns None if no other label has it.

        column: the hashes of the candidates' labels.
        read: reads the label of a candidate.
        """
        stem, stems = label.rstrip(STEM_ENDS), self.corpus.label_stems
        if len(stem) < MIN_STEM:
            return None
        among = np.flatnonzero(keep & (column > TOO_LONG))
        hashes, first = np.unique(column[among], return_index=True)
        if len(hashes) > MAX_STEMS:
            return None
        alike = []
        for number, place in zip(hashes.tolist(), among[first].tolist(), strict=True):
            if number not in stems:
                stems[number] = read(place).rstrip(STEM_ENDS)
            if stems[number] == stem:
                alike.append(number)
        return keep & np.isin(column, np.array(alike, column.dtype)) if len(alike) > 1 else None

    def _stem(
        self, kind: str, level: int, tag: str, path: str, label: str, side: str, distance: int, mask: Bools | None, strange: float
    ) -> Iterator[MaskedFeature]:
        """The condition that the label at `path` has a certain stem, as "Director:" and "Directors:" have."""
        if mask is not None:
            stem, whole = label.rstrip(STEM_ENDS), cleaned(path)
            rest = f"translate(substring({whole}, {len(stem) + 1}), {quote(STEM_ENDS)}, '')"
            test = f"{has_word(path, stem)} and starts-with({whole}, {quote(stem)}) and {rest} = ''"
            yield self.make_feature(f"{kind}-stem", level, tag, test, f"{side} “{stem}…”", distance, of=stem, strange=strange), mask

    def _names(self, level: int, tag: str, keep: Bools, row: int) -> Iterator[MaskedFeature]:
        rows = self.levels[level]
        where = f"{level} up " if level else ""
        for pair in self.corpus.read_names(row):
            if self.is_own_name(pair):
                continue
            mask = self.corpus.find_named(pair)[rows] & keep
            if self.is_shared(mask):
                extra = self.price_common_name(pair, tag) if level else 0.0
                words = f"{where}<{tag}> with {describe_name(*pair)}"
                kind = classify_name(pair[0])
                yield self.make_feature(kind, level, tag, name_test(*pair), words, level, of=pair[1], extra=extra), mask

    def _places(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        elements, rows = self.corpus.elements, self.levels[level]
        for kind, column in (("nth", elements.nth[rows]), ("nth-last", elements.nth_last[rows])):
            value = int(column[self.example])
            if not self.is_shared(column == value) or (kind == "nth-last" and value > MAX_NTH_LAST):
                continue
            test = str(value) if kind == "nth" else "last()" if value == 1 else f"last() - {value - 1}"
            words = f"<{tag}> number {value}{' from the end' if kind == 'nth-last' else ''}, {level} up"
            extra = 0.0 if level else self.place_extra
            yield self.make_feature(kind, level, tag, test, words, level, place=True, extra=extra), keep & (column == value)

    def _labels(self, level: int, tag: str, keep: Bools, row: int) -> Iterator[MaskedFeature]:
        elements, rows = self.corpus.elements, self.levels[level]
        sides = (
            ("after", "preceding", "label", elements.before[rows], elements.text_before[rows]),
            ("before", "following", "label-after", elements.after[rows], elements.text_after[rows]),
        )
        for side, axis, kind, beside, texts in sides:
            yield from self._beside(beside, level, tag, axis, kind, level + 1)
            if self.find_shared(texts):
                path = f"{axis}-sibling::text()[1]"
                label = self._read_string(row, path)
                mask, strange = keep & (texts == texts[self.example]), self.measure_strangeness(label)
                words = f"{side} the text “{label}”, {level} up"
                yield self.make_feature(kind, level, tag, same_text(path, label), words, level + 1, of=label, strange=strange), mask
                stemmed = self._same_stem(label, texts, keep, self._string_reader(rows, path))
                yield from self._stem(kind, level, tag, path, label, side, level + 1, stemmed, strange)
        heading = elements.heading[rows]
        if self.find_shared(heading):
            test, label, strange = self._heading_test(row)
            words, kind = f"under the heading “{label}”", self._heading_kind(row)
            feature = self.make_feature(kind, level, tag, test, words, level + 1, of=label, strange=strange)
            yield feature, keep & (heading == heading[self.example])
        yield from self._first(level, tag, keep)
        if tag in CELLS:
            yield from self._column(level, tag, keep)

    def _heading_kind(self, row: int) -> str:
        """The kind of a feature that asks for the heading before an element. A heading right before it is as good as a label."""
        elements = self.corpus.elements
        return "title" if elements.tag[elements.before[row]] in HEADING_HASHES else "heading"

    def _heading_test(self, row: int) -> tuple[str, str, float]:
        """The condition that the nearest heading before an element among its siblings is that of `row`; its text; how strange that is."""
        nearest = f"preceding-sibling::*[{IS_HEAD}][1]"
        above = int(self.corpus.elements.before[row])
        while self.corpus.elements.tag[above] not in HEAD_HASHES:
            above = int(self.corpus.elements.before[above])
        tag, label = self.corpus.read_tag(above), self.corpus.read_text(above)
        some = f"preceding-sibling::{tag}[{has_word('.', label)}]"  # most elements have none, and need not look for the nearest
        return f"{some} and {nearest}[{self_test(tag)}][{same_text('.', label)}]", label, self.measure_strangeness(label, above)

    def _first(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        """The first child of an ancestor, if it is a header: the first cell of a row, the title of a box."""
        if not level or tag in ITEM_HOLDERS:
            return
        first = self.corpus.elements.first[self.levels[level]]
        whole = self.corpus.elements.whole[first]
        inside = first[self.positives] == self.levels[level - 1][self.positives]
        if self.find_shared(whole) and not inside.any():
            label = self.corpus.read_text(int(first[self.example]))
            words, strange = f"in <{tag}> that begins with “{label}”", self.measure_strangeness(label, int(first[self.example]))
            feature = self.make_feature("first", level, tag, same_text("*[1]", label), words, level + 1, of=label, strange=strange)
            yield feature, keep & (whole == whole[self.example])

    def _column(self, level: int, tag: str, keep: Bools) -> Iterator[MaskedFeature]:
        """The header cell: the cell at the same position in the table's first row."""
        cells = self.levels[level]
        header = find_header_cells(self.corpus, cells)
        whole = self.corpus.elements.whole[header]
        if self.find_shared(whole) and not (header == cells)[self.positives].any():
            label = self.corpus.read_text(int(header[self.example]))
            cell = f"ancestor::table[1]/descendant::tr[1]/*[{same_text('.', label)}][1]"
            test = f"{cell} and count(preceding-sibling::*) = count({cell}/preceding-sibling::*)"
            yield (
                self.make_feature("column", level, tag, test, f"in the column “{label}”", level + 1),
                keep & (whole == whole[self.example]),
            )

    def _string_reader(self, rows: Ints, path: str) -> Callable[[int], str]:
        return lambda place: self._read_string(int(rows[place]), path)

    def _read_string(self, row: int, path: str) -> str:
        return " ".join(str(XPath(path).select(self.corpus.element(row))[0]).split())


def _list_starts(addresses: Sequence[str]) -> list[str]:
    """What all addresses begin with, up to a slash, "?" or "=": the whole of it, and its first part that names something."""
    common, most = min(addresses), max(addresses)  # what these two begin with, all begin with
    common = common[: next((n for n, (one, other) in enumerate(zip(common, most, strict=False)) if one != other), len(common))]
    if not all(addresses) or len(common) > MAX_ADDRESS:
        return []
    ends = [match.end() for match in _ADDRESS_PART.finditer(common) if not match[0].startswith("//")]
    starts = [common[:end] for end in ends if _NAMED_PART.search(_HOST.sub("", common[:end]))]
    return list(dict.fromkeys([*starts[:1], *starts[-1:]])) if len(set(addresses)) > 1 else starts[:1]
