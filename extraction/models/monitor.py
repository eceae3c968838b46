"""Monitoring: when a site is checked, which pages are watched, and what the checks found (Vertex, section 3.2.2)."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeAlias

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.algorithms.json_values import read_as
from extraction.models.check_findings import AttributeFinding, CheckedPage, CheckEvidence
from extraction.models.cluster import Cluster
from extraction.models.page import Page
from extraction.models.rule import Rule
from extraction.models.run import Run
from extraction.models.site import Site
from extraction.models.snapshot import Snapshot

MAX_HOURS = 24 * 365
"""The longest interval between two checks: a year."""


class Monitor(models.Model):
    """When a site is checked. Each site has one row, which operators can edit.

    every_hours: the time from one check to the next.
    next_due_at: moved forward by compare-and-set when a check starts, so no check starts twice and a missed tick only delays
        it.
    auto_repair: a repair that passes every test is published without a person.
    silence_known_at: when a person said that they know that the site does not answer. It is forgotten as soon as the site answers.
    """

    DEFAULT_HOURS: ClassVar[int] = 24

    site = models.OneToOneField(Site, on_delete=models.CASCADE, related_name="monitor")
    enabled = models.BooleanField(default=True)
    every_hours = models.PositiveIntegerField(default=DEFAULT_HOURS, validators=[MinValueValidator(1), MaxValueValidator(MAX_HOURS)])
    next_due_at = models.DateTimeField(db_index=True)
    last_checked_at = models.DateTimeField(null=True, blank=True)
    auto_repair = models.BooleanField(default=False)
    silence_known_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(every_hours__gte=1, every_hours__lte=MAX_HOURS), name="a_monitor_has_an_interval"),
        ]

    def __str__(self) -> str:
        return f"monitor of {self.site}"


class Bellwether(models.Model):
    """A watched page.

    baseline: its last snapshot on which the rule was right.
    asked, answered: the number of fetches so far, and how many of them succeeded.
    doubted: how many checks in a row kept the baseline although the rule is not broken: signs of a broken rule are on the page, or on
        pages that it is compared with.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="bellwethers")
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="+")
    baseline = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(default=0)
    asked = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    doubted = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "page"], name="a_page_is_a_bellwether_once"),
            models.CheckConstraint(condition=Q(answered__lte=F("asked")), name="a_bellwether_answers_what_it_is_asked"),
        ]

    def __str__(self) -> str:
        return f"bellwether {self.page}"


class CheckVerdict(models.TextChoices):
    OK = "ok", gettext_lazy("OK")
    SHINGLE = "shingle", gettext_lazy("Structure changed")
    NULL = "null", gettext_lazy("Values missing")
    INCORRECT = "incorrect", gettext_lazy("Wrong values")
    UNREACHABLE = "unreachable", gettext_lazy("Unreachable")


class Check(models.Model):
    """What one check found for the rule of one cluster.

    verdict: a `monitoring.verdict.VerdictKind`.
    confirmed: a second fetch agreed. Only a confirmed check has consequences.
    drifting: values of some attribute go missing on more and more pages, although no single check found the rule broken.
    accepted_at: when a person said that the site is as this check found it.
    attributes: {name: `AttributeFinding`}.
    pages: a list of `CheckedPage`.
    evidence: a list of `CheckEvidence`.
    """

    Verdict: TypeAlias = CheckVerdict

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="checks")
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="checks")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="checks")
    checked_at = models.DateTimeField()
    verdict = models.CharField(max_length=12, choices=CheckVerdict.choices)
    confirmed = models.BooleanField(default=True)
    asked = models.PositiveIntegerField(default=0)
    reached = models.PositiveIntegerField(default=0)
    covered_fraction = models.FloatField(default=0.0)
    attributes: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    pages: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    evidence: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    drifting = models.BooleanField(default=False)
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-checked_at", "-id"]
        indexes = [models.Index(fields=["cluster", "checked_at"])]
        constraints = [
            models.UniqueConstraint(fields=["run", "cluster"], name="a_run_checks_a_cluster_once"),
            models.CheckConstraint(condition=Q(verdict__in=CheckVerdict.values), name="a_check_has_a_known_verdict"),
            models.CheckConstraint(condition=Q(reached__lte=F("asked")), name="a_check_reaches_what_it_asks"),
            models.CheckConstraint(condition=Q(covered_fraction__gte=0, covered_fraction__lte=1), name="a_check_covers_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"check of {self.cluster} at {self.checked_at:%Y-%m-%d %H:%M}: {self.verdict}"

    def read_attributes(self) -> dict[str, AttributeFinding]:
        """Return {attribute: what was found for it}. Raises JsonShapeError."""
        return dict(read_as(Mapping[str, AttributeFinding], self.attributes, key="attributes"))

    def read_pages(self) -> tuple[CheckedPage, ...]:
        """Return the results of the watched pages. Raises JsonShapeError."""
        return tuple(read_as(tuple[CheckedPage, ...], self.pages, key="pages"))

    def read_evidence(self) -> tuple[CheckEvidence, ...]:
        """Return the evidence against the rule. Raises JsonShapeError."""
        return tuple(read_as(tuple[CheckEvidence, ...], self.evidence, key="evidence"))

    @property
    def broken(self) -> list[str]:
        """The attributes whose rule no longer works, in no fixed order: PostgreSQL does not keep the order of keys in JSON."""
        return list_broken(self.read_attributes())

    @property
    def coverage_lost(self) -> bool:
        """Whether a crawl would no longer give most of the pages to the template."""
        return self.verdict == self.Verdict.SHINGLE

    @property
    def drifts(self) -> list[tuple[str, AttributeFinding]]:
        """The attributes whose values go missing little by little, with what was found for each."""
        return [(name, found) for name, found in self.read_attributes().items() if found.usual_fraction is not None]

    @property
    def standing(self) -> str:
        """The state to show. A changed structure with broken attributes counts as broken."""
        if self.verdict == self.Verdict.OK and self.drifting and self.accepted_at is None:
            return "drifting"
        return "broken" if self.coverage_lost and self.broken else self.verdict


def list_broken(found: Mapping[str, AttributeFinding]) -> list[str]:
    """Return the attributes whose rule no longer works, by what a check found for each."""
    return [name for name, each in found.items() if each.kind not in (CheckVerdict.OK, CheckVerdict.UNREACHABLE)]


class BreakageState(models.TextChoices):
    OPEN = "open", gettext_lazy("Open")
    REPAIRED = "repaired", gettext_lazy("Repaired")
    RECOVERED = "recovered", gettext_lazy("Recovered without a repair")
    DISMISSED = "dismissed", gettext_lazy("Dismissed")


CLOSED = (BreakageState.REPAIRED, BreakageState.RECOVERED, BreakageState.DISMISSED)


class BreakageQuerySet(models.QuerySet["Breakage"]):
    """Common queries on breakages."""

    def of_site(self, site: Site) -> Self:
        """Breakages of a site's clusters."""
        return self.filter(cluster__site=site)

    def open(self) -> Self:
        """Breakages that nobody has closed."""
        return self.filter(state=BreakageState.OPEN)


class Breakage(models.Model):
    """A broken rule, from the check that found it until it is repaired, recovers or is dismissed.

    A cluster has at most one open breakage.

    attributes: the attributes that broke; none if the pages only lost their template.
    proposal: a version that would repair it.
    importance: the number of affected records.
    note: why there is no proposal, or what a person wrote.
    assignee: the person who looks after it, None for nobody.
    """

    State: TypeAlias = BreakageState

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="breakages")
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="breakages")
    check_found = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="breakages")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    attributes: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    proposal = models.ForeignKey(Rule, null=True, blank=True, on_delete=models.SET_NULL, related_name="proposed_for")
    importance = models.FloatField(default=0.0)
    note = models.CharField(max_length=500, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    objects = BreakageQuerySet.as_manager()

    class Meta:
        ordering = ["-importance", "id"]
        indexes = [models.Index(fields=["state", "closed_at"])]
        constraints = [
            models.UniqueConstraint(fields=["cluster"], condition=Q(state=BreakageState.OPEN), name="one_open_breakage_per_cluster"),
            models.CheckConstraint(
                condition=Q(state=BreakageState.OPEN, closed_at=None) | Q(state__in=CLOSED, closed_at__isnull=False),
                name="a_closed_breakage_has_its_time",
            ),
            models.CheckConstraint(condition=Q(importance__gte=0), name="no_importance_is_negative"),
        ]

    def __str__(self) -> str:
        return f"breakage {self.pk} of {self.cluster}"

    def get_absolute_url(self) -> str:
        return reverse("breakage", args=[self.pk])

    @property
    def coverage_lost(self) -> bool:
        """Whether no attribute broke, but a crawl would no longer give the pages to the template."""
        return not self.attributes

    @property
    def subject(self) -> str:
        """What broke, in words."""
        return ", ".join(self.attributes) or "page structure"
