"""Runs: every job is a row; Celery only carries its id."""

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from extraction.models.cluster import Cluster
from extraction.models.run_values import RunParameters, RunSummary
from extraction.models.site import Site


class Run(models.Model):
    """One job: what it is to do, how far it is, how it ended.

    parameters: `RunParameters` as JSON, what the job needs. done, total: in `unit`s; total 0 while unknown. claimed_by: host and process
    of the worker that holds it. heartbeat_at: when that worker last showed life. attempts: how often it was started.
    started_at: when it was claimed last. worked_s: seconds of the stretches before that, of a run that was paused or taken up again.
    summary: `RunSummary` as JSON.
    """

    class Kind(models.TextChoices):
        IMPORT = "import", "Import pages"
        CRAWL = "crawl", "Fetch pages"
        CLUSTER = "cluster", "Find templates"
        COMPARE = "compare", "Compare templates"
        LAB = "lab", "Try clusterings"
        LEARN = "learn", "Learn rule"
        EXTRACT = "extract", "Extract records"
        ASSETS = "assets", "Load styles and pictures"
        PREVIEW = "preview", "Draw previews"
        CHECK = "check", "Check rules"
        REUSE = "reuse", "Try known rules"

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    UNFINISHED = (State.QUEUED, State.RUNNING, State.PAUSED)

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="runs")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="runs")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    parameters: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
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
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "heartbeat_at"])]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.get_kind_display()}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    def read_parameters(self) -> RunParameters:
        """What it is to do. Raises JsonShapeError."""
        return RunParameters.from_json(self.parameters)

    def read_summary(self) -> RunSummary:
        """What came of it so far. Raises JsonShapeError."""
        return RunSummary.from_json(self.summary)

    def write_summary(self, summary: RunSummary) -> None:
        """Keeps what came of it so far, in the row at once."""
        self.summary = summary.as_json()
        Run.objects.filter(pk=self.pk).update(summary=self.summary)

    @property
    def finished(self) -> bool:
        """It will not change any more by itself. A crawl that failed or was cancelled can be taken up again."""
        return self.state not in self.UNFINISHED


class RunProblem(models.Model):
    """One thing a run could not use, and why; the rest went on. name: a file, a URL, an attribute."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="problems")
    name = models.CharField(max_length=2000)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"
