"""A page: one URL of a site."""

from django.db import models
from django.urls import reverse

from extraction.models.site import Site


class Page(models.Model):
    """One URL of a site. What stood there, and when, is its snapshots; `current` is the newest one.

    url: at most 2,000 characters. Where an archive gave no address, its file name stands in.
    gone_at: since when a crawl found nothing there any more; None while the page is there, as far as is known.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="pages")
    url = models.CharField(max_length=2000)
    current = models.ForeignKey("extraction.Snapshot", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    gone_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["site", "url"], name="one_page_per_url")]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("page", args=[self.site.slug, self.pk])
