"""Undo a move of pages: they go back to their templates, with the marked values that the move deleted.

What the move changed is kept as JSON where the person who moved the pages finds it again, such as in the session.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.json_values import JsonValue
from extraction.models import Attribute, Cluster, Label, Page, Placement, Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.templates import clusters, placing
from extraction.services.templates.placing import Moved


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveMemory(JsonValue):
    """A move that can be undone.

    site: the site of the pages.
    into: the template that they were moved to, None for none. made: whether the move made it.
    pages, clusters, placed: of each page its id, the template it was in (0 for none), and whether a person had put it there.
    labels: the marked values that were deleted, as Django writes rows.
    """

    site: int
    into: int | None = None
    made: bool = False
    pages: tuple[int, ...] = ()
    clusters: tuple[int, ...] = ()
    placed: tuple[bool, ...] = ()
    labels: str = ""


@dataclass(frozen=True, slots=True)
class MovedBack:
    """The result of undoing a move.

    pages: how many went back.
    left: how many did not, because they have moved again or their template is gone.
    labels: how many marked values are back.
    """

    pages: int
    left: int
    labels: int


def remember_move(site: Site, moved: Moved, *, made: bool) -> MoveMemory:
    """Return what undoes a move. made: whether the move made the template that the pages are in now."""
    return MoveMemory(
        site=site.pk,
        into=moved.into.pk if moved.into else None,
        made=made,
        pages=tuple(each.page for each in moved.before),
        clusters=tuple(each.cluster or 0 for each in moved.before),
        placed=tuple(each.placed for each in moved.before),
        labels=moved.lost_labels,
    )


def undo_move(site: Site, memory: MoveMemory, user: User | None = None) -> MovedBack:
    """Move pages back to where they were. Pages that have moved again since stay. Raises JobError if none can go back."""
    if memory.site != site.pk:
        raise JobError(gettext("the move was on another site"))
    still = Snapshot.objects.of_site(site).current().filter(page__in=memory.pages, cluster=memory.into)
    here = set(still.values_list("page", flat=True))
    known = {each.pk: each for each in site.clusters.all()}
    rows = [
        row for row in zip(memory.pages, memory.clusters, memory.placed, strict=True) if row[0] in here and (not row[1] or row[1] in known)
    ]
    if not rows:
        raise JobError(gettext("the pages have moved again since, or their templates are gone"))
    with transaction.atomic():
        clusters.lock_templates(site)
        for cluster in sorted({row[1] for row in rows}):
            pages = [row[0] for row in rows if row[1] == cluster]
            placing.move_pages(site, Page.objects.filter(pk__in=pages), known.get(cluster), user)
        _restore_placements(rows, memory.into)
        labels = _restore_labels(memory.labels)
        if memory.made and memory.into:
            _delete_if_unused(memory.into)
    return MovedBack(len(rows), len(memory.pages) - len(rows), labels)


def _restore_placements(rows: Sequence[tuple[int, int, bool]], into: int | None) -> None:
    """Forget what the move and its undoing said about the pages."""
    Placement.objects.filter(page__in=[row[0] for row in rows], cluster=into).delete()
    for page, cluster, placed in rows:
        if not placed and cluster:
            Placement.objects.filter(page=page, cluster=cluster).delete()


def _restore_labels(text: str) -> int:
    """Store the deleted labels again whose pages and attributes are still there, and return their number."""
    rows = (each.object for each in serializers.deserialize("json", text or "[]", ignorenonexistent=True))
    labels = [row for row in rows if isinstance(row, Label)]
    places = set(Snapshot.objects.filter(pk__in=_ids(labels, "snapshot_id")).values_list("pk", "cluster"))
    attributes = set(Attribute.objects.filter(pk__in=_ids(labels, "attribute_id")).values_list("pk", flat=True))
    people = set(User.objects.filter(pk__in=_ids(labels, "created_by_id")).values_list("pk", flat=True))
    wanted = []
    for label in labels:
        if (label.snapshot_id, label.cluster_id) in places and label.attribute_id in attributes:
            label.pk, label.created_by_id = None, label.created_by_id if label.created_by_id in people else None
            wanted.append(label)
    return len(Label.objects.bulk_create(wanted, ignore_conflicts=True))


def _ids(labels: Iterable[Label], name: str) -> set[int]:
    return {value for label in labels if (value := getattr(label, name))}


def _delete_if_unused(cluster_id: int) -> None:
    """Delete a template that the move made, if nobody has done anything with it."""
    unused = Cluster.objects.filter(pk=cluster_id, snapshots=None, labels=None, rules=None, name="")
    unused.delete()
