"""Rules: one stylesheet a cluster, in versions."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse

from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models.cluster import Cluster
from extraction.models.rule_report import RuleReport


class Rule(models.Model):
    """One version of a cluster's rule.

    definition: `algorithms.rules.rule.RuleDefinition` as JSON. stylesheet: the XSLT made of it; what is run. report: `RuleReport`
    as JSON.
    state: `TRANSITIONS` says what may become of it. A version in one of the states of SERVING is the one that extracts; a suspect or
    broken one goes on serving until a person or a repair replaces it, since most of its attributes are right.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        VALIDATED = "validated", "Validated"
        LIVE = "live", "Live"
        SUSPECT = "suspect", "Suspect"
        BROKEN = "broken", "Broken"
        REPAIRED = "repaired", "Repaired"
        RETIRED = "retired", "Retired"

    class Origin(models.TextChoices):
        LEARNED = "learned", "Learned"
        EDITED = "edited", "Edited"
        REPAIRED = "repaired", "Repaired"
        REUSED = "reused", "Reused"

    UNPUBLISHED: ClassVar[tuple[State, ...]] = (State.DRAFT, State.VALIDATED)
    SERVING: ClassVar[tuple[State, ...]] = (State.LIVE, State.SUSPECT, State.BROKEN)
    ENDED: ClassVar[tuple[State, ...]] = (State.REPAIRED, State.RETIRED)

    TRANSITIONS: ClassVar[dict[State, tuple[State, ...]]] = {
        State.DRAFT: (State.VALIDATED, State.LIVE),
        State.VALIDATED: (State.LIVE,),
        State.LIVE: (State.SUSPECT, State.BROKEN, State.RETIRED),
        State.SUSPECT: (State.LIVE, State.BROKEN, State.RETIRED),
        State.BROKEN: (State.LIVE, State.REPAIRED, State.RETIRED),
        State.REPAIRED: (State.LIVE,),
        State.RETIRED: (State.LIVE,),
    }
    """The life of a version. suspect: a check found something that a second look has yet to confirm. repaired: broken, and
    replaced by a version that works. What has ended can be put back."""

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
            models.UniqueConstraint(
                fields=["cluster"], condition=models.Q(state__in=["live", "suspect", "broken"]), name="one_serving_rule_per_cluster"
            ),
        ]

    def __str__(self) -> str:
        return f"rule {self.version} of {self.cluster}"

    def get_absolute_url(self) -> str:
        return reverse("rule", args=[self.cluster.site.slug, self.cluster.number, self.version])

    def read_definition(self) -> RuleDefinition:
        """The rule as a value. Raises RuleError or XPathError when the row does not hold one."""
        return RuleDefinition.from_json(self.definition)

    def read_report(self) -> RuleReport:
        """What is said of the version. Raises JsonShapeError when the row does not hold a report."""
        return RuleReport.from_json(self.report)

    @property
    def serving(self) -> bool:
        """It is the version that extracts."""
        return self.state in self.SERVING

    @property
    def unpublished(self) -> bool:
        """It has never extracted anything."""
        return self.state in self.UNPUBLISHED
