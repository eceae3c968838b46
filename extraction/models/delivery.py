"""Deliveries: where records are sent, each sending, and what each receiver has."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.algorithms.json_values import JsonValue
from extraction.models.cluster import Cluster
from extraction.models.repeating import MAX_HOURS, Repeating
from extraction.models.run import Run
from extraction.models.schema import RecordType


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPlace(JsonValue):
    """Where a target is, without its secrets. Each kind uses some of these; the others are "".

    Folder: folder, below one of the folders that the administrator allows.
    S3: endpoint ("" for AWS), region, bucket, folder (the beginning of the names), user (the access key).
    SFTP: host, port, user, folder, host_key (its fingerprint, "SHA256:…").
    Other store: url, as fsspec reads it.
    Webhook: host, for display; the address itself is a secret.
    SQL: url without the password, table.
    """

    folder: str = ""
    endpoint: str = ""
    region: str = ""
    bucket: str = ""
    host: str = ""
    port: int = 22
    user: str = ""
    host_key: str = ""
    url: str = ""
    table: str = ""


class Selection(StrEnum):
    """Which records a delivery brings: all that are present, or what happened since the last delivery."""

    ALL = "all"
    NEW = "new"
    NEW_CHANGED = "new_changed"
    GONE = "gone"
    CHANGES = "changes"


SELECTIONS: Mapping[str, StrOrPromise] = {
    Selection.ALL: gettext_lazy("all records that are present"),
    Selection.NEW: gettext_lazy("only records that are new since the last delivery"),
    Selection.NEW_CHANGED: gettext_lazy("records that are new or changed since the last delivery"),
    Selection.GONE: gettext_lazy("only records that are gone since the last delivery"),
    Selection.CHANGES: gettext_lazy("every change since the last delivery: new, changed, gone and back"),
}
"""{selection: its name on the screen}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetContent(JsonValue):
    """What a target gets, and in which form.

    columns: attributes in their order; empty for all, also those that are added later.
    about: columns about the record, of `columns.PAGE_COLUMNS`.
    values, split_prices: as in `ExportChoice`.
    format: name of an export format. Webhooks and tables have none.
    selection: which records a file holds, or which changes a webhook gets; tables always get all.
    keeps_files: each delivery writes a file with a name of its own, and does not replace the last one.
    described: a JSON Schema and a data dictionary are written beside the file.
    """

    columns: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    values: str = "normalised"
    split_prices: bool = False
    format: str = "csv"
    selection: Selection = Selection.ALL
    keeps_files: bool = False
    described: bool = True

    @property
    def changes_only(self) -> bool:
        """Whether a file holds what happened since the last delivery, and not all records."""
        return self.selection != Selection.ALL


class TargetKind(models.TextChoices):
    FOLDER = "folder", gettext_lazy("Folder")
    S3 = "s3", gettext_lazy("S3 or compatible")
    SFTP = "sftp", gettext_lazy("SFTP")
    OTHER = "other", gettext_lazy("Other file store")
    WEBHOOK = "webhook", gettext_lazy("Webhook")
    SQL = "sql", gettext_lazy("SQL table")


class DeliveryMode(models.TextChoices):
    RUNS = "runs", gettext_lazy("After each run")
    INTERVAL = "interval", gettext_lazy("Every so many hours")
    TIMES = "times", gettext_lazy("At times of day")
    CRON = "cron", gettext_lazy("By a cron expression")
    HAND = "hand", gettext_lazy("Only by hand")


class DeliveryTarget(Repeating):
    """Where the records of a type are delivered, and when.

    list_name: the list whose rows are delivered, "" for the pages' own records.
    place: `TargetPlace` as JSON.
    content: `TargetContent` as JSON.
    secret: passwords and keys, encrypted; see `services/deliveries/secrets.py`. It is never shown, logged or printed.
    mode: RUNS delivers when the records of a run are released; HAND when a person asks for it; the others by the clock.
    next_due_at: when it is due by the clock; None if the mode does not follow it.
    delivered_state: a digest of what the last file was made from, so that an equal one is not sent again.
    """

    Kind: TypeAlias = TargetKind
    Mode: TypeAlias = DeliveryMode
    FILE_KINDS: ClassVar[frozenset[str]] = frozenset({TargetKind.FOLDER, TargetKind.S3, TargetKind.SFTP, TargetKind.OTHER})

    name = models.CharField(max_length=80)
    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="targets")
    list_name = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    place: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    content: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    secret = models.TextField(blank=True)
    mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.RUNS)
    next_due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    enabled = models.BooleanField(default=True)
    delivered_state = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["record_type", "name"], name="one_target_per_type_and_name"),
            models.CheckConstraint(condition=Q(kind__in=TargetKind.values), name="a_target_is_of_a_known_kind"),
            models.CheckConstraint(condition=Q(mode__in=DeliveryMode.values), name="a_target_has_a_known_mode"),
            models.CheckConstraint(condition=Q(every_hours__gte=1, every_hours__lte=MAX_HOURS), name="a_target_has_an_interval"),
            models.CheckConstraint(
                condition=Q(mode__in=("runs", "hand"), next_due_at=None) | Q(mode__in=Repeating.REPETITIONS, next_due_at__isnull=False),
                name="a_schedule_has_a_next_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("delivery_target", args=[self.pk])

    @property
    def sends_files(self) -> bool:
        """Whether it gets files; otherwise it gets changes, one by one."""
        return self.kind in self.FILE_KINDS

    def read_place(self) -> TargetPlace:
        """Return where it is. Raises JsonShapeError."""
        return TargetPlace.from_json(self.place)

    def read_content(self) -> TargetContent:
        """Return what it gets. Raises JsonShapeError."""
        return TargetContent.from_json(self.content)


class DeliveryState(models.TextChoices):
    QUEUED = "queued", gettext_lazy("Waiting")
    SENDING = "sending", gettext_lazy("Sending")
    DONE = "done", gettext_lazy("Delivered")
    FAILED = "failed", gettext_lazy("Failed")


class DeliveryCause(models.TextChoices):
    RUN = "run", gettext_lazy("after a run")
    SCHEDULE = "schedule", gettext_lazy("on schedule")
    HAND = "hand", gettext_lazy("by hand")
    START = "start", gettext_lazy("first delivery")


class Delivery(models.Model):
    """One sending to a target. It is written in the transaction of what causes it, and a worker sends it afterwards.

    key: names the cause. A target has at most one delivery for each.
    cause: START sends nothing. It notes which records are there already, so that later deliveries bring only what comes after them.
    run: the run whose records were released.
    state: while it is SENDING, the process `claimed_by` works on it, and `alive_at` says when it last said so.
    attempts: how often it was begun. It tells the claims of one worker from those of another.
    next_at: the earliest time of the next attempt.
    lines, size_bytes: what was delivered: lines of a file, or changes.
    outcome: how it ended, in words.
    batch, batch_number, batch_entries: the changes that are being sent: body, number from 1, and what the receiver has when it accepted
        them. They are stored before they are sent, so that another worker sends the same bytes under the same number.
    """

    State: TypeAlias = DeliveryState
    Cause: TypeAlias = DeliveryCause

    target = models.ForeignKey(DeliveryTarget, on_delete=models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=80)
    cause = models.CharField(max_length=10, choices=Cause.choices)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="deliveries")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=500, blank=True)
    lines = models.PositiveIntegerField(default=0)
    size_bytes = models.PositiveBigIntegerField(default=0)
    batch = models.TextField(blank=True)
    batch_number = models.PositiveIntegerField(default=0)
    batch_entries: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    next_at = models.DateTimeField()
    claimed_by = models.CharField(max_length=120, blank=True)
    alive_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "next_at"])]
        constraints = [
            models.UniqueConstraint(fields=["target", "key"], name="a_target_gets_a_delivery_once"),
            models.UniqueConstraint(fields=["target"], condition=Q(state="sending"), name="one_delivery_of_a_target_at_a_time"),
            models.CheckConstraint(condition=Q(cause__in=DeliveryCause.values), name="a_delivery_has_a_known_cause"),
            models.CheckConstraint(
                condition=Q(state=DeliveryState.QUEUED, finished_at=None)
                | (Q(state=DeliveryState.SENDING, finished_at=None, alive_at__isnull=False) & ~Q(claimed_by=""))
                | Q(state__in=(DeliveryState.DONE, DeliveryState.FAILED), finished_at__isnull=False),
                name="a_delivery_has_an_end_when_it_is_over",
            ),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk} to {self.target_id}"

    @property
    def finished(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in (DeliveryState.DONE, DeliveryState.FAILED)


class Ledger(models.Model):
    """What one receiver has: a target, or a person who downloads changes of a template or record type.

    It is kept for each record and not as a time, so nothing is left out or sent twice, whatever clocks say.
    """

    target = models.OneToOneField(DeliveryTarget, null=True, blank=True, on_delete=models.CASCADE, related_name="ledger")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    record_type = models.ForeignKey(RecordType, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    list_name = models.CharField(max_length=60, blank=True)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "record_type", "list_name"], condition=Q(cluster=None, target=None), name="one_ledger_per_user_and_type"
            ),
            models.UniqueConstraint(
                fields=["user", "cluster", "list_name"], condition=Q(record_type=None, target=None), name="one_ledger_per_user_and_template"
            ),
            models.CheckConstraint(
                condition=Q(target__isnull=False, user=None, record_type=None, cluster=None)
                | Q(target=None, user__isnull=False, record_type__isnull=False, cluster=None)
                | Q(target=None, user__isnull=False, record_type=None, cluster__isnull=False),
                name="a_ledger_has_one_receiver",
            ),
        ]

    def __str__(self) -> str:
        return f"ledger {self.pk}"


class DeliveredRecord(models.Model):
    """A record as a receiver has it.

    record: id of the `TrackedRecord`. It is kept when that row is deleted, so that the receiver can be told.
    digest: of what the receiver was given.
    present: False if the receiver was told that the record is gone.
    number: the number of the last change that the receiver has.
    """

    ledger = models.ForeignKey(Ledger, on_delete=models.CASCADE, related_name="records")
    record = models.BigIntegerField()
    digest = models.CharField(max_length=32)
    present = models.BooleanField(default=True)
    number = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ledger", "record"], name="a_ledger_has_a_record_once")]

    def __str__(self) -> str:
        return f"record {self.record}"
