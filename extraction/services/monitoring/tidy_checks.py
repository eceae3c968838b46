"""What checks stored and nobody needs any more: pages that only a check fetched, and checks that found all in order long ago.

A site that changes daily gives each of its bellwethers a new content a day. Kept is what is a baseline, what people or rules made
something of, what an open breakage shows, and for EVIDENCE_DAYS what a check that found something shows. The bytes go when no other
snapshot or asset has them: first to a bin, and for good days later, since an import may store the same bytes at the same moment.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from extraction.models import Asset, Bellwether, Breakage, Check, Label, Record, SamplePage, Snapshot
from extraction.services.core import stored_bytes

EVIDENCE_DAYS = 90
"""How long the pages of a check that found something are kept."""

YOUNGEST_DAYS = 1
"""Pages fetched since are left alone: a check may be at work with them."""

BIN_DAYS = 3
"""How long a content lies in the bin."""

OK_DAYS = 365
"""Of checks in order that are older, one a month and template is kept."""

CHUNK = 200


def tidy(now: datetime) -> tuple[int, int]:
    """(snapshots, checks) that were deleted. Does no harm when it is done twice, or at once."""
    for sha256 in stored_bytes.thrown(now - timedelta(days=BIN_DAYS)):
        stored_bytes.empty(sha256, wanted=_wanted(sha256))
    shown = _shown(now)
    old = _unused().filter(fetched_at__lt=now - timedelta(days=YOUNGEST_DAYS)).values_list("pk", flat=True)
    free = [pk for pk in old.order_by("pk") if pk not in shown]
    snapshots = sum(_delete(free[at : at + CHUNK]) for at in range(0, len(free), CHUNK))
    return snapshots, _thin(now)


def _unused() -> "QuerySet[Snapshot]":
    """What only a check fetched, and what nothing but checks refers to."""
    used = Q(pk__in=Label.objects.values("snapshot")) | Q(pk__in=Record.objects.values("snapshot"))
    used |= Q(pk__in=SamplePage.objects.values("snapshot")) | Q(pk__in=Bellwether.objects.values("baseline"))
    used |= Q(pk=F("page__current"))
    return Snapshot.objects.filter(checked=True).exclude(used)


def _shown(now: datetime) -> set[int]:
    """The snapshots that checks show which are still looked at."""
    recent = Q(checked_at__gte=now - timedelta(days=EVIDENCE_DAYS)) & ~Q(evidence=[])
    checks = Check.objects.filter(recent | Q(pk__in=Breakage.objects.open().values("check_found")))
    return {pk for check in checks.only("pages").iterator() for page in check.read_pages() for pk in (page.old, page.new) if pk}


def _delete(snapshots: Sequence[int]) -> int:
    """Deletes those that are still unused under a lock; their bytes go to the bin unless somebody else has them."""
    with transaction.atomic():
        list(Snapshot.objects.select_for_update().filter(pk__in=snapshots).order_by("pk").values_list("pk"))
        free = list(_unused().filter(pk__in=snapshots))
        Snapshot.objects.filter(pk__in=[each.pk for each in free]).delete()
    for sha256 in sorted({each.sha256 for each in free}):
        if not _wanted(sha256):
            stored_bytes.throw(sha256)
    return len(free)


def _wanted(sha256: str) -> bool:
    snapshots = Snapshot.objects.filter(Q(sha256=sha256) | Q(received=sha256))
    return snapshots.exists() or Asset.objects.filter(sha256=sha256).exists()


def _thin(now: datetime) -> int:
    """Deletes old checks that found all in order, but for the first of each month and template."""
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
