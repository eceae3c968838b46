"""Previews: a template's card shows a picture of its first sample page."""

from django.db import models

from extraction.models.cluster import Cluster


class Preview(models.Model):
    """The picture of a template's page, a PNG in the storage under its sha256.

    dimmed: the picture with what is template dimmed, empty where nothing is known to be. made_of: what they were drawn from (page, styles,
    drawing code) as one digest; when that has changed they are drawn again.
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="picture")
    sha256 = models.CharField(max_length=64)
    dimmed = models.CharField(max_length=64, blank=True)
    made_of = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"preview of {self.cluster}"
