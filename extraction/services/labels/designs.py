"""Which labels belong to the current design of a template's pages. After a break, labels of the old design must not hinder learning.

Once a value of a broken attribute is marked on a page of the new design, the attribute's labels on earlier content are left out
of learning. They are also left out if the repair found the attribute again by itself, because the repair then has a rule for
it. Labels of attributes that did not break stay, because their places are the same in both designs.

If no break was noticed, a snapshot is of the old design when its page has a newer version and none of the template's masks
covers its vector.

Nothing is deleted: the workbench still shows the labels that are left out, where they were marked.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import F

from extraction.algorithms.sketches.shingles import Mask
from extraction.models import Attribute, Breakage, Cluster, Label, Rule, Snapshot
from extraction.services.core.stored_pages import StoredPage
from extraction.services.labels import proofs

Marks = TypeVar("Marks")


@dataclass(frozen=True, slots=True)
class Break:
    """The last break of an attribute.

    pages: the snapshots that the check fetched.
    repair: the version that finds the attribute again, None if there is none.
    """

    at: datetime
    pages: frozenset[int]
    repair: Rule | None


def find_breaks(cluster_id: int) -> dict[str, Break]:
    """Return the last break of each attribute that broke and did not recover by itself."""
    states = (Breakage.State.OPEN, Breakage.State.REPAIRED)
    rows = Breakage.objects.filter(cluster=cluster_id, state__in=states).select_related("check_found", "proposal")
    found = {}
    for each in rows.order_by("opened_at", "pk"):
        proof = proofs.read_proof(each.proposal.read_report(), each.attributes) if each.proposal else proofs.Proof()
        pages = frozenset(_list_new_pages(each))
        for name in each.attributes:
            found[name] = Break(each.opened_at, pages, each.proposal if name not in {*proof.lost, *proof.doubtful} else None)
    return found


def find_new_pages(cluster_id: int) -> list[int]:
    """Return the snapshots that the check of an open break fetched, once one of them is labelled; else [].

    The template's current pages are still the old ones at that time, so what is learned for the new design is tried on these.
    """
    breakage = Breakage.objects.open().filter(cluster=cluster_id).select_related("check_found").first()
    pages = _list_new_pages(breakage) if breakage else []
    labelled = Label.objects.filter(cluster=cluster_id, snapshot__in=pages).exclude(snapshot__page__current=F("snapshot"))
    return sorted(pages) if pages and labelled.exists() else []


def find_learnable_pages(cluster_id: int) -> list[StoredPage]:
    """Return all pages of the cluster in the order of their ids, without their URLs.

    While a new design is being learned, these are the pages of `find_new_pages`.
    """
    new = find_new_pages(cluster_id)
    pages = Snapshot.objects.readable().filter(pk__in=new) if new else Snapshot.objects.learnable().filter(cluster=cluster_id)
    rows = pages.order_by("pk").values_list("pk", "sha256", "content_type", "size_bytes")
    return [StoredPage(*row) for row in rows.iterator(chunk_size=2000)]


def find_check_pages(rule: Rule) -> list[int]:
    """Return the snapshots that the check of an open break fetched, to try a version on that was made since; [] for other versions."""
    if not rule.unpublished:
        return []
    since = Breakage.objects.open().filter(cluster=rule.cluster_id, opened_at__lte=rule.created_at)
    breakage = since.select_related("check_found").first()
    return _list_new_pages(breakage) if breakage else []


def find_repaired_pages(rule: Rule) -> list[int]:
    """Return the snapshots that the check behind a published repair fetched; [] for other versions."""
    breakage = Breakage.objects.filter(proposal=rule).select_related("check_found").order_by("-opened_at").first()
    return _list_new_pages(breakage) if breakage else []


def keep_current_labels(cluster: Cluster, labels: Mapping[int, Mapping[int, Marks]]) -> dict[int, Mapping[int, Marks]]:
    """Return {attribute: {snapshot: what is said}} without the labels of the old design."""
    return _drop_old(cluster, labels, {pk: {name} for pk, name in Attribute.objects.filter(pk__in=labels).values_list("pk", "name")})


def keep_current_row_labels(cluster: Cluster, labels: Mapping[int, Mapping[int, Marks]]) -> dict[int, Mapping[int, Marks]]:
    """Do the same for {list: {snapshot: rows}}. A list follows the last break among its attributes."""
    names: dict[int, set[str]] = {pk: set() for pk in labels}
    for pk, name in Attribute.objects.filter(list__in=labels).values_list("list", "name"):
        names[pk].add(name)
    return _drop_old(cluster, labels, names)


def find_outdated(cluster: Cluster, pages: Collection[int]) -> set[int]:
    """Return those snapshots that show the old design: their page has a newer version, and something broke since or no mask covers them."""
    last = max((each.at for each in find_breaks(cluster.pk).values()), default=None)
    old = find_superseded(cluster, pages)
    if last is not None:
        newer = Snapshot.objects.filter(pk__in=pages, fetched_at__lt=last, page__current__fetched_at__gt=F("fetched_at"))
        old |= set(newer.values_list("pk", flat=True))
    return old


def _list_new_pages(breakage: Breakage) -> list[int]:
    """Return the snapshots that the breakage's check fetched."""
    return [each.new for each in breakage.check_found.read_pages() if each.new]


def _drop_old(
    cluster: Cluster, labels: Mapping[int, Mapping[int, Marks]], names: Mapping[int, Collection[str]]
) -> dict[int, Mapping[int, Marks]]:
    broke, pages = find_breaks(cluster.pk), {pk for said in labels.values() for pk in said}
    if not pages:
        return dict(labels)
    fetched = dict(Snapshot.objects.filter(pk__in=pages).values_list("pk", "fetched_at"))
    old, found = find_superseded(cluster, pages), dict[int, Mapping[int, Marks]]()
    for pk, said in labels.items():
        last = max((broke[name] for name in names.get(pk, ()) if name in broke), key=lambda each: each.at, default=None)
        since = {page for page in said if page not in old and (last is None or _is_since_break(page, fetched.get(page), last))}
        fresh = {page: places for page, places in said.items() if page in since}
        found[pk] = fresh if any(fresh.values()) or (last is not None and last.repair is not None) else said
    return found


def _is_since_break(page: int, fetched_at: datetime | None, last: Break) -> bool:
    return page in last.pages or (fetched_at is not None and fetched_at >= last.at)


def find_superseded(cluster: Cluster, pages: Collection[int]) -> set[int]:
    """Return those snapshots whose page has a newer version and whose vector none of the template's masks covers."""
    masks = [Mask.from_text(text) for text in cluster.masks]
    if not masks:
        return set()
    rows: Any = Snapshot.objects.filter(pk__in=pages, page__current__fetched_at__gt=F("fetched_at")).exclude(vector="")
    return {pk for pk, vector in rows.values_list("pk", "vector") if not any(mask.covers(int(vector, 16)) for mask in masks)}
