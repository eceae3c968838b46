"""What records are over time: each thing with its present values, the pages it stands on, and its changes.

Each extracted page writes rows here, so foreign keys that an index of several columns begins with have no index of their own.
"""

from typing import Any, Self, TypeAlias

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.algorithms.records.keys import Key
from extraction.models.cluster import Cluster
from extraction.models.page import Page
from extraction.models.rule import Rule
from extraction.models.run import Run
from extraction.models.snapshot import Snapshot

KEY_FIELDS = ("key", "text", "by_address", "key_by", "digest")
"""The fields that `TrackedRecord.take_key` sets."""


class TrackedState(models.TextChoices):
    PRESENT = "present", gettext_lazy("Present")
    GONE = "gone", gettext_lazy("Gone")
    JOINED = "joined", gettext_lazy("Merged")


class TrackedRecordQuerySet(models.QuerySet["TrackedRecord"]):
    """Common queries on tracked records."""

    def present(self) -> Self:
        """Records that the last runs found, or missed too few times to be gone."""
        return self.filter(state=TrackedState.PRESENT)

    def with_conflicts(self) -> Self:
        """Records with a source that disagrees with the others."""
        return self.filter(pk__in=RecordSource.objects.filter(problem__gt="").values("record"))  # a range of the index


class TrackedRecord(models.Model):
    """One thing that a template's pages describe, over all runs: a book, or an offer in a list of offers.

    list_name: the list whose row it is; "" for the record of a page.
    key: the texts that tell it apart (`extraction.algorithms.records.keys.Key`).
    by_address: the key is the address of its page.
    key_by: the ids of the attributes that made the key, and whether the page's key is part of it.
    text: the key, case folded, for the search.
    digest: of the key; unique among the records of the list.
    values: {attribute: its values as JSON}, when the record was last seen.
    page, snapshot, rule: where these values come from. The page is the main source.
    number: the number of its last change.
    misses: how many runs in a row have missed it.
    missed_run: the last run that missed it.
    joined: the record that it turned out to be, if it is JOINED.
    """

    State: TypeAlias = TrackedState

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="tracked", db_index=False)
    list_name = models.CharField(max_length=60, blank=True)
    key: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    by_address = models.BooleanField(default=False)
    key_by = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    digest = models.CharField(max_length=64)
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PRESENT)
    page = models.ForeignKey(Page, null=True, on_delete=models.SET_NULL, related_name="+")
    snapshot = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="+")
    rule = models.ForeignKey(Rule, null=True, on_delete=models.SET_NULL, related_name="+")
    number = models.PositiveIntegerField(default=0)
    misses = models.PositiveIntegerField(default=0)
    missed_run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")
    joined = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="joiners")
    first_seen_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = TrackedRecordQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["cluster", "state", "seen_at"])]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "list_name", "digest"], name="one_tracked_record_per_key"),
            models.CheckConstraint(condition=Q(state__in=TrackedState.values), name="a_tracked_record_has_a_known_state"),
        ]

    def __str__(self) -> str:
        return ", ".join(self.key)

    def get_absolute_url(self) -> str:
        return reverse("tracked_record", args=[self.cluster.site.slug, self.cluster.number, self.pk])

    def take_key(self, key: Key, *, by: str) -> None:
        """Take over a key. The caller saves the row.

        by: what made it (`key_by`).
        """
        self.key, self.by_address, self.key_by, self.digest = list(key.parts), key.by_address, by, key.digest
        self.text = "\n".join(key.parts).casefold()


class RecordSource(models.Model):
    """A page on which a tracked record stands.

    snapshot: the content in which it was last seen.
    problem: what its values or addresses disagree about with the main source; "" if they agree.
    """

    record = models.ForeignKey(TrackedRecord, on_delete=models.CASCADE, related_name="sources", db_index=False)
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="+")
    snapshot = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="+")
    problem = models.CharField(max_length=500, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["record", "page"], name="one_source_per_page")]
        indexes = [models.Index(fields=["problem"])]

    def __str__(self) -> str:
        return f"{self.record} on {self.page}"


class ChangeKind(models.TextChoices):
    ADDED = "added", gettext_lazy("New")
    CHANGED = "changed", gettext_lazy("Changed")
    GONE = "gone", gettext_lazy("Gone")
    BACK = "back", gettext_lazy("Back")
    MOVED = "moved", gettext_lazy("Moved")
    JOINED = "joined", gettext_lazy("Merged")


class ChangeCause(models.TextChoices):
    PAGE = "page", gettext_lazy("The page changed")
    RULE = "rule", gettext_lazy("The rule changed")
    CORRECTION = "correction", gettext_lazy("A person corrected it")
    MIXED = "mixed", gettext_lazy("Both changed")


class RecordChange(models.Model):
    """One change of a tracked record. The changes of a record are numbered from 1 without gaps.

    Two workers that change the same record at once give their changes the same number. The database refuses the second,
    so no change is lost or counted twice.

    run: the run that found it; None if a person changed the key or corrected a value.
    rule, snapshot: the version of the rule and the content of the page that gave the values after the change.
    before: the content of the page that gave the values before it.
    values: {attribute: `extraction.algorithms.records.changes.Change` as JSON}.
    cause: what explains all of these; MIXED if they have several causes or one cannot be told, "" without values.
    """

    Kind: TypeAlias = ChangeKind
    Cause: TypeAlias = ChangeCause

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="changes", db_index=False)
    record = models.ForeignKey(TrackedRecord, on_delete=models.CASCADE, related_name="changes", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="changes", db_index=False)
    at = models.DateTimeField()
    rule = models.ForeignKey(Rule, null=True, on_delete=models.SET_NULL, related_name="+")
    snapshot = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="+")
    before = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="+")
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    cause = models.CharField(max_length=10, choices=Cause.choices, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["cluster", "at"]),
            models.Index(fields=["cluster", "id"]),
            models.Index(fields=["cluster", "kind", "id"]),
            models.Index(fields=["cluster", "cause", "id"]),
            models.Index(fields=["run", "cluster"]),
            models.Index(fields=["run", "id"]),
        ]
        constraints = [
            models.UniqueConstraint(fields=["record", "number"], name="one_change_per_number"),
            models.CheckConstraint(condition=Q(kind__in=ChangeKind.values), name="a_change_is_of_a_known_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.record}: {self.kind}"
