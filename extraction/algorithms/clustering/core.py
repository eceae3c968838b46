"""Recognising a template's pages by what they have in common (ALGORITHMS 2: cores).

Masks recognise the pages that Algorithm 1 put together. Pages that only the second stage took in, and later ones like them, are
covered by no mask; a `Core` recognises them. It holds what a page of the template must have, so that optional sections do not matter, and
what such pages can have, so that a bare page is not taken for one of every template that requires little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.clustering.paths import PagePaths
from extraction.algorithms.clustering.templates import CONTAINED_FRACTION, RARE_FRACTION
from extraction.algorithms.sketches.columns import U64

KNOWN_FRACTION = 0.5
"""Least share of a page's steps that are known. Without it a core that requires next to nothing covers everything: of the pages of sites
with too few pages to be templates nine of ten went to one."""

SCHEME = b"core/1\n"
"""Starts every serialised `Core`."""


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """What pages of a template have in common. The arrays are hashes of steps (`paths`), ascending.

    required: what nine of ten pages have. known: what one of ten pages has; all of `required` too.
    """

    required: U64
    known: U64

    @classmethod
    def of(cls, pages: Sequence[PagePaths]) -> "Core":
        """The core of these pages; without pages one that covers nothing."""
        steps, counts = np.unique(np.concatenate([np.zeros(0, np.uint64), *(page.steps for page in pages)]), return_counts=True)
        return cls(steps[counts >= (1 - RARE_FRACTION) * len(pages)], steps[counts >= RARE_FRACTION * len(pages)])

    def similarity(self, page: PagePaths) -> float:
        """Harmonic mean of the share of required steps that the page has and the share of its steps that are known, from 0 to 1."""
        has, knows = self._shares(page)
        return 2 * has * knows / (has + knows) if has and knows else 0.0

    def covers(self, page: PagePaths) -> bool:
        """Whether the page has nearly all that is required and is known for the most part."""
        has, knows = self._shares(page)
        return has >= CONTAINED_FRACTION and knows >= KNOWN_FRACTION

    def to_bytes(self) -> bytes:
        """A form to be stored."""
        return SCHEME + len(self.required).to_bytes(4, "big") + np.concatenate((self.required, self.known)).astype("<u8").tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Core":
        """What `to_bytes` wrote. Raises ValueError for anything else."""
        body = stored[len(SCHEME) :]
        if not stored.startswith(SCHEME) or len(body) % 8 != 4:
            raise ValueError(f"not a stored core of scheme {SCHEME.decode().strip()}: {stored[:16]!r}, {len(stored)} bytes")
        count, both = int.from_bytes(body[:4], "big"), np.frombuffer(body[4:], "<u8").astype(np.uint64)
        return cls(both[:count], both[count:])

    def _shares(self, page: PagePaths) -> tuple[float, float]:
        """(share of the required steps on the page, share of the page's steps that are known); 0 of nothing."""
        has = np.isin(self.required, page.steps, assume_unique=True)
        knows = np.isin(page.steps, self.known, assume_unique=True)
        return (float(has.mean()) if len(has) else 0.0), (float(knows.mean()) if len(knows) else 0.0)


def nearest(cores: Mapping[int, Core], page: PagePaths) -> int | None:
    """The id of the most similar core that covers the page (ties: the smaller id), None where none does."""
    fitting = [(-core.similarity(page), number) for number, core in cores.items() if core.covers(page)]
    return min(fitting)[1] if fitting else None
