"""What becomes of all that hangs on a template when another one takes it in: moved, left to go with it, or settled between the two."""

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from extraction.models import (
    Bellwether,
    Breakage,
    Check,
    Cluster,
    ClusterCore,
    Label,
    MergeProposal,
    Placement,
    Preview,
    Rule,
    Run,
    SamplePage,
    Snapshot,
)

SETTLED = frozenset({SamplePage, Label, Rule, ClusterCore, MergeProposal, Placement, Preview, Bellwether, Check, Breakage, Run})
"""What there may be only one of in a template, in one way or another: each has its own word below. All else simply moves."""


def move_everything(other: Cluster, into: Cluster) -> None:
    """Moves to `into` what is to outlive `other`; the caller deletes `other` with what is left on it.

    Left are the core and the sample pages, which are made anew, and the picture, unless `into` has none.
    """
    SamplePage.objects.filter(cluster__in=[other, into]).delete()
    Snapshot.objects.filter(cluster=other).update(cluster=into)
    _move_labels(other, into)
    _move_watch(other, into)
    _move_rules(other, into)
    _move_words(other, into)
    _move_runs(other, into)
    if not Preview.objects.filter(cluster=into).exists():
        Preview.objects.filter(cluster=other).update(cluster=into)
    for relation in Cluster._meta.related_objects:
        # Other apps' rows too (the workbench's steps): deleting the cluster would take them along.
        model = relation.related_model
        if model not in SETTLED and not isinstance(model, str):
            model._base_manager.filter(**{relation.field.name: other}).update(**{relation.field.name: into})


def _move_labels(other: Cluster, into: Cluster) -> None:
    """A page labelled in both keeps the labels of the cluster that stays."""
    Label.objects.filter(cluster=other, snapshot__in=Label.objects.filter(cluster=into).values("snapshot")).delete()
    Label.objects.filter(cluster=other).update(cluster=into)


def _move_watch(other: Cluster, into: Cluster) -> None:
    """Checks and breakages are history and stay; what is watched from now on is what the rule that goes on serving is watched by."""
    serving = into.rules.serving().exists()
    here, there = into.breakages.open(), other.breakages.open()
    # One breakage may be open, that of the rule that serves: the other's rule ends with the merge, or this one's ended before.
    (there if serving else here if there.exists() else there.none()).update(
        state=Breakage.State.DISMISSED, closed_at=timezone.now(), note=f"Its template was merged: {other.label} into {into.label}."
    )
    Breakage.objects.filter(cluster=other).update(cluster=into)
    # A run that checked both has one check a template: the other's stays as one of no run.
    both = Check.objects.filter(cluster=into, run=OuterRef("run"))
    Check.objects.filter(Exists(both), cluster=other).update(run=None)
    Check.objects.filter(cluster=other).update(cluster=into)
    if not serving and other.rules.serving().exists():
        Bellwether.objects.filter(cluster=into).delete()
        Bellwether.objects.filter(cluster=other).update(cluster=into)


def _move_rules(other: Cluster, into: Cluster) -> None:
    """A rule's number is taken from those after the last of `into`; one of the two that serve is retired."""
    last = into.rules.order_by("-version").values_list("version", flat=True).first() or 0
    serving = into.rules.serving().exists()
    for rule in other.rules.order_by("version"):
        last += 1
        rule.version, rule.cluster = last, into
        if serving and rule.serving:
            rule.state = Rule.State.RETIRED
        rule.save(update_fields=["version", "cluster", "state"])


def _move_words(other: Cluster, into: Cluster) -> None:
    """What people said of pages and of pairs holds for the cluster that stays, unless the merge itself says otherwise."""
    Placement.objects.filter(belongs=False, cluster__in=[other, into], page__current__cluster=into).delete()
    Placement.objects.filter(cluster=into, page__in=Placement.objects.filter(cluster=other).values("page")).delete()
    Placement.objects.filter(cluster=other).update(cluster=into)
    for row in MergeProposal.objects.refused().filter(Q(into=other) | Q(other=other)):
        third = row.other_id if row.into_id == other.pk else row.into_id
        known = MergeProposal.objects.filter(Q(into=into, other=third) | Q(into=third, other=into))
        if third != into.pk:
            known.delete()
            MergeProposal.objects.create(into=into, other_id=third, kind=row.kind, state=row.state, evidence=row.evidence)


def _move_runs(other: Cluster, into: Cluster) -> None:
    """Runs move; an unfinished one ends where `into` has the same one under way."""
    same = Run.objects.unfinished().filter(cluster=into, kind=OuterRef("kind"), target=OuterRef("target"))
    Run.objects.unfinished().filter(Exists(same), cluster=other).update(
        state=Run.State.CANCELLED, finished_at=timezone.now(), message=f"{other.label} was merged into {into.label}"
    )
    Run.objects.filter(cluster=other).update(cluster=into)
