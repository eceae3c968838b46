"""Pictures of pages, as a browser showed them."""

from django.db import models
from django.db.models import Q

from extraction.models.snapshot import Snapshot


class PagePicture(models.Model):
    """The picture of a snapshot, where the site's settings ask for pictures. A snapshot that was fetched without asking has no row.

    sha256: of the JPEG, under which it is stored; "" if there is none.
    size_bytes: of the JPEG.
    note: why there is none, or what is missing in it, in words.
    """

    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="picture")
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    size_bytes = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(sha256="") | ~Q(note=""), name="a_page_without_a_picture_says_why")]

    def __str__(self) -> str:
        return f"picture of {self.snapshot}"
