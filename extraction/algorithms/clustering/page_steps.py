"""The structure of one page as a small set of numbers: what the second stage of clustering compares (ALGORITHMS 2).

A *step* is an element's path, its tag names from the root, or a path with one class token of an element that has it. Text and other
attributes are content and stay out; so do repetitions, which is why lists of different length look alike. Which class tokens are of
use cannot be seen on one page: here are all of them, and who compares pages leaves out what few pages share.

Nested lists, comments in comments and the like are content too: of a path that ends in ``x/y/x/y`` (x and y different) the last two
names are dropped. ``div/div/div`` stays as it is: how deep a div lies says where on the page it is.

Each step knows the step it hangs on (a class on its path, a path on that of the parent element), so that the absence of a whole
section can be counted once and not once for every step in it.
"""

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from lxml import etree

from extraction.algorithms.arrays import U64
from extraction.algorithms.sketches.serialization import pack_columns, unpack_columns

SCHEME = b"steps/1\n"
"""Starts every serialised `PagePaths`; to be changed with anything that changes a step."""

OPAQUE = frozenset({"svg", "math"})
"""Elements that are pictures: what is in them is content."""


@dataclass(frozen=True, slots=True, eq=False)
class PageSteps:
    """The steps of one page, some hundred, 16 bytes each.

    steps: shape (n,), hashes of the steps, ascending, distinct. parents: shape (n,), the step that each one hangs on; 0 for the root.
    """

    steps: U64
    parents: U64

    def to_bytes(self) -> bytes:
        """A form for caches; the same page gives the same bytes on every machine."""
        return pack_columns(SCHEME, self.steps, self.parents)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "PageSteps":
        """What `to_bytes` wrote. Raises ValueError for anything else, also for another release's form."""
        return cls(*unpack_columns(SCHEME, stored, columns=2))


def collect_steps(root: etree._Element) -> PageSteps:
    """The steps of a parsed page, so that its tree need not be kept. Time: linear in the elements."""
    top = _Path(str(root.tag), None, _hash(0, str(root.tag)))
    found = [top]
    waiting = [(root, top)]
    while waiting:
        element, path = waiting.pop()
        tokens = element.get("class")
        if tokens:
            path.classes.update(tokens.split())
        if path.tag in OPAQUE:
            continue
        for child in element:
            if isinstance(child.tag, str):
                below, is_new = path.child(child.tag)
                if is_new:
                    found.append(below)
                waiting.append((child, below))
    rows = {path.code: path.above.code if path.above else 0 for path in found}
    for path in found:
        rows |= {_hash(path.code, "." + token): path.code for token in path.classes}
    both = np.array(sorted(rows.items()), np.uint64).reshape(-1, 2)
    return PageSteps(both[:, 0].copy(), both[:, 1].copy())


@dataclass(slots=True, eq=False)
class _Path:
    """A path seen on the page, with the class tokens of its elements."""

    tag: str
    above: "_Path | None"
    code: int
    classes: set[str] = field(default_factory=set)
    below: "dict[str, _Path]" = field(default_factory=dict)

    def child(self, tag: str) -> "tuple[_Path, bool]":
        """(the path of a child element, whether it was never asked for before)."""
        above = self.above
        if above and above.above and tag == above.tag and self.tag == above.above.tag and tag != self.tag:
            return above, False
        if tag in self.below:
            return self.below[tag], False
        self.below[tag] = _Path(tag, self, _hash(self.code, tag))
        return self.below[tag], True


def _hash(above: int, name: str) -> int:
    digest = blake2b(above.to_bytes(8, "big") + name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1
