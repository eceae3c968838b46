"""The structure of one page as a small set of numbers, which the second stage of clustering compares (docs/algorithms.md#page-clustering).

A *step* is an element's path (its tag names from the root), or such a path with one class token of an element that has it. Text and other
attributes are content and are left out. Of a step's text only a digest is kept: it shows whether pages say the same there, as in a menu, or
each something else, as in a title. Repetitions are left out too, which is why lists of different length look alike. A single page
cannot show which class tokens are useful, so all of them are kept here, and whoever compares pages leaves out those that few pages share.

Nested lists, comments in comments and the like are content too: the last two names of a path that ends in ``x/y/x/y`` (x and y different)
are dropped. ``div/div/div`` stays as it is, because the depth of a div tells where on the page it is.

Each step has a parent step: that of a class is its path, and that of a path is the path of the parent element. So the absence of a whole
section can be counted once, instead of once for every step in it.
"""

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from lxml import etree

from extraction.algorithms.arrays import U64
from extraction.algorithms.dom.nodes import clean, texts
from extraction.algorithms.sketches.serialization import pack_columns, unpack_columns

SCHEME = b"steps/2\n"
"""The first bytes of every serialised `PageSteps`. It has to change with anything that changes a step."""

OPAQUE = frozenset({"svg", "math"})
"""Elements that are pictures. What is in them is content."""

SILENT = frozenset({"script", "style", "noscript", "template"})
"""Elements whose text is not shown."""


@dataclass(frozen=True, slots=True, eq=False)
class PageSteps:
    """The steps of one page: usually some hundred, of 24 bytes each.

    steps: shape (n,), hashes of the steps, ascending, distinct.
    parents: shape (n,), the parent of each step; 0 for the root.
    texts: shape (n,), a digest of the text directly in the elements of each step; 0 if there is none.
    """

    steps: U64
    parents: U64
    texts: U64

    def to_bytes(self) -> bytes:
        """Return the steps in a form for caches. The same page gives the same bytes on every machine."""
        return pack_columns(SCHEME, self.steps, self.parents, self.texts)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "PageSteps":
        """Return the steps that `to_bytes` wrote. Raises ValueError for anything else, including the form of another release."""
        return cls(*unpack_columns(SCHEME, stored, columns=3))


def collect_steps(root: etree._Element) -> PageSteps:
    """Return the steps of a parsed page, so that its tree need not be kept. Time: linear in the page."""
    top = _Path(str(root.tag), None, _hash(0, str(root.tag)))
    found = [top]
    waiting = [(root, top)]
    while waiting:
        element, path = waiting.pop()
        said = "" if path.tag in SILENT else clean(" ".join(texts(element)))
        path.note(element.get("class", "").split(), said)
        if path.tag in OPAQUE:
            continue
        for child in element:
            if isinstance(child.tag, str):
                below, is_new = path.child(child.tag)
                if is_new:
                    found.append(below)
                waiting.append((child, below))
    rows = sorted(row for path in found for row in path.rows())
    columns = np.array(rows, np.uint64).reshape(-1, 3)
    return PageSteps(*(columns[:, place].copy() for place in range(3)))


@dataclass(slots=True, eq=False)
class _Path:
    """A path seen on the page.

    said: the texts of its elements.
    classes: the class tokens of its elements, each with the texts of the elements that have it.
    """

    tag: str
    above: "_Path | None"
    code: int
    said: list[str] = field(default_factory=list)
    classes: dict[str, list[str]] = field(default_factory=dict)
    below: "dict[str, _Path]" = field(default_factory=dict)

    def child(self, tag: str) -> "tuple[_Path, bool]":
        """Return (the path of a child element, whether this is the first call for it)."""
        above = self.above
        if above and above.above and tag == above.tag and self.tag == above.above.tag and tag != self.tag:
            return above, False
        if tag in self.below:
            return self.below[tag], False
        self.below[tag] = _Path(tag, self, _hash(self.code, tag))
        return self.below[tag], True

    def note(self, tokens: list[str], said: str) -> None:
        """Take in an element of this path."""
        if said:
            self.said.append(said)
        for token in tokens:
            texts_of_token = self.classes.setdefault(token, [])
            if said:
                texts_of_token.append(said)

    def rows(self) -> list[tuple[int, int, int]]:
        """Return (step, parent, digest of the text) of the path and of its class tokens."""
        rows = [(self.code, self.above.code if self.above else 0, _digest(self.said))]
        return rows + [(_hash(self.code, "." + token), self.code, _digest(said)) for token, said in self.classes.items()]


def _digest(said: list[str]) -> int:
    return _hash(0, "\n".join(sorted(said))) if said else 0


def _hash(above: int, name: str) -> int:
    digest = blake2b(above.to_bytes(8, "big") + name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1
