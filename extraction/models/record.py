"""Records: what the rules gave."""

from typing import Any

from django.db import models

from extraction.models.cluster import Cluster
from extraction.models.rule import Rule
from extraction.models.run import Run
from extraction.models.snapshot import Snapshot


class Record(models.Model):
    """What one rule version gave on one page: its values, or the reason why there are none.

    values: {attribute name: [{"raw": text as it stood, "value": normalised text or None, "problem": why not}, …]}.
    rows: {list name: [values of one row as above, …]}.
    state: complete; incomplete (something mandatory is missing or several values stand where one belongs);
    failed (nothing extracted; `reason` says why). text: all raw values, for the search.
    """

    class State(models.TextChoices):
        COMPLETE = "complete", "Complete"
        INCOMPLETE = "incomplete", "Incomplete"
        FAILED = "failed", "Failed"

    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="record")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="records")
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="records")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="records")
    state = models.CharField(max_length=10, choices=State.choices)
    reason = models.CharField(max_length=500, blank=True)
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rows: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    text = models.TextField(blank=True)
    extracted_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["cluster", "state"])]

    def __str__(self) -> str:
        return f"record of {self.snapshot}"
