"""The templates of pages that are known already, by address and content, in few bytes.

A page that clustering or a person has put into a template stays there, which says more than looking at the page alone. A key is 16 bytes of
a SHA-256 of the address and of the content's sha256, so two pages never share one in practice.
"""

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import I64, U64

KEY_BYTES = 16


@dataclass(frozen=True, slots=True, eq=False)
class PlacedPages:
    """Keys of pages in ascending order, in two halves, and the template of each."""

    high: U64
    low: U64
    homes: I64

    @classmethod
    def of_pages(cls, pages: Iterable[tuple[str, str, int]]) -> "PlacedPages":
        """Return the pages. pages: (address, sha256 of the content in hexadecimal digits, id of the template)."""
        keys, homes = [], []
        for url, sha256, home in pages:
            keys.append(make_key(url, sha256))
            homes.append(home)
        return cls._sort(b"".join(keys), np.array(homes, np.int64))

    @classmethod
    def _sort(cls, keys: bytes, homes: I64) -> "PlacedPages":
        halves = np.frombuffer(keys, ">u8").astype(np.uint64).reshape(-1, 2)
        order = np.lexsort((halves[:, 1], halves[:, 0]))
        return cls(halves[order, 0].copy(), halves[order, 1].copy(), homes[order])

    @property
    def templates(self) -> set[int]:
        """The ids of the templates that pages are in."""
        return set(np.unique(self.homes).tolist())

    def find(self, url: str, sha256: str) -> int | None:
        """Return the id of the page's template, None if the page with this content is not known."""
        key = make_key(url, sha256)
        high, low = (np.uint64(int.from_bytes(part, "big")) for part in (key[:8], key[8:]))
        start, end = np.searchsorted(self.high, high, "left"), np.searchsorted(self.high, high, "right")
        place = start + np.searchsorted(self.low[start:end], low)
        return int(self.homes[place]) if place < end and self.low[place] == low else None

    def to_text(self) -> str:
        """Return the pages as text: base64 of the keys, then of the templates."""
        keys = np.stack((self.high, self.low), axis=1).astype(">u8").tobytes()
        return base64.b64encode(keys + self.homes.astype("<u4").tobytes()).decode()

    @classmethod
    def from_text(cls, text: str) -> "PlacedPages":
        """Return the pages that `to_text` wrote. Raises ValueError for anything else."""
        data = base64.b64decode(text, validate=True)
        count, rest = divmod(len(data), KEY_BYTES + 4)
        if rest:
            raise ValueError(f"{len(data):,} bytes are no whole number of pages")
        return cls._sort(data[: count * KEY_BYTES], np.frombuffer(data[count * KEY_BYTES :], "<u4").astype(np.int64))


def make_key(url: str, sha256: str) -> bytes:
    """Return the key of a page with a content."""
    return hashlib.sha256(f"{sha256}\n{url}".encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]
