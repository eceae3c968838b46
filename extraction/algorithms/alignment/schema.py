"""The result of a method for pages of one template: a nested schema, and a row of data for each page.

A `Tuple` is a sequence of fields, optional parts and repeated parts (sets). It is the union-free regular expression of a template without
its constant text (Crescenzi et al. 2001, section 3). Fields and sets have names that are unique in their schema: "A", "B", … in document
order. A `Row` maps each name to its content on the page: a value, or the rows of a set. A name without content has no key.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase

from extraction.algorithms.dom.nodes import Location

MAX_NESTING = 50
"""The largest number of sets and optional parts within each other that a method may find. Real pages have three; readers of a schema
recurse over them."""


@dataclass(frozen=True, slots=True)
class Value:
    """The content of a field on a page.

    text: the cleaned text.
    place: its place on the page.
    """

    text: str
    place: Location


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A place whose text (or attribute value) varies."""

    name: str


@dataclass(frozen=True, slots=True)
class Optional:
    """A part that some pages do not have."""

    part: "Tuple"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part that occurs one or more times: the rows of a set."""

    name: str
    part: "Tuple"


@dataclass(frozen=True, slots=True)
class Tuple:
    """A sequence of parts, in document order."""

    parts: "tuple[SchemaField | Optional | Repeated, ...]"

    def fields(self, *, within_sets: bool = True) -> Iterator[str]:
        """Yield the names of its fields in document order, including those in optional parts, and those in sets if wanted."""
        for part in self.parts:
            if isinstance(part, SchemaField):
                yield part.name
            elif within_sets or isinstance(part, Optional):
                yield from part.part.fields(within_sets=within_sets)

    def sets(self) -> "Iterator[Repeated]":
        """Yield all repeated parts in document order, an outer one before those within it."""
        for part in self.parts:
            if isinstance(part, Repeated):
                yield part
            if not isinstance(part, SchemaField):
                yield from part.part.sets()


Row = Mapping[str, "Value | tuple[Row, ...]"]
"""An instance of a `Tuple`: field name → value, set name → its rows. Fields of optional parts are on the same level as the others."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What a method found on some pages of one template.

    rows: one row for each page, in the order of the pages.
    notices: {page number, from 0: what is missing of it}.
    """

    schema: Tuple
    rows: tuple[Row, ...]
    notices: Mapping[int, str] = field(default_factory=dict)

    def columns(self) -> dict[str, dict[int, tuple[Value, ...]]]:
        """Return for every field {page number, from 0: its values in document order}, without pages that have none."""
        found: dict[str, dict[int, list[Value]]] = {name: {} for name in self.schema.fields()}
        for page, row in enumerate(self.rows):
            for name, value in _values(row):
                found[name].setdefault(page, []).append(value)
        return {name: {page: tuple(values) for page, values in pages.items()} for name, pages in found.items()}

    def tables(self) -> dict[str, dict[int, tuple[Row, ...]]]:
        """Return for every set {page number, from 0: its rows}. For a set within a set, all rows of a page follow each other."""
        found: dict[str, dict[int, list[Row]]] = {each.name: {} for each in self.schema.sets()}
        for page, row in enumerate(self.rows):
            for name, rows in _sets(row):
                found[name].setdefault(page, []).extend(rows)
        return {name: {page: tuple(rows) for page, rows in pages.items()} for name, pages in found.items()}


def column_name(number: int) -> str:
    """Return the name of the nth field or set, from 0: A, B, …, Z, AA, AB, …"""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, len(ascii_uppercase))
        name = ascii_uppercase[letter] + name
    return name


def _values(row: Row) -> Iterator[tuple[str, Value]]:
    for name, held in row.items():
        if isinstance(held, Value):
            yield name, held
        else:
            for each in held:
                yield from _values(each)


def _sets(row: Row) -> Iterator[tuple[str, "tuple[Row, ...]"]]:
    for name, held in row.items():
        if not isinstance(held, Value):
            yield name, held
            for each in held:
                yield from _sets(each)
