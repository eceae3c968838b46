"""Search joined records."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.models import Join, JoinedRecord
from extraction.models.join import JoinColumn
from extraction.models.kept.searching import match_joined
from extraction.services.records.records import select_first_raw, select_first_value

CONFLICTS, SEVERAL, DISAGREEING, INCOMPLETE = "conflicts", "several", "disagreeing", "incomplete"
"""Parts of the joined records, besides the states."""

PARTS: Sequence[tuple[str, StrOrPromise]] = (
    *JoinedRecord.State.choices,
    (CONFLICTS, gettext_lazy("Sides differ")),
    (SEVERAL, gettext_lazy("Several rows")),
    (DISAGREEING, gettext_lazy("Rows differ")),
    (INCOMPLETE, gettext_lazy("Page incomplete")),
)
"""What a search can be limited to: (name, words)."""


def search_joined(join: Join, *, query: str = "", part: str = "", missing: str = "", sort: str = "") -> QuerySet[JoinedRecord]:
    """Return the joined records that match all conditions. What is unknown is ignored.

    query: words; each must occur in the values or in the address.
    part: one of PARTS.
    missing: the name of a column that must have no value.
    sort: the name of a column, with "-" in front for descending order. Records without a value come last.
    """
    found = JoinedRecord.objects.filter(join=join).select_related("page")
    for word in query.split():
        found = found.filter(match_joined(word))
    found = found.filter(_match_part(part))
    columns = {each.name: each for each in join.read_result().columns}
    if missing in columns:
        found = found.alias(lacking=select_first_raw(missing)).filter(lacking__isnull=True)
    return _sort(found, columns.get(sort.removeprefix("-")), descending=sort.startswith("-"))


def _match_part(part: str) -> Q:
    if part in JoinedRecord.State.values:
        return Q(state=part)
    return {
        CONFLICTS: ~Q(conflicts=[]),
        SEVERAL: Q(rows__gt=1, state=JoinedRecord.State.JOINED),
        DISAGREEING: Q(disagreeing=True),
        INCOMPLETE: Q(complete=False),
    }.get(part, Q())


def _sort(found: QuerySet[JoinedRecord], column: JoinColumn | None, *, descending: bool) -> QuerySet[JoinedRecord]:
    if column is None:
        return found.order_by("pk")
    value = select_first_value(column.name, column.type)
    return found.order_by(value.desc(nulls_last=True) if descending else value.asc(nulls_last=True), "pk")
