"""The frontier: the addresses that are still to fetch, and those that were seen before.

Each seen address is stored as a number of 64 bits (`scope.key`), so that a site of a million pages takes about 60 MB and not ten times
as much. A whole site is fetched breadth first; a sample is fetched by path shapes.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from extraction.algorithms.dom.address_noise import strip_tracking
from extraction.fetching.crawl.messages import Address, CrawlPlan
from extraction.fetching.crawl.repeats import without
from extraction.fetching.crawl.sampling import ShapeQueue
from extraction.fetching.crawl.scope import Scope, key
from extraction.fetching.crawl.shapes import Shape, Shapes

TRIES_PER_PAGE = 5
"""How many addresses are tried for each page of the limit, so that a crawl of a site whose addresses mostly fail also ends."""

LEAST_ROOM = 10_000
MOST_ROOM = 2_000_000
"""The fewest and the most addresses that may wait, whatever the page limit is. Each takes a row in the database and 500 bytes of memory."""


WANTED_TERMS = 50
"""How many terms of a search a sample asks in any case. Of further terms it asks as many as it takes pages of their shape."""


class Queue(Protocol):
    """The order in which addresses are fetched."""

    def __len__(self) -> int: ...

    def push(self, address: Address) -> None: ...

    def pop(self) -> tuple[Address, Shape] | None: ...


class BreadthQueue:
    """Addresses to fetch, the shallowest first. Addresses of one depth come in the order in which they were found."""

    def __init__(self, shapes: Shapes) -> None:
        self._levels: dict[int, deque[Address]] = defaultdict(deque)
        self._shapes = shapes
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, address: Address) -> None:
        self._shapes.see(address.url)
        self._levels[address.depth].append(address)
        self._size += 1

    def pop(self) -> tuple[Address, Shape] | None:
        for depth in sorted(self._levels):
            level = self._levels[depth]
            address = level.popleft()
            if not level:
                del self._levels[depth]
            self._size -= 1
            return address, self._shapes.shape(address.url)
        return None


class Frontier:
    """The addresses of a crawl.

    shapes: the path shapes of all queued addresses.
    room: how many addresses may wait.
    overflow: how many links were left out because the queue was full.
    """

    def __init__(self, plan: CrawlPlan) -> None:
        self._plan = plan
        self._scope = Scope.of(plan)
        self.shapes = Shapes()
        self.queue: Queue = ShapeQueue(self.shapes) if plan.sample else BreadthQueue(self.shapes)
        self._met = {key(url) for url in plan.known}
        self._done = set(self._met)
        self._ignored: frozenset[str] = frozenset()
        self.room = min(MOST_ROOM, max(LEAST_ROOM, TRIES_PER_PAGE * (plan.page_limit or MOST_ROOM)))
        self.overflow = 0
        results = 0
        for address in plan.queued:
            self._met.add(self._key(address.url))
            if plan.search.address and address.via == plan.search.address:  # the result page of a term, queued before the crawl was resumed
                results += 1
                address = replace(address, wanted=results <= WANTED_TERMS)
            self.queue.push(address)

    def __len__(self) -> int:
        return len(self.queue)

    def give(self, urls: Iterable[str], *, via: str = "") -> list[Address]:
        """Queue addresses that the plan or its sitemaps, feeds and lists name. Return those that are new and in scope."""
        found = [Address(url=url, via=via) for url in urls]
        return [address for address in found if self._push(address, given=not via)]

    def choose(self, urls: Sequence[str]) -> list[str]:
        """Return those of the addresses of a sitemap, feed or list that are queued: all, or half of the room that is left.

        They are spread evenly over the list, which is often sorted by sections. The other half is for the sitemaps and links to come.
        """
        most = max(0, self.room - len(self.queue)) // 2
        return list(urls) if len(urls) <= most else [urls[place * len(urls) // most] for place in range(most)]

    def follow(self, urls: Iterable[str], *, depth: int, via: str) -> list[Address]:
        """Queue the links of a page, without the keys that tell where a visitor came from. Return those that are new and in scope.

        depth: the depth of the links.
        """
        if self._plan.max_depth is not None and depth > self._plan.max_depth:
            return []
        found = [Address(url=strip_tracking(url), depth=depth, via=via) for url in urls]
        return [address for address in found if self._push(address, given=False)]

    def search(self, url: str, *, via: str, wanted: bool) -> list[Address]:
        """Queue the result page of a search. Return it if it is new and in scope; it need not match `include`."""
        address = Address(url=url, via=via, wanted=wanted)
        return [address] if self._push(address, given=True) else []

    def waits(self, url: str) -> bool:
        """Return whether an address was met and is not fetched yet."""
        number = self._key(url)
        return number in self._met and number not in self._done

    def leads_on(self, url: str) -> bool:
        """Return whether links to an address are followed."""
        return not self._scope.refusal(url)

    def refusal(self, url: str) -> str:
        """Return why the target of a redirect is out of scope; empty if it is in scope. Targets need not match `include`."""
        return self._scope.refusal(url, given=True)

    def arrive(self, url: str) -> bool:
        """Record that an address is fetched, directly or by a redirect. Return whether this is the first time."""
        number = self._key(url)
        first = number not in self._done
        self._done.add(number)
        self._met.add(number)
        return first

    def is_same(self, first: str, second: str) -> bool:
        """Return whether two URLs are the same address, written in two ways."""
        return self._key(first) == self._key(second)

    def ignore(self, keys: frozenset[str]) -> None:
        """Ignore these query keys from now on: addresses that differ only in them are the same."""
        self._ignored = keys

    def _push(self, address: Address, *, given: bool) -> bool:
        try:
            number = self._key(address.url)
        except ValueError:  # not an address
            return False
        if number in self._met or self._scope.refusal(address.url, given=given):
            return False
        if not given and len(self.queue) >= self.room:
            self.overflow += 1
            return False
        self._met.add(number)
        self.queue.push(address)
        return True

    def _key(self, url: str) -> int:
        return key(without(url, self._ignored) if self._ignored else url)
