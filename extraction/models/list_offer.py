"""The number of rows that a list was suggested with, before anything was marked for it."""

from django.db import models

from extraction.models.cluster import Cluster
from extraction.models.schema import RecordList
from extraction.models.snapshot import Snapshot


class OfferedRows(models.Model):
    """How many rows of a list were found on a page of a template when an editor accepted the suggested list.

    whole: all these rows were marked at that time, so anything on the page that is not marked is not a row.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    list = models.ForeignKey(RecordList, on_delete=models.CASCADE, related_name="+")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="+")
    rows = models.PositiveIntegerField()
    whole = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "offered rows"
        constraints = [models.UniqueConstraint(fields=["cluster", "list", "snapshot"], name="one_offer_per_list_and_page")]

    def __str__(self) -> str:
        return f"{self.rows} rows"
