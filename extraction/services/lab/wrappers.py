"""Infer a wrapper from a template's sample pages with RoadRunner, to show it and to take fields from it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Condition
from typing import Any

from cachetools import LRUCache, cached
from django.contrib.auth.models import User
from django.utils.translation import gettext, ngettext

from extraction.algorithms.alignment.roadrunner.infer import PAGES, Inference, infer_from_few_pages
from extraction.algorithms.alignment.roadrunner.printing import PrintedLine, print_lines
from extraction.algorithms.alignment.roadrunner.wrapper import find_row_elements
from extraction.algorithms.alignment.schema import Repeated, Row, Structure, Tuple, Value
from extraction.algorithms.errors import AlignmentError
from extraction.algorithms.rules.guess import guess_type
from extraction.algorithms.suggestion.opinions import name_fields
from extraction.models import Cluster, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.suggestions import suggested_fields, taking_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import sample_pages

EXAMPLES = 3
"""Example values shown per column."""

COLUMNS, LINES = 300, 5_000
"""Fields and lines shown of a wrapper. Real wrappers have up to 260 fields, but pages of thousands of equal rows give as many
fields."""


@dataclass(frozen=True, slots=True)
class WrapperColumn:
    """A field of the wrapper.

    place: its number, from 0.
    letter: its name in the wrapper.
    set: the name of its set; "" for none.
    name: the name of the suggested field with the same values; "" for none.
    filled: how many pages have it.
    """

    place: int
    letter: str
    set: str
    name: str
    type: str
    multiple: bool
    filled: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A repeated part of the wrapper.

    element: the label of the first element of a row; "" if there is none.
    rows: {number of the page, from 0: number of rows}.
    columns: the names of its own fields.
    sets: the names of the sets within its rows.
    """

    letter: str
    element: str
    rows: Mapping[int, int]
    columns: tuple[str, ...]
    sets: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of rows on all pages together."""
        return sum(self.rows.values())


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """An inferred wrapper with its pages.

    key: identifies the pages.
    snapshots: the pages, in the order of the structure's rows.
    """

    key: str
    snapshots: tuple[Snapshot, ...]
    found: Inference

    @property
    def read(self) -> int:
        """The number of pages that the wrapper matches."""
        return len(self.snapshots) - len(self.found.unread)

    @property
    def fields(self) -> int:
        """The number of its fields, including those that are not shown."""
        return sum(1 for _ in self.found.structure.schema.fields())

    @property
    def lines(self) -> list[PrintedLine]:
        """The wrapper as lines of a regular expression, at most `LINES`."""
        return list(islice(print_lines((self.found.wrapper.root,)), LINES))


def infer_wrapper(cluster: Cluster, *, pages: int = PAGES) -> Look:
    """Infer a wrapper from a template's first sample pages and match it with all sample pages.

    The result is cached for each set of pages. Raises JobError when fewer than two pages can be read, or when RoadRunner
    gives up.

    pages: the number of pages to infer the wrapper from.
    """
    samples = sample_pages.read_samples(cluster, least=pages)
    return _infer(cluster, samples, pages)


@cached(LRUCache(10), key=lambda _cluster, samples, pages: (samples.key, pages), condition=Condition())
def _infer(cluster: Cluster, samples: sample_pages.Samples, pages: int) -> Look:
    kept, roots = sample_pages.read_trees(samples.snapshots)
    if len(roots) < 2:
        raise JobError(
            ngettext(
                "%(cluster)s has %(roots)s readable sample page; a comparison needs at least two",
                "%(cluster)s has %(roots)s readable sample pages; a comparison needs at least two",
                len(roots),
            )
            % {"cluster": cluster.label, "roots": len(roots)}
        )
    try:
        return Look(samples.key, tuple(kept), infer_from_few_pages(roots, most=pages))
    except AlignmentError as error:
        raise JobError(gettext("RoadRunner gives up on %(cluster)s: %(error)s") % {"cluster": cluster.label, "error": error}) from error


def find_columns(cluster: Cluster, seen: Look) -> list[WrapperColumn]:
    """Return the fields of a wrapper as columns, in the order of the page, at most `COLUMNS`."""
    structure = seen.found.structure
    known = (
        name_fields(suggested_fields.find_columns(cluster), structure) if suggested_fields.suggest_fields(cluster).key == seen.key else {}
    )
    sets = {name: each.name for each in structure.schema.sets() for name in each.part.fields(within_sets=False)}
    shown = islice(enumerate(structure.columns().items()), COLUMNS)
    return [_column(place, letter, sets.get(letter, ""), known.get(letter, ""), pages) for place, (letter, pages) in shown if pages]


def _column(place: int, letter: str, within: str, name: str, pages: Mapping[int, Sequence[Value]]) -> WrapperColumn:
    texts = [value.text for row in pages.values() for value in row]
    examples = tuple(" · ".join(value.text for value in row) for row in list(pages.values())[:EXAMPLES])
    return WrapperColumn(place, letter, within, name, guess_type(texts), any(len(row) > 1 for row in pages.values()), len(pages), examples)


def build_tables(seen: Look) -> list[Table]:
    """Return the repeated parts of a wrapper, those with the most rows first.

    They are a second opinion about where the lists of a template are.
    """
    structure, elements = seen.found.structure, dict(find_row_elements((seen.found.wrapper.root,)))
    counts = {name: {page: len(rows) for page, rows in pages.items()} for name, pages in structure.tables().items()}
    found = [
        Table(
            each.name,
            elements.get(each.name, ""),
            counts[each.name],
            tuple(each.part.fields(within_sets=False)),
            tuple(inner.name for inner in _inner(each.part)),
        )
        for each in structure.schema.sets()
    ]
    return sorted(found, key=lambda table: (-table.total, table.letter))


def _inner(part: Tuple) -> Iterator[Repeated]:
    """Return the sets of a part that are not inside another of its sets."""
    sets = list(part.sets())
    deeper = {each.name for outer in sets for each in outer.part.sets()}
    return (each for each in sets if each.name not in deeper)


def take_columns(cluster: Cluster, key: str, taken: Sequence[TakenColumns], user: User | None, *, type_name: str = "") -> int:
    """Turn the accepted columns into attributes, mark them on the first matching sample pages and return the number of those pages.

    Raises JobError when the sample pages have changed since the wrapper was shown.

    key: the key of the wrapper that was shown.
    type_name: the name of the record type to create if the template has none.
    """
    seen = infer_wrapper(cluster)
    if seen.key != key:
        raise JobError(gettext("the template's sample pages have changed; look at the wrapper again"))
    read = [number for number in range(len(seen.snapshots)) if number not in seen.found.unread]
    by_place = dict(enumerate(seen.found.structure.columns().values()))
    rows = [(each, _renumbered(by_place[each.place], read)) for each in taken if each.place in by_place]
    return taking_fields.take_columns(cluster, [seen.snapshots[number].pk for number in read], rows, user, type_name=type_name)


def _renumbered(values: taking_fields.Values, pages: Sequence[int]) -> taking_fields.Values:
    """Return the values of some pages, keyed by the position of the page in `pages`."""
    return {place: values[number] for place, number in enumerate(pages) if number in values}


def write_json(structure: Structure, urls: Sequence[str]) -> str:
    """Return the data set as JSON Lines, one line per page."""
    rows = ({"page": url, **_plain(row)} for url, row in zip(urls, structure.rows, strict=True))
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def _plain(row: Row) -> dict[str, Any]:
    return {name: held.text if isinstance(held, Value) else [_plain(each) for each in held] for name, held in row.items()}


def write_tsv(structure: Structure, urls: Sequence[str]) -> str:
    """Return the data set as TSV: one line per page, one column per field. Several values of a field are joined by " | "."""
    found = structure.columns()
    table = [["page", *found], *([url, *(_cell(pages.get(at, ())) for pages in found.values())] for at, url in enumerate(urls))]
    return "\n".join("\t".join(row) for row in table)


def _cell(values: Sequence[Value]) -> str:
    return " | ".join(value.text for value in values)
