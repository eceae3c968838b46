"""Deletes what checks stored and nobody needs any more: pages that only a check fetched, and old checks that found nothing broken.

On a site that changes daily, each bellwether has new content every day. These are kept: baselines, pages that people or rules have used,
pages that an open breakage shows, and, for EVIDENCE_DAYS, the pages of checks that found something. Bytes are deleted when no other
snapshot or asset has them. They go to a bin first and are deleted for good days later, since an import may store the same bytes at the
same moment.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from extraction.models import Bellwether, Breakage, Check, Label, Record, RecordChange, SamplePage, Snapshot
from extraction.services.core import left_bytes, stored_bytes
from extraction.services.sites import page_pictures

EVIDENCE_DAYS = 90
"""How long the pages of a check that found something are kept."""

YOUNGEST_DAYS = 1
"""Pages fetched within so many days are left alone, because a check may be working with them."""

BIN_DAYS = 3
"""How long bytes stay in the bin."""

OK_DAYS = 365
"""Of older checks that found nothing broken, one for each month and template is kept."""

CHUNK = 200


def tidy_checks(now: datetime) -> tuple[int, int]:
    """Deletes what is no longer needed. Returns how many (snapshots, checks). Running it twice, or two at once, does no harm."""
    for sha256 in stored_bytes.find_thrown_away(now - timedelta(days=BIN_DAYS)):
        stored_bytes.empty_trash(sha256, wanted=_wanted(sha256))
    shown = _shown(now)
    old = _unused().filter(fetched_at__lt=now - timedelta(days=YOUNGEST_DAYS)).values_list("pk", flat=True)
    free = [pk for pk in old.order_by("pk") if pk not in shown]
    snapshots = sum(_delete(free[at : at + CHUNK]) for at in range(0, len(free), CHUNK))
    return snapshots, _thin(now)


def _unused() -> "QuerySet[Snapshot]":
    """Return the snapshots that only a check fetched and that only checks refer to."""
    used = Q(pk__in=Label.objects.values("snapshot")) | Q(pk__in=Record.objects.values("snapshot"))
    used |= Q(pk__in=SamplePage.objects.values("snapshot")) | Q(pk__in=Bellwether.objects.values("baseline"))
    used |= Q(Exists(RecordChange.objects.filter(Q(snapshot=OuterRef("pk")) | Q(before=OuterRef("pk")))))
    used |= Q(pk=F("page__current"))
    return Snapshot.objects.filter(checked=True).exclude(used)


def _shown(now: datetime) -> set[int]:
    """The snapshots shown by checks that people still look at."""
    recent = Q(checked_at__gte=now - timedelta(days=EVIDENCE_DAYS)) & ~Q(evidence=[])
    checks = Check.objects.filter(recent | Q(pk__in=Breakage.objects.open().values("check_found")))
    return {pk for check in checks.only("pages").iterator() for page in check.read_pages() for pk in (page.old, page.new) if pk}


def _delete(snapshots: Sequence[int]) -> int:
    """Deletes the snapshots that are still unused, under a lock. Their bytes go to the bin unless something else has them."""
    with transaction.atomic():
        list(Snapshot.objects.select_for_update().filter(pk__in=snapshots).order_by("pk").values_list("pk"))
        free = list(_unused().filter(pk__in=snapshots))
        pictures = page_pictures.list_digests(free)
        Snapshot.objects.filter(pk__in=[each.pk for each in free]).delete()
    for sha256 in sorted({each.sha256 for each in free} | pictures):
        if not _wanted(sha256):
            stored_bytes.throw_away(sha256)
    return len(free)


def _wanted(sha256: str) -> bool:
    return sha256 in left_bytes.find_wanted([sha256])


def _thin(now: datetime) -> int:
    """Deletes old checks that found nothing broken, except the first of each month and template."""
    old = Check.objects.filter(verdict=Check.Verdict.OK, checked_at__lt=now - timedelta(days=OK_DAYS), breakages=None)
    kept, doomed = set[tuple[int, int, int]](), list[int]()
    for pk, cluster, at in old.order_by("checked_at", "pk").values_list("pk", "cluster", "checked_at"):
        month = (cluster, at.year, at.month)
        if month in kept:
            doomed.append(pk)
        kept.add(month)
    for place in range(0, len(doomed), CHUNK):
        Check.objects.filter(pk__in=doomed[place : place + CHUNK]).delete()
    return len(doomed)
