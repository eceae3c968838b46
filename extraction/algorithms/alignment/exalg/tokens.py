"""Pages as streams of tokens: tags and words (Arasu & Garcia-Molina, SIGMOD 2003, §2).

A token's first *role* is what it says and the path of the element it stands in: the paper's differentiation by HTML format. A step of a
path is the element's name with those of its class names that at least half of the pages have, and for a cell of a table its column; the
paper's path has names alone. Words are what stands between white space in the cleaned text. Two tokens that are on no page mark its
beginning and end, so that there is always a class with a token that stands once on every page.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from extraction.algorithms.alignment import class_names
from extraction.algorithms.dom.nodes import Location, clean, raw_text

I64 = NDArray[np.int64]

MAX_TOKENS = 60_000
"""Tokens read of a page, from its beginning; the largest page of the evaluation sites has 20,000."""

MAX_TOTAL = 2_000_000
"""Tokens read of all pages together: of more pages, each is read as far as its share goes."""

MAX_LENGTH = 20_000
"""Longest text node, in characters, whose words are read."""

TAG, WORD = 0, 1

BEGINNING, END = (TAG, "page", -1), (TAG, "/page", -1)
"""What the tokens around a page say: their kind, their name, no path. They have the first two roles."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The tokens of all pages, one page after the other.

    roles: numbers from 0, shape (tokens,). bounds: shape (pages + 1,); page i has the tokens from bounds[i] to bounds[i + 1].
    node, text: the element (index in `elements(root)`) and the text() child that a word is of; text is 0 for tags. start, end: its
    offsets in the cleaned text. lengths: that text's length. names: what the token of each role says.
    """

    roles: I64
    bounds: I64
    node: I64
    text: I64
    start: I64
    end: I64
    lengths: I64
    names: tuple[str, ...]

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self.bounds) - 1

    def page(self) -> I64:
        """The page of each token."""
        return np.repeat(np.arange(self.pages), np.diff(self.bounds))

    def location(self, first: int, last: int) -> Location:
        """The place of the words from token `first` to token `last`, which are of one text node."""
        node, text, start, end = int(self.node[first]), int(self.text[first]), int(self.start[first]), int(self.end[last])
        if start == 0 and end == int(self.lengths[first]):
            return Location(node, "text", text)
        return Location(node, "text", text, "", start, end)


def read(roots: Sequence[etree._Element]) -> Stream:
    """The tokens of pages of one template."""
    shared, writer = class_names.shared(roots), _Writer()
    bounds, most = [0], min(MAX_TOKENS, MAX_TOTAL // max(len(roots), 1))
    for root in roots:
        _Reader(root, shared, writer, most).run()
        bounds.append(len(writer.rows))
    roles, node, text, start, end, lengths = np.array(writer.rows, np.int64).reshape(-1, 6).T
    names = tuple(name for _, name, _ in writer.roles)
    return Stream(roles, np.array(bounds, np.int64), node, text, start, end, lengths, names)


@dataclass(slots=True)
class _Writer:
    """What is read of all pages: numbers for paths and roles, and a row for each token."""

    paths: dict[tuple[int, str], int] = field(default_factory=dict)
    roles: dict[tuple[int, str, int], int] = field(default_factory=lambda: {BEGINNING: 0, END: 1})
    rows: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)

    def path(self, above: int, step: str) -> int:
        return self.paths.setdefault((above, step), len(self.paths))

    def add(self, said: tuple[int, str, int], place: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)) -> None:
        self.rows.append((self.roles.setdefault(said, len(self.roles)), *place))


@dataclass(slots=True)
class _Open:
    """An element on the way down. ordinal: its text() children so far; column: the cells of a row so far."""

    name: str
    node: int
    path: int
    raw: bool
    ordinal: int = 0
    column: int = 0


class _Reader:
    """One walk through a page, without recursion: pages may be as deep as the parser lets them."""

    def __init__(self, root: etree._Element, shared: frozenset[str], writer: _Writer, most: int) -> None:
        self.root, self.shared, self.writer = root, shared, writer
        self.stop = len(writer.rows) + most
        self.raw_text = raw_text(root)

    def run(self) -> None:
        chain: list[_Open] = []
        node = -1
        self.writer.add(BEGINNING)
        for event, element in etree.iterwalk(self.root, events=("start", "end", "comment")):
            if event == "start":
                node += 1
                chain.append(self._open(element, node, chain[-1] if chain else None))
                self._text(chain[-1], element.text)
                continue
            if event == "end":
                closed = chain.pop()
                if not closed.raw:
                    self.writer.add((TAG, f"/{closed.name}", closed.path))
            if chain:
                self._text(chain[-1], element.tail)
            if len(self.writer.rows) >= self.stop:
                break
        self.writer.add(END)

    def _open(self, element: etree._Element, node: int, above: _Open | None) -> _Open:
        name = str(element.tag)
        raw = (above is not None and above.raw) or name in self.raw_text
        step = class_names.step(element, self.shared)
        if above is not None and name in ("td", "th"):
            above.column += 1
            step = f"{step}[{above.column}]"
        opened = _Open(name, node, self.writer.path(above.path if above else -1, step), raw)
        if not raw:
            self.writer.add((TAG, name, opened.path))
        return opened

    def _text(self, owner: _Open, text: str | None) -> None:
        if not text:
            return
        owner.ordinal += 1
        if owner.raw or len(text) > 4 * MAX_LENGTH:
            return
        cleaned = clean(text)[:MAX_LENGTH]
        for word in _WORD.finditer(cleaned):
            self.writer.add((WORD, word[0], owner.path), (owner.node, owner.ordinal, word.start(), word.end(), len(cleaned)))
