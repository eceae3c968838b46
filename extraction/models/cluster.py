"""Clusters: the pages of one template."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext

from extraction.models.schema import RecordType
from extraction.models.site import Site


class ClusterQuerySet(models.QuerySet["Cluster"]):
    """Common queries on clusters."""

    def not_ignored(self) -> Self:
        """Clusters that records may be extracted from."""
        return self.filter(ignored=False)

    def shown(self) -> Self:
        """Clusters that count as templates: neither ignored nor only offered."""
        return self.not_ignored().filter(small=False)

    def kept_when_empty(self) -> Self:
        """Clusters with a name, labels or a rule. They are kept when they lose all their pages."""
        return self.filter(~Q(name="") | ~Q(labels=None) | ~Q(rules=None)).distinct()

    def dropped_when_empty(self) -> Self:
        """Clusters without a name, labels or a rule. They are deleted when they lose all their pages."""
        return self.filter(name="", labels=None, rules=None)

    def touched(self) -> Self:
        """Clusters that a person has worked on. They count as templates, no matter how few pages they have."""
        touched = Q(merged=True) | ~Q(name="") | ~Q(record_type=None) | ~Q(labels=None) | ~Q(rules=None) | Q(placements__belongs=True)
        return self.filter(touched).distinct()


class Cluster(models.Model):
    """The pages of one template of a site. The screens call it a template.

    number: its number within the site, which is never reused.
    masks: the masked shingle vectors it was made from, as text (`3f.a2.**.10.…`). A page belongs to it if any of them covers
        the page.
    url_patterns: the most specific patterns that match its URLs, as text.
    ignored: a person said that nothing is to be extracted from it.
    merged: a person made it from several clusters.
    small: it has fewer pages than a template of this site needs, and nobody has worked on it yet, so it is only offered.
    assignee: the person who works on it, None for nobody.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="clusters")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True)
    masks: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    url_patterns: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    ignored = models.BooleanField(default=False)
    merged = models.BooleanField(default=False)
    small = models.BooleanField(default=False)
    record_type = models.ForeignKey(RecordType, null=True, blank=True, on_delete=models.PROTECT, related_name="clusters")
    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ClusterQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["site", "number"], name="one_cluster_per_number")]

    UNNAMED: ClassVar[str] = "Template {number}"

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("cluster", args=[self.site.slug, self.number])

    @property
    def label(self) -> str:
        """The name that a person gave it, else "Template 3" in the reader's language."""
        return self.name or gettext("Template %(number)s") % {"number": self.number}

    @property
    def stored_label(self) -> str:
        """The label in English, for files and for what is stored."""
        return self.name or self.UNNAMED.format(number=self.number)


class ClusterCore(models.Model):
    """What the pages of a cluster have in common: `TemplateCore.to_bytes`, some ten thousand bytes.

    It has its own table because it is needed only to match pages and to compare clusters.
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="core")
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"core of {self.cluster}"


class SamplePage(models.Model):
    """A page chosen for annotation, in greedy order, or a page that a person labelled besides.

    covered_fraction: share of the weight of the cluster's paths that this page and those before it cover, 0 to 1. They may cover more where
    a person labelled a page after the samples were chosen.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="samples")
    snapshot = models.ForeignKey("extraction.Snapshot", on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    covered_fraction = models.FloatField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "position"], name="one_sample_per_position"),
            models.UniqueConstraint(fields=["cluster", "snapshot"], name="a_page_is_a_sample_once"),
            models.CheckConstraint(condition=Q(covered_fraction__gte=0, covered_fraction__lte=1), name="a_sample_covers_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"sample {self.position} of {self.cluster}"
