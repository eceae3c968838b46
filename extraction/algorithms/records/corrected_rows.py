"""Finds the row of a list that a person corrected, after the page has changed (docs/algorithms.md#corrections).

A correction that reaches another row is worse than one that is lost. So a row is known again only by a key that was unique when the
correction was made and is unique now, by all of its texts if they were and are unique, or by its position if the whole list is the same.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Sequence[str]]
"""{attribute: its texts on the page} of a row. An attribute without a text is missing or empty."""


@dataclass(frozen=True, slots=True)
class RowPlace:
    """What tells a row apart.

    position: its place in the list, from 0.
    texts: {attribute: its texts on the page}.
    key: the attributes whose texts no other row had; () if the row has no such key.
    alike: how many rows of the list had the same texts, this one included.
    digest: of the texts of all rows in their order.
    """

    position: int
    texts: Mapping[str, tuple[str, ...]]
    key: tuple[str, ...]
    alike: int
    digest: str

    @property
    def identity(self) -> str:
        """64 hexadecimal digits that differ for rows that can be told apart."""
        texts = [[name, list(self.texts[name])] for name in self.key or sorted(self.texts)]
        return _digest([texts, None if self.key or self.alike == 1 else [self.position, self.digest]])

    def as_json(self) -> dict[str, Any]:
        """Return the place as JSON."""
        texts = {name: list(each) for name, each in self.texts.items()}
        return {"position": self.position, "texts": texts, "key": list(self.key), "alike": self.alike, "digest": self.digest}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "RowPlace":
        """Return the place that `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        texts = {str(name): tuple(map(str, each)) for name, each in dict(row["texts"]).items()}
        return cls(int(row["position"]), texts, tuple(map(str, row["key"])), int(row["alike"]), str(row["digest"]))


@dataclass(frozen=True, slots=True)
class RowFound:
    """The row is still there. position: its place in the list, from 0."""

    position: int


@dataclass(frozen=True, slots=True)
class RowLost:
    """The row cannot be identified with certainty. reason: why, in words."""

    reason: str


def describe_row(rows: Sequence[Row], position: int, *, key: Sequence[str] = ()) -> RowPlace:
    """Return what tells a row of a list apart. Raises IndexError if there is no such row.

    key: the attributes that tell the rows of the list apart, if a person chose some.
    """
    texts = _texts(rows[position])
    keyed = bool(key) and all(texts.get(name) for name in key)
    unique = keyed and sum(_has_texts(row, texts, key) for row in rows) == 1
    return RowPlace(position, texts, tuple(key) if unique else (), sum(_texts(row) == texts for row in rows), digest_rows(rows))


def find_row(rows: Sequence[Row], place: RowPlace) -> RowFound | RowLost:
    """Return where the row is in the list as it is now."""
    if place.key:
        found = [n for n, row in enumerate(rows) if _has_texts(row, place.texts, place.key)]
        shown = ", ".join(text for name in place.key for text in place.texts[name])[:80]
        if len(found) == 1:
            return RowFound(found[0])
        return RowLost(f"{len(found)} rows have the key “{shown}” now" if found else f"no row has the key “{shown}” any more")
    found = [n for n, row in enumerate(rows) if _texts(row) == place.texts]
    if place.alike == 1 and len(found) == 1:
        return RowFound(found[0])
    if found and digest_rows(rows) == place.digest:
        return RowFound(place.position)
    return RowLost("several rows look the same and the list has changed" if found else "no row is as the corrected one was")


def digest_rows(rows: Sequence[Row]) -> str:
    """Return 64 hexadecimal digits that are equal for lists with the same texts in the same order."""
    return _digest([sorted((name, list(texts)) for name, texts in _texts(row).items()) for row in rows])


def _texts(row: Row) -> dict[str, tuple[str, ...]]:
    return {name: tuple(texts) for name, texts in row.items() if texts}


def _has_texts(row: Row, texts: Row, names: Sequence[str]) -> bool:
    return all(tuple(row.get(name, ())) == tuple(texts[name]) for name in names)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()
