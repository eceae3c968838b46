"""Snapshots: the content of a page's URL at one time."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from extraction.models.page import Page
from extraction.models.site import Site


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    """Common queries on snapshots."""

    def of_site(self, site: Site) -> Self:
        """Snapshots of a site's pages."""
        return self.filter(page__site=site)

    def current(self) -> Self:
        """Snapshots with the current content of their page: the newest one of each page."""
        return self.filter(page__current=F("pk"))

    def outdated(self) -> Self:
        """Snapshots with earlier content of their page."""
        return self.exclude(page__current=F("pk"))

    def kept(self) -> Self:
        """Snapshots whose bytes are kept."""
        return self.filter(kept=True)

    def readable(self) -> Self:
        """Snapshots that can be read and whose bytes are kept."""
        return self.kept().filter(error="")

    def learnable(self) -> Self:
        """Snapshots that a rule can be learned from and tried on: current and readable."""
        return self.current().readable()


class Snapshot(models.Model):
    """The content of a page at one time. The bytes are stored once, under their sha256.

    sha256: of the bytes that are read: the rendered tree as HTML if a browser rendered the page, else the bytes as received.
    received: the sha256 of the bytes as received if a browser rendered the page, else empty.
    undated_run: the number of the run that brought this content, if its source said no time; fetched_at is then when the run was created.
    kept: False if a crawl only extracted the record from the page. Its bytes are not stored then.
    status, headers: of the HTTP response, if the page was fetched. Header names are in lower case; only headers that say
        something about the page are kept.
    checked: only a check fetched this content; nobody imported or crawled it.
    vector: the 8-byte shingle vector as 16 hexadecimal digits; empty for a page that cannot be read.
    scheme: how the vector was made.
    error: why the page cannot be read; empty if it can.
    notice: what could not be read of the page; empty if everything could.
    cluster: the template it belongs to, None while it is unclustered.
    unsorted: it is new content that has not been sorted into the templates yet. False once a search for templates or a refresh has looked
        at it, also if it fits none.
    """

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="snapshots")
    sha256 = models.CharField(max_length=64, db_index=True)
    size_bytes = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=200, blank=True)
    fetched_at = models.DateTimeField()
    undated_run = models.BigIntegerField(null=True, blank=True)
    vector = models.CharField(max_length=16, blank=True)
    scheme = models.CharField(max_length=40, blank=True)
    title = models.CharField(max_length=200, blank=True)
    error = models.CharField(max_length=500, blank=True)
    notice = models.CharField(max_length=500, blank=True)
    received = models.CharField(max_length=64, blank=True)
    kept = models.BooleanField(default=True)
    checked = models.BooleanField(default=False)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict, blank=True)
    cluster = models.ForeignKey("extraction.Cluster", null=True, blank=True, on_delete=models.SET_NULL, related_name="snapshots")

    unsorted = models.BooleanField(default=False)

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["page", "sha256"], name="one_snapshot_per_content"),
            models.CheckConstraint(condition=Q(error="") | Q(vector=""), name="an_unreadable_snapshot_has_no_vector"),
        ]

    def __str__(self) -> str:
        return f"{self.page.url} at {self.fetched_at:%Y-%m-%d %H:%M}"
