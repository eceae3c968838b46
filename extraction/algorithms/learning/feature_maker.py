"""A feature, and the base class of everything that makes features. It knows the nodes that must share a feature, and their ancestors.

A feature is a condition at one level: on the text node (-1), on its element (0), on the ancestor d levels up, or on any ancestor. It
comes with the candidates that satisfy it, on all pages at once.
"""

import re
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.costs import LABEL_CHARS, Cost
from extraction.algorithms.learning.generated_names import is_generated_name
from extraction.algorithms.learning.label_trust import is_among_labels, is_label_place, measure_strangeness
from extraction.algorithms.learning.page_table import NAMING, TOO_LONG, Bools, Hashes, Ints

MAX_LEVEL = 12
"""The largest number of ancestors looked at one by one. Those further up only count as "somewhere above"."""

ANY = 99
"""Level of "any ancestor", of whatever tag where the feature has none."""

TEXT = -1
"""Level of the text node itself."""

BEFORE_KINDS = frozenset(("label", "label-stem", "first", "heading", "title", "under-heading", "under-title", "under-label"))
"""Kinds of features that ask for a text before the value, as a label is."""

LABEL_KINDS = BEFORE_KINDS | {"label-after", "label-after-stem"}
"""Kinds of features that ask for a text beside the value."""

WEAK_KINDS = frozenset(("nth", "nth-last", "text-nth", "beside", "neighbour", "peer", "label-after", "label-after-stem", "shape", "form"))
"""Kinds of features that say where a value stands or how its text is written, and nothing about what it is."""

MOST_STRANGE = 0.4
"""A text may be no stranger than this to count as a label."""


@dataclass(frozen=True, slots=True)
class RuleFeature:
    """A condition.

    kind: the key of its cost in `costs`.
    level, tag: the element that it is tested on.
    test: an XPath predicate, empty when the level's tag alone is the condition.
    words: the condition for people.
    distance: steps in the tree from the node to what the condition looks at.
    place: whether the condition is a position.
    strange: from 0 to 1, how little the text that it asks for looks like one of the template (`label_trust`).
    """

    kind: str
    level: int
    tag: str
    test: str
    words: str
    distance: int
    cost: float
    place: bool = False
    strange: float = 0.0


_NUMBER, _LONG_NUMBER = re.compile(r"\d\d"), re.compile(r"\d{3}")

MaskedFeature = tuple[RuleFeature, Bools]
"""A feature and the candidates that have it."""


class FeatureMaker:
    """Makes features that the positives share.

    positives: places among the candidates.
    example: the first positive; only features that it has are tried.
    levels: the candidates' elements, their parents and so on, up to MAX_LEVEL.
    """

    def __init__(self, corpus: Corpus, nodes: Candidates, positives: Ints, cost: Cost) -> None:
        self.corpus, self.nodes, self.positives, self.cost = corpus, nodes, positives, cost
        self.example = int(positives[0])
        self.marked_pages = np.zeros(len(corpus.pages), np.bool_)
        self.marked_pages[nodes.page[positives]] = True
        self.marked_rows = np.sort(nodes.rows[positives])
        self._common: dict[tuple[str, str, str], float] = {}
        parent, tags = corpus.elements.parent, corpus.elements.tag
        self.levels: list[Ints] = [nodes.rows]
        while len(self.levels) <= MAX_LEVEL:
            above = parent[self.levels[-1]]
            if (tags[above[positives]] == 0).any():
                break
            self.levels.append(above)

    def make_feature(
        self,
        kind: str,
        level: int,
        tag: str,
        test: str,
        words: str,
        distance: int,
        *,
        place: bool = False,
        of: str = "",
        strange: float = 0.0,
        extra: float = 0.0,
    ) -> RuleFeature:
        """Makes a feature with its cost.

        of: the name or the label that the feature requires.
        strange: how little that label looks like one of the template.
        extra: added to the cost.
        """
        base, step = self.cost.features[kind]
        price = base + step * distance + self.cost.strange * strange + extra
        if kind in LABEL_KINDS:
            price += self.cost.sentence * max(len(of) - LABEL_CHARS, 0)
        else:
            price += self.cost.generated * is_generated_name(of)
        return RuleFeature(kind, level, tag, test, words, distance, price, place, strange)

    def measure_strangeness(self, text: str, row: int | None = None) -> float:
        """How little a text looks like one of the template. row: the element that has it, None for a text node."""
        if row is not None and is_among_labels(self.corpus, row):
            return 0.0
        in_place = row is not None and is_label_place(self.corpus, row)
        return measure_strangeness(self.corpus, text, self.marked_pages, in_label_place=in_place)

    def is_own_name(self, pair: tuple[str, str]) -> bool:
        """Whether a name contains a number and belongs to one page only, as the id of a record does."""
        if not _NUMBER.search(pair[1]):
            return False
        if len(self.corpus.pages) == 1:
            return bool(_LONG_NUMBER.search(pair[1]))
        return len(self.corpus.find_pages_named(pair)) == 1

    def price_common_name(self, pair: tuple[str, str], tag: str) -> float:
        """The added cost of an ancestor's name that elements without a marked value have, too, on the marked pages."""
        known = self._common.get((*pair, tag))
        if known is None:
            named = self.corpus.list_named(pair, tag)
            holding = np.searchsorted(self.marked_rows, named) < np.searchsorted(self.marked_rows, self.corpus.elements.end[named])
            others = named[~holding]
            known = self.cost.common_name if self.marked_pages[self.corpus.find_pages(others)].any() else 0.0
            self._common[(*pair, tag)] = known
        return known

    def find_shared(self, column: Hashes | Ints) -> int:
        """The value that all positives have in a column, 0 when they differ or have none."""
        value = int(column[self.example])
        return value if value > TOO_LONG and self.is_shared(column == value) else 0

    def is_shared(self, mask: Bools) -> bool:
        """Whether a mask over the candidates includes all positives."""
        return bool(mask[self.positives].all())


def classify_name(name: str) -> str:
    """Return the feature kind for a condition on the attribute `name`."""
    if name in ("id", "class"):
        return name
    return "data" if name.startswith("data-") else "name" if name in NAMING else "style"


def describe_name(name: str, value: str) -> str:
    """Describes a name in words for people."""
    return f"{name} “{value}”"


def is_label_feature(feature: RuleFeature) -> bool:
    """Whether a feature asks for a text before the value, and that text looks like a label of the template."""
    return feature.kind in BEFORE_KINDS and feature.strange <= MOST_STRANGE


def is_weak_feature(feature: RuleFeature) -> bool:
    """Whether a feature asks for a place, for a form, or for a text that does not look like one of the template."""
    return feature.kind in WEAK_KINDS or feature.strange > MOST_STRANGE
