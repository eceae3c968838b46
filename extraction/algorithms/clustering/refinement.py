"""The second stage of page clustering: whole templates from clusters of masked shingle vectors (docs/algorithms.md#page-clustering).

Algorithm 1 asks for a Jaccard coefficient of about 0.9, so it splits templates that have optional sections and lists, and leaves many pages
out. Pages that it puts together nearly always belong to one template. Here its clusters and the pages it left out are compared by their
steps (`page_steps`):

1. A sample of each cluster is read. Its pages are grouped, so that a cluster of two templates falls apart.
2. These groups and a sample of the unclustered pages are merged while that saves bits. Then groups are merged that differ only by optional
   sections (`merge_scores` explains how that is decided). If the site looks like one template (`single_template`), what its pages have in
   common is no longer taken for a mere frame, and groups are merged once more.
3. If a cluster's sample stayed together, the whole cluster joins the sample's group without being read further. Other pages are read one by
   one. They go to the group with which they would have been merged, or stay out. Groups under the threshold are no templates, and their
   pages stay out.
4. Now the templates are settled. Pages that are left over are compared with the templates and with each other until no page moves. So
   templates that Algorithm 1 missed are found even if they have more pages than one sample holds, and refining a result again changes
   nothing. Merging templates again together with the pages they gained was tried. For a few seeds it joined two templates into one (worst
   purity 0.70 instead of 0.85).

A template keeps a *set* of masks: those of every cluster that gave it more than half of its pages. Pages that no mask covers, whether they
were taken in here or come later, are recognised by its `template_core.TemplateCore`.

Pages are sorted by their ids before anything else, so the order in which they come does not matter. Cost: each unclustered page and some
thirty pages of each cluster are read once; comparing takes the square of (clusters + 400) times the steps.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from extraction.algorithms.arrays import F64, I64, Flags
from extraction.algorithms.clustering.masked_shingles import DEFAULT_THRESHOLD, MaskClustering
from extraction.algorithms.clustering.mdl import merge_best_pairs
from extraction.algorithms.clustering.merge_scores import PageGroups
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.single_template import is_single_template
from extraction.algorithms.clustering.site_questions import SiteQuestions
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import Mask


class Ordered(Hashable, Protocol):
    """A page id that can be compared with other ids of its type, such as a number or text."""

    def __lt__(self, other: Self, /) -> bool: ...


Page = TypeVar("Page", bound=Ordered)
Item = TypeVar("Item")

SAMPLE_PAGES = 30
"""The number of pages of a cluster that are read."""

LOOSE_PAGES = 400
"""Unclustered pages that are compared with all others at a time. Those beyond are compared with the groups found. More are better: on a
site with 320 of them, the worst V of nine seeds was 0.87, 0.90 and 0.93 with 100, 200 and 400. The cost is the square."""


@dataclass(frozen=True, slots=True)
class TemplateCluster(Generic[Page]):
    """Pages of one template.

    masks: in the order of their texts; empty if Algorithm 1 put none of the pages in a cluster.
    members: ascending.
    """

    masks: tuple[Mask, ...]
    members: tuple[Page, ...]
    core: TemplateCore


@dataclass(frozen=True, slots=True)
class SiteTemplates(Generic[Page]):
    """The templates of a site.

    clusters: the largest first; among equally large ones, the one with the smaller first page.
    unclustered: pages of no template, ascending.
    """

    clusters: tuple[TemplateCluster[Page], ...]
    unclustered: tuple[Page, ...]


def refine_clusters(
    found: MaskClustering[Page] | SiteTemplates[Page], paths: Callable[[Page], PageSteps], *, threshold: int = DEFAULT_THRESHOLD
) -> SiteTemplates[Page]:
    """Return the templates of a site.

    found: what Algorithm 1 found, or the result of an earlier call. In that case its templates stay as they are, except that unclustered
        pages may join them or make new ones.
    paths: returns the steps of a page. It is called more than once for some pages, so callers cache what is slow to make
        (`PageSteps.to_bytes`). It may raise PageError; such a page goes with its cluster or stays out.
    threshold: fewest pages of a template. Raises ValueError if it is under 1.
    """
    if threshold < 1:
        raise ValueError(f"a cluster has at least 1 page, the threshold is {threshold}")
    state = _State.of(found)
    if isinstance(found, MaskClustering):
        state = _Round(state, paths, threshold, settled=False).result()
    left = len(state.loose) + 1
    while len(state.loose) < left:
        left = len(state.loose)
        state = _Round(state, paths, threshold, settled=True).result() if left else state
    return state.templates(paths)


@dataclass(frozen=True, slots=True)
class _State(Generic[Page]):
    """The clusters and unclustered pages between two rounds.

    clusters: (masks with the pages each stands for, pages in order).
    loose: the unclustered pages in order.
    """

    clusters: tuple[tuple[tuple[Mask, ...], tuple[Page, ...]], ...]
    loose: tuple[Page, ...]

    @classmethod
    def of(cls, found: MaskClustering[Page] | SiteTemplates[Page]) -> "_State[Page]":
        if isinstance(found, MaskClustering):
            rows = [(_masks(cluster.mask), tuple(sorted(cluster.members))) for cluster in found.clusters]
        else:
            rows = [(cluster.masks, tuple(sorted(cluster.members))) for cluster in found.clusters]
        return cls(tuple(sorted(rows, key=lambda row: row[1])), tuple(sorted(found.unclustered)))

    def templates(self, paths: Callable[[Page], PageSteps]) -> SiteTemplates[Page]:
        rows = []
        for masks, members in sorted(self.clusters, key=lambda row: (-len(row[1]), row[1][:1])):
            core = TemplateCore.of_pages([page for page in _read(sample_evenly(members, SAMPLE_PAGES), paths).values() if page])
            rows.append(TemplateCluster(masks, members, core))
        return SiteTemplates(tuple(rows), self.loose)


def _masks(*masks: Mask) -> tuple[Mask, ...]:
    return tuple(sorted(set(masks), key=lambda mask: mask.text()))


def sample_evenly(pages: Sequence[Item], count: int) -> Sequence[Item]:
    """Return at most `count` of the pages, at even distances. Neighbouring pages are often of one kind."""
    return pages if len(pages) <= count else [pages[at * len(pages) // count] for at in range(count)]


def _read(pages: Iterable[Page], paths: Callable[[Page], PageSteps]) -> dict[Page, PageSteps | None]:
    """Return the steps of pages, None for those that cannot be read."""
    found: dict[Page, PageSteps | None] = {}
    for page in pages:
        try:
            found[page] = paths(page)
        except PageError:
            found[page] = None
    return found


class _Round(Generic[Page]):
    """Steps 1 to 3, once.

    settled: whether the clusters are final templates, which are neither taken apart nor merged with each other.
    """

    def __init__(self, state: _State[Page], paths: Callable[[Page], PageSteps], threshold: int, *, settled: bool) -> None:
        self._state, self._paths, self._threshold, self._settled = state, paths, threshold, settled
        self._samples = [list(sample_evenly(pages, SAMPLE_PAGES)) for _, pages in state.clusters]
        self._loose = list(sample_evenly(state.loose, LOOSE_PAGES))
        self._loose_set = frozenset(self._loose)
        known = _read([page for sample in [*self._samples, self._loose] for page in sample], paths)
        readable = {page: steps for page, steps in known.items() if steps}
        self._questions = SiteQuestions(list(readable.values()))
        comparable = {page: steps for page, steps in readable.items() if self._questions.comparable(steps)}
        self._rows = {page: self._questions.row(steps) for page, steps in comparable.items()}
        self._single = False

    def result(self) -> _State[Page]:
        groups = self._merged()
        large = sorted((group for group in groups if len(group) >= self._threshold), key=lambda group: group[0])
        place = {page: number for number, group in enumerate(large) for page in group}
        unread = np.zeros((1, len(self._questions.steps)), np.bool_)
        self._large = PageGroups(self._questions, [*(self._stack(group) for group in large), unread])
        self._numbers = np.arange(len(large))
        assigned: dict[Page, int | None] = {}
        homes: list[int | None] = []
        for (_, members), sample in zip(self._state.clusters, self._samples, strict=True):
            assigned |= self._members(members, sample, place)
            home, count = Counter(assigned[page] for page in members).most_common(1)[0]
            homes.append(home if 2 * count > len(members) else None)
        assigned |= self._joined(self._state.loose, place)
        return self._state_of(assigned, homes, len(large))

    def _merged(self) -> list[list[Page]]:
        """Return the groups of the pages that were read, each in order (steps 1 and 2)."""
        atoms = self._alike(self._loose)
        for sample in self._samples:
            if self._settled:
                atoms.append([page for page in sample if page in self._rows])
            else:
                atoms += self._agglomerate(self._alike(sample), options=False)
        atoms = sorted((atom for atom in atoms if atom), key=lambda group: group[0])
        groups = self._agglomerate(atoms, options=False)
        groups = self._agglomerate(groups, options=True)
        self._single = is_single_template(self._questions.content, [len(group) for group in groups if len(group) >= self._threshold])
        return self._agglomerate(groups, options=True) if self._single else groups

    def _agglomerate(self, groups: list[list[Page]], *, options: bool) -> list[list[Page]]:
        arrays = PageGroups(self._questions, [self._stack(group) for group in groups])
        plain = partial(arrays.score_optional_merges, single=self._single) if options else arrays.score_saving_merges
        of_template = np.array([self._settled and not self._loose_set.issuperset(group) for group in groups], np.bool_)

        def score(group: int, others: I64) -> F64:
            return np.where(of_template[group] & of_template[others], -1.0, plain(group, others))

        def merge(one: int, other: int) -> None:
            of_template[one] |= of_template[other]
            arrays.merge(one, other)

        merged = merge_best_pairs(len(groups), score, merge)
        return [sorted(page for number in numbers for page in groups[number]) for numbers in merged]

    def _alike(self, pages: Iterable[Page]) -> list[list[Page]]:
        """Put pages with the same steps together, because nothing could tell them apart."""
        found: dict[bytes, list[Page]] = defaultdict(list)
        for page in pages:
            if page in self._rows:
                found[self._rows[page].tobytes()].append(page)
        return list(found.values())

    def _stack(self, pages: Sequence[Page]) -> Flags:
        return np.array([self._rows[page] for page in pages], np.bool_)

    def _members(self, members: Sequence[Page], sample: Sequence[Page], place: Mapping[Page, int]) -> dict[Page, int | None]:
        """Return the group of each page of a cluster. All go to one group if the comparable pages of the sample stayed together."""
        homes = {place.get(page) for page in sample if page in self._rows}
        if len(homes) == 1 and (home := homes.pop()) is not None:
            return dict.fromkeys(members, home)
        return self._joined(members, place)

    def _joined(self, pages: Iterable[Page], place: Mapping[Page, int]) -> dict[Page, int | None]:
        """Return the group of each page, decided page by page: its own group, or if it was not compared yet, the one it would be merged
        with."""
        result: dict[Page, int | None] = {}
        for page in pages:
            if page in self._rows or not len(self._numbers):
                result[page] = place.get(page)
            else:
                steps = _read([page], self._paths)[page]
                result[page] = self._nearest(self._questions.row(steps)) if steps and self._can_join(steps) else None
        return result

    def _can_join(self, steps: PageSteps) -> bool:
        """Return whether a page can be compared with the groups.

        On a site of one template that also holds for a page with a long section of its own, such as comments.
        """
        return self._questions.comparable(steps) or (self._single and self._questions.has_content(steps))

    def _nearest(self, row: Flags) -> int | None:
        """Return the group with which a page would be merged, or None. The page is stored in the last row of the groups, which is reserved
        for this."""
        last = len(self._numbers)
        self._large.replace(last, row[None])
        saving = self._large.score_saving_merges(last, self._numbers)
        for score in (saving, self._large.score_optional_merges(last, self._numbers, single=self._single)):
            best = int(np.argmax(score))
            if score[best] > 0:
                return best
        return None

    def _state_of(self, assigned: Mapping[Page, int | None], homes: Sequence[int | None], count: int) -> _State[Page]:
        members: list[list[Page]] = [[] for _ in range(count)]
        masks: list[set[Mask]] = [set() for _ in range(count)]
        loose: list[Page] = []
        for page, number in assigned.items():
            (loose if number is None else members[number]).append(page)
        for (own, _), home in zip(self._state.clusters, homes, strict=True):
            if home is not None:
                masks[home] |= set(own)
        rows = [(_masks(*found), tuple(sorted(pages))) for found, pages in zip(masks, members, strict=True) if pages]
        return _State(tuple(sorted(rows, key=lambda row: row[1])), tuple(sorted(loose)))
