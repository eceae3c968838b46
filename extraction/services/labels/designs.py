"""Which labels are of a template's pages as they are now: after a break, those of the old design must not hinder learning the new one.

Once a value of an attribute that broke is marked on a page of the new design, the attribute's labels on pages as they were before
are left out of what is learned; so they are of an attribute that the repair found again by itself, which the repair then has a rule for.
Labels of what did not break stay: its places are the same on both. Without a break that was noticed, a page that another version has
taken the place of is of the old design when its vector is covered by none of the template's masks any more.
Nothing is deleted: what is left out is shown in the workbench where it was marked.
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

Said = TypeVar("Said")


@dataclass(frozen=True, slots=True)
class Break:
    """The last break of an attribute. pages: those of its check as they are since. repair: the version that has it found again, if any."""

    at: datetime
    pages: frozenset[int]
    repair: Rule | None


def find_breaks(cluster_id: int) -> dict[str, Break]:
    """The last break of each attribute that broke and did not recover by itself."""
    states = (Breakage.State.OPEN, Breakage.State.REPAIRED)
    rows = Breakage.objects.filter(cluster=cluster_id, state__in=states).select_related("check_found", "proposal")
    found = {}
    for each in rows.order_by("opened_at", "pk"):
        proof = proofs.read_proof(each.proposal.read_report(), each.attributes) if each.proposal else proofs.Proof()
        pages = frozenset(_new_pages(each))
        for name in each.attributes:
            found[name] = Break(each.opened_at, pages, each.proposal if name not in {*proof.lost, *proof.doubtful} else None)
    return found


def find_new_pages(cluster_id: int) -> list[int]:
    """The pages as an open break's check found them, once one of them is labelled; [] otherwise.

    The template's own pages are still the old ones then: what is learned for the new design is to be tried on these.
    """
    breakage = Breakage.objects.open().filter(cluster=cluster_id).select_related("check_found").first()
    pages = _new_pages(breakage) if breakage else []
    labelled = Label.objects.filter(cluster=cluster_id, snapshot__in=pages).exclude(snapshot__page__current=F("snapshot"))
    return sorted(pages) if pages and labelled.exists() else []


def find_learnable_pages(cluster_id: int) -> list[StoredPage]:
    """All pages of the cluster, without their URLs, in the order of their ids; while a new design is being learned, the pages of that."""
    new = find_new_pages(cluster_id)
    pages = Snapshot.objects.readable().filter(pk__in=new) if new else Snapshot.objects.learnable().filter(cluster=cluster_id)
    rows = pages.order_by("pk").values_list("pk", "sha256", "content_type", "size_bytes")
    return [StoredPage(*row) for row in rows.iterator(chunk_size=2000)]


def find_check_pages(rule: Rule) -> list[int]:
    """The pages as an open break's check found them, for a version that was made since to be tried on; [] for others."""
    if not rule.unpublished:
        return []
    since = Breakage.objects.open().filter(cluster=rule.cluster_id, opened_at__lte=rule.created_at)
    breakage = since.select_related("check_found").first()
    return _new_pages(breakage) if breakage else []


def keep_current_labels(cluster: Cluster, labels: Mapping[int, Mapping[int, Said]]) -> dict[int, Mapping[int, Said]]:
    """{attribute: {snapshot: what is said}} without what is said of pages as they were before the attribute broke."""
    return _of_now(cluster, labels, {pk: {name} for pk, name in Attribute.objects.filter(pk__in=labels).values_list("pk", "name")})


def keep_current_row_labels(cluster: Cluster, labels: Mapping[int, Mapping[int, Said]]) -> dict[int, Mapping[int, Said]]:
    """The same of {list: {snapshot: rows}}: a list is of now where the last of its attributes that broke is."""
    names: dict[int, set[str]] = {pk: set() for pk in labels}
    for pk, name in Attribute.objects.filter(list__in=labels).values_list("list", "name"):
        names[pk].add(name)
    return _of_now(cluster, labels, names)


def _new_pages(breakage: Breakage) -> list[int]:
    """The pages of its check as they are since."""
    return [each.new for each in breakage.check_found.read_pages() if each.new]


def _of_now(
    cluster: Cluster, labels: Mapping[int, Mapping[int, Said]], names: Mapping[int, Collection[str]]
) -> dict[int, Mapping[int, Said]]:
    broke, pages = find_breaks(cluster.pk), {pk for said in labels.values() for pk in said}
    if not pages:
        return dict(labels)
    fetched = dict(Snapshot.objects.filter(pk__in=pages).values_list("pk", "fetched_at"))
    old, found = _superseded(cluster, pages), dict[int, Mapping[int, Said]]()
    for pk, said in labels.items():
        last = max((broke[name] for name in names.get(pk, ()) if name in broke), key=lambda each: each.at, default=None)
        since = {page for page in said if page not in old and (last is None or _since(page, fetched.get(page), last))}
        fresh = {page: places for page, places in said.items() if page in since}
        found[pk] = fresh if any(fresh.values()) or (last is not None and last.repair is not None) else said
    return found


def _since(page: int, fetched_at: datetime | None, last: Break) -> bool:
    return page in last.pages or (fetched_at is not None and fetched_at >= last.at)


def _superseded(cluster: Cluster, pages: Collection[int]) -> set[int]:
    """Those of the pages that have a newer version and are covered by none of the template's masks."""
    masks = [Mask.from_text(text) for text in cluster.masks]
    if not masks:
        return set()
    rows: Any = Snapshot.objects.filter(pk__in=pages, page__current__fetched_at__gt=F("fetched_at")).exclude(vector="")
    return {pk for pk, vector in rows.values_list("pk", "vector") if not any(mask.covers(int(vector, 16)) for mask in masks)}
