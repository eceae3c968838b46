"""A sample that represents a site: pages from all its path shapes, until more pages show nothing new.

The next address comes from the shape of which the fewest addresses were taken. Within a shape it is chosen at random with a fixed seed,
because the first links of a list are not typical: they are the newest, the cheapest or the best.

A shape is settled when `LEAST` pages of it were kept and the last `RUN` of them had no new shingle vector. A vector is new if no earlier
one agrees with it in six of its eight bytes, which is when Vertex considers two pages to have one template
(docs/algorithms.md#first-stage-masked-shingle-vectors). The sample is complete when every shape that has addresses left is settled.
"""

import random
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush

from extraction.algorithms.sketches.shingles import VECTOR_BYTES, ShingleVector
from extraction.fetching.crawl.messages import Address
from extraction.fetching.crawl.shapes import Shape, Shapes

LEAST = 20
"""The smallest number of pages kept of a shape. The workbench proposes sample pages from them, and rules are tested on the others."""

RUN = 10
"""How many pages in a row must show nothing new. A template that one page in five has is missed with probability 0.8^10 = 0.1."""

REBUILD_EVERY = 25
"""How many addresses are taken before the queues are rebuilt after a change of shapes."""

_MASKS = tuple(
    ((1 << 8 * VECTOR_BYTES) - 1) ^ (0xFF << 8 * first) ^ (0xFF << 8 * second) for first in range(VECTOR_BYTES) for second in range(first)
)


class Novelty:
    """The shingle vectors seen so far."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, int]] = set()

    def is_new(self, vector: ShingleVector) -> bool:
        """Return whether no earlier vector agrees in six bytes, and remember this one."""
        masked = [(place, vector & mask) for place, mask in enumerate(_MASKS)]
        new = self._seen.isdisjoint(masked)
        self._seen.update(masked)
        return new


@dataclass(slots=True)
class _Pile:
    """The addresses of one shape.

    waiting: the addresses that are still to fetch.
    taken: how many addresses were taken so far.
    kept: how many pages were kept.
    run: how many pages in a row, up to the last one kept, showed nothing new.
    """

    waiting: list[Address] = field(default_factory=list)
    taken: int = 0
    kept: int = 0
    run: int = 0

    @property
    def is_settled(self) -> bool:
        return self.kept >= LEAST and self.run >= RUN


class ShapeQueue:
    """Addresses to fetch, in the order of a sample (see the module)."""

    def __init__(self, shapes: Shapes, *, seed: int = 0) -> None:
        self._shapes = shapes
        self._version = 0
        self._piles: dict[Shape, _Pile] = {}
        self._heap: list[tuple[int, int, Shape]] = []
        self._novelty = Novelty()
        self._chance = random.Random(seed)  # noqa: S311
        self._wanted: deque[Address] = deque()
        self._pushed = self._size = self._since = 0

    def __len__(self) -> int:
        return self._size

    def push(self, address: Address) -> None:
        """Queue an address."""
        shape = self._shapes.see(address.url)
        self._size += 1
        if address.wanted:
            self._wanted.append(address)
            return
        pile = self._piles.setdefault(shape, _Pile())
        pile.waiting.append(address)
        if len(pile.waiting) == 1:
            self._announce(shape, pile)

    def pop(self) -> tuple[Address, Shape] | None:
        """Return the next address and its shape; None if all shapes that have addresses left are settled.

        `Address.wanted` addresses come first, then one of the shape of which the fewest were taken.
        """
        if self._wanted:
            return self._take_wanted()
        self._since += 1
        if self._version != self._shapes.version and self._since >= REBUILD_EVERY:
            self._rebuild()
        while self._heap:
            taken, _, shape = heappop(self._heap)
            pile = self._piles[shape]
            if pile.is_settled or not pile.waiting:
                continue
            if taken != pile.taken:
                self._announce(shape, pile)
                continue
            return self._take(shape, pile), shape
        return None

    def kept(self, shape: Shape, vector: ShingleVector) -> None:
        """Record that a page of this shape was kept."""
        pile = self._piles.setdefault(self._shapes.now(shape), _Pile())
        pile.kept += 1
        pile.run = 0 if self._novelty.is_new(vector) else pile.run + 1

    def _take_wanted(self) -> tuple[Address, Shape]:
        address = self._wanted.popleft()
        shape = self._shapes.shape(address.url)
        self._piles.setdefault(shape, _Pile()).taken += 1
        self._size -= 1
        return address, shape

    def _take(self, shape: Shape, pile: _Pile) -> Address:
        place = self._chance.randrange(len(pile.waiting))
        pile.waiting[place], pile.waiting[-1] = pile.waiting[-1], pile.waiting[place]
        address = pile.waiting.pop()
        pile.taken += 1
        self._size -= 1
        if pile.waiting:
            self._announce(shape, pile)
        return address

    def _announce(self, shape: Shape, pile: _Pile) -> None:
        self._pushed += 1
        heappush(self._heap, (pile.taken, self._pushed, shape))

    def _rebuild(self) -> None:
        """Join the piles whose shapes have become one."""
        self._version, self._since = self._shapes.version, 0
        piles, self._piles, self._heap = self._piles, {}, []
        for shape, pile in piles.items():
            joined = self._piles.setdefault(self._shapes.now(shape), _Pile())
            joined.run = max(joined.run, pile.run) if joined.kept and pile.kept else joined.run + pile.run
            joined.waiting += pile.waiting
            joined.taken += pile.taken
            joined.kept += pile.kept
        for shape, pile in self._piles.items():
            if pile.waiting:
                self._announce(shape, pile)
