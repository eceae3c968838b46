"""The structure lab: clusterings of a site's pages to compare with its templates, and the labels that people gave to pages."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from extraction.algorithms.json_values import read_as
from extraction.models.kept_template import KeptTemplate
from extraction.models.page import Page
from extraction.models.run import Run
from extraction.models.site import Site


@dataclass(frozen=True, slots=True)
class GroupPaths:
    """The template paths of a clustering's groups, in their order, and those that nearly all compared pages have."""

    templates: tuple[tuple[str, ...], ...]
    frame: tuple[str, ...]


class Clustering(models.Model):
    """The complete result of one method on some of a site's pages. A method that has not finished has no row.

    method: a name in `algorithms.methods`; empty for the site's own templates at that time.
    groups: ids of pages, the largest group first. A page that is like no other is a group of one.
    paths: a `GroupPaths`, None if it was not found.
    bits: the MDL cost, None if it could not be computed.
    bits_reason: why it could not be computed; empty if it was.
    seconds, peak_bytes: the time and memory that the method used.
    reason: why the method gave up; empty if it did not.
    templates: if the groups are the site's templates before another clustering was adopted, a `KeptTemplate` for each group;
        else empty.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="clusterings")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="clusterings")
    method = models.CharField(max_length=20, blank=True)
    groups: models.JSONField[list[list[int]], list[list[int]]] = models.JSONField(default=list)
    templates: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list, blank=True)
    paths: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(null=True, blank=True)
    bits = models.FloatField(null=True, blank=True)
    bits_reason = models.CharField(max_length=500, blank=True)
    seconds = models.FloatField(default=0.0)
    peak_bytes = models.PositiveBigIntegerField(default=0)
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "method"], name="one_clustering_per_run_and_method"),
            models.CheckConstraint(condition=models.Q(seconds__gte=0), name="a_clustering_took_no_negative_time"),
        ]

    def __str__(self) -> str:
        return f"{self.method or 'templates'} of run {self.run_id}"

    def get_absolute_url(self) -> str:
        return reverse("site_lab_method", args=[self.site.slug, self.pk])

    def read_templates(self) -> tuple[KeptTemplate, ...]:
        """Return the templates that the groups were, () if they were none. Raises JsonShapeError."""
        return tuple(read_as(tuple[KeptTemplate, ...], self.templates, key="templates"))

    def read_paths(self) -> GroupPaths | None:
        """Return the template paths of the groups, None if they were not found. Raises JsonShapeError."""
        return None if self.paths is None else read_as(GroupPaths, self.paths, key="paths")

    @property
    def pages(self) -> int:
        """The number of pages in its groups."""
        return sum(map(len, self.groups))


class PageLabel(models.Model):
    """A label that a person gave to a page. Clusterings are measured against it; unlike a `Placement`, it does not move the page."""

    page = models.OneToOneField(Page, on_delete=models.CASCADE, related_name="said")
    label = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return f"{self.page} is {self.label}"
