"""Records over time follow their page from one template into another of the same record type, so that they keep one time line.

A page changes its template when its structure does, when templates are searched again, or when a person says so. The thing that it shows
is the same. It follows when the page that gave its values has a record in the other template now, or when a page there has its key and the
page that gave its values shows it no longer.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from django.db.models import Exists, F, OuterRef, Q

from extraction.models import Cluster, RecordSource, TrackedRecord
from extraction.models.record_history import TrackedRecordQuerySet
from extraction.services.templates import merging_history

CHUNK = 500


def find_siblings(cluster_ids: Collection[int]) -> dict[int, list[int]]:
    """Return {template: the other templates of its site and record type}. Templates without any are missing."""
    kinds = Cluster.objects.filter(pk__in=cluster_ids).exclude(record_type=None).values_list("pk", "site", "record_type")
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    known = list(kinds)
    rows = Cluster.objects.filter(site__in={site for _, site, _ in known}, record_type__in={kind for *_, kind in known}).order_by("pk")
    for pk, site, kind in rows.values_list("pk", "site", "record_type"):
        groups[site, kind].append(pk)
    found = {pk: [other for other in groups[site, kind] if other != pk] for pk, site, kind in known}
    return {pk: others for pk, others in found.items() if others}


def follow_pages(shown: Mapping[int, int], siblings: Mapping[int, list[int]]) -> None:
    """Move the things whose values come from these pages into the templates that the pages are in now.

    A thing that also stands on a page of its old template stays there. The caller holds the transaction.

    shown: {page: the template of its new record}.
    """
    still = RecordSource.objects.filter(record=OuterRef("pk"), page__gone_at=None, page__current__cluster=OuterRef("cluster"))
    still = still.exclude(page=OuterRef("page"))
    for cluster_id, others in siblings.items():
        pages = [page for page, cluster in shown.items() if cluster == cluster_id]
        _move(TrackedRecord.objects.filter(page__in=pages, cluster__in=others).exclude(Exists(still)), cluster_id)


def follow_keys(wanted: Iterable[tuple[int, str, str]], siblings: Mapping[int, list[int]]) -> None:
    """Move the things with these keys into the templates where they are seen now, if their own page shows them no longer.

    The caller holds the transaction.

    wanted: (template, list, digest of the key), for keys that the template does not know yet.
    """
    away = Q(page=None) | Q(page__gone_at__isnull=False) | Q(~Q(page__current__cluster=F("cluster")), page__current__unsorted=False)
    keys: dict[tuple[int, str], list[str]] = defaultdict(list)
    for cluster_id, of, digest in wanted:
        if cluster_id in siblings:
            keys[cluster_id, of].append(digest)
    for (cluster_id, of), digests in sorted(keys.items()):
        for at in range(0, len(digests), CHUNK):
            some = TrackedRecord.objects.filter(cluster__in=siblings[cluster_id], list_name=of, digest__in=digests[at : at + CHUNK])
            _move(some.filter(away), cluster_id)


def _move(things: TrackedRecordQuerySet, cluster_id: int) -> None:
    """Move things, of those with equal keys the one that was seen last."""
    found = list(things.exclude(state=TrackedRecord.State.JOINED).select_for_update(of=("self",)).order_by("-seen_at", "pk"))
    newest = {(each.list_name, each.digest): each for each in reversed(found)}
    if newest:
        merging_history.move_things(list(newest.values()), Cluster.objects.get(pk=cluster_id))
