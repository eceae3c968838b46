"""Suggested fields: from a template of which nothing is annotated to a record type with marked pages.

What an editor takes becomes attributes and, on the first sample pages, labels like any other: to be looked at in the workbench,
put right there, and learned from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from extraction.algorithms.rules.guess import guess_type
from extraction.algorithms.suggestion.suggest import Column, suggest
from extraction.models import Attribute, Cluster, Label, Snapshot
from extraction.services import clusters, record_types, sample_roots
from extraction.services.labelling import read_nodes, set_labels
from extraction.services.recent import Recent
from extraction.services.record_types import AttributeDraft
from extraction.services.runs import JobError

COLUMNS = 30
"""Columns offered."""

MARKED_PAGES = 3
"""Pages on which the values of the taken columns are marked."""

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Field:
    """A column as offered. place: its number; pages: those looked at; filled: those that have it; examples: values of some pages."""

    place: int
    name: str
    type: str
    multiple: bool
    constant: bool
    filled: int
    pages: int
    examples: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share of the pages that have it."""
        return self.filled / self.pages


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered for a template. key: says of which pages; fields: the best first."""

    key: str
    pages: int
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A field that an editor takes, under the name and type chosen."""

    place: int
    name: str
    type: str


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    snapshots: tuple[int, ...]
    columns: tuple[Column, ...]
    fields: tuple[Field, ...]


_FOUND: Recent[str, _Found] = Recent(20)


def offer(cluster: Cluster) -> Offer:
    """The columns proposed for a template's sample pages; computed once for the same pages."""
    key, found = _find(cluster)
    return Offer(key, len(found.snapshots), found.fields)


def use(cluster: Cluster, key: str, taken: Sequence[Taken], user: Any, *, type_name: str = "") -> int:
    """Makes attributes of the columns taken and marks them on the first sample pages; gives the number of pages marked.

    key: the offer's. type_name: of the record type to be made where the template has none. What was marked before stays.
    Raises JobError when the pages are others by now.
    """
    now, found = _find(cluster)
    if now != key:
        raise JobError("the template's sample pages changed meanwhile; look at the suggestions again")
    wanted = [each for each in taken if each.place < len(found.columns)]
    with transaction.atomic():
        attributes = _attributes(cluster, wanted, found, type_name)
        pages = list(Snapshot.objects.in_bulk(found.snapshots[:MARKED_PAGES]).values())
        rows = [(attributes[each.name.lower()], found.columns[each.place]) for each in wanted]
        for page in pages:
            _mark(cluster, page, found.snapshots.index(page.pk), rows, user)
    return len(pages)


def _find(cluster: Cluster) -> tuple[str, _Found]:
    samples = sample_roots.of(cluster)
    return samples.key, _FOUND.get(samples.key) or _FOUND.put(samples.key, _read(samples.snapshots))


def _read(samples: Sequence[Snapshot]) -> _Found:
    kept, roots = sample_roots.read(samples)
    columns = suggest(roots, most=COLUMNS)
    language = roots[0].get("lang") if roots else None
    fields = tuple(_field(place, column, len(kept), language) for place, column in enumerate(columns))
    return _Found(tuple(snapshot.pk for snapshot in kept), tuple(columns), fields)


def _field(place: int, column: Column, pages: int, language: str | None) -> Field:
    texts = [each.text for row in column.values.values() for each in row]
    examples = tuple(" · ".join(each.text for each in row) for row in list(column.values.values())[:EXAMPLES])
    kind = guess_type(texts, language=language)
    return Field(place, column.name, kind, column.multiple, column.constant, len(column.values), pages, examples)


def _attributes(cluster: Cluster, wanted: Sequence[Taken], found: _Found, type_name: str) -> dict[str, Attribute]:
    """{name in lower case: attribute} of the template's record type, those that are missing made."""
    drafts = [AttributeDraft(None, each.name, each.type, multiple=found.columns[each.place].multiple) for each in wanted]
    if cluster.record_type is None:
        clusters.set_record_type(cluster, record_types.create(type_name, "", drafts))
    else:
        record_types.add(cluster.record_type, drafts)
    assert cluster.record_type is not None  # noqa: S101 - set just above; the checker does not see it
    return {each.name.lower(): each for each in cluster.record_type.attributes.all()}


def _mark(cluster: Cluster, page: Snapshot, number: int, rows: Sequence[tuple[Attribute, Column]], user: Any) -> None:
    """Marks a page: the column's places, or that the attribute is not on it; what somebody said of it before stays."""
    said = set(Label.objects.filter(cluster=cluster, snapshot=page).values_list("attribute", flat=True))
    nodes = read_nodes(page)
    for attribute, column in rows:
        if attribute.pk in said or attribute.list_id is not None:
            continue
        places = [each.place for each in column.values.get(number, ())]
        set_labels(cluster, page, attribute, (places if attribute.multiple else places[:1]) or None, user, nodes=nodes)
