"""Defines a feature and the base class that makes features, which knows the nodes that must share each feature and their ancestors.

A feature is a condition at one level: on the text node (-1), on its element (0), on the ancestor d levels up, or on any ancestor. It
comes with the candidates that satisfy it, on all pages at once.
"""

from dataclasses import dataclass

from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.costs import LABEL_CHARS, Cost
from extraction.algorithms.learning.generated_names import is_generated_name
from extraction.algorithms.learning.page_table import NAMING, TOO_LONG, Bools, Hashes, Ints

MAX_LEVEL = 12
"""Ancestors looked at one by one; further up only as "somewhere under"."""

ANY = 99
"""Level of "any ancestor", of whatever tag where the feature has none."""

TEXT = -1
"""Level of the text node itself."""

LABEL_KINDS = frozenset(
    ("label", "label-stem", "label-after", "label-after-stem", "first", "heading", "title", "under-heading", "under-title", "under-label")
)
"""Kinds of features that ask for a text beside the value."""


@dataclass(frozen=True, slots=True)
class RuleFeature:
    """A condition.

    kind: the key of its cost in `costs`.
    level, tag: the element that it is tested on.
    test: an XPath predicate, empty when the level's tag alone is the condition.
    words: the condition for people.
    distance: steps in the tree from the node to what the condition looks at.
    place: whether the condition is a position.
    """

    kind: str
    level: int
    tag: str
    test: str
    words: str
    distance: int
    cost: float
    place: bool = False


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
        parent, tags = corpus.elements.parent, corpus.elements.tag
        self.levels: list[Ints] = [nodes.rows]
        while len(self.levels) <= MAX_LEVEL:
            above = parent[self.levels[-1]]
            if (tags[above[positives]] == 0).any():
                break
            self.levels.append(above)

    def make_feature(
        self, kind: str, level: int, tag: str, test: str, words: str, distance: int, *, place: bool = False, of: str = ""
    ) -> RuleFeature:
        """Makes a feature with its cost. of: the name or the label that the feature requires."""
        base, step = self.cost.features[kind]
        price = base + step * distance
        if kind in LABEL_KINDS:
            price += self.cost.sentence * max(len(of) - LABEL_CHARS, 0)
        else:
            price += self.cost.generated * is_generated_name(of)
        return RuleFeature(kind, level, tag, test, words, distance, price, place)

    def find_shared(self, column: Hashes | Ints) -> int:
        """The value that all positives have in a column, 0 when they differ or have none."""
        value = int(column[self.example])
        return value if value > TOO_LONG and self.is_shared(column == value) else 0

    def is_shared(self, mask: Bools) -> bool:
        """Whether a mask over the candidates includes all positives."""
        return bool(mask[self.positives].all())


def classify_name(name: str) -> str:
    """Returns the feature kind for a condition on the attribute `name`."""
    if name in ("id", "class"):
        return name
    return "data" if name.startswith("data-") else "name" if name in NAMING else "style"


def describe_name(name: str, value: str) -> str:
    """Describes a name in words for people."""
    return f"{name} “{value}”"
