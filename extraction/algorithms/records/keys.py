"""Keys: what makes two records records of the same thing.

A key is a list of texts: the values of the key attributes, or the address of the page if there are no key attributes or
one of them is missing. Values are compared in their normal form if they have one, otherwise as the text of the page.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Values = Mapping[str, Sequence[Mapping[str, Any]]]
"""{attribute: its values as JSON}, as `Record.values` stores them."""

MAX_PARTS = 2
"""The largest number of attributes of a proposed key. A person can choose more."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a thing.

    parts: its texts, in the order of the key attributes.
    by_address: the parts are the address of a page.
    """

    parts: tuple[str, ...]
    by_address: bool = False

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that are equal for equal keys only."""
        text = json.dumps(["address" if self.by_address else "values", *self.parts], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def make_key(values: Values, attributes: Sequence[str]) -> Key | None:
    """Return the key that the attributes give; None if there are no attributes or one has no value."""
    parts = [_write_part(values.get(name, ())) for name in attributes]
    return Key(tuple(parts)) if parts and all(parts) else None


def make_row_key(row: Values, attributes: Sequence[str], *, page: Key | None) -> Key | None:
    """Return the key of a row of a list; None if an attribute has no value.

    page: the key of the page, if rows of different pages are different things.
    """
    own = make_key(row, attributes)
    return own and Key((*(page.parts if page else ()), *own.parts))


def _write_part(values: Sequence[Mapping[str, Any]]) -> str:
    texts = [" ".join(str(each.get("value") or each["raw"]).split()) for each in values]
    return texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False) if any(texts) else ""


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """How well some attributes tell records apart.

    attributes: their names.
    records: how many records there are.
    present: how many have all the attributes.
    distinct: how many different keys they have.
    repeated: how many records have the key of an earlier record and equal values. They may be one thing on two pages.
    conflicts: how many records have the key of an earlier record, but other values.
    changed: how many changes of one of the attributes the history has.
    """

    attributes: tuple[str, ...]
    records: int = 0
    present: int = 0
    distinct: int = 0
    repeated: int = 0
    conflicts: int = 0
    changed: int = 0

    @property
    def fits(self) -> bool:
        """Whether each record has the key, each thing has its own, and it never changed."""
        return self.records > 1 and self.distinct > 1 and self.present == self.records and not self.conflicts and not self.changed


def judge_key(records: Sequence[Values], attributes: Sequence[str], *, changed: Mapping[str, int] | None = None) -> KeyFigures:
    """Return how well the attributes tell the records apart.

    changed: {attribute: how many changes of it the history has}.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for values in records:
        key = make_key(values, attributes)
        if key:
            groups[key.digest].append(json.dumps(values, sort_keys=True))
    conflicts = sum(many[0] != other for many in groups.values() for other in many[1:])
    repeated = sum(len(many) - 1 for many in groups.values()) - conflicts
    return KeyFigures(
        tuple(attributes),
        records=len(records),
        present=sum(map(len, groups.values())),
        distinct=len(groups),
        repeated=repeated,
        conflicts=conflicts,
        changed=sum((changed or {}).get(name, 0) for name in attributes),
    )


def propose_key(
    records: Sequence[Values], attributes: Iterable[str], *, changed: Mapping[str, int] | None = None, most: int = MAX_PARTS
) -> KeyFigures | None:
    """Return the best key that fits; None if there is none.

    Fewer attributes come first, then those that repeat no record, then the given order. An attribute that repeats
    records with equal values is no worse as such, but one that tells all apart is the safer choice among equals.

    attributes: those that may be part of a key, best first.
    changed: {attribute: how many changes of it the history has}.
    most: most attributes of a key.
    """
    names = list(attributes)
    for size in range(1, most + 1):
        judged = (judge_key(records, each, changed=changed) for each in combinations(names, size))
        fitting = [each for each in judged if each.fits]
        if fitting:
            return min(fitting, key=lambda each: each.repeated)
    return None
