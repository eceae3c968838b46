"""Change labels, with undo: every change in the workbench is a step that can be taken back."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext
from lxml import etree

from annotations.models import Edit
from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, Snapshot
from extraction.models.marked_places import places_as_json
from extraction.services.labels import labelling
from extraction.services.labels.labelling import LabelError

KEPT_STEPS = 1_000
"""The number of steps kept per person and cluster: more than a day of annotating. Older steps are no longer worth taking back."""


@dataclass(frozen=True, slots=True)
class Change:
    """The new labels of an attribute on a page or in a row of its list.

    locations: the marked places; () for no label, None for "not on this page".
    """

    attribute: Attribute
    locations: tuple[Location, ...] | None
    row: int = 0


@dataclass(frozen=True, slots=True)
class EditStep:
    """What a step changed: the page, and the attributes on it."""

    snapshot_id: int
    attribute_ids: tuple[int, ...]


def apply_changes(
    cluster: Cluster, snapshot: Snapshot, changes: Sequence[Change], user: User, *, nodes: Sequence[etree._Element] | None = None
) -> EditStep:
    """Make several changes as one step. If it raises LabelError or PageError, nothing is changed."""
    with transaction.atomic():
        _one_at_a_time(snapshot)
        mine = Edit.objects.filter(cluster=cluster, created_by=user)
        mine.filter(undone=True).delete()
        number = 0
        for change in changes:
            before = labelling.get_labels(cluster, snapshot, change.attribute, change.row)
            labelling.set_labels(cluster, snapshot, change.attribute, change.locations, user, row=change.row, nodes=nodes)
            after = labelling.get_labels(cluster, snapshot, change.attribute, change.row)
            if before != after:
                edit = Edit.objects.create(
                    cluster=cluster,
                    snapshot=snapshot,
                    attribute=change.attribute,
                    before=places_as_json(before),
                    after=places_as_json(after),
                    row=change.row,
                    step=number,
                    created_by=user,
                )
                if not number:  # the row's id, so that no two steps have the same number, even after templates are merged
                    number = edit.step = edit.pk
                    edit.save(update_fields=["step"])
        _forget_old(mine)
    return EditStep(snapshot.pk, tuple(dict.fromkeys(change.attribute.pk for change in changes)))


def undo_step(cluster: Cluster, user: User) -> EditStep | None:
    """Take this person's last step back and return it, or None if there is none.

    Raises LabelError if somebody has changed these labels since. That step is then forgotten, so that the one before it can be taken back.
    """
    return _replay(cluster, user, back=True)


def redo_step(cluster: Cluster, user: User) -> EditStep | None:
    """Repeat the step that was taken back last and return it, or None if there is none. Raises LabelError as `undo_step` does."""
    return _replay(cluster, user, back=False)


def find_possible_steps(cluster: Cluster, user: User) -> dict[str, bool]:
    """Return whether there is a step to undo and one to redo."""
    mine = Edit.objects.filter(cluster=cluster, created_by=user)
    return {"undo": mine.filter(undone=False).exists(), "redo": mine.filter(undone=True).exists()}


def _one_at_a_time(snapshot: Snapshot) -> None:
    """Make changes to the same page wait for each other, since a closing tab sends several at once."""
    list(Snapshot.objects.select_for_update(of=("self",), no_key=True).filter(pk=snapshot.pk).values_list("pk"))


def _forget_old(mine: "QuerySet[Edit]") -> None:
    """Delete steps before the last KEPT_STEPS."""
    last = list(mine.order_by("-step").values_list("step", flat=True).distinct()[: KEPT_STEPS + 1])
    if len(last) > KEPT_STEPS:
        mine.filter(step__lte=last[-1]).delete()


def _replay(cluster: Cluster, user: User, *, back: bool) -> EditStep | None:
    mine, chosen = Edit.objects.filter(cluster=cluster, created_by=user, undone=not back), None
    try:
        with transaction.atomic():
            edits = mine.select_for_update()
            chosen = edits.order_by("-step" if back else "step").first()
            if chosen is None:
                return None
            rows = list(edits.filter(step=chosen.step).select_related("attribute", "snapshot").order_by("-id" if back else "id"))
            for edit in rows:
                _restore(cluster, edit, user, back=back)
            Edit.objects.filter(pk__in=[edit.pk for edit in rows]).update(undone=back)
    except LabelError:
        if chosen is not None:
            mine.filter(step=chosen.step).delete()
        raise
    return EditStep(chosen.snapshot_id, tuple(dict.fromkeys(edit.attribute_id for edit in rows)))


def _restore(cluster: Cluster, edit: Edit, user: User, *, back: bool) -> None:
    before, after = edit.read_before(), edit.read_after()
    expected, wanted = (after, before) if back else (before, after)
    if labelling.get_labels(cluster, edit.snapshot, edit.attribute, edit.row) != expected:
        raise LabelError(
            gettext("somebody else has changed %(attribute)s on %(url)s since; mark it again instead")
            % {"attribute": edit.attribute.name, "url": edit.snapshot.page.url}
        )
    labelling.set_labels(cluster, edit.snapshot, edit.attribute, wanted, user, row=edit.row)
