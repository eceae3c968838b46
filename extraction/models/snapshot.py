"""A snapshot: what stood at a page's URL at one time."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from extraction.models.page import Page
from extraction.models.site import Site


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    """Common questions about snapshots."""

    def of_site(self, site: Site) -> Self:
        """Snapshots of a site's pages."""
        return self.filter(page__site=site)

    def current(self) -> Self:
        """Snapshots whose content stands at their address now: of each page the newest."""
        return self.filter(page__current=F("pk"))

    def outdated(self) -> Self:
        """Snapshots whose content does not stand at their address any more."""
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
    """The bytes of a page at one time, by their sha256; the bytes themselves are in the storage, once.

    sha256: of what is read: the rendered tree as HTML where a browser made the page, else the bytes as received.
    received: the sha256 of the bytes as received where sha256 is that of the rendered tree; empty when it was not rendered.
    kept: False where a crawl only took the records from the page; its bytes are not in the storage then.
    status, headers: of the answer, where the page was fetched; the headers by their names in lower case, only those that say
    something of the page.
    checked: only a check fetched it; nobody imported or crawled this content.
    vector: the 8-byte shingle vector as 16 hexadecimal digits, empty for a page that cannot be read; scheme names how
    it was made. error: why the page cannot be read, empty when it can. notice: what of it could not be read, empty
    when all could. cluster: the template it belongs to, None while unclustered.
    """

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="snapshots")
    sha256 = models.CharField(max_length=64, db_index=True)
    size_bytes = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=200, blank=True)
    fetched_at = models.DateTimeField()
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

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["page", "sha256"], name="one_snapshot_per_content"),
            models.CheckConstraint(condition=Q(error="") | Q(vector=""), name="an_unreadable_snapshot_has_no_vector"),
        ]

    def __str__(self) -> str:
        return f"{self.page.url} at {self.fetched_at:%Y-%m-%d %H:%M}"
