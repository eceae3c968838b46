"""Pages that repeat: the same page under other addresses, and pages that a site makes up without end.

(`near` finds pages that are nearly the same.)

- The same page: its words and pictures are those of an earlier page. If two such addresses differ in only one query key, this has happened
  `VOTES` times and the key never came with other content, then the key says nothing about the page (an unknown session key, for example).
  From then on, addresses that differ only in it are the same.
- A trap: `TRAP_RUN` pages of a shape in a row had no word that was new for the shape, linked to no new address of another shape, and were
  themselves found on pages of the shape. An example is a calendar with a page for every month to come. The list pages of a shop link to
  new products, the page of a product has a new name, and if all products have the same name, list pages or a sitemap still lead to them.
  A page with figures that are new for the shape, such as a price, counts little, unless the figures follow from its address.
- A wall: if the same page comes under `WALL_PATHS` different paths, the site sends it to the crawler instead of its real pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit
from zlib import crc32

from extraction.fetching.crawl.pages import ParsedView
from extraction.fetching.crawl.shapes import Shape

REMEMBERED = 100_000
"""How many of the latest pages are remembered, which takes about 25 MB. Clustering finds repetitions that are further apart."""

SHINGLE_WORDS = 4

VOTES = 3

REFERRER = re.compile(r"ref|referr?er|referral|src|source|campaign|cmp|aff|affiliate|trk", re.IGNORECASE)
"""Query keys that usually say where a visitor came from. On some sites they mean something else, so the page has to confirm it."""

TRAP_RUN = 60
FIGURES_COUNT = 0.05
"""How much of a page a page with new figures counts. Pages without end may count their results, too; they end after 20 times as many."""

TRAP_SHAPES = 500
TRAP_WORDS = 20_000
"""How many shapes are watched, and how many words of one are remembered. A shape with more words is not a trap."""

WALL_PATHS = 6

_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,9}(?![0-9])")


@dataclass(slots=True)
class _Watch:
    """What is remembered about a shape.

    words: hashes of the words and figures of its pages; None if it is not a trap.
    run: how many pages in a row had nothing new.
    """

    words: set[int] | None = field(default_factory=set)
    run: float = 0.0


class Repeats:
    """What was seen of a site so far. ignored: the query keys that say nothing about the page."""

    def __init__(self) -> None:
        self._contents: dict[int, str] = {}
        self._paths: dict[int, set[str]] = {}
        self._votes: Counter[str] = Counter()
        self._vetoed: set[str] = set()
        self._without: dict[tuple[str, int], int] = {}
        self._watches: dict[Shape, _Watch] = {}
        self.ignored: frozenset[str] = frozenset()

    def keep(self, keys: Iterable[str]) -> None:
        """Never ignore these query keys, whatever the site's canonical addresses say."""
        self._vetoed.update(keys)
        self.ignored -= self._vetoed

    def same(self, page: ParsedView, url: str) -> tuple[str, int]:
        """Return (the address of an earlier page that shows the same or "", the number of paths under which it was seen)."""
        if not page.words:
            return "", 1
        first = self._contents.get(page.content)
        if first is None:
            self._contents[page.content] = url
            if len(self._contents) > REMEMBERED:
                oldest = next(iter(self._contents))
                del self._contents[oldest]
                self._paths.pop(oldest, None)
            self._veto(page, url)
            return "", 1
        paths = self._paths.setdefault(page.content, {urlsplit(first).path})
        if len(paths) < WALL_PATHS:
            paths.add(urlsplit(url).path)
        self._vote(first, url)
        return first, len(paths)

    def is_trap(self, shape: Shape, page: ParsedView, *, url: str, brought: bool, chained: bool) -> bool:
        """Return whether this page shows that its shape is a trap.

        url: of the page.
        brought: whether it linked to new addresses of other shapes.
        chained: whether it was found on a page of the same shape.
        """
        if shape not in self._watches and len(self._watches) >= TRAP_SHAPES:
            return False
        watch = self._watches.setdefault(shape, _Watch())
        if watch.words is None:
            return False
        words = {crc32(word.encode()) for word in set(page.words) if word.isalpha()}
        figures = {crc32(figure.encode()) for figure in _figures(page.words, url)}
        new, new_figures = not words <= watch.words, not figures <= watch.words
        watch.words |= words | figures
        if new or brought:
            watch.run = 0.0
        elif chained:
            watch.run += FIGURES_COUNT if new_figures else 1.0
        if len(watch.words) > TRAP_WORDS:
            watch.words = None
        return watch.run >= TRAP_RUN

    def canonical(self, page: ParsedView, url: str) -> None:
        """Count the canonical address of a page as a vote that the query key missing in it says nothing. Sites can be wrong about this."""
        if page.canonical and "?" in url:
            self._vote(page.canonical, url)

    def strip(self, page: ParsedView, url: str) -> str:
        """Return the address of a page without the query keys that say nothing about it.

        These are the keys that are ignored, and those that name a referrer, if the page's canonical address has the same path without them.
        """
        own = urlsplit(page.canonical)
        if "?" not in url or own[:3] != urlsplit(url)[:3]:
            return without(url, self.ignored)
        named = {name for name, _ in parse_qsl(own.query, keep_blank_values=True)} | self._vetoed
        keys = {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True) if REFERRER.fullmatch(name)}
        return without(url, self.ignored | (keys - named))

    def _vote(self, first: str, second: str) -> None:
        key = _differing_key(first, second)
        if key and key not in self._vetoed:
            self._votes[key] += 1
            if self._votes[key] >= VOTES:
                self.ignored |= {key}

    def _veto(self, page: ParsedView, url: str) -> None:
        """Stop ignoring a query key if two pages whose addresses differ only in it show different content."""
        if "?" not in url or len(self._without) > REMEMBERED:
            return
        for name in {pair.partition("=")[0] for pair in urlsplit(url).query.split("&")} - self._vetoed:
            place = (name, hash(without(url, frozenset({name}))))
            if self._without.setdefault(place, page.content) != page.content:
                self._vetoed.add(name)
                self.ignored -= {name}


def _figures(words: Sequence[str], url: str) -> set[str]:
    """Return the figures of a page that do not follow from its address: runs of words that are not only letters.

    A price is two words, and the numbers of a calendar are one run. A number follows from the address if it is at most one away from a
    number there.
    """
    said = {int(number) for number in _NUMBER.findall(url)}
    near = {number + step for number in said for step in (-1, 0, 1)}
    found: set[str] = set()
    run: list[str] = []
    for word in (*words, "end"):
        if word.isalpha():
            if run:
                found.add(" ".join(run))
            run = []
        elif not (word.isdecimal() and len(word) < 10 and int(word) in near):
            run.append(word)
    return found


def shingles(words: Sequence[str]) -> set[str]:
    """Return the runs of `SHINGLE_WORDS` words in a text. A shorter text is one run."""
    return {" ".join(words[start : start + SHINGLE_WORDS]) for start in range(max(1, len(words) - SHINGLE_WORDS + 1))}


def jaccard(first: Set[str], second: Set[str]) -> float:
    """Return the Jaccard coefficient of two sets; 1 if both are empty."""
    return len(first & second) / len(first | second) if first | second else 1.0


def without(url: str, keys: frozenset[str]) -> str:
    """Return an address without these query keys."""
    head, mark, query = url.partition("?")
    if not mark:
        return url
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] not in keys]
    return f"{head}?{'&'.join(kept)}" if kept else head


def _differing_key(first: str, second: str) -> str:
    """Return the only query key in which two addresses differ; "" if they differ in anything else."""
    one, two = urlsplit(first), urlsplit(second)
    if (one.netloc, one.path) != (two.netloc, two.path):
        return ""
    pairs = set(parse_qsl(one.query, keep_blank_values=True)) ^ set(parse_qsl(two.query, keep_blank_values=True))
    names = {name for name, _ in pairs}
    return names.pop() if len(names) == 1 else ""
