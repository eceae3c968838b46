"""What an editor did in the workbench, step by step: for undo, and to know how much work a rule took."""

from typing import Any

from django.conf import settings
from django.db import models

from extraction.models import Attribute, Cluster, Snapshot
from extraction.models.marked_places import MarkedPlaces, read_marked_places


class Edit(models.Model):
    """One step: the labels of one attribute on one page before and after it.

    before, after: as `marked_places.places_as_json` writes them.
    row: the row of a list; 0 for attributes that are not in a list.
    step: the id of the step's first row, so that later steps have higher numbers. What was confirmed with one key press is one step
        of several rows, which are taken back together.
    undone: whether the step was taken back. A new step deletes undone steps.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="edits")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="+")
    attribute = models.ForeignKey(Attribute, on_delete=models.CASCADE, related_name="+")
    before: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    after: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    row = models.PositiveIntegerField(default=0)
    step = models.PositiveBigIntegerField(default=0)
    undone = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["cluster", "created_by", "step"])]

    def __str__(self) -> str:
        return f"{self.attribute} on {self.snapshot}"

    def read_before(self) -> MarkedPlaces:
        """Return the places before the step. Raises JsonShapeError."""
        return read_marked_places(self.before)

    def read_after(self) -> MarkedPlaces:
        """Return the places after the step. Raises JsonShapeError."""
        return read_marked_places(self.after)
