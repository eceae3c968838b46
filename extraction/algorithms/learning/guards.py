"""Conditions added to a rule that keep out what is not there yet: the neighbour of a value that a page lacks.

The search looks for what selects the marked values and nothing else on the known pages. "What follows the label" may do so, and gives the
next label on the first page whose value is missing. Each guard is a condition that all known values meet and such a neighbour does not. It
changes nothing on the known pages, except that it excludes what looks like no value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from extraction.algorithms.dom.xpath import cleaned, same_text
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.feature_maker import ANY, TEXT, MaskedFeature, RuleFeature
from extraction.algorithms.learning.label_trust import COMMON_SHARE
from extraction.algorithms.learning.page_table import TOO_LONG, Bools, Ints
from extraction.algorithms.learning.text_forms import read_short_texts
from extraction.algorithms.learning.weak_features import find_structure, find_telling_feature

MAX_VALUES = 200
"""The largest number of selected values that are looked at."""

MAX_NEXT_LABELS = 4
"""The largest number of labels after the value that a rule excludes by their texts."""

MAX_NAME_COST = 1.3
"""Dearest name that is asked for in addition: one that a machine gave costs more."""

COUNTED_KINDS = frozenset(("nth", "nth-last", "text-nth"))
"""Kinds of features that are places among siblings."""

BESIDE_KINDS = frozenset(("label", "label-stem", "label-after", "label-after-stem", "peer", "beside", "neighbour"))
"""Kinds of features that look at a sibling."""

HEADING_KINDS = frozenset(("heading", "title", "under-heading", "under-title"))
"""Kinds of features that any text under a heading meets."""

NAME_KINDS = frozenset(("name", "id", "class", "data"))
"""Kinds of features that are names given by the template's author."""


STRUCTURE = "structure"
"""The kind of a guard that asks for what a value looks like under its heading."""


class Guard:
    """Finds guards for one solution.

    features: of the solution.
    selected: which candidates it selects.
    positives: the places of the marked ones.
    """

    def __init__(self, corpus: Corpus, nodes: Candidates, features: Sequence[RuleFeature], selected: Bools, positives: Ints) -> None:
        self.corpus, self.nodes, self.features, self.selected, self.positives = corpus, nodes, features, selected, positives

    def find_all(self, known: Iterable[MaskedFeature], *, multiple: bool, alternatives: Sequence[str] = ()) -> list[MaskedFeature]:
        """The guards.

        known: features that all positives share.
        multiple: whether a page may have several values.
        alternatives: the values that the rule's other alternatives select.
        """
        if self.nodes.target.kind == "attribute":
            return []
        found = [self._find_own_name(known), self._exclude_announcement()]
        if not any(found) and self.looks_beside:
            found += self._exclude_next_labels()
        if not multiple:
            found += [self._find_telling(), self._find_structure(alternatives)]
        return [guard for guard in found if guard is not None]

    @property
    def looks_beside(self) -> bool:
        """Whether the value is told by a sibling, and by no name of its own."""
        kinds = {feature.kind for feature in self.features if feature.level == 0}
        return bool(kinds & (BESIDE_KINDS | COUNTED_KINDS)) and not kinds & NAME_KINDS

    def widen_heading(self, masks: Sequence[Bools]) -> tuple[int, MaskedFeature] | None:
        """Return a heading that the rule asks for as one before the value's element or any element around it, and its place in the rule.

        A block put around the value takes it away from its heading. Where the looks of the value tell it from other texts, the heading may
        stand before that block. This holds only if nothing else is selected on the known pages.

        masks: the candidates that have each of the rule's features.
        """
        elements, rows = self.corpus.elements, self.nodes.rows
        headings = np.unique(elements.heading[rows[self.selected]])
        if self.nodes.target.kind != "element" or len(headings) != 1:
            return None
        for at, feature in enumerate(self.features):
            if feature.level == 0 and feature.kind in HEADING_KINDS:
                under = self.corpus.find_under(np.flatnonzero(elements.heading == headings[0]).astype(np.int32), rows)
                wide: Bools = (elements.heading[rows] == headings[0]) | under
                others: Bools = np.logical_and.reduce([wide, *(mask for n, mask in enumerate(masks) if n != at)], axis=0)
                if (others == self.selected).all():
                    return at, (replace(feature, test=f"ancestor-or-self::*[{feature.test}]", words=f"somewhere {feature.words}"), wide)
        return None

    def _find_own_name(self, known: Iterable[MaskedFeature]) -> MaskedFeature | None:
        """A name of the values' own elements that all selected ones have and some of their siblings lack."""
        parent, rows = self.corpus.elements.parent, self.nodes.rows
        beside = np.isin(parent[rows], parent[rows[self.selected]]) & ~self.selected
        fitting = [
            row
            for row in known
            if row[0].level == 0
            and row[0].kind in NAME_KINDS
            and row[1][self.selected].all()
            and (beside & ~row[1]).any()
            and row[0].cost <= MAX_NAME_COST
        ]
        return min(fitting, key=lambda row: (row[0].cost, row[0].words), default=None)

    def _exclude_announcement(self) -> MaskedFeature | None:
        """No text that ends with a colon, where no marked one does and some selected one does: it announces what follows."""
        if any(self._read(place).endswith(":") for place in self.positives.tolist()):
            return None
        chosen = np.flatnonzero(self.selected)[: 10 * MAX_VALUES]
        announcing = [place for place in chosen.tolist() if self._read(place).endswith(":")]
        if not announcing:
            return None
        text, mask = cleaned("."), np.ones(len(self.selected), np.bool_)
        for place in np.flatnonzero(self.selected).tolist():
            mask[place] = not self._read(place).endswith(":")
        test = f"substring({text}, string-length({text}), 1) != ':'"
        return self._make("without a colon at the end", test), mask

    def _exclude_next_labels(self) -> list[MaskedFeature]:
        """No text that follows the values on many pages: these are the labels of what comes next."""
        elements, rows = self.corpus.elements, self.nodes.rows[self.selected]
        if self.nodes.target.kind == "text" or not len(rows):
            return []
        after = elements.after[rows]
        same = (elements.tag[after] == elements.tag[rows]) & (elements.whole[after] > TOO_LONG)
        own = set(elements.whole[rows].tolist())
        hashes, first, counts = np.unique(elements.whole[after[same]], return_index=True, return_counts=True)
        enough = max(2, COMMON_SHARE * len(np.unique(self.nodes.page[self.selected])))
        order = sorted(range(len(hashes)), key=lambda n: (-int(counts[n]), int(first[n])))
        labels = [n for n in order if counts[n] >= enough and int(hashes[n]) not in own][:MAX_NEXT_LABELS]
        found = []
        for n in labels:
            text = self.corpus.read_text(int(after[same][first[n]]))
            found.append((self._make(f"not “{text}”", f"not({same_text('.', text)})"), elements.whole[self.nodes.rows] != hashes[n]))
        return found

    def _find_telling(self) -> MaskedFeature | None:
        """What the values look like, where the rule counts siblings and their looks distinguish the values from these."""
        level = min((feature.level for feature in self.features if feature.kind in COUNTED_KINDS), default=ANY)
        if level > 0:
            return None
        around = self.nodes.rows if level == TEXT else self.corpus.elements.parent[self.nodes.rows]
        beside = np.isin(around, around[self.selected]) & ~self.selected
        values, others = ([self._read(int(n)) for n in np.flatnonzero(mask)[:MAX_VALUES]] for mask in (self.selected, beside))
        weak = find_telling_feature(values, others)
        if weak is None:
            return None
        mask = np.array([weak.holds(self._read(n)) for n in range(len(self.nodes.rows))], np.bool_)
        return self._make(weak.words, weak.test), mask

    def _find_structure(self, alternatives: Sequence[str]) -> MaskedFeature | None:
        """The signs or digits that all values have and few other texts, where any text under the heading would do."""
        if not any(feature.kind in HEADING_KINDS for feature in self.features):
            return None
        mine = [self._read(int(n)) for n in np.flatnonzero(self.selected)[:MAX_VALUES]]
        texts, which = read_short_texts(self.corpus, self.nodes)
        others = {texts[n] for n in np.unique(which[~self.selected & (which >= 0)]).tolist()} - set(alternatives)
        weak = find_structure([*mine, *alternatives], sorted(others))
        if weak is None:
            return None
        mask = np.array([weak.holds(text) for text in texts] + [False], np.bool_)[which]
        return self._make(weak.words, weak.test, kind=STRUCTURE), mask

    def _make(self, words: str, test: str, *, kind: str = "weak") -> RuleFeature:
        at, tag = (TEXT, "") if self.nodes.target.kind == "text" else (0, self.nodes.target.tag)
        return RuleFeature(kind, at, tag, test, words, 0, 0.0)

    def _read(self, place: int) -> str:
        return self.corpus.read_condition_text(self.nodes, place)
