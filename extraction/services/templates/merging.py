"""What happens to the rows of a template that is merged into another: they are moved, deleted with it, or reconciled with the other's."""

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
    QualityRule,
    RefreshSchedule,
    Rule,
    Run,
    RunRelease,
    SamplePage,
    Snapshot,
    TrackedRecord,
)
from extraction.models.kept.locking import lock_pages
from extraction.services.templates import merging_history

SETTLED = frozenset(
    {
        SamplePage,
        Label,
        Rule,
        ClusterCore,
        MergeProposal,
        Placement,
        Preview,
        Bellwether,
        Check,
        Breakage,
        Run,
        TrackedRecord,
        QualityRule,
        RunRelease,
        RefreshSchedule,
    }
)
"""The models that need more than a move, because a template can have only one of something. All other rows simply move."""


def move_everything(other: Cluster, into: Cluster) -> None:
    """Move the rows of `other` that are kept to `into`. The caller deletes `other` with the rest.

    The core and the sample pages stay behind and are made again. So does the picture, unless `into` has none.
    """
    SamplePage.objects.filter(cluster__in=[other, into]).delete()
    lock_pages(Snapshot.objects.filter(cluster=other).values_list("pk", flat=True))
    Snapshot.objects.filter(cluster=other).update(cluster=into)
    _move_labels(other, into)
    _move_monitoring(other, into)
    _move_rules(other, into)
    _move_placements(other, into)
    _move_runs(other, into)
    merging_history.move_history(other, into)
    _move_quality(other, into)
    _move_schedule(other, into)
    if not Preview.objects.filter(cluster=into).exists():
        Preview.objects.filter(cluster=other).update(cluster=into)
    for relation in Cluster._meta.related_objects:
        # This includes rows of other apps, such as the workbench's steps. Deleting the cluster would delete them.
        model = relation.related_model
        if model not in SETTLED and not isinstance(model, str):
            model._base_manager.filter(**{relation.field.name: other}).update(**{relation.field.name: into})


def _move_labels(other: Cluster, into: Cluster) -> None:
    """Move the labels. A page with labels in both keeps those of the cluster that stays."""
    Label.objects.filter(cluster=other, snapshot__in=Label.objects.filter(cluster=into).values("snapshot")).delete()
    Label.objects.filter(cluster=other).update(cluster=into)


def _move_monitoring(other: Cluster, into: Cluster) -> None:
    """Move checks and breakages, which are history. The watched pages are those of the cluster whose rule goes on extracting."""
    serving = into.rules.serving().exists()
    here, there = into.breakages.open(), other.breakages.open()
    # Only the breakage of the rule that goes on extracting may stay open.
    (there if serving else here if there.exists() else there.none()).update(
        state=Breakage.State.DISMISSED, closed_at=timezone.now(), note=f"Its template was merged: {other.label} into {into.label}."
    )
    Breakage.objects.filter(cluster=other).update(cluster=into)
    # A run may have one check per template. If it checked both, the other's check is kept without its run.
    both = Check.objects.filter(cluster=into, run=OuterRef("run"))
    Check.objects.filter(Exists(both), cluster=other).update(run=None)
    Check.objects.filter(cluster=other).update(cluster=into)
    if not serving and other.rules.serving().exists():
        Bellwether.objects.filter(cluster=into).delete()
        Bellwether.objects.filter(cluster=other).update(cluster=into)


def _move_rules(other: Cluster, into: Cluster) -> None:
    """Move the rules, numbered after the last version of `into`. If both clusters have a rule that extracts, the moved one is retired."""
    last = into.rules.order_by("-version").values_list("version", flat=True).first() or 0
    serving = into.rules.serving().exists()
    for rule in other.rules.order_by("version"):
        last += 1
        rule.version, rule.cluster = last, into
        if serving and rule.serving:
            rule.state = Rule.State.RETIRED
        rule.save(update_fields=["version", "cluster", "state"])


def _move_placements(other: Cluster, into: Cluster) -> None:
    """Move what people said about pages and pairs, except what the merge contradicts."""
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
    """Move the runs. An unfinished one is cancelled if `into` has the same one under way."""
    same = Run.objects.unfinished().filter(cluster=into, kind=OuterRef("kind"), target=OuterRef("target"))
    Run.objects.unfinished().filter(Exists(same), cluster=other).update(
        state=Run.State.CANCELLED, finished_at=timezone.now(), message=f"{other.label} was merged into {into.label}"
    )
    Run.objects.filter(cluster=other).update(cluster=into)


def _move_schedule(other: Cluster, into: Cluster) -> None:
    """Move the schedule of refreshes if `into` has none of its own. Otherwise it goes with `other`."""
    if not RefreshSchedule.objects.filter(cluster=into).exists():
        RefreshSchedule.objects.filter(cluster=other).update(cluster=into)


def _move_quality(other: Cluster, into: Cluster) -> None:
    """Move the quality rules that `into` does not have in its own way, and the releases if it has none: they say what is delivered."""
    own = QualityRule.objects.filter(cluster=into, overrides__isnull=False)
    QualityRule.objects.filter(cluster=other).exclude(overrides__in=own.values("overrides")).update(cluster=into)
    if not RunRelease.objects.filter(cluster=into).exists():
        RunRelease.objects.filter(cluster=other).update(cluster=into)
