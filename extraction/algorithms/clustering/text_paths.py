"""Paths of a page with its texts, and which of them are essential: what TEXT clusters by (Kim & Shim 2011, section 3.1;
docs/algorithms.md#text-mdl).

A path is the tag names from the root to an element, or those to a text with the text itself as last step (``html/body/h1/Tech``). The
support of a path is the number of pages that have it. A page's threshold is the mode of its paths' supports (the smaller on ties), and its
essential paths are those with at least this support. Paths are hashed to 64 bits: two of a million collide with a probability of about 3 in
100 million.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from lxml import etree

from extraction.algorithms.arrays import I64, U64
from extraction.algorithms.dom.nodes import clean, texts

FRAME_FRACTION = 0.9
"""A path that this share of the pages of a site have belongs to its frame, as in `site_questions.COMMON_FRACTION`."""

KEPT_FRACTION = 0.25
"""A page that keeps less than this share of the paths that other pages have too is emptied by leaving out the frame."""

MOST_EMPTIED = 0.5
"""If more than this share of the pages is emptied, nothing is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class EssentialPaths:
    """M_E of some pages, by its columns.

    pages: E(d) of each page, hashes, ascending.
    thresholds: t_d of each page.
    paths: |P_D|, the number of paths of all pages, essential or not.
    """

    pages: tuple[U64, ...]
    thresholds: tuple[int, ...]
    paths: int

    @property
    def cells(self) -> int:
        """|M_E|, which is also |M_T| and |M_Δ|."""
        return self.paths * len(self.pages)


def read_text_paths(root: etree._Element) -> U64:
    """Return the paths of a parsed page, ascending and distinct; comments are left out. Time: linear in the page."""
    top, below = _walk_paths(root)
    return np.array(sorted({top, *below.values()}), np.uint64)


def name_text_paths(root: etree._Element, wanted: frozenset[int]) -> dict[int, str]:
    """Return {hash: path in words} for those of a page's paths that are wanted: ``html/body/h1/#Tech``, with texts after a ``#``."""
    top, below = _walk_paths(root)
    above = {path: (before, step) for (before, step), path in below.items()}
    named = {}
    for path in wanted & {top, *below.values()}:
        steps, at = [], path
        while at != top:
            at, step = above[at]
            steps.append(step)
        named[path] = "/".join([str(root.tag), *reversed(steps)])
    return named


def _walk_paths(root: etree._Element) -> tuple[int, dict[tuple[int, str], int]]:
    """Return (the root's path, {(path, a step below it): the path with that step})."""
    top = _hash(0, str(root.tag))
    below: dict[tuple[int, str], int] = {}
    waiting = [(root, top)]
    while waiting:
        element, path = waiting.pop()
        steps = [(None, "#" + text) for text in map(clean, texts(element)) if text]
        children = [(child, child.tag) for child in element if isinstance(child.tag, str)]
        for child, step in [*steps, *children]:
            if (path, step) not in below:
                below[path, step] = _hash(path, step)
            if child is not None:
                waiting.append((child, below[path, step]))
    return top, below


def find_essential_paths(pages: Sequence[U64]) -> EssentialPaths:
    """Return the essential paths of pages given by all their paths, each ascending and distinct."""
    every, supports = _supports(pages)
    chosen, thresholds = [], []
    for page in pages:
        mine = supports[np.searchsorted(every, page)]
        values, counts = np.unique(mine, return_counts=True)
        threshold = int(values[np.argmax(counts)]) if len(values) else 0
        chosen.append(page[mine >= threshold])
        thresholds.append(threshold)
    return EssentialPaths(tuple(chosen), tuple(thresholds), len(every))


def drop_content(pages: Sequence[U64], *, share: float = 0.0) -> list[U64]:
    """Return the pages' paths without those of a single page, or of less than this share of the pages. They are content."""
    every, supports = _supports(pages)
    several = every[(supports > min(1, len(pages) - 1)) & (supports >= share * len(pages))]
    return [np.intersect1d(page, several, assume_unique=True) for page in pages]


def drop_frame(pages: Sequence[U64]) -> list[U64]:
    """Return the pages' paths without the site's frame and without those of a single page. Call it before `find_essential_paths`.

    This departs from the paper, which mixes pages of many sites. On pages of one site, most supports are either the number of pages (the
    frame) or 1 (the content). The mode is one of the two, so either nothing but the frame is essential, or everything is.

    What nearly all pages have is only a frame if there is something within it. If most pages would lose most of their paths, they are of
    one template, and nothing is left out. A page that has nothing but the frame keeps it. Otherwise, two such
    pages would seem alike because nothing is left of them.
    """
    every, supports = _supports(pages)
    shared = drop_content(pages)
    within = every[supports < FRAME_FRACTION * len(pages)]
    kept = [np.intersect1d(page, within, assume_unique=True) for page in shared]
    emptied = sum(len(inner) < KEPT_FRACTION * len(whole) for inner, whole in zip(kept, shared, strict=True))
    if emptied > MOST_EMPTIED * len(pages):
        return shared
    return [inner if len(inner) else whole for inner, whole in zip(kept, shared, strict=True)]


def _supports(pages: Sequence[U64]) -> tuple[U64, I64]:
    """Return (the paths of all pages, ascending; how many pages have each)."""
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *pages]), return_counts=True)


def _hash(above: int, step: str) -> int:
    return int.from_bytes(blake2b(above.to_bytes(8, "big") + step.encode("utf-8", "replace"), digest_size=8).digest(), "big")
