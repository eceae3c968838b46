"""Suggest lists for a template on which nothing is marked yet.

A list that an editor accepts becomes a list of the record type with its attributes, and its rows are marked on the first
sample pages that show it. The marks are like any others: the editor can correct them in the workbench and learn a rule
from them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Condition
from typing import Any

from cachetools import LRUCache, cached
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.rules.guess import guess_type
from extraction.algorithms.suggestion.known_names import NamedField, pair_fields
from extraction.algorithms.suggestion.lists import ListField, SuggestedList, add_opinions, choose_rows_to_mark
from extraction.algorithms.suggestion.row_links import is_link
from extraction.models import Attribute, Cluster, Label, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.core.stored_pages import read_elements
from extraction.services.labels import list_offers
from extraction.services.labels.labelling import MAX_ROWS, set_labels
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.services.suggestions import found_lists, second_opinions, taking_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import clusters, sample_pages

MARKED_PAGES, MARKED_ROWS = 2, 2
"""Pages on which rows are marked, and rows per page. One page is enough to learn rows; the second shows what varies."""

WHOLE_ROWS = 40
"""If the first page has at most this many rows, the form proposes to mark all of them. Anything else on the page is then
known not to be a row."""

SHOWN_ROWS = 4
"""The number of rows shown as examples of a list."""


@dataclass(frozen=True, slots=True)
class OfferedField:
    """A suggested field of a list.

    place: its number in the list, from 0.
    filled: how many rows have it.
    share: `filled` as a share of all rows.
    """

    place: int
    name: str
    type: str
    multiple: bool
    filled: int
    share: float


@dataclass(frozen=True, slots=True)
class OfferedList:
    """A suggested list.

    place: its number, from 0.
    rows: the number of its rows on all pages together.
    pages: how many pages show it.
    first: the number of rows on the first of those pages.
    shown: its first rows, with a text for each field.
    agree: the other methods that found it.
    known: the places of the fields that a list of the record type has; None if it is none of those lists.
    """

    place: int
    name: str
    rows: int
    pages: int
    first: int
    fields: tuple[OfferedField, ...]
    shown: tuple[tuple[str, ...], ...]
    agree: tuple[str, ...]
    known: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class ListOffer:
    """The lists suggested for a template.

    key: identifies the pages.
    pages: how many were compared.
    cut: how many of them are so long that only their beginning was read.
    """

    key: str
    pages: int
    lists: tuple[OfferedList, ...]
    cut: int = 0


@dataclass(frozen=True, slots=True)
class TakenList:
    """A list that an editor accepts.

    every: mark all rows of the first page, not only MARKED_ROWS; anything else on that page is then known not to be a row.
    """

    place: int
    name: str
    fields: tuple[TakenColumns, ...]
    every: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """The result of accepting a list: how many rows were marked, and on how many pages."""

    rows: int
    pages: int


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    snapshots: tuple[int, ...]
    lists: tuple[SuggestedList, ...]
    offered: tuple[OfferedList, ...]


def suggest_lists(cluster: Cluster) -> ListOffer:
    """Return the lists found on a template's sample pages. The result is cached for each set of pages.

    A list that the record type seems to have already gets the names that it has there.
    """
    key, found = _find(cluster)
    cut = {page for each in found.lists for page in each.section.cut}
    return ListOffer(key, len(found.snapshots), _name_as_known(found.offered, cluster), len(cut))


def take_list(cluster: Cluster, key: str, taken: TakenList, user: User | None, *, type_name: str = "") -> Marked:
    """Turn the accepted fields into a list and mark rows of it.

    Pages that already have marks of the list are not changed. Raises JobError when the sample pages have changed since
    the offer, or when a name is already used for another attribute.

    key: the key of the offer.
    type_name: as in `taking_fields.take_columns`.
    """
    now, found = _find(cluster)
    if now != key or taken.place >= len(found.lists):
        raise JobError(gettext("the template's sample pages have changed; look at the lists again"))
    chosen = found.lists[taken.place]
    fields = [(each, chosen.fields[each.place]) for each in taken.fields if each.place < len(chosen.fields)]
    with transaction.atomic():
        taking_fields.use_named_type(cluster, type_name)
        attributes = _attributes(cluster, taken.name, fields, type_name)
        rows = [(attributes[each.name.lower()], field) for each, field in fields]
        return _mark(cluster, chosen, rows, found.snapshots, user, every=taken.every)


def _find(cluster: Cluster) -> tuple[str, _Found]:
    samples = sample_pages.read_samples(cluster)
    return samples.key, _read(samples)


@cached(LRUCache(20), key=lambda samples: samples.key, condition=Condition())
def _read(samples: sample_pages.Samples) -> _Found:
    kept, roots = sample_pages.read_trees(samples.snapshots)
    lists = tuple(add_opinions(found_lists.find_lists(samples.key, roots), second_opinions.find_structures(samples.key, roots)))
    language = detect_language(roots[0]) if roots else None
    offered = tuple(_offered(place, each, language) for place, each in enumerate(lists))
    return _Found(tuple(snapshot.pk for snapshot in kept), lists, offered)


def _offered(place: int, found: SuggestedList, language: str | None) -> OfferedList:
    rows = next(iter(found.section.rows.values()))
    shown = tuple(tuple(_cell(row.values.get(field.number, ())) for field in found.fields) for row in rows[:SHOWN_ROWS])
    fields = tuple(_field(number, found, field, language) for number, field in enumerate(found.fields))
    return OfferedList(place, found.name, found.rows, len(found.section.rows), len(rows), fields, shown, found.agree)


def _name_as_known(offered: Sequence[OfferedList], cluster: Cluster) -> tuple[OfferedList, ...]:
    """Return the lists with the names of the record type: for each of its lists, the one that has most of the fields takes its names."""
    attributes = tuple(cluster.record_type.attributes.select_related("list")) if cluster.record_type else ()
    known = defaultdict[str, list[NamedField]](list)
    for each in attributes:
        if each.list:
            known[each.list.name].append(_named(each.name, each.type))
    lists = list(offered)
    for name, fields in known.items():
        pairs = [pair_fields([_named(field.name, field.type) for field in each.fields], fields) for each in lists]
        best = max(range(len(lists)), key=lambda place: len(pairs[place]), default=None)
        if best is not None and 2 * len(pairs[best]) > len(fields):
            names = {place: fields[found].name for place, found in pairs[best].items()}
            lists[best] = _rename(lists[best], name, names, {each.name.lower() for each in attributes})
    return tuple(lists)


def _rename(offered: OfferedList, name: str, names: Mapping[int, str], taken: Collection[str]) -> OfferedList:
    """Return a list with other names. The fields without a new name keep theirs, unless it is taken."""
    own = (f"{name}_{field.name}" if field.name.lower() in taken else field.name for field in offered.fields)
    fields = tuple(replace(field, name=names.get(field.place, kept)) for field, kept in zip(offered.fields, own, strict=True))
    return replace(offered, name=name, fields=fields, known=frozenset(names))


def _named(name: str, kind: str) -> NamedField:
    return NamedField(name, "" if kind == Attribute.Type.TEXT else kind)


def _cell(values: Sequence[Any]) -> str:
    return " · ".join(value.text for value in values)


def _field(place: int, found: SuggestedList, field: ListField, language: str | None) -> OfferedField:
    texts = [value.text for rows in found.section.rows.values() for row in rows for value in row.values.get(field.number, ())]
    kind = Attribute.Type.URL if is_link(found.section.fields[field.number]) else guess_type(texts, language=language)
    return OfferedField(place, field.name, kind, field.multiple, field.filled, field.filled / found.rows)


def _attributes(cluster: Cluster, name: str, fields: Sequence[tuple[TakenColumns, ListField]], type_name: str) -> dict[str, Attribute]:
    """Create the attributes of the list that are missing, and return {name in lower case: attribute} for all."""
    drafts = [AttributeDraft(None, each.name, each.type, multiple=field.multiple, list=name) for each, field in fields]
    if cluster.record_type is None:
        clusters.set_record_type(cluster, record_types.create_record_type(type_name, "", drafts, team=cluster.site.team))
    else:
        for each in cluster.record_type.attributes.select_related("list"):
            clash = any(each.name.lower() == draft.name.lower() for draft in drafts)
            if clash and (each.list is None or each.list.name != name):
                if each.list:
                    said = gettext("%(name)s is already an attribute of the list %(list)s; give the list's field another name")
                    raise JobError(said % {"name": each.name, "list": each.list.name})
                raise JobError(
                    gettext("%(name)s is already an attribute of the page; give the list's field another name") % {"name": each.name}
                )
        record_types.add_attributes(cluster.record_type, drafts)
    assert cluster.record_type is not None  # noqa: S101 - set above; the type checker cannot see it
    return {each.name.lower(): each for each in cluster.record_type.attributes.filter(list__name=name)}


def _mark(
    cluster: Cluster,
    found: SuggestedList,
    fields: Sequence[tuple[Attribute, ListField]],
    snapshots: Sequence[int],
    user: User | None,
    *,
    every: bool,
) -> Marked:
    shown = [page for page in found.section.rows if len(found.section.rows[page]) > 1][:MARKED_PAGES]
    pages = Snapshot.objects.in_bulk([snapshots[page] for page in shown])
    known = set(Label.objects.filter(cluster=cluster, attribute__in=[each for each, _ in fields]).values_list("snapshot", flat=True))
    marked = [page for page in shown if snapshots[page] in pages and snapshots[page] not in known]
    numbers, count, whole = [field.number for _, field in fields], 0, list[int]()
    for page in marked:
        every_row = every and page == shown[0]
        snapshot = pages[snapshots[page]]
        nodes = read_elements(snapshot)
        rows = choose_rows_to_mark(found, page, numbers, most=MAX_ROWS if every_row else MARKED_ROWS)
        for number, row in enumerate(rows, 1):
            for attribute, field in fields:
                places = [value.place for value in row.values.get(field.number, ())]
                kept = places if attribute.multiple else places[:1]
                set_labels(cluster, snapshot, attribute, kept or None, user, row=number, nodes=nodes)
        count += len(rows)
        if every_row and len(rows) == len(found.section.rows[page]) and all(row.values.keys() & set(numbers) for row in rows):
            whole.append(snapshots[page])
    record_list = fields[0][0].list
    if record_list and not known:
        list_offers.note_offer(cluster, record_list, {snapshots[page]: len(rows) for page, rows in found.section.rows.items()}, whole)
    return Marked(count, len(marked))
