"""Path shapes: addresses that look alike, found while a crawl goes on.

A shape is what `rules.url_patterns` learns from all addresses of a cluster, for addresses that come one after the other: host,
path segments and query keys, where what differs from page to page is ``*``. It is a tree of fixed depth as in Drain (He et al. 2017,
for log lines): addresses of one host, one number of segments and the same query keys share a tree; at each level a part that holds a
number or an identifier is ``*`` at once, and a level with more than `MAX_CHILDREN` values keeps those that many addresses have
(the sections of a site) and takes the others for ``*``. Then the addresses below get another shape than before; `Shapes.version`
tells who keeps some by shape.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from extraction.fetching.crawl.scope import is_noise, segments_of

MAX_CHILDREN = 12
"""Values that one level may have before they are taken for names of pages rather than of sections."""

MIN_SHARE = 0.1
"""The share of a level's addresses that a value must have to stay, as in `rules.url_patterns`; `MIN_ADDRESSES` of them at least."""

MIN_ADDRESSES = 5

MAX_LEVELS = 200_000
"""Levels that are counted. A site with more has no shapes to speak of: what is new then is ``*``."""

IDENTIFIER = re.compile(r"[0-9a-fA-F]{8,}|(?=\w*\d)\w{12,}|\d+")

Shape = tuple[str, ...]


class Shapes:
    """The shapes of the addresses seen. version: grows each time an earlier address may have got another shape."""

    def __init__(self) -> None:
        self._levels: dict[Shape, Counter[str]] = defaultdict(Counter)
        self._settled: dict[Shape, frozenset[str]] = {}
        self.version = 0

    def see(self, url: str) -> Shape:
        """The shape of an address, which is counted."""
        return self._walk(*_parts(url), count=True)

    def shape(self, url: str) -> Shape:
        """The shape of an address by now."""
        return self._walk(*_parts(url), count=False)

    def now(self, shape: Shape) -> Shape:
        """What an earlier shape is by now."""
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
    """(what addresses of one tree share, the parts that may differ)."""
    address = segments_of(url)
    query = [(name, value) for name, value in address.query if not is_noise(name, value)]
    head = (address.host, str(len(address.segments)), "&".join(name for name, _ in query))
    return head, [IDENTIFIER.sub("*", part) for part in (*address.segments, *(value for _, value in query))]


def text(shape: Shape) -> str:
    """As people read it."""
    host, number, keys = shape[:3]
    parts = shape[3:]
    query = "&".join(f"{name}={value}" for name, value in zip(keys.split("&") if keys else (), parts[int(number) :], strict=True))
    return f"{host}/{'/'.join(parts[: int(number)])}" + (f"?{query}" if query else "")
