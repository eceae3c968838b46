"""What each kind of feature costs: the one place where the learner's preferences stand (ALGORITHMS 4.3).

The paper orders rules by distance, then support. On real pages that order loses to one sum: a class three levels up is
better than a third-child position right here. So a feature set costs the sum of its features' costs, each
``base + step * distance``, plus ``SUPPORT`` times the square of the share of unannotated pages where it selects
nothing: a label that a fifth of the pages lack is an optional field, one that nine tenths lack is a value. These terms
never fall as a set grows, which is what Apriori's pruning needs. The paper's own order stays selectable (`STRICT`).

Calibration: set by hand in the order a template's author would trust things (a name given on purpose, a label, a
heading, a tag, a position), then changed only where the 15 SWDE sites (two annotated pages) or the 118 recipe sites (one)
agreed. Macro F1 there: 0.950 and 0.934 with linear support and what was clicked only; 0.980 and 0.941 with unions for
several values; 0.980 and 0.950 with elements before texts; 0.983 and 0.976 with other places, plausible values and
aligned lists; 0.986 and 0.974 with the shape of digits, ambiguity as a cost and peers. Lists whole (HOLES, PLAIN and
`wholeness`) took the 25 worst recipe sites from 0.892 to 0.939, either half of them up by 0.04 or more. The figures are
flat around the constants: SEVERAL from 3 to 8 and OTHER from 0 to 0.1 change nothing in the third digit. What carries over to
changed pages came last (GENERATED, SENTENCE, BARE, "under" a little cheaper than a fixed level, places dearer): the recipe sites
from 0.988 to 0.992, and what they lose on changed pages from 0.023 to 0.001; the older sites stayed at 0.987.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BASE: Mapping[str, tuple[float, float]] = {
    "tag": (0.5, 0.15),
    "id": (0.8, 0.15),
    "class": (0.8, 0.15),
    "name": (0.7, 0.15),
    "style": (1.6, 0.2),
    "data": (1.0, 0.15),
    "under-id": (0.88, 0.05),
    "under-class": (0.88, 0.06),
    "under-name": (0.78, 0.06),
    "label": (0.9, 0.2),
    "label-stem": (0.93, 0.2),
    "label-after": (1.8, 0.3),
    "label-after-stem": (1.83, 0.3),
    "peer": (2.6, 0.3),
    "under-label": (0.895, 0.2),
    "title": (0.898, 0.2),
    "under-title": (0.893, 0.2),
    "under-heading": (1.19, 0.25),
    "first": (1.2, 0.25),
    "heading": (1.2, 0.25),
    "column": (1.2, 0.25),
    "neighbour": (1.8, 0.3),
    "beside": (2.4, 0.3),
    "nth": (2.6, 0.5),
    "nth-last": (3.2, 0.6),
    "text-nth": (1.2, 0.0),
    "shape": (1.8, 0.0),
}
"""(base, step) by kind of feature. Two annotated pages of each of the 15 SWDE sites of the evaluation pages."""

SUPPORT = 3.0
"""What selecting nothing on all unannotated pages costs."""

SEVERAL = 5.0
"""What selecting several nodes for a single value on all unannotated pages costs; more than selecting nothing."""

UNLIKELY = 0.6
"""Price of one unit of `plausible.unlikely`."""

OTHER = 0.05
"""Added cost of a rule for an equivalent of the marked node, the cell instead of the link in it."""

ELSEWHERE = 1.5
"""Added cost of a rule for another place of the same value."""

UNSEEN = 1.0
"""Added cost of a rule for another place whose values on other pages stand at no place like the clicked one."""

HOLES = 2.0
"""Price, in units of `plausible.unlikely`, of a list that leaves out all of its items, or cuts all of them."""

PLAIN = 0.5
"""Added cost of a tag in a list's rule, and of asking for nothing: any list has these, what its author named carries further."""

GENERATED = 2.0
"""Added cost of a name that a machine gave (`generated`): the site's next build has another one."""

SENTENCE, LABEL_CHARS = 0.015, 30
"""Added cost of each character of a label beyond so many: a sentence beside the value is rewritten or dropped."""

BARE = 1.2
"""Added cost of a rule that asks for nothing: it takes any such node that comes onto the page."""

STRICT_SEVERAL = 1e6
"""The same in the paper's order: any precise set is better than one that is not."""

SLACK = 0.7
"""How much dearer than the best a set may be and still be compared with it by its values."""


@dataclass(frozen=True, slots=True)
class Cost:
    """How feature sets are compared: smaller is better.

    strict: the paper's order, largest distance first, then support; else the calibrated sum.
    """

    base: Mapping[str, tuple[float, float]] = field(default_factory=lambda: BASE)
    support: float = SUPPORT
    several: float = SEVERAL
    unlikely: float = UNLIKELY
    holes: float = HOLES
    plain: float = PLAIN
    unseen: float = UNSEEN
    other: float = OTHER
    elsewhere: float = ELSEWHERE
    slack: float = SLACK
    generated: float = GENERATED
    sentence: float = SENTENCE
    bare: float = BARE
    strict: bool = False

    def feature(self, kind: str, distance: int) -> float:
        """What one feature adds."""
        base, step = self.base[kind]
        return base + step * distance

    def wordy(self, characters: int) -> float:
        """What a label of so many characters adds."""
        return self.sentence * max(characters - LABEL_CHARS, 0)

    def total(self, features: float, distance: int, support: float) -> float:
        """Cost of a set: `features` summed, its largest distance, the share of unannotated pages it selects on (0–1)."""
        return 2.0 * distance + (1.0 - support) if self.strict else features + self.support * (1.0 - support) ** 2

    def ambiguity(self, several: float) -> float:
        """Added cost of a set that selects several nodes on this share of unannotated pages; falls as sets grow."""
        return STRICT_SEVERAL * several if self.strict else self.several * several

    def totals(self, features: Floats, distance: NDArray[np.int64], support: Floats) -> Floats:
        """`total` of many sets at once."""
        return 2.0 * distance + (1.0 - support) if self.strict else features + self.support * (1.0 - support) ** 2

    def for_lists(self) -> "Cost":
        """The same for several values a page, where a tag alone is worth less; what asks for nothing is compared all the same."""
        base, step = self.base["tag"]
        dearer = {**self.base, "tag": (base + self.plain, step)}
        return self if self.strict else replace(self, base=dearer, slack=self.slack + self.plain)

    def with_support(self, factor: float) -> "Cost":
        """The same, support counting `factor` times as much."""
        return replace(self, support=self.support * factor)


CALIBRATED = Cost()
STRICT = Cost(strict=True, slack=0.0, bare=0.0)
