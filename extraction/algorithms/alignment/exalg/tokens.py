"""Pages as streams of tokens: tags and words (Arasu & Garcia-Molina 2003, section 2).

A token's first *role* is its text together with the path of the element it is in: this is the paper's differentiation by HTML
format. A step of a path is the element's name with those of its class names that at least half of the pages have, and the column for a cell
of a table. The paper's paths have names only. Words are the parts of the cleaned text between white space. Two artificial tokens mark the
beginning and the end of each page, so that some class always has a token that occurs once on every page.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from extraction.algorithms.alignment import class_names
from extraction.algorithms.arrays import I64
from extraction.algorithms.dom.nodes import Location, clean, raw_text
from extraction.algorithms.dom.walk import OpenElement, walk_page

MAX_TOKENS = 60_000
"""The largest number of tokens read of a page, from its beginning. The largest page of the evaluation sites has 20,000."""

MAX_TOTAL = 2_000_000
"""The largest number of tokens read of all pages together. With more pages, each is read as far as its share goes."""

MAX_LENGTH = 20_000
"""Longest text node, in characters, whose words are read."""

TAG, WORD = 0, 1

BEGINNING, END = (TAG, "page", -1), (TAG, "/page", -1)
"""The tokens around a page: their kind, their name, no path. They have the first two roles."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, eq=False)
class TokenStream:
    """The tokens of all pages, one page after the other.

    roles: the role of each token, numbered from 0, shape (tokens,).
    bounds: shape (pages + 1,); page i has the tokens from bounds[i] to bounds[i + 1].
    node: for a word, the element (index in `elements(root)`).
    text: for a word, which text() child of the element it is in; 0 for tags.
    start, end: for a word, its offsets in the cleaned text.
    lengths: for a word, the length of that text.
    names: the text of the token of each role.
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
        """Return the page of each token."""
        return np.repeat(np.arange(self.pages), np.diff(self.bounds))

    def location(self, first: int, last: int) -> Location:
        """Return the place of the words from token `first` to token `last`, which are in one text node."""
        node, text, start, end = int(self.node[first]), int(self.text[first]), int(self.start[first]), int(self.end[last])
        if start == 0 and end == int(self.lengths[first]):
            return Location(node, "text", text)
        return Location(node, "text", text, "", start, end)


def read_tokens(roots: Sequence[etree._Element]) -> TokenStream:
    """Return the tokens of pages of one template."""
    shared, writer = class_names.find_shared_names(roots), _RoleWriter()
    bounds, most = [0], min(MAX_TOKENS, MAX_TOTAL // max(len(roots), 1))
    for root in roots:
        _TokenReader(root, shared, writer, most).run()
        bounds.append(len(writer.rows))
    roles, node, text, start, end, lengths = np.array(writer.rows, np.int64).reshape(-1, 6).T
    names = tuple(name for _, name, _ in writer.roles)
    return TokenStream(roles, np.array(bounds, np.int64), node, text, start, end, lengths, names)


@dataclass(slots=True)
class _RoleWriter:
    """Collects what is read from all pages: numbers for paths and roles, and a row for each token."""

    paths: dict[tuple[int, str], int] = field(default_factory=dict)
    roles: dict[tuple[int, str, int], int] = field(default_factory=lambda: {BEGINNING: 0, END: 1})
    rows: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)

    def path(self, above: int, step: str) -> int:
        return self.paths.setdefault((above, step), len(self.paths))

    def add(self, role: tuple[int, str, int], place: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)) -> None:
        self.rows.append((self.roles.setdefault(role, len(self.roles)), *place))


@dataclass(slots=True)
class _OpenPath:
    """The path of an element whose end has not been read yet, and, if it is a table row, the number of its cells so far."""

    path: int
    column: int = 0


class _TokenReader:
    """Reads one page, which may be as deep as the parser allows, without recursion."""

    def __init__(self, root: etree._Element, shared: frozenset[str], writer: _RoleWriter, most: int) -> None:
        self.root, self.shared, self.writer = root, shared, writer
        self.stop = len(writer.rows) + most

    def run(self) -> None:
        """Write the tokens of the page."""
        chain: list[_OpenPath] = []
        self.writer.add(BEGINNING)
        for kind, element, text in walk_page(self.root, hidden=raw_text(self.root), is_done=lambda: len(self.writer.rows) >= self.stop):
            if kind == "start":
                chain.append(self._open(element, chain[-1] if chain else None))
            elif kind == "text":
                self._add_words(element, chain[-1].path, text)
            else:
                closed = chain.pop()
                if not element.hidden:
                    self.writer.add((TAG, f"/{element.tag}", closed.path))
        self.writer.add(END)

    def _open(self, element: OpenElement, above: _OpenPath | None) -> _OpenPath:
        step = class_names.name_step(element.element, self.shared)
        if above is not None and element.tag in ("td", "th"):
            above.column += 1
            step = f"{step}[{above.column}]"
        opened = _OpenPath(self.writer.path(above.path if above else -1, step))
        if not element.hidden:
            self.writer.add((TAG, element.tag, opened.path))
        return opened

    def _add_words(self, owner: OpenElement, path: int, text: str) -> None:
        if len(text) > 4 * MAX_LENGTH:
            return
        cleaned = clean(text)[:MAX_LENGTH]
        for word in _WORD.finditer(cleaned):
            self.writer.add((WORD, word[0], path), (owner.node, owner.texts, word.start(), word.end(), len(cleaned)))
