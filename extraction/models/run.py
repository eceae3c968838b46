"""Runs: every job is a row, and Celery only carries its id."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.models.cluster import Cluster
from extraction.models.run_values import RunParameters, RunSummary
from extraction.models.site import Site


class RunKind(models.TextChoices):
    IMPORT = "import", gettext_lazy("Import pages")
    CRAWL = "crawl", gettext_lazy("Fetch pages")
    CLUSTER = "cluster", gettext_lazy("Find templates")
    COMPARE = "compare", gettext_lazy("Compare templates")
    LAB = "lab", gettext_lazy("Compare clusterings")
    LEARN = "learn", gettext_lazy("Learn a rule")
    EXTRACT = "extract", gettext_lazy("Extract records")
    JOIN = "join", gettext_lazy("Join records")
    ASSETS = "assets", gettext_lazy("Load styles and pictures")
    PREVIEW = "preview", gettext_lazy("Make previews")
    CHECK = "check", gettext_lazy("Check rules")
    REUSE = "reuse", gettext_lazy("Reuse rules")
    PLACE = "place", gettext_lazy("Assign pages to templates")


class RunState(models.TextChoices):
    QUEUED = "queued", gettext_lazy("Queued")
    RUNNING = "running", gettext_lazy("Running")
    PAUSED = "paused", gettext_lazy("Paused")
    DONE = "done", gettext_lazy("Done")
    FAILED = "failed", gettext_lazy("Failed")
    CANCELLED = "cancelled", gettext_lazy("Cancelled")


UNFINISHED = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)
ENDED = (RunState.DONE, RunState.FAILED, RunState.CANCELLED)


class RunQuerySet(models.QuerySet["Run"]):
    """Common queries on runs."""

    def unfinished(self) -> Self:
        """Run that are queued, running or paused."""
        return self.filter(state__in=UNFINISHED)

    def queued(self) -> Self:
        """Run that wait for a worker."""
        return self.filter(state=RunState.QUEUED)

    def running(self) -> Self:
        """Run that a worker has claimed."""
        return self.filter(state=RunState.RUNNING)

    def failed_unseen(self) -> Self:
        """Run that failed, and of which nobody has said since that they know it."""
        return self.filter(Q(acknowledged_at=None) | Q(acknowledged_at__lt=F("finished_at")), state=RunState.FAILED)

    def claimed_as(self, run: "Run") -> Self:
        """The row of `run`, unless another worker has claimed it since `run` was read."""
        return self.filter(pk=run.pk, claimed_by=run.claimed_by, attempts=run.attempts)


class Run(models.Model):
    """One job: what it does, how far it is, how it ended.

    parameters: `RunParameters` as JSON.
    target: a digest of the parameters that make two runs of this kind different (`target_of`). Two unfinished runs of the same
        kind cannot have the same site or cluster and the same target.
    done, total: progress, counted in `unit`; total is 0 while it is unknown.
    claimed_by: host and process of the worker that has claimed it.
    heartbeat_at: when that worker last reported progress.
    attempts: how often it was started.
    started_at: when it was last claimed.
    worked_s: seconds of work before started_at, for a run that was paused or resumed.
    summary: `RunSummary` as JSON.
    acknowledged_at: when a person said that they know of its failure. It counts until the run fails again.
    """

    Kind: TypeAlias = RunKind
    State: TypeAlias = RunState

    DISTINGUISHED_BY: ClassVar[Mapping[str, Iterable[str]]] = {Kind.CRAWL: (), Kind.IMPORT: ("sha256", "folder")}
    """The parameters that make two runs of a kind different; for other kinds, all of them. A site has at most one unfinished crawl."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="runs")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="runs")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    parameters: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    target = models.CharField(max_length=64, editable=False)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    unit = models.CharField(max_length=20, default="pages")
    message = models.CharField(max_length=300, blank=True)
    error = models.TextField(blank=True)
    summary: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    claimed_by = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    worked_s = models.FloatField(default=0.0)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["state", "heartbeat_at"]),
            models.Index(fields=["state", "finished_at"]),
            models.Index(fields=["site", "created_at"]),
            models.Index(fields=["site", "id"]),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["site", "kind", "target"],
                condition=Q(state__in=UNFINISHED, cluster=None),
                name="one_unfinished_run_per_site_and_target",
            ),
            models.UniqueConstraint(
                fields=["cluster", "kind", "target"],
                condition=Q(state__in=UNFINISHED, cluster__isnull=False),
                name="one_unfinished_run_per_cluster_and_target",
            ),
            models.CheckConstraint(condition=Q(kind__in=RunKind.values), name="a_run_is_of_a_known_kind"),
            models.CheckConstraint(
                condition=Q(state__in=UNFINISHED, finished_at=None) | Q(state__in=ENDED, finished_at__isnull=False),
                name="a_run_has_an_end_when_it_is_over",
            ),
            models.CheckConstraint(
                condition=~Q(state=RunState.RUNNING) | (~Q(claimed_by="") & Q(started_at__isnull=False)),
                name="a_working_run_has_a_worker",
            ),
            models.CheckConstraint(condition=Q(worked_s__gte=0), name="a_run_worked_no_negative_time"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.get_kind_display()}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the run. A new run gets its target."""
        if self._state.adding:
            self.target = self.target_of(self.kind, self.parameters)
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    def read_parameters(self) -> RunParameters:
        """Return its parameters. Raises JsonShapeError."""
        return RunParameters.from_json(self.parameters)

    def read_summary(self) -> RunSummary:
        """Return its results so far. Raises JsonShapeError."""
        return RunSummary.from_json(self.summary)

    def write_summary(self, summary: RunSummary) -> None:
        """Save its results so far in the row at once."""
        self.summary = summary.as_json()
        Run.objects.filter(pk=self.pk).update(summary=self.summary)

    @property
    def is_acknowledged(self) -> bool:
        """Whether a person has said that they know of its last failure."""
        if self.state != RunState.FAILED or self.acknowledged_at is None or self.finished_at is None:
            return False
        return self.acknowledged_at >= self.finished_at

    @property
    def finished(self) -> bool:
        """Whether it has ended. A crawl that failed or was cancelled can still be resumed."""
        return self.state not in UNFINISHED

    @classmethod
    def target_of(cls, kind: str, parameters: Mapping[str, Any]) -> str:
        """Return the digest of the parameters that make two runs of a kind on the same site or cluster different."""
        names = cls.DISTINGUISHED_BY.get(kind, parameters)
        distinguishing = {name: parameters[name] for name in names if name in parameters}
        return hashlib.sha256(json.dumps(distinguishing, sort_keys=True).encode()).hexdigest()


class RunProblem(models.Model):
    """Something that a run could not use, and the reason. The run went on without it.

    name: a file, a URL or an attribute.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="problems")
    name = models.CharField(max_length=2000)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"
