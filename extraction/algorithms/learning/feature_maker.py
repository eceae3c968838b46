"""What a feature is, and what all that make some need: the nodes that have to share it, and what stands above them.

A condition at one level: on the text node (-1), its element (0), the ancestor d levels up, or any ancestor; and it comes
with the candidates that satisfy it, on all pages at once.
"""

from dataclasses import dataclass

from extraction.algorithms.dom.nodes import clean, whole_text
from extraction.algorithms.dom.xpath import XPath, has_word, same_text, self_test
from extraction.algorithms.learning.corpus import MAX_LEVEL, Candidates, Corpus
from extraction.algorithms.learning.costs import Cost
from extraction.algorithms.learning.generated_names import is_generated_name
from extraction.algorithms.learning.page_table import HEADINGS, NAMING, TOO_LONG, Bools, Hashes, Ints, hash_text

ANY = 99
"""Level of "any ancestor", of whatever tag where the feature has none."""

LABELS = frozenset(
    ("label", "label-stem", "label-after", "label-after-stem", "first", "heading", "title", "under-heading", "under-title", "under-label")
)
"""Kinds of features that ask for a text beside the value."""

TEXT = -1
"""Level of the text node itself."""

PEERS = frozenset(("li", "p", "dd", "option", "tr"))
"""Tags whose siblings of the same tag are items of one list: the text of one is a value, no label of the next."""

HEADING_KEYS = frozenset(map(hash_text, HEADINGS))

IS_HEADING = " or ".join(f"self::{tag}" for tag in HEADINGS)


@dataclass(frozen=True, slots=True)
class RuleFeature:
    """A condition. test: an XPath predicate, "" when the level's tag alone is the condition; place: it is a position.

    words: for people. distance: steps in the tree from the node to what the condition looks at.
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


class FeatureMaker:
    """Makes the features that the positives share. levels: the candidates' elements, their parents and so on, up to MAX_LEVEL."""

    def __init__(self, corpus: Corpus, nodes: Candidates, positives: Ints, cost: Cost) -> None:
        self.corpus, self.nodes, self.positives, self.cost = corpus, nodes, positives, cost
        self.example = int(positives[0])
        parent, tags = corpus.rows["parent"], corpus.numbers["tag"]
        self.levels: list[Ints] = [nodes.rows]
        while len(self.levels) <= MAX_LEVEL:
            above = parent[self.levels[-1]]
            if (tags[above[positives]] == 0).any():
                break
            self.levels.append(above)

    def feature(
        self, kind: str, level: int, tag: str, test: str, words: str, distance: int, *, place: bool = False, of: str = ""
    ) -> RuleFeature:
        """of: the name or the label that it asks for."""
        label = kind in LABELS
        price = self.cost.feature(kind, distance) + (self.cost.wordy(len(of)) if label else self.cost.generated * is_generated_name(of))
        return RuleFeature(kind, level, tag, test, words, distance, price, place)

    def shared(self, column: Hashes | Ints) -> int:
        """The value that all positives have in a column, 0 when they differ or have none."""
        value = int(column[self.example])
        return value if value > TOO_LONG and bool((column[self.positives] == value).all()) else 0

    def text_of(self, row: int) -> str:
        return clean(whole_text(self.corpus.element(row)))

    def tag_of(self, row: int) -> str:
        return str(self.corpus.element(row).tag)

    def heading_kind(self, row: int, *, under: str = "") -> str:
        """The kind of a feature that asks for the heading before an element: one right before it is as good as a label."""
        return f"{under}title" if self.corpus.numbers["tag"][self.corpus.rows["before"][row]] in HEADING_KEYS else f"{under}heading"

    def heading_test(self, row: int) -> tuple[str, str]:
        """The condition that the nearest heading before an element among its siblings is that of `row`, and the heading's text."""
        nearest = f"preceding-sibling::*[{IS_HEADING}][1]"
        element = XPath(nearest).select(self.corpus.element(row))[0]
        label = clean(whole_text(element))
        tag = str(element.tag)
        some = f"preceding-sibling::{tag}[{has_word('.', label)}]"  # most have none: the nearest has not to be looked for
        return f"{some} and {nearest}[{self_test(tag)}][{same_text('.', label)}]", label


def name_kind(name: str) -> str:
    if name in ("id", "class"):
        return name
    return "data" if name.startswith("data-") else "name" if name in NAMING else "style"


def name_words(name: str, value: str) -> str:
    return f"{name} “{value}”"
