"""Path shapes: groups of addresses that look alike, found during a crawl.

A shape has a host, path segments and query keys. Parts that differ from page to page are ``*``. `rules.url_patterns` learns the same
from all addresses of a cluster; here the addresses come one after the other.

The shapes form trees of fixed depth as in Drain (He et al. 2017, for log lines). Addresses with the same host, number of segments and
query keys share a tree. At each level, numbers and identifiers in a part become ``*`` at once. A level with more than `MAX_CHILDREN`
values keeps the values that many addresses have (the sections of a site) and replaces the others by ``*``. The addresses below that
level then have a new shape; `Shapes.version` tells code that stores addresses by shape about it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from extraction.algorithms.dom.address_noise import is_noise
from extraction.fetching.crawl.scope import segments_of

MAX_CHILDREN = 12
"""How many values a level may have before the rare ones are taken for names of pages and not of sections."""

MIN_SHARE = 0.1
"""The share of a level's addresses that a value must have to be kept, as in `rules.url_patterns`, and at least `MIN_ADDRESSES`."""

MIN_ADDRESSES = 5

MAX_LEVELS = 200_000
"""How many levels are counted. A site with more has no useful shapes; further new values become ``*``."""

IDENTIFIER = re.compile(r"[0-9a-fA-F]{8,}|(?=\w*\d)\w{12,}|\d+")

Shape = tuple[str, ...]


class Shapes:
    """The shapes of the addresses seen. version: a number that grows whenever earlier addresses may have a new shape."""

    def __init__(self) -> None:
        self._levels: dict[Shape, Counter[str]] = defaultdict(Counter)
        self._settled: dict[Shape, frozenset[str]] = {}
        self.version = 0

    def see(self, url: str) -> Shape:
        """Count an address and return its shape."""
        return self._walk(*_parts(url), count=True)

    def shape(self, url: str) -> Shape:
        """Return the current shape of an address, without counting it."""
        return self._walk(*_parts(url), count=False)

    def now(self, shape: Shape) -> Shape:
        """Return the current shape of addresses that had an earlier shape."""
        return self._walk(shape[:3], shape[3:], count=False)

    def _walk(self, head: Shape, parts: Sequence[str], *, count: bool) -> Shape:
        shape = head
        for part in parts:
            shape = (*shape, self._child(shape, part, count=count))
        return shape

    def _child(self, level: Shape, value: str, *, count: bool) -> str:
        settled = self._settled.get(level)
        if settled is not None:
            return value if value in settled else "*"
        if not count:
            return value
        if level not in self._levels and len(self._levels) >= MAX_LEVELS:
            return "*"
        values = self._levels[level]
        values[value] += 1
        if len(values) <= MAX_CHILDREN:
            return value
        least = max(MIN_ADDRESSES, MIN_SHARE * values.total())
        self._settled[level] = frozenset(each for each, number in values.items() if number >= least)
        del self._levels[level]
        self.version += 1
        return value if value in self._settled[level] else "*"


def _parts(url: str) -> tuple[Shape, list[str]]:
    """Return (the key of the address's tree, its parts)."""
    address = segments_of(url)
    query = [(name, value) for name, value in address.query if not is_noise(name, value)]
    head = (address.host, str(len(address.segments)), "&".join(name for name, _ in query))
    return head, [IDENTIFIER.sub("*", part) for part in (*address.segments, *(value for _, value in query))]


def text(shape: Shape) -> str:
    """Return a shape in a form for people."""
    host, number, keys = shape[:3]
    parts = shape[3:]
    query = "&".join(f"{name}={value}" for name, value in zip(keys.split("&") if keys else (), parts[int(number) :], strict=True))
    return f"{host}/{'/'.join(parts[: int(number)])}" + (f"?{query}" if query else "")
