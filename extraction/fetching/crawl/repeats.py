"""Pages that are there more than once: under other addresses, or made up without end. (`near` knows those that are nearly the same.)

- The same: the words and pictures are those of an earlier page. Where the two addresses differ in one query key only, three times
  and never with other content, the key says nothing about the page (a session whose name nobody knows) and addresses that
  differ in it are one from then on.
- A trap: `TRAP_RUN` pages of a shape in a row brought neither a word that the shape had not had before (numbers aside) nor an address
  of another shape: a calendar that has a page for every month to come. A shop's list pages bring addresses of products, a product its name.
- A wall: the same page under `WALL_PATHS` different paths is what the site answers to us, not its pages.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit
from zlib import crc32

from extraction.fetching.crawl.pages import PageView
from extraction.fetching.crawl.shapes import Shape

REMEMBERED = 100_000
"""Pages whose content is remembered, the latest: some 25 MB. A repetition further apart is found in clustering."""

SHINGLE_WORDS = 4

VOTES = 3

TRAP_RUN = 60
TRAP_SHAPES = 500
TRAP_WORDS = 20_000
"""Shapes watched, and words of one that are remembered: a shape with more words is no trap."""

WALL_PATHS = 6


@dataclass(slots=True)
class _Watch:
    """Words that a shape's pages had, and how many pages in a row brought nothing. words: None for a shape that is no trap."""

    words: set[int] | None = field(default_factory=set)
    run: int = 0


class Repeats:
    """What was seen of a site so far. ignored: query keys that say nothing about the page."""

    def __init__(self) -> None:
        self._contents: dict[int, str] = {}
        self._paths: dict[int, set[str]] = {}
        self._votes: Counter[str] = Counter()
        self._vetoed: set[str] = set()
        self._without: dict[tuple[str, int], int] = {}
        self._watches: dict[Shape, _Watch] = {}
        self.ignored: frozenset[str] = frozenset()

    def same(self, page: PageView, url: str) -> tuple[str, int]:
        """(address of an earlier page that shows the same, "" for none; paths under which it stood)."""
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

    def is_trap(self, shape: Shape, page: PageView, *, brought: bool) -> bool:
        """Whether a shape has turned out to be a trap by this page of it. brought: it named addresses of other shapes that are new."""
        if shape not in self._watches and len(self._watches) >= TRAP_SHAPES:
            return False
        watch = self._watches.setdefault(shape, _Watch())
        if watch.words is None:
            return False
        words = {crc32(word.encode()) for word in set(page.words) if word.isalpha()}
        new = not words <= watch.words
        watch.words |= words
        watch.run = 0 if new or brought else watch.run + 1
        if len(watch.words) > TRAP_WORDS:
            watch.words = None
        return watch.run >= TRAP_RUN

    def canonical(self, page: PageView, url: str) -> None:
        """A page gives its own address without a query key: the site says that the key is noise, which it may be wrong about."""
        if page.canonical and "?" in url:
            self._vote(page.canonical, url)

    def _vote(self, first: str, second: str) -> None:
        key = _differing_key(first, second)
        if key and key not in self._vetoed:
            self._votes[key] += 1
            if self._votes[key] >= VOTES:
                self.ignored |= {key}

    def _veto(self, page: PageView, url: str) -> None:
        """A query key matters once two pages that differ in it alone show different things."""
        if "?" not in url or len(self._without) > REMEMBERED:
            return
        for name in {pair.partition("=")[0] for pair in urlsplit(url).query.split("&")} - self._vetoed:
            place = (name, hash(without(url, frozenset({name}))))
            if self._without.setdefault(place, page.content) != page.content:
                self._vetoed.add(name)
                self.ignored -= {name}


def shingles(words: Sequence[str]) -> set[str]:
    """A text's runs of `SHINGLE_WORDS` words; a shorter text is one."""
    return {" ".join(words[start : start + SHINGLE_WORDS]) for start in range(max(1, len(words) - SHINGLE_WORDS + 1))}


def jaccard(first: Set[str], second: Set[str]) -> float:
    """What two sets share, of all they have."""
    return len(first & second) / len(first | second) if first | second else 1.0


def without(url: str, keys: frozenset[str]) -> str:
    """An address without these query keys."""
    head, mark, query = url.partition("?")
    if not mark:
        return url
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] not in keys]
    return f"{head}?{'&'.join(kept)}" if kept else head


def _differing_key(first: str, second: str) -> str:
    """The only query key in which two addresses differ, "" when they differ in more."""
    one, two = urlsplit(first), urlsplit(second)
    if (one.netloc, one.path) != (two.netloc, two.path):
        return ""
    pairs = set(parse_qsl(one.query, keep_blank_values=True)) ^ set(parse_qsl(two.query, keep_blank_values=True))
    names = {name for name, _ in pairs}
    return names.pop() if len(names) == 1 else ""
