"""Join the rows of listings with the pages that they lead to.

A *thing* is what a page describes. A row finds its thing by an address or by a key. Several ways lead from an address to a thing; they
are tried in the order of `Way`, and the first that knows the address decides. If that way leads to several things, nobody can tell which
is meant, and the row has no partner. The same holds if the links of one row lead to different things.

The index keeps 8 bytes of each text (BLAKE2b), so a hundred thousand pages take some 30 MB. Two of a million texts share them with a
probability below 1 in 10^7.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b
from typing import Any, Literal

from extraction.algorithms.records.addresses import AddressForms, find_forms
from extraction.algorithms.records.keys import Values

MAX_REDIRECTS = 10
"""The most redirects that are followed from a link."""

Side = Literal["listing", "page"]


class Way(IntEnum):
    """How a row finds its page, the surest way first."""

    KEY = 0
    ADDRESS = 1
    REDIRECT = 2
    CANONICAL = 3
    LOOSE = 4


@dataclass(frozen=True, slots=True)
class Partner:
    """The thing that a row leads to, and how."""

    thing: int
    way: Way


@dataclass(frozen=True, slots=True)
class NoPartner:
    """Why a row leads to no thing. things: how many it might be; 0 if none is known."""

    things: int = 0


Found = Partner | NoPartner


class ThingIndex:
    """Which thing a key or an address leads to. Redirects are added after the pages that they lead to."""

    def __init__(self) -> None:
        self._known: dict[Way, dict[int, int | set[int]]] = {way: {} for way in Way}

    def add_key(self, key: str, thing: int) -> None:
        """Add a thing by its key."""
        self._add(Way.KEY, key, thing)

    def add_address(self, address: str, thing: int, *, canonical: bool = False) -> None:
        """Add a page of a thing. canonical: the page claims this address but stands at another."""
        self._add_forms(find_forms(address), thing, Way.CANONICAL if canonical else Way.ADDRESS)

    def add_redirects(self, redirects: Mapping[str, str]) -> None:
        """Add addresses that were found to lead to others: {address: where it leads}. Chains are followed, circles lead nowhere."""
        targets = {forms.exact: target for source, target in redirects.items() if (forms := find_forms(source))}
        for source in redirects:
            target = _follow(source, targets)
            found = self._find_direct(target) if target else NoPartner()
            if isinstance(found, Partner):
                self._add_forms(find_forms(source), found.thing, Way.REDIRECT)

    def find_key(self, key: str) -> Found:
        """Return the thing with a key."""
        return self._find(Way.KEY, key) or NoPartner()

    def find_address(self, address: str) -> Found:
        """Return the thing that an address leads to."""
        forms = find_forms(address)
        if forms is None:
            return NoPartner()
        ways = ((Way.ADDRESS, forms.exact), (Way.REDIRECT, forms.exact), (Way.CANONICAL, forms.exact), (Way.LOOSE, forms.loose))
        return next((found for way, text in ways if (found := self._find(way, text))), NoPartner())

    def find_links(self, addresses: Iterable[str]) -> Found:
        """Return the only thing that the links of a row lead to. Links that lead nowhere do not count."""
        found = [self.find_address(each) for each in addresses]
        partners = [each for each in found if isinstance(each, Partner)]
        things = {each.thing for each in partners}
        doubt = max((each.things for each in found if isinstance(each, NoPartner)), default=0)
        if len(things) == 1 and not doubt:
            return min(partners, key=lambda each: each.way)
        return NoPartner(max(len(things), doubt) if len(things) > 1 or doubt else 0)

    def _find_direct(self, address: str) -> Found:
        forms = find_forms(address)
        return (forms and (self._find(Way.ADDRESS, forms.exact) or self._find(Way.LOOSE, forms.loose))) or NoPartner()

    def _find(self, way: Way, text: str) -> Found | None:
        known = self._known[way].get(_shorten(text))
        if known is None:
            return None
        return NoPartner(len(known)) if isinstance(known, set) else Partner(known, way)

    def _add_forms(self, forms: AddressForms | None, thing: int, way: Way) -> None:
        if forms:
            self._add(way, forms.exact, thing)
            self._add(Way.LOOSE, forms.loose, thing)

    def _add(self, way: Way, text: str, thing: int) -> None:
        place, known = _shorten(text), self._known[way]
        before = known.setdefault(place, thing)
        if isinstance(before, set):
            before.add(thing)
        elif before != thing:
            known[place] = {before, thing}


def _follow(address: str, targets: Mapping[str, str]) -> str:
    """Return where an address finally leads, "" if it leads round in a circle or on and on."""
    for _ in range(MAX_REDIRECTS):
        forms = find_forms(address)
        if forms is None or forms.exact not in targets:
            return address
        address = targets[forms.exact]
    return ""


def _shorten(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class SharedAttribute:
    """An attribute that both sides have.

    name: whose values count under this name are those of `winner`, or of the other side if that has none.
    other: the name under which the losing side's own values stay.
    """

    name: str
    other: str
    winner: Side


@dataclass(frozen=True, slots=True)
class Merged:
    """The values of a joined record. conflicts: the shared attributes that both sides have with different values, by name."""

    values: dict[str, Sequence[Mapping[str, Any]]]
    conflicts: tuple[str, ...] = field(default=())


def merge_values(row: Values, page: Values, shared: Sequence[SharedAttribute]) -> Merged:
    """Return the values of a row and of its page as one record. Either may be empty.

    A shared attribute keeps the values of both sides: `name` holds those that count, `other` those of the losing side.
    """
    names = {each.name for each in shared}
    merged = {name: many for side in (row, page) for name, many in side.items() if name not in names and many}
    conflicts = []
    for each in shared:
        sides = {"listing": row.get(each.name, ()), "page": page.get(each.name, ())}
        wins, loses = sides[each.winner], sides["listing" if each.winner == "page" else "page"]
        if wins or loses:
            merged[each.name] = wins or loses
        if loses:
            merged[each.other] = loses
        if wins and loses and compare_texts(wins) != compare_texts(loses):
            conflicts.append(each.name)
    return Merged(merged, tuple(sorted(conflicts)))


def compare_texts(values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the texts by which values are compared: their normal forms, or what stands on the page, without extra spaces."""
    return [" ".join(str(each["raw"] if each.get("value") is None else each["value"]).split()) for each in values]


def find_differences(row: Values, other: Values) -> list[str]:
    """Return the attributes that two rows of the same thing both have with different values, by name."""
    return sorted(name for name in row if row[name] and other.get(name) and compare_texts(row[name]) != compare_texts(other[name]))
