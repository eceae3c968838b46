"""Search the audit log, and write what was found as CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from extraction.algorithms.records.csv_text import guard_formula, join_lines, write_line
from extraction.models import (
    AuditEntry,
    AuditKind,
    Role,
    Site,
)
from extraction.services.core import audit
from extraction.services.core.access import visible_to

COLUMNS = ("time", "source", "person", "token", "site", "kind", "what", "details", "times", "id")

AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSearch:
    """What is looked for; what is empty matches everything.

    text: a part of what was changed, of the object, the site or the token.
    person: the whole name.
    since, before: the first moment, and the first moment after it.
    """

    text: str = ""
    person: str = ""
    site: Site | None = None
    kind: str = ""
    source: str = ""
    since: datetime | None = None
    before: datetime | None = None


def find_entries(search: AuditSearch, user: User) -> QuerySet[AuditEntry]:
    """Return the entries that match, of the teams of which a person is an administrator."""
    found = visible_to(AuditEntry.objects.select_related("site"), user, least=Role.ADMIN)
    exact = {"by_name": search.person, "site": search.site, "kind": search.kind, "source": search.source}
    found = found.filter(**{name: value for name, value in exact.items() if value})
    if search.since:
        found = found.filter(at__gte=search.since)
    if search.before:
        found = found.filter(at__lt=search.before)
    for word in search.text.split():
        places = ("what", "text", "site_name", "token", "by_name")
        match = Q()
        for place in places:
            match |= Q(**{f"{place}__icontains": word})
        found = found.filter(match)
    return found


def list_people(user: User) -> list[str]:
    """Return the names that occur in what a person sees of the log."""
    found = visible_to(AuditEntry.objects.exclude(by_name=""), user, least=Role.ADMIN)
    return sorted(set(found.order_by().values_list("by_name", flat=True).distinct()), key=str.casefold)


def export_entries(search: AuditSearch, user: User) -> Iterator[str]:
    """Return the matching entries as pieces of a CSV file, newest first. The export is an entry of the log itself."""
    with transaction.atomic():
        audit.record(AuditKind.RECORDS_EXPORTED, "audit log")
    return join_lines(_write_lines(find_entries(search, user)))


def _write_lines(found: QuerySet[AuditEntry]) -> Iterator[str]:
    yield write_line(COLUMNS)
    last: int | None = None
    while rows := list((found if last is None else found.filter(pk__lt=last)).order_by("-pk")[:AT_ONCE]):
        for row in rows:
            cells = (row.at.isoformat(), row.source, row.by_name, row.token, row.site_name, row.kind_words, row.what, row.text)
            yield write_line([guard_formula(cell) for cell in cells] + [str(row.times), str(row.pk)])
        last = rows[-1].pk
