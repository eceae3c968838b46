"""The costs of merging groups of pages as `merge_scores` and `site_questions` explain them, with sets and loops instead of arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log, log2

import numpy as np

from extraction.algorithms.clustering import merge_scores, site_questions
from extraction.algorithms.clustering.page_steps import PageSteps

Step = int
Text = int


@dataclass(frozen=True)
class PlainPage:
    """A page as {step: (its parent or 0, its text or 0)}."""

    steps: dict[Step, tuple[Step, Text]]

    def packed(self) -> PageSteps:
        rows = sorted((step, *more) for step, more in self.steps.items())
        columns = np.array(rows, np.uint64).reshape(-1, 3)
        return PageSteps(columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy())


class PlainSite:
    """What a site's pages say of each step, by counting."""

    def __init__(self, pages: Sequence[PlainPage]) -> None:
        self.pages = pages
        have = {step: sum(step in page.steps for page in pages) for page in pages for step in page.steps}
        self.steps = sorted(step for step, count in have.items() if count >= min(site_questions.FEWEST_PAGES, len(pages)))
        kept = set(self.steps)
        self.parents = {step: parent if parent in kept else 0 for page in pages for step, (parent, _) in page.steps.items()}
        self.yes = {step: have[step] for step in self.steps}
        self.total = {step: sum(self.is_asked(page, step) for page in pages) for step in self.steps}
        self.frame = {step for step in self.steps if have[step] >= site_questions.COMMON_FRACTION * len(pages)}
        self.bits = {step: 0.0 if step in self.frame else -log2(have[step] / len(pages)) for step in self.steps}
        texts = {step: {page.steps[step][1] for page in pages if step in page.steps} - {0} for step in self.frame}
        self.content = {step for step, said in texts.items() if len(said) >= max(len(pages) / 2, 2)}

    def is_asked(self, page: PlainPage, step: Step) -> bool:
        return self.parents[step] == 0 or self.parents[step] in page.steps

    def cost(self, step: Step, yes: float, asked: float) -> float:
        share = self.yes[step] / self.total[step]
        site = -yes * log2(share) - (asked - yes) * log2(1 - share)
        own = (lgamma(asked + 1) + 2 * lgamma(0.5) - lgamma(yes + 0.5) - lgamma(asked - yes + 0.5)) / log(2) + site_questions.OWN_BITS
        return min(site, own)


class PlainGroup:
    """The pages of a group, counted."""

    def __init__(self, site: PlainSite, pages: Sequence[PlainPage]) -> None:
        self.site, self.pages, size = site, pages, len(pages)
        self.weight = min(size, site_questions.FULL_PAGES)
        self.yes = {step: sum(step in page.steps for page in pages) for step in site.steps}
        self.asked = {step: sum(site.is_asked(page, step) for page in pages) for step in site.steps}
        self.required = {step for step in site.steps if self.yes[step] >= (1 - merge_scores.RARE_FRACTION) * size}
        self.known = {step for step in site.steps if self.yes[step] >= merge_scores.RARE_FRACTION * size}
        self.core = {step for step in site.steps if self.yes[step] >= merge_scores.CORE_FRACTION * size}

    def scaled(self, count: int) -> float:
        return round(count * self.weight / len(self.pages) * site_questions.UNIT) / site_questions.UNIT

    def rate(self, step: Step) -> float:
        return self.yes[step] / max(self.asked[step], 1)


class PlainPair:
    """Two groups that may become one."""

    def __init__(self, one: PlainGroup, other: PlainGroup) -> None:
        self.one, self.other, self.site = one, other, one.site
        both = one.weight + other.weight
        label = one.weight * log2(both / one.weight) + other.weight * log2(both / other.weight) + log2(max(len(self.site.pages), 2))
        dearer = {step: self._dearer(step) for step in self.site.steps if 0 < self.site.yes[step] < self.site.total[step]}
        more = {step for step in dearer if one.rate(step) > other.rate(step)}
        sides = (
            sum(max(dearer[step], 0) * one.rate(step) for step in more),
            sum(max(dearer[step], 0) * other.rate(step) for step in dearer.keys() - more),
        )
        self.saved, self.room = label - sum(dearer.values()), merge_scores.SIDE_FACTOR * label - min(sides)

    def _dearer(self, step: Step) -> float:
        counts = [(group.scaled(group.yes[step]), group.scaled(group.asked[step])) for group in (self.one, self.other)]
        (yes, asked), (more_yes, more_asked) = counts
        return self.site.cost(step, yes + more_yes, asked + more_asked) - sum(self.site.cost(step, *each) for each in counts)

    def score_saving(self) -> float:
        smaller = max(min(len(self.one.core), len(self.other.core)), 1)
        shared = len(self.one.core & self.other.core) >= merge_scores.SHARED_FRACTION * smaller
        known = max(self._share(self.one, self.other, set()), self._share(self.other, self.one, set())) >= merge_scores.CONTAINED_FRACTION
        return self.saved if self.room >= 0 and self.saved > 0 and shared and known and self._both_framed() else -1

    def score_optional(self, *, single: bool) -> float:
        content = self.site.content if single else set()
        pairs = ((self.one, self.other), (self.other, self.one))
        shares = [self._share(one, other, content) for one, other in pairs]
        marks = dict.fromkeys(content, 1.0) or {step: bits for step, bits in self.site.bits.items() if bits >= merge_scores.SELDOM_BITS}
        known = [sum(bits for step, bits in marks.items() if step in one.required & other.known) for one, other in pairs]
        enough = merge_scores.BARE_FRACTION * len(content) if single else merge_scores.MARK_BITS
        bare = any(share >= merge_scores.BARE_FRACTION and bits >= enough for share, bits in zip(shares, known, strict=True))
        fits = min(shares) >= merge_scores.CONTAINED_FRACTION or bare
        return self.room if self.room > 0 and fits and self._both_framed() else -1

    def _both_framed(self) -> bool:
        pairs = ((self.one, self.other), (self.other, self.one))
        needs = [(one.required & self.site.frame, other.known) for one, other in pairs]
        return all(len(need & known) >= merge_scores.FRAME_FRACTION * len(need) for need, known in needs)

    def _share(self, one: PlainGroup, other: PlainGroup, content: set[Step]) -> float:
        def share(least: float) -> float:
            bits = {step: (bits if bits >= least else 0) + (step in content) for step, bits in self.site.bits.items()}
            missed = sum(bits[step] for step in one.required - other.known)
            return 1 - missed / (sum(bits[step] for step in one.required) + merge_scores.FEW_BITS)

        return min(share(merge_scores.SELDOM_BITS), share(0) + merge_scores.OFTEN_SLACK)
