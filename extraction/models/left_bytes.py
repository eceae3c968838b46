"""Bytes whose rows were deleted."""

from django.db import models


class LeftBytes(models.Model):
    """Stored bytes that lost a row, because a site or a page was deleted. Unless something else has them, they are deleted soon.

    sha256: of the bytes, under which they are stored.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)

    class Meta:
        verbose_name_plural = "left bytes"

    def __str__(self) -> str:
        return self.sha256
