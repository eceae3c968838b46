"""Rules: one stylesheet per cluster, in versions."""

from typing import Any, ClassVar, Self, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models.cluster import Cluster
from extraction.models.rule_report import RuleReport
from extraction.models.site import Site


class RuleState(models.TextChoices):
    DRAFT = "draft", gettext_lazy("Draft")
    VALIDATED = "validated", gettext_lazy("Validated")
    LIVE = "live", gettext_lazy("Live")
    SUSPECT = "suspect", gettext_lazy("Suspect")
    BROKEN = "broken", gettext_lazy("Broken")
    REPAIRED = "repaired", gettext_lazy("Repaired")
    RETIRED = "retired", gettext_lazy("Retired")


class RuleOrigin(models.TextChoices):
    LEARNED = "learned", gettext_lazy("Learned")
    EDITED = "edited", gettext_lazy("Edited")
    REPAIRED = "repaired", gettext_lazy("Repaired")
    REUSED = "reused", gettext_lazy("Reused")


UNPUBLISHED_STATES = (RuleState.DRAFT, RuleState.VALIDATED)
SERVING_STATES = (RuleState.LIVE, RuleState.SUSPECT, RuleState.BROKEN)
ENDED_STATES = (RuleState.REPAIRED, RuleState.RETIRED)


class RuleQuerySet(models.QuerySet["Rule"]):
    """Common queries on rules."""

    def of_site(self, site: Site) -> Self:
        """Versions of the rules of a site's clusters, including ignored clusters."""
        return self.filter(cluster__site=site)

    def not_ignored(self) -> Self:
        """Versions of clusters that records may be extracted from."""
        return self.filter(cluster__ignored=False)

    def serving(self) -> Self:
        """Versions that extract records: live, suspect and broken ones."""
        return self.filter(state__in=SERVING_STATES)

    def live(self) -> Self:
        """Versions that extract records and have no known fault."""
        return self.filter(state=RuleState.LIVE)

    def unpublished(self) -> Self:
        """Versions that have never extracted anything."""
        return self.filter(state__in=UNPUBLISHED_STATES)

    def not_ended(self) -> Self:
        """Versions that extract records or have never been published."""
        return self.exclude(state__in=ENDED_STATES)


class Rule(models.Model):
    """One version of a cluster's rule.

    A version in one of the states of SERVING is the one that extracts records. A suspect or broken version goes on serving
    until a person or a repair replaces it, because most of its attributes are right.

    definition: `algorithms.rules.rule.RuleDefinition` as JSON.
    stylesheet: the XSLT made from the definition, which is what is run.
    report: `RuleReport` as JSON.
    state: `TRANSITIONS` says which states may follow.
    losses_known_at: when a person said that they know which attributes a repair left out.
    """

    State: TypeAlias = RuleState
    Origin: TypeAlias = RuleOrigin

    UNPUBLISHED: ClassVar[tuple[RuleState, ...]] = UNPUBLISHED_STATES
    SERVING: ClassVar[tuple[RuleState, ...]] = SERVING_STATES
    ENDED: ClassVar[tuple[RuleState, ...]] = ENDED_STATES

    TRANSITIONS: ClassVar[dict[RuleState, tuple[RuleState, ...]]] = {
        State.DRAFT: (State.VALIDATED, State.LIVE),
        State.VALIDATED: (State.LIVE,),
        State.LIVE: (State.SUSPECT, State.BROKEN, State.RETIRED),
        State.SUSPECT: (State.LIVE, State.BROKEN, State.RETIRED),
        State.BROKEN: (State.LIVE, State.REPAIRED, State.RETIRED),
        State.REPAIRED: (State.LIVE,),
        State.RETIRED: (State.LIVE,),
    }
    """The states that may follow each state.

    SUSPECT: a check found something that a second fetch has yet to confirm.
    REPAIRED: it broke, and a version that works replaced it.
    Versions in an ended state can be published again.
    """

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
    losses_known_at = models.DateTimeField(null=True, blank=True)

    objects = RuleQuerySet.as_manager()

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "version"], name="one_rule_per_version"),
            models.UniqueConstraint(fields=["cluster"], condition=Q(state__in=SERVING_STATES), name="one_serving_rule_per_cluster"),
            models.CheckConstraint(
                condition=Q(state__in=UNPUBLISHED_STATES, published_at=None)
                | Q(state__in=(*SERVING_STATES, *ENDED_STATES), published_at__isnull=False),
                name="a_published_rule_has_its_time",
            ),
            models.CheckConstraint(condition=Q(origin__in=RuleOrigin.values), name="a_rule_is_of_a_known_origin"),
            models.CheckConstraint(condition=Q(version__gte=1), name="versions_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"rule {self.version} of {self.cluster}"

    def get_absolute_url(self) -> str:
        return reverse("rule", args=[self.cluster.site.slug, self.cluster.number, self.version])

    def read_definition(self) -> RuleDefinition:
        """Return the rule as a value. Raises RuleError or XPathError if the row does not hold a rule."""
        return RuleDefinition.from_json(self.definition)

    def read_report(self) -> RuleReport:
        """Return the version's report. Raises JsonShapeError if the row does not hold a report."""
        return RuleReport.from_json(self.report)

    @property
    def serving(self) -> bool:
        """Whether it is the version that extracts records."""
        return self.state in self.SERVING

    @property
    def unpublished(self) -> bool:
        """Whether it has never extracted anything."""
        return self.state in self.UNPUBLISHED
