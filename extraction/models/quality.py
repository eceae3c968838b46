"""Rules about the quality of records, what each run's records were found to be, and whether they were released."""

from typing import Any, Self, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.records.quality.demands import Demand, RuleLimits
from extraction.algorithms.records.quality.offers import RuleBasis
from extraction.models.cluster import Cluster
from extraction.models.page import Page
from extraction.models.record_history import TrackedRecord
from extraction.models.run import Run
from extraction.models.schema import Attribute, RecordList, RecordType
from extraction.models.snapshot import Snapshot


class QualityKind(models.TextChoices):
    REQUIRED = "required", gettext_lazy("Has a value")
    RANGE = "range", gettext_lazy("In a range")
    VALUES = "values", gettext_lazy("Allowed values")
    PATTERN = "pattern", gettext_lazy("Matches a pattern")
    LENGTH = "length", gettext_lazy("Length")
    UNIQUE = "unique", gettext_lazy("Unique")
    LANGUAGE = "language", gettext_lazy("Language")
    RELATION = "relation", gettext_lazy("Compared with another attribute")
    MONOTONY = "monotony", gettext_lazy("Only rises or only falls")
    CHANGE = "change", gettext_lazy("Share that may change at once")
    COUNT = "count", gettext_lazy("Number of records")


class QualityWeight(models.TextChoices):
    NOTE = "note", gettext_lazy("Note")
    WARN = "warn", gettext_lazy("Warn")
    BLOCK = "block", gettext_lazy("Block")


class QualityRuleQuerySet(models.QuerySet["QualityRule"]):
    """Common queries on quality rules."""

    def for_all(self) -> Self:
        """Rules for all templates of a record type."""
        return self.filter(cluster=None)

    def with_names(self) -> Self:
        """Rules with what `read_demand` needs, in the order in which they are shown."""
        rows = self.select_related("attribute__list", "other", "list", "record_type", "cluster__site")
        return rows.order_by(models.F("attribute__position").asc(nulls_last=True), "pk")


class QualityRule(models.Model):
    """A rule about the records of a type, on all sites or in one template.

    cluster: the only template that it is for, None for all templates of the type.
    overrides: the rule for all templates that it replaces in its template.
    attribute: None for rules about whole records. list: the list whose rows a rule without an attribute is about.
    other: the attribute on the right of a relation.
    limits: `RuleLimits` as JSON.
    allowed_fraction: the largest share of records that may fail.
    weight: what follows if it is broken. NOTE: it is shown; WARN: people are told; BLOCK: the run's records are held back.
    enabled: a rule that is not enabled is not judged. One that overrides another switches that off, too.
    basis: `RuleBasis` as JSON if it was suggested and its limits have not been edited since; else empty.
    """

    Kind: TypeAlias = QualityKind
    Weight: TypeAlias = QualityWeight

    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="quality_rules")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="quality_rules")
    overrides = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="overriding")
    attribute = models.ForeignKey(Attribute, null=True, blank=True, on_delete=models.CASCADE, related_name="quality_rules")
    list = models.ForeignKey(RecordList, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(Attribute, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    limits: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    allowed_fraction = models.FloatField(default=0.0)
    weight = models.CharField(max_length=5, choices=Weight.choices, default=Weight.WARN)
    enabled = models.BooleanField(default=True)
    basis: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    objects = QualityRuleQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "overrides"], name="a_template_overrides_a_rule_once"),
            models.CheckConstraint(condition=Q(kind__in=QualityKind.values), name="a_quality_rule_is_of_a_known_kind"),
            models.CheckConstraint(condition=Q(weight__in=QualityWeight.values), name="a_quality_rule_has_a_known_weight"),
            models.CheckConstraint(condition=Q(allowed_fraction__gte=0, allowed_fraction__lte=1), name="a_quality_rule_allows_a_fraction"),
            models.CheckConstraint(condition=Q(overrides=None) | Q(cluster__isnull=False), name="only_templates_override_rules"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.attribute or self.record_type}"

    def read_limits(self) -> RuleLimits:
        """Return its limits. Raises JsonShapeError."""
        return RuleLimits.from_json(self.limits)

    def read_basis(self) -> RuleBasis | None:
        """Return where its limits come from, None if a person set them. Raises JsonShapeError."""
        return RuleBasis.from_json(self.basis) if self.basis else None

    def read_demand(self) -> Demand:
        """Return what it demands. Raises JsonShapeError."""
        of_list = self.attribute.list if self.attribute else self.list
        return Demand(
            kind=self.kind,  # type: ignore[arg-type]
            attribute=self.attribute.name if self.attribute else "",
            type=self.attribute.type if self.attribute else "text",  # type: ignore[arg-type]
            list_name=of_list.name if of_list else "",
            other=self.other.name if self.other else "",
            limits=self.read_limits(),
            allowed_fraction=self.allowed_fraction,
        )


class ReleaseState(models.TextChoices):
    JUDGED = "judged", gettext_lazy("Judged")
    RELEASED = "released", gettext_lazy("Released")
    HELD = "held", gettext_lazy("Held back")
    REJECTED = "rejected", gettext_lazy("Rejected")


class RunReleaseQuerySet(models.QuerySet["RunRelease"]):
    """Common queries on releases. Their order is that in which the runs were judged."""

    def settled(self) -> Self:
        """Releases whose run is done."""
        return self.exclude(state=ReleaseState.JUDGED)

    def released(self) -> Self:
        """Releases whose records may be delivered."""
        return self.filter(state=ReleaseState.RELEASED)

    def held(self) -> Self:
        """Releases that wait for a person."""
        return self.filter(state=ReleaseState.HELD)

    def newest(self) -> Self:
        """The newest settled release of each template."""
        of_template = RunRelease.objects.settled().filter(cluster=models.OuterRef("cluster")).order_by("-pk")
        return self.filter(pk=models.Subquery(of_template.values("pk")[:1]))

    def withheld(self) -> Self:
        """The newest release of each template whose newest run was not released."""
        return self.newest().filter(state__in=(ReleaseState.HELD, ReleaseState.REJECTED))


class RunRelease(models.Model):
    """Whether the records that a run extracted for a template may be delivered.

    state: JUDGED until its run is done; then RELEASED, or HELD until an operator decides or a later run is released.
    reasons: a sentence for each broken rule, those of weight BLOCK first.
    counts: {list, "" for pages: number of records or rows}. Empty for runs from before there were rules.
    base: the release that its records were compared with, None if there was none.
    decided_by, decided_name, decided_at: who released or rejected it; None and "" if no person did.
    note: what that person said about it, or why it was decided without a person.
    """

    State: TypeAlias = ReleaseState

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="releases")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="releases")
    state = models.CharField(max_length=8, choices=State.choices, default=State.JUDGED)
    reasons: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    counts: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict, blank=True)
    base = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    judged_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    decided_name = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)

    objects = RunReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["cluster", "state"])]
        constraints = [
            models.UniqueConstraint(fields=["run", "cluster"], name="a_run_is_judged_once_for_a_template"),
            models.CheckConstraint(condition=Q(state__in=ReleaseState.values), name="a_release_has_a_known_state"),
            models.CheckConstraint(
                condition=Q(state__in=(ReleaseState.JUDGED, ReleaseState.HELD), decided_at=None)
                | Q(state__in=(ReleaseState.RELEASED, ReleaseState.REJECTED), decided_at__isnull=False),
                name="a_decided_release_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cluster} of run {self.run_id}: {self.state}"

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.cluster.site.slug, self.cluster.number, self.pk])

    def describe_state(self) -> str:
        """Return in a sentence why the records of its run are not delivered; "" if they are."""
        if self.state == ReleaseState.HELD:
            return gettext("The newest run (run %(run_id)s) is held back, so its records are not delivered: %(reasons)s.") % {
                "run_id": self.run_id,
                "reasons": "; ".join(self.reasons),
            }
        if self.state == ReleaseState.REJECTED:
            who = f" by {self.decided_name}" if self.decided_name else ""
            return gettext("The newest run (run %(run_id)s) was rejected%(who)s, so its records are not delivered.") % {
                "run_id": self.run_id,
                "who": who,
            }
        return ""


class RuleResult(models.Model):
    """What one run's records were found to be by one rule.

    rule: None if the rule was deleted since.
    attribute: its name then. text: the rule in words. reason: in words, what was found; "" if nothing failed.
    checked, failing, unread, undecided: numbers of records (`judging.Score`).
    broken: more failed than the rule allowed.
    """

    release = models.ForeignKey(RunRelease, on_delete=models.CASCADE, related_name="results")
    rule = models.ForeignKey(QualityRule, null=True, on_delete=models.SET_NULL, related_name="results")
    attribute = models.CharField(max_length=60, blank=True)
    text = models.CharField(max_length=600)
    weight = models.CharField(max_length=5, choices=QualityWeight.choices)
    broken = models.BooleanField(default=False)
    checked = models.PositiveIntegerField(default=0)
    failing = models.PositiveIntegerField(default=0)
    unread = models.PositiveIntegerField(default=0)
    undecided = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=600, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text


class RuleFailure(models.Model):
    """A record or row that failed a rule in a run, as it was then. Only the first ones of each result are kept.

    record: None for rows of a list without a key, and if the record is no longer known.
    value: what failed, cut; reason: why, as the end of a sentence.
    """

    result = models.ForeignKey(RuleResult, on_delete=models.CASCADE, related_name="failures")
    record = models.ForeignKey(TrackedRecord, null=True, on_delete=models.SET_NULL, related_name="+")
    page = models.ForeignKey(Page, null=True, on_delete=models.SET_NULL, related_name="+")
    snapshot = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="+")
    list_name = models.CharField(max_length=60, blank=True)
    value = models.CharField(max_length=310, blank=True)
    reason = models.CharField(max_length=310)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.value} {self.reason}"
