"""Rules: one stylesheet a cluster, in versions."""

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from extraction.models.cluster import Cluster


class Rule(models.Model):
    """One version of a cluster's rule.

    definition: `algorithms.rules.rule.Rule` as JSON. stylesheet: the XSLT made of it; what is run. report: what the
    learner said of each attribute (precision, distance, support, features) and what validation found.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        LIVE = "live", "Live"
        RETIRED = "retired", "Retired"

    class Origin(models.TextChoices):
        LEARNED = "learned", "Learned"
        EDITED = "edited", "Edited"

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="rules")
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.LEARNED)
    definition: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    stylesheet = models.TextField()
    report: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "version"], name="one_rule_per_version"),
            models.UniqueConstraint(fields=["cluster"], condition=models.Q(state="live"), name="one_live_rule_per_cluster"),
        ]

    def __str__(self) -> str:
        return f"rule {self.version} of {self.cluster}"

    def get_absolute_url(self) -> str:
        return reverse("rule", args=[self.cluster.site.slug, self.cluster.number, self.version])
