"""Pages: the addresses of a site."""

from django.db import models
from django.urls import reverse

from extraction.models.site import Site


class Page(models.Model):
    """One URL of a site. Its snapshots hold its contents over time; `current` is the newest one.

    url: at most 2,000 characters. For a page from an archive without addresses, it is the file name.
    gone_at: when a crawl first found the page missing; None while it is there, as far as is known.
    left_at: when a second crawl found it missing, or a person said that it is gone. Its records are left out then, unless one asks for
        them. None while one absence may be an accident.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="pages")
    url = models.CharField(max_length=2000)
    current = models.ForeignKey("extraction.Snapshot", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    gone_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["site", "url"], name="one_page_per_url")]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("page", args=[self.site.slug, self.pk])
