"""Previews: the pictures on the cards of templates."""

from django.db import models

from extraction.models.cluster import Cluster


class Preview(models.Model):
    """The picture of a template's page, stored as a PNG under its sha256.

    dimmed: the sha256 of the picture with the template parts dimmed; empty if none are known.
    made_of: a digest of what the pictures were drawn from (page, styles, drawing code). When it changes, they are drawn again.
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="picture")
    sha256 = models.CharField(max_length=64)
    dimmed = models.CharField(max_length=64, blank=True)
    made_of = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"preview of {self.cluster}"
