"""Turn the columns that an editor accepts into attributes and into marks on a few sample pages."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import ngettext

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.suggestion.languages import Languages, choose_pages
from extraction.models import Attribute, Cluster, Label, RecordType, Snapshot
from extraction.services.core.stored_pages import read_elements
from extraction.services.labels.labelling import set_labels
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.services.templates import clusters

MARKED_PAGES = 3
"""The number of pages on which the values of accepted columns are marked."""

MORE_PAGES = 3
"""The largest number of pages marked in addition, for suggested columns that none of the others has."""

Values = Mapping[int, Sequence[Value]]
"""{number of the page, from 0: the column's values in document order}."""


@dataclass(frozen=True, slots=True)
class TakenColumns:
    """A column that an editor accepts, with the chosen name and type. place: its number, from 0."""

    place: int
    name: str
    type: str


def take_columns(
    cluster: Cluster,
    snapshots: Sequence[int],
    rows: Sequence[tuple[TakenColumns, Values]],
    user: User | None,
    *,
    type_name: str = "",
    languages: Languages = (),
    absences: Sequence[Set[int]] = (),
    more: int = 0,
) -> int:
    """Turn columns into attributes, mark their values on some pages and return the number of those pages.

    Existing marks stay.

    snapshots: ids of the snapshots that were compared. The page numbers in `rows` are positions in this sequence.
    rows: each accepted column with its values.
    type_name: the name of the record type if the template has none: of one of the team, or of a new one.
    languages: of the pages, if they are in several.
    absences: for each of `rows`, the pages on which the column is known to be missing. Elsewhere, a column without values is not marked.
    more: how many pages may be marked in addition, for columns that none of the others has.
    """
    with transaction.atomic():
        use_named_type(cluster, type_name)
        attributes = _attributes(cluster, rows, type_name)
        numbers = choose_pages(languages, MARKED_PAGES, [values for _, values in rows], more=more)
        chosen = [snapshots[n] for n in numbers if n < len(snapshots)]
        pages = list(Snapshot.objects.in_bulk(chosen).values())
        for page in pages:
            number = snapshots.index(page.pk)
            known = [
                row
                for row, absent in zip(rows, absences or [frozenset[int]()] * len(rows), strict=True)
                if row[1].get(number) or number in absent
            ]
            _mark(cluster, page, [(attributes[each.name.lower()], values.get(number, ())) for each, values in known], user)
    return len(pages)


def find_named_type(cluster: Cluster, name: str) -> RecordType | None:
    """Return the record type of a name in the template's team."""
    return RecordType.objects.filter(team=cluster.site.team_id, name__iexact=name.strip()).order_by("pk").first()


def use_named_type(cluster: Cluster, name: str) -> None:
    """Give a template without a record type the one of this name, if there is one."""
    known = find_named_type(cluster, name) if cluster.record_type is None else None
    if known is not None:
        clusters.set_record_type(cluster, known)


def describe_fields(fields: int, pages: int) -> str:
    """Return a message for the editor about the marked fields."""
    where = ngettext("%(pages)s page", "%(pages)s pages", pages) % {"pages": pages}
    return ngettext(
        "%(fields)s field marked on %(where)s. Check them and correct what is wrong.",
        "%(fields)s fields marked on %(where)s. Check them and correct what is wrong.",
        fields,
    ) % {"fields": fields, "where": where}


def has_several(values: Values) -> bool:
    """Return whether any page has several values of the column."""
    return any(len(row) > 1 for row in values.values())


def _attributes(cluster: Cluster, rows: Sequence[tuple[TakenColumns, Values]], type_name: str) -> dict[str, Attribute]:
    """Create the attributes that are missing, and return {name in lower case: attribute} of the template's record type."""
    drafts = [AttributeDraft(None, each.name, each.type, multiple=has_several(values)) for each, values in rows]
    if cluster.record_type is None:
        clusters.set_record_type(cluster, record_types.create_record_type(type_name, "", drafts, team=cluster.site.team))
    else:
        record_types.add_attributes(cluster.record_type, drafts)
    assert cluster.record_type is not None  # noqa: S101 - set above; the type checker cannot see it
    return {each.name.lower(): each for each in cluster.record_type.attributes.all()}


def _mark(cluster: Cluster, page: Snapshot, rows: Sequence[tuple[Attribute, Sequence[Value]]], user: User | None) -> None:
    """Mark the columns' values on a page; of a column without values, that the attribute is missing there.

    Attributes that already have a mark on the page and attributes of lists are skipped.
    """
    said = set(Label.objects.filter(cluster=cluster, snapshot=page).values_list("attribute", flat=True))
    nodes = read_elements(page)
    for attribute, values in rows:
        if attribute.pk in said or attribute.list_id is not None:
            continue
        places = [each.place for each in values]
        set_labels(cluster, page, attribute, (places if attribute.multiple else places[:1]) or None, user, nodes=nodes)
