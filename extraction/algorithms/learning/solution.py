"""A solution: the feature set that was found for some marks, and what it selects."""

from dataclasses import dataclass, replace

import numpy as np

from extraction.algorithms.learning.corpus import Candidates, NodeTarget
from extraction.algorithms.learning.feature_maker import MaskedFeature
from extraction.algorithms.learning.marks import MarkedNode
from extraction.algorithms.learning.page_table import Bools
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.search import FeatureSet


@dataclass(frozen=True, slots=True)
class Solution:
    """A feature set for some marks.

    selected: which candidates it selects.
    total: its cost with all that was added.
    masks: the candidates that have each of its features.
    doubt: why it may be wrong, in words.
    """

    marks: tuple[MarkedNode, ...]
    target: NodeTarget
    chosen: FeatureSet
    selected: Bools
    nodes: Candidates
    total: float
    masks: tuple[Bools, ...] = ()
    doubt: str = ""

    @property
    def xpath(self) -> str:
        return write_xpath(self.target, self.chosen.features)

    def select_without(self, number: int) -> Bools:
        """The candidates that it would select without one of its features."""
        others = [mask for n, mask in enumerate(self.masks) if n != number]
        found: Bools = np.logical_and.reduce([np.ones(len(self.selected), np.bool_), *others], axis=0)
        return found


def swap_feature(solution: Solution, place: int, new: MaskedFeature) -> Solution:
    """Replaces the feature at a place by another one; one is added to a solution without features."""
    feature, mask = new
    old = solution.chosen.features
    chosen = replace(
        solution.chosen,
        features=(*old[:place], feature, *old[place + 1 :]),
        distance=max([feature.distance, *(each.distance for n, each in enumerate(old) if n != place)]),
    )
    dearer = feature.cost - (old[place].cost if old else 0.0)
    masks = (*solution.masks[:place], mask, *solution.masks[place + 1 :])
    return replace(solution, chosen=chosen, masks=masks, total=solution.total + dearer)
