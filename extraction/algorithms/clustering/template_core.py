"""Recognising a template's pages by what they have in common (docs/algorithms.md#page-clustering).

Masks recognise the pages that Algorithm 1 put together. Pages that only the second stage took in, and later pages like them, are covered by
no mask. A `TemplateCore` recognises those. It holds three things:

- the steps that a page of the template must have, so that optional sections do not matter;
- the steps that such a page can have, so that a page is not accepted by every template that requires little;
- the least similarity among the template's own pages, so that a template of very similar pages rejects a page that is only roughly similar.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import U64
from extraction.algorithms.clustering.merge_scores import CONTAINED_FRACTION, RARE_FRACTION
from extraction.algorithms.clustering.page_steps import PageSteps

REQUIRED_FRACTION = 0.9
"""The least share of the required steps that a page must have."""

KNOWN_FRACTION = 0.5
"""The least share of a page's steps that must be known. Without it, a core that requires next to nothing covers everything: on sites with
too few pages for templates, nine of ten pages went to one template."""

SLACK = 0.1
"""How much less similar than the least similar of the template's own pages a page may be. Thirty pages show most of a template, not all of
it."""

SCHEME = b"core/2\n"
"""The first bytes of every serialised `TemplateCore`."""

_PARTS = 1_000_000
"""The spread is stored as a whole number of millionths."""


@dataclass(frozen=True, slots=True, eq=False)
class TemplateCore:
    """What pages of a template have in common. The arrays hold hashes of steps (`page_steps`), ascending.

    required: steps that nine of ten pages have.
    known: steps that one of ten pages has, with all of `required`.
    least: the similarity of the page that is least similar to the others, from 0 to 1, rounded to millionths. It is 0 if it cannot be
        known, as for a single page.
    """

    required: U64
    known: U64
    least: float = 0.0

    @classmethod
    def of_pages(cls, pages: Sequence[PageSteps]) -> "TemplateCore":
        """Return the core of these pages. Without pages it covers nothing."""
        steps, counts = np.unique(np.concatenate([np.zeros(0, np.uint64), *(page.steps for page in pages)]), return_counts=True)
        least = min((_without(page, steps, counts, len(pages)).similarity(page) for page in pages), default=0.0) if len(pages) > 1 else 0.0
        return cls(*_bounds(steps, counts, len(pages)), least=round(least * _PARTS) / _PARTS)

    def similarity(self, page: PageSteps) -> float:
        """Return the harmonic mean of the share of required steps that the page has and the share of its steps that are known, from 0
        to 1."""
        return _harmonic(*self._shares(page))

    def covers(self, page: PageSteps) -> bool:
        """Return whether the page has nearly all required steps, has mostly known steps, and is about as similar as the template's own
        pages."""
        has, knows = self._shares(page)
        return has >= REQUIRED_FRACTION and knows >= KNOWN_FRACTION and _harmonic(has, knows) >= self.least - SLACK

    def tells(self, page: PageSteps, frame: U64) -> bool:
        """Return whether the page still fits when the site's frame, which fits every page, is ignored. The bound is the one for merging
        templates."""
        required, steps = np.setdiff1d(self.required, frame, assume_unique=True), np.setdiff1d(page.steps, frame, assume_unique=True)
        has, knows = _share(required, steps) if len(required) else 1.0, _share(steps, self.known) if len(steps) else 1.0
        return min(has, knows) >= CONTAINED_FRACTION

    def holds(self, other: "TemplateCore", frame: U64) -> float:
        """Return which share of the steps that another template requires outside the site's frame are known here; 1 if it requires none."""
        required = np.setdiff1d(other.required, frame, assume_unique=True)
        return _share(required, self.known) if len(required) else 1.0

    def likeness(self, other: "TemplateCore") -> float:
        """Return how alike two templates are, from 0 to 1: each knows a share of the other's required steps, and this is the harmonic mean
        of both. It is symmetric."""
        return _harmonic(_share(self.required, other.known), _share(other.required, self.known))

    def to_bytes(self) -> bytes:
        """Return the core in a form that can be stored."""
        head = SCHEME + len(self.required).to_bytes(4, "big") + round(self.least * _PARTS).to_bytes(4, "big")
        return head + np.concatenate((self.required, self.known)).astype("<u8").tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "TemplateCore":
        """Return the core that `to_bytes` wrote. Raises ValueError for anything else."""
        body = stored[len(SCHEME) :]
        if not stored.startswith(SCHEME) or len(body) < 8 or len(body) % 8:
            raise ValueError(f"not a stored core of scheme {SCHEME.decode().strip()}: {stored[:16]!r}, {len(stored)} bytes")
        count, least = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big") / _PARTS
        both = np.frombuffer(body[8:], "<u8").astype(np.uint64)
        return cls(both[:count], both[count:], least)

    def _shares(self, page: PageSteps) -> tuple[float, float]:
        """Return (share of the required steps that the page has, share of the page's steps that are known). A share of no steps is 0."""
        return _share(self.required, page.steps), _share(page.steps, self.known)


def find_nearest_core(cores: Mapping[int, TemplateCore], page: PageSteps) -> int | None:
    """Return the id of the most similar core whose `covers` and `tells` are true for the page, or None. Ties go to the smaller id."""
    common = find_frame(list(cores.values()))
    fitting = [(-core.similarity(page), number) for number, core in cores.items() if core.covers(page) and core.tells(page, common)]
    return min(fitting)[1] if fitting else None


def find_frame(cores: Sequence[TemplateCore]) -> U64:
    """Return the steps that all templates of a site require: its header and navigation. A single template has no known frame."""
    if len(cores) < 2:
        return np.zeros(0, np.uint64)
    steps, counts = np.unique(np.concatenate([core.required for core in cores]), return_counts=True)
    common: U64 = steps[counts == len(cores)]
    return common


def _bounds(steps: U64, counts: "np.ndarray[tuple[int], np.dtype[np.int64]]", pages: int) -> tuple[U64, U64]:
    """Return (steps that must be there, steps that can be there), given how many of the pages have each step."""
    return steps[counts >= (1 - RARE_FRACTION) * pages], steps[(counts >= RARE_FRACTION * pages) & (counts > 0)]


def _without(page: PageSteps, steps: U64, counts: "np.ndarray[tuple[int], np.dtype[np.int64]]", pages: int) -> TemplateCore:
    """Return the core of all pages but this one."""
    return TemplateCore(*_bounds(steps, counts - np.isin(steps, page.steps, assume_unique=True), pages - 1))


def _share(of: U64, among: U64) -> float:
    """Return the share of the first steps that are also among the second; 0 if there are no first steps."""
    return float(np.isin(of, among, assume_unique=True).mean()) if len(of) else 0.0


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one and other else 0.0
