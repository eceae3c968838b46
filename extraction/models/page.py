"""Pages: the addresses of a site."""

from typing import TypeAlias

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.models.site import Site


class PageReading(models.TextChoices):
    NONE = "", gettext_lazy("No content")
    WHOLE = "whole", gettext_lazy("Whole")
    PARTLY = "partly", gettext_lazy("In part")
    UNREADABLE = "unreadable", gettext_lazy("Unreadable")


class Page(models.Model):
    """One URL of a site. Its snapshots hold its contents over time; `current` is the newest one.

    url: at most 2,000 characters. For a page from an archive without addresses, it is the file name.
    cluster, reading, kept, unsorted: the template of the current content, whether it can be read (`PageReading`), whether its bytes are
        kept, and whether it has not been sorted into the templates yet.
    search_text: the address and the title of the current content in lower case, for the search; empty without content.
        The database sets them (`models.kept`); what is assigned to them is ignored.
    gone_at: when a crawl first found the page missing; None while it is there, as far as is known.
    left_at: when a second crawl found it missing, or a person said that it is gone. Its records are left out then, unless one asks for
        them. None while one absence may be an accident.
    same_as: the page that was known first under another address, if this one was found to repeat it. It has left the records since.
    """

    Reading: TypeAlias = PageReading

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="pages", db_index=False)
    url = models.CharField(max_length=2000)
    current = models.ForeignKey("extraction.Snapshot", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    cluster = models.ForeignKey(
        "extraction.Cluster",
        null=True,
        editable=False,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="current_pages",
    )
    reading = models.CharField(max_length=10, choices=PageReading.choices, default=PageReading.NONE, editable=False)
    kept = models.BooleanField(default=False, editable=False)
    unsorted = models.BooleanField(default=False, editable=False)
    search_text = models.TextField(blank=True, editable=False)
    gone_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)
    same_as = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["site", "id"]),
            models.Index(fields=["site", "reading", "id"]),
            models.Index(fields=["cluster", "id"]),
            models.Index(fields=["site", "id"], condition=models.Q(gone_at__isnull=False), name="gone_pages"),
            models.Index(fields=["site", "id"], condition=models.Q(cluster=None), name="unclustered_pages"),
        ]
        constraints = [models.UniqueConstraint(fields=["site", "url"], name="one_page_per_url")]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("page", args=[self.site.slug, self.pk])
