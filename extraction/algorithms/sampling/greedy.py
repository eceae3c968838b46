"""Sample pages for annotation (Gulhane et al. 2011, section 3.1.2, Algorithm 2; docs/algorithms.md#sample-pages).

Which K pages of a cluster should an editor see? The pages that together show most of the content that varies from page to page. The paper's
symbols: M is the number of pages in the cluster, X_i a path to text nodes or to an attribute that can be annotated, and F(X_i) the number
of pages that have it. T_i is the set of its distinct contents, and F(X_i, t) the number of pages where it has content t:

    I(X_i) = 1 - sum over t in T_i of F(X_i, t) / (M |T_i|)        w(X_i) = F(X_i) I(X_i)

A path with the same content everywhere is noise (I is near 0). A path is useful if it is on many pages and its content varies. Finding the
pages that cover the largest weight of distinct paths is NP-hard. Taking the page that adds most, again and again, gives at least 1 - 1/e of
it.

A path is the sequence of element names from the root and the leaf, ``text()`` or ``@name``. Several nodes of a page can share one. Their
contents in document order count as one content, so a page has one content for a path, and the sum above is F(X_i). Weights are rounded to
1/65536 and kept as whole numbers. So gains are exact, whatever is subtracted in which order, and ties really are ties; the page that comes
first wins them.

Cost: linear in the (page, path) pairs. After a pick, only the pages that share a newly covered path are touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.arrays import I64, U64, Flags, keep_freed_memory
from extraction.algorithms.dom.nodes import clean, is_xml, raw_text, texts
from extraction.algorithms.sketches.serialization import pack_columns, unpack_columns

ANNOTATABLE = ("alt", "content", "datetime", "href", "src", "title")
"""Attributes whose values people extract. Others would only add weight for markup. On a page of XML, any attribute may be a value."""

SCHEME = b"paths/1\n"
"""The first bytes of every serialised `PagePaths`. It has to change with anything that changes a path or a content."""


@dataclass(frozen=True, slots=True, eq=False)
class PagePaths:
    """The paths of one page with the contents found there: usually some hundred, of 16 bytes each.

    paths: shape (n,), hashes of the paths, ascending, distinct.
    contents: shape (n,), hashes of the contents.
    """

    paths: U64
    contents: U64

    def to_bytes(self) -> bytes:
        """Return the paths in a form for caches. The same page gives the same bytes on every machine."""
        return pack_columns(SCHEME, self.paths, self.contents)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "PagePaths":
        """Return the paths that `to_bytes` wrote. Raises ValueError for anything else, including the form of another release."""
        return cls(*unpack_columns(SCHEME, stored, columns=2))


@dataclass(frozen=True, slots=True)
class ChosenPage:
    """A page to annotate.

    page_index: its place among the pages given, from 0.
    covered_fraction: share of all weight that it and the pages before it cover.
    """

    page_index: int
    covered_fraction: float


def read_paths(root: etree._Element) -> PagePaths:
    """Return the paths of a parsed page, so that its tree need not be kept. Text that readers do not see is left out."""
    found: dict[int, list[str]] = {}
    steps: dict[tuple[int, str], int] = {}

    def step(above: int, name: str) -> int:
        if (above, name) not in steps:
            steps[above, name] = _hash(above.to_bytes(8, "big") + name.encode("utf-8", "replace"))
        return steps[above, name]

    unseen, whole = raw_text(root), is_xml(root)
    waiting = [(root, 0)]
    while waiting:
        element, above = waiting.pop()
        if not isinstance(element.tag, str) or element.tag in unseen:
            continue
        path = step(above, element.tag)
        for leaf, content in _leaves(element, whole=whole):
            found.setdefault(step(path, leaf), []).append(content)
        waiting.extend((child, path) for child in reversed(element))
    rows = sorted((path, _hash("\0".join(contents).encode("utf-8", "replace"))) for path, contents in found.items())
    both = np.array(rows, np.uint64).reshape(-1, 2)
    return PagePaths(both[:, 0].copy(), both[:, 1].copy())


def choose_pages(pages: Sequence[PagePaths], *, k: int, fill: bool = False) -> list[ChosenPage]:
    """Return at most k pages in greedy order. Ties go to the page that comes first. Raises ValueError for k under 1.

    The paper stops when all weight is covered, which regular templates reach after a page or two. The first page is returned even if
    nothing varies.

    fill: whether to begin anew with the remaining pages when all weight is covered, as often as needed for k pages.
    """
    if k < 1:
        raise ValueError(f"at least 1 page has to be chosen, not {k}")
    table = PathTable.build(pages)
    total = int(table.weights.sum())
    left = np.ones(len(pages), np.bool_)
    choices: list[ChosenPage] = []
    covered = 0
    while left.any() and len(choices) < k:
        for page, gain in _covering(table, left, k - len(choices)):
            covered = min(covered + gain, total)  # a second round covers only paths that are covered already
            choices.append(ChosenPage(page, covered / total if total else 1.0))
            left[page] = False
        if not fill:
            break
    return choices


@dataclass(frozen=True, slots=True, eq=False)
class PathTable:
    """Which of a cluster's pages has which path, in both directions. Pages and paths are numbered from 0.

    weights: shape (paths,), w(X_i) in 1/65536.
    page_bounds, page_paths: page p has the paths page_paths[page_bounds[p]:page_bounds[p + 1]].
    path_bounds, path_pages: the pages of a path, in the same way.
    """

    weights: I64
    page_bounds: I64
    page_paths: I64
    path_bounds: I64
    path_pages: I64

    @classmethod
    def build(cls, pages: Sequence[PagePaths]) -> "PathTable":
        """Return the table of a cluster, M = len(pages)."""
        keep_freed_memory()
        sizes = np.fromiter((len(page.paths) for page in pages), np.int64, len(pages))
        none = np.zeros(0, np.uint64)
        numbers, count = _rank(np.concatenate([none, *(page.paths for page in pages)]))
        contents = np.concatenate([none, *(page.contents for page in pages)])
        frequency = np.bincount(numbers, minlength=count)
        weights = _weights(frequency, _distinct(numbers, contents, count), len(pages))
        return cls(weights, _bounds(sizes), numbers, _bounds(frequency), _pages_by_path(numbers, sizes))

    def page_weights(self) -> I64:
        """Return the weight of all paths of each page, shape (pages,)."""
        starts = self.page_bounds[:-1]
        filled = np.flatnonzero(starts < self.page_bounds[1:])  # reduceat knows no empty sums
        sums = np.zeros(len(starts), np.int64)
        if len(filled):
            sums[filled] = np.add.reduceat(self.weights[self.page_paths], starts[filled])
        return sums

    def paths_on(self, page: int) -> I64:
        """Return the paths of one page."""
        return self.page_paths[self.page_bounds[page] : self.page_bounds[page + 1]]

    def share_of(self, paths: I64) -> I64:
        """Return how much of each page's weight these paths are, shape (pages,)."""
        starts, ends = self.path_bounds[paths], self.path_bounds[paths + 1]
        pages = [self.path_pages[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        weights = np.repeat(self.weights[paths], ends - starts)
        # Sums of whole numbers far below 2^53: exact in the floats of bincount.
        shares = np.bincount(np.concatenate([self.path_pages[:0], *pages]), weights, minlength=len(self.page_bounds) - 1)
        return shares.astype(np.int64)


def measure_unseen(table: PathTable, shown: Sequence[int]) -> dict[int, float]:
    """Return {page: share of all weight that it would be the first to show}, after the pages in `shown` were looked at."""
    total = int(table.weights.sum())
    seen = np.zeros(len(table.weights), np.bool_)
    for page in shown:
        seen[table.paths_on(page)] = True
    left = np.where(seen, 0, table.weights)
    pages = range(len(table.page_bounds) - 1)
    return {page: int(left[table.paths_on(page)].sum()) / total if total else 0.0 for page in pages}


def measure_coverage(table: PathTable, order: Sequence[int]) -> list[float]:
    """Return the share of all weight that each page of an order covers together with those before it."""
    total = int(table.weights.sum())
    open_paths = np.ones(len(table.weights), np.bool_)
    sum_so_far, shares = 0, []
    for place in order:
        new = table.paths_on(place)
        new = new[open_paths[new]]
        open_paths[new] = False
        sum_so_far += int(table.weights[new].sum())
        shares.append(sum_so_far / total if total else 1.0)
    return shares


_UNIT = 1 << 16
"""Weights are multiples of 1/65536. The smallest positive w is about 1/2, so nothing is rounded away."""


def _covering(table: PathTable, left: Flags, limit: int) -> list[tuple[int, int]]:
    """Run Algorithm 2 on the pages that are left: (page, weight it adds), until nothing is added. The first page is returned in any
    case."""
    gains = np.where(left, table.page_weights(), -1)
    uncovered = np.ones(len(table.weights), np.bool_)
    picked: list[tuple[int, int]] = []
    while len(picked) < limit:
        best = int(np.argmax(gains))  # A picked page adds 0 from then on, and one that is not left never adds anything.
        gain = int(gains[best])
        if gain == 0 and picked:
            break
        picked.append((best, gain))
        paths = table.paths_on(best)
        fresh = paths[uncovered[paths]]
        uncovered[fresh] = False
        gains = gains - table.share_of(fresh)
    return picked


def _leaves(element: etree._Element, *, whole: bool = False) -> list[tuple[str, str]]:
    """Return (last step of the path, cleaned content) of an element's own text nodes and attributes that hold anything.

    whole: all attributes rather than the `ANNOTATABLE` ones.
    """
    names = map(str, element.attrib) if whole else ANNOTATABLE
    rows = [("text()", clean(text)) for text in texts(element)]
    rows += [(f"@{name}", clean(element.get(name, ""))) for name in names if element.get(name)]
    return [(leaf, content) for leaf, content in rows if content]


def _hash(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")


def _bounds(sizes: I64) -> I64:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def _distinct(numbers: I64, contents: U64, paths: int) -> I64:
    """Return |T_i| of each path: how many different contents it has.

    A path and a content share 64 bits, so that one sort of plain numbers counts them. Some thousand paths leave 50 bits for the content, so
    two contents of a path count as one with a probability of 2^-50.
    """
    bits = np.uint64(max(1, paths.bit_length()))
    mixed = contents * _SPREAD
    mixed >>= bits
    pairs = numbers.astype(np.uint64)
    pairs <<= np.uint64(64) - bits
    pairs |= mixed
    pairs.sort()
    last = np.append(np.flatnonzero(pairs[1:] != pairs[:-1]), len(pairs) - 1)[: len(pairs)]
    return np.bincount((pairs[last] >> (np.uint64(64) - bits)).astype(np.int64), minlength=paths).astype(np.int64)


_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio. Contents that differ in their low bits only differ in the high bits of their products."""


_SLOT_BITS = 16


def _rank(values: U64) -> tuple[I64, int]:
    """Return (the rank of each value among the distinct ones, from 0; how many these are).

    A cluster has few paths and very many pairs, so the pairs are not sorted. Each value goes into a slot of a table by its hash, where the
    last one stays. Only values whose slot another one has, which are few unless there are more paths than slots, are looked for in the
    sorted list of distinct values.
    """
    slots = (values * _SPREAD >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
    table = np.zeros(1 << _SLOT_BITS, np.uint64)
    table[slots] = values
    others = np.flatnonzero(table[slots] != values)
    filled = np.zeros(len(table), np.bool_)
    filled[slots] = True
    used = np.flatnonzero(filled)
    distinct = np.unique(np.concatenate((table[used], values[others])))
    places = np.zeros(len(table), np.int64)
    places[used] = np.searchsorted(distinct, table[used])
    ranks = places[slots]
    ranks[others] = np.searchsorted(distinct, values[others])
    return ranks, len(distinct)


def _pages_by_path(numbers: I64, sizes: I64) -> I64:
    """Return the pages of path 0, then those of path 1 and so on. A path and a page share a number, which sorts faster than an index, and
    fastest if it is short."""
    bits = len(sizes).bit_length()
    largest = int(numbers.max(initial=0)) + 1 << bits
    both: NDArray[Any] = numbers.astype(np.int32 if largest < 1 << 31 else np.int64)
    both <<= bits
    both |= np.repeat(np.arange(len(sizes), dtype=both.dtype), sizes)
    both.sort()
    both &= (1 << bits) - 1
    return both.astype(np.int64)


def _weights(frequency: I64, distinct: I64, pages: int) -> I64:
    return np.rint(frequency * (1 - frequency / (pages * distinct)) * _UNIT).astype(np.int64)
