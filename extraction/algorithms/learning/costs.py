"""The cost of each kind of feature. All preferences of the learner are set here (docs/algorithms.md#rule-learning).

The paper orders rules by distance, then by support (Gulhane et al. 2011, section 3.1). On real pages that order loses to a sum: a
class three levels up is better than being the third child of the parent. `Cost` is that sum. A feature costs
``base + step * distance``, and a set of features costs the sum of these, plus `support` times the square of the share of
unannotated pages where it selects nothing. The square tolerates an optional field and rejects a value taken for a label: a
good label may be missing on a fifth of the pages, but a particular value is missing on nine tenths.
As Apriori's pruning requires, none of these terms falls as a set grows. `PaperOrder` is the paper's own order.

How the figures were found. They were set by hand in the order in which a template's author would trust things: a name given on
purpose, a label, a heading, a tag, a position. After that a figure was changed only where the 15 SWDE sites (two annotated pages) or
the 118 recipe sites (one) agreed that it should. The macro F1 on both after each step:

========================================================================  =====  =======
step                                                                       SWDE  recipes
========================================================================  =====  =======
linear support, only the clicked node                                     0.950    0.934
unions for several values                                                 0.980    0.941
elements before texts                                                     0.980    0.950
other places of a value, plausible values, aligned lists                  0.983    0.976
the shape of digits, ambiguity as a cost, peers                           0.986    0.974
generated names, sentences, bare rules, places dearer, "under" cheaper    0.987    0.992
========================================================================  =====  =======

The price of holes and of plain lists took the 25 worst recipe sites from 0.892 to 0.939, and each half of them rose by 0.04 or more.
The last step lowered what the recipe sites lose on changed pages from 0.023 to 0.001. The figures are flat around the constants:
`several` from 3 to 8 and `other` from 0 to 0.1 change nothing in the third digit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)


class FeatureCost(NamedTuple):
    """The cost of a kind of feature: `base`, plus `step` for each tree step from the node to what the feature looks at."""

    base: float
    step: float


FEATURE_COSTS: Mapping[str, FeatureCost] = {
    # Names that the template's author gave on purpose.
    "name": FeatureCost(0.7, 0.15),
    "id": FeatureCost(0.8, 0.15),
    "class": FeatureCost(0.8, 0.15),
    "data": FeatureCost(1.0, 0.15),
    "style": FeatureCost(1.6, 0.2),
    # The same names on any ancestor: a little dearer than on the element, cheaper than on an ancestor far up.
    "under-name": FeatureCost(0.78, 0.06),
    "under-id": FeatureCost(0.88, 0.05),
    "under-class": FeatureCost(0.88, 0.06),
    # Texts that the template prints before the value. A stem costs a little more than the label, "under" a little less.
    "label": FeatureCost(0.9, 0.2),
    "label-stem": FeatureCost(0.93, 0.2),
    "under-label": FeatureCost(0.895, 0.2),
    "title": FeatureCost(0.898, 0.2),
    "under-title": FeatureCost(0.893, 0.2),
    "heading": FeatureCost(1.2, 0.25),
    "under-heading": FeatureCost(1.19, 0.25),
    "first": FeatureCost(1.2, 0.25),
    "column": FeatureCost(1.2, 0.25),
    # Texts after the value, and neighbours: these change more often.
    "label-after": FeatureCost(1.8, 0.3),
    "label-after-stem": FeatureCost(1.83, 0.3),
    "neighbour": FeatureCost(1.8, 0.3),
    "beside": FeatureCost(2.4, 0.3),
    "peer": FeatureCost(2.6, 0.3),
    # How the page is built, and what the value looks like.
    "tag": FeatureCost(0.5, 0.15),
    "shape": FeatureCost(1.97, 0.0),
    "form": FeatureCost(2.0, 0.0),
    "link": FeatureCost(1.3, 0.0),
    "text-nth": FeatureCost(1.2, 0.0),
    "nth": FeatureCost(2.6, 0.5),
    "nth-last": FeatureCost(3.2, 0.6),
}
"""The cost of each kind of feature, calibrated on two annotated pages of each of the 15 SWDE sites."""

SUPPORT = 3.0
"""A set that selects nothing on all unannotated pages."""

SEVERAL = 5.0
"""A set that selects several nodes for a single value on all unannotated pages; more than selecting nothing."""

UNLIKELY = 0.6
"""One unit of `plausibility`: how unlike the marked values the others are."""

HOLES = 2.0
"""In units of `plausibility`: a list that leaves out all of its items, or cuts all of them."""

OTHER = 0.05
"""A rule for an equivalent of the marked node: the cell instead of the link in it."""

ELSEWHERE = 1.5
"""A rule for another place of the same value."""

UNSEEN = 1.0
"""A rule for another place whose values, on other pages, never stand at a place like the clicked one."""

PLAIN = 0.5
"""A tag in a list's rule, or a list's rule that asks for nothing: any list has these, while an author's names carry further."""

GENERATED = 2.0
"""A name that a machine gave (`generated_names`): the site's next build has another one."""

SENTENCE, LABEL_CHARS = 0.015, 30
"""Each character of a label beyond LABEL_CHARS: a sentence beside the value is rewritten or dropped."""

STRANGE = 3.0
"""A text that other pages do not have: it is a value, an advert or a text of one page, but no label of the template."""

LABELLED = 1.5
"""A place among siblings, where a label stands right before the value: the siblings come and go, the label stays."""

COMMON_NAME = 0.4
"""The name of an ancestor that other elements of the marked pages have, which hold no marked value: it says how a thing looks."""

FEW_FORMS = 0.3
"""For each value less than `SURE_FORMS` that the form of a text was learned from: few values are alike by chance."""

SURE_FORMS = 3

ALTERNATIVE = 0.5
"""Each alternative after the first. Two labels of two languages are better than one rule that asks for places or forms."""

BARE = 1.2
"""A rule that asks for nothing: it takes any such node that comes onto the page."""

SLACK = 0.7
"""How much dearer than the best set another may be and still be compared with it by its values."""

PAPER_SEVERAL = 1e6
"""SEVERAL in the paper's order: any precise set is better than one that is not."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The calibrated sum by which feature sets are compared; smaller is better.

    Each figure is a constant of this module. `feature_maker` prices a feature by them, `price_set` a set of features.

    translates: whether the same attribute is looked for under labels of other languages.
    """

    judges_values: ClassVar[bool] = True
    """Whether sets of about the same cost are compared by the values they select."""

    features: Mapping[str, FeatureCost] = field(default_factory=lambda: FEATURE_COSTS)
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
    strange: float = STRANGE
    labelled: float = LABELLED
    common_name: float = COMMON_NAME
    few_forms: float = FEW_FORMS
    alternative: float = ALTERNATIVE
    translates: bool = True

    def price_set(self, features: Number, distance: Number, support: Number) -> Number:
        """The cost of one set or of many at once.

        features: the sum of its features' costs.
        distance: the largest distance among them.
        support: the share of unannotated pages where it selects something, 0 to 1.
        """
        del distance
        return features + self.support * (1.0 - support) ** 2

    def price_ambiguity(self, several: float) -> float:
        """The added cost of a set that selects several nodes on the share `several` of unannotated pages. It falls as sets grow."""
        return self.several * several

    def for_lists(self) -> "Cost":
        """The same costs for several values a page, where a tag alone is worth less. A set without conditions is still compared."""
        tag = self.features["tag"]
        features = {**self.features, "tag": FeatureCost(tag.base + self.plain, tag.step)}
        return replace(self, features=features, slack=self.slack + self.plain)

    def for_mandatory(self) -> "Cost":
        """The same costs for an attribute that every page has: selecting nothing costs twice as much."""
        return replace(self, support=2.0 * self.support)

    def for_rows(self, features: Mapping[str, FeatureCost], *, never: Iterable[str]) -> "Cost":
        """The same costs inside a row, with `features` replaced and those of `never` unusable; a rule without conditions costs nothing."""
        return replace(self, features={**self.features, **features, **dict.fromkeys(never, NEVER)}, bare=0.0, translates=False)


@dataclass(frozen=True, slots=True)
class PaperOrder(Cost):
    """The paper's order: the largest distance first, then support. Values are not compared, and nothing else adds to a set's cost."""

    judges_values: ClassVar[bool] = False
    slack: float = 0.0
    bare: float = 0.0

    def price_set(self, features: Number, distance: Number, support: Number) -> Number:
        """Distance decides; support, at most 1, decides between equal distances."""
        del features
        return 2.0 * distance + (1.0 - support)

    def price_ambiguity(self, several: float) -> float:
        """Return a cost higher than that of any distance."""
        return PAPER_SEVERAL * several

    def for_lists(self) -> Cost:
        """The same: the order does not depend on how many values a page has."""
        return self


NEVER = FeatureCost(1_000.0, 0.0)
"""So dear that a set with such a feature is never chosen."""

CALIBRATED = Cost()
PAPER_ORDER = PaperOrder()
