"""Note what visits of pages see, so that pages that change often can be visited more often."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import F

from extraction.models import Page, PageVisits, Site

CHANGED_FIELDS = ["snapshot", "visited_at", "changed_at", "quiet", "quiet_s", "changes"]


def note_visits(site: Site, visits: Mapping[str, datetime]) -> None:
    """Note visits of pages whose contents are stored already. Call it in a transaction.

    Whether a page has changed is found out by comparing its current content with that of the visit before. So it does not matter
    how often a batch was tried before it was written.

    visits: {address: when it was visited}. Addresses without a page are ignored. For visits that saw no change, the last of these times
        is noted for all; batches are about a second long.
    """
    if not visits:
        return
    pages = Page.objects.filter(site=site, url__in=visits).values_list("pk", "url", "current", "gone_at")
    now = {pk: (None if gone_at else current, visits[url]) for pk, url, current, gone_at in pages}
    same, changed = [], []
    for known in PageVisits.objects.select_for_update().filter(page__in=now).order_by("pk"):
        snapshot_id, at = now.pop(known.page_id)
        if at <= known.visited_at:
            continue
        if snapshot_id == known.snapshot_id:
            same.append(known.pk)
        else:
            _note_change(known, snapshot_id, at)
            changed.append(known)
    PageVisits.objects.filter(pk__in=same).update(quiet=F("quiet") + 1, visited_at=max(visits.values()))
    PageVisits.objects.bulk_update(changed, CHANGED_FIELDS, batch_size=100)
    first = [PageVisits(page_id=pk, snapshot_id=found, visited_at=at, changed_at=at) for pk, (found, at) in sorted(now.items())]
    PageVisits.objects.bulk_create(first, ignore_conflicts=True)


def _note_change(known: PageVisits, snapshot_id: int | None, at: datetime) -> None:
    """Note a visit that saw a change. If there are too many, the oldest is dropped, and quiet time in proportion."""
    known.quiet_s += (known.visited_at - known.changed_at).total_seconds()
    known.changes = [*known.changes, (at - known.visited_at).total_seconds()]
    known.snapshot_id, known.visited_at, known.changed_at = snapshot_id, at, at
    if len(known.changes) > PageVisits.MAX_CHANGES:
        share = PageVisits.MAX_CHANGES / len(known.changes)
        known.changes = known.changes[-PageVisits.MAX_CHANGES :]
        known.quiet, known.quiet_s = round(known.quiet * share), known.quiet_s * share
