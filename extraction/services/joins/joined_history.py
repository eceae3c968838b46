"""What changed in a joined record, from the histories of its sides.

A joined record keeps no history of its own. Its values come from a page and from rows, and each of them is a record over time that tells
when, why and by which run a value changed. A copy could only repeat that, and it would be lost when a join is set up in another way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from extraction.algorithms.records.keys import make_key
from extraction.models import JoinedRecord, JoinedRow, RecordChange, RecordSource, TrackedRecord
from extraction.services.records.history import UNUSED
from extraction.services.records.key_schema import read_key_schemas

MAX_ROWS = 50
"""Rows of a joined record whose histories are read, the first ones."""


@dataclass(frozen=True, slots=True)
class JoinedHistory:
    """The changes of both sides.

    changes: newest first. cut: older ones are left out.
    things: the records over time of both sides; the page's first.
    unfollowed: lists whose rows have no key, so that their changes are not known.
    """

    changes: Sequence[RecordChange]
    cut: bool
    things: Sequence[TrackedRecord]
    unfollowed: Sequence[str]


def read_history(record: JoinedRecord, *, most: int) -> JoinedHistory:
    """Return what is known of the changes of a joined record. most: changes at most."""
    page = list(TrackedRecord.objects.filter(_of_page(record)).order_by("-pk")[:1]) if record.page_id and record.join.detail_id else []
    rows, unfollowed = _find_rows(list(record.sources.select_related("listing__list")[:MAX_ROWS]))
    things = list({each.pk: each for each in [*page, *rows]}.values())
    shown = ("record__page", "snapshot", "before", "rule", "cluster__site")
    found = RecordChange.objects.filter(record__in=things).select_related(*shown).defer(*UNUSED)
    changes = list(found.order_by("-at", "-pk")[: most + 1])
    return JoinedHistory(changes[:most], len(changes) > most, things, unfollowed)


def _of_page(record: JoinedRecord) -> Q:
    of_page = list(RecordSource.objects.filter(page=record.page_id).values_list("record", flat=True))
    return Q(pk__in=of_page, cluster=record.join.detail_id, list_name="") & ~Q(state=TrackedRecord.State.JOINED)


def _find_rows(sources: Sequence[JoinedRow]) -> tuple[list[TrackedRecord], list[str]]:
    """Return the records over time of these rows, and the lists that are not followed."""
    clusters = {each.listing.cluster_id for each in sources if each.listing.cluster_id}
    schemas = read_key_schemas(clusters)
    found: list[TrackedRecord] = []
    unfollowed: dict[str, None] = {}
    for each in sources:
        listed, cluster = each.listing.list, each.listing.cluster_id
        if listed is None or cluster is None:
            continue
        keys = schemas[cluster].lists.get(listed.name) if cluster in schemas else None
        if keys is None:
            unfollowed[listed.name] = None
            continue
        made = make_key(each.values, keys.names)
        if made:
            things = TrackedRecord.objects.filter(cluster=cluster, list_name=listed.name, sources__page=each.page_id)
            found += [thing for thing in things.distinct() if tuple(thing.key[-len(made.parts) :]) == made.parts]
    return found, list(unfollowed)
