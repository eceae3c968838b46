"""Records: what the rules gave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from django.db import models
from django.db.models import Case, Count, F, Q, Value, When

from extraction.models.cluster import Cluster
from extraction.models.record_values import RecordValue, read_rows, read_values
from extraction.models.rule import Rule
from extraction.models.run import Run
from extraction.models.snapshot import Snapshot


class RecordPart(models.TextChoices):
    """Which records of a template."""

    NOW = "now", "of its current pages"
    EARLIER = "earlier", "of earlier content"
    ELSEWHERE = "elsewhere", "of pages now elsewhere"


class RecordState(models.TextChoices):
    COMPLETE = "complete", "Complete"
    INCOMPLETE = "incomplete", "Incomplete"
    FAILED = "failed", "Failed"


HERE = Q(snapshot__page__current__cluster=F("cluster"))
"""Records whose page is of their template, in whatever content."""

NOW = Q(snapshot__page__current=F("snapshot"), snapshot__cluster=F("cluster"))
"""The same, of the content that stands there now."""

STANDING = Q(snapshot__page__current=F("snapshot"))
"""Records of a content that stands there now, whatever template the page is of: a site's records."""


_PART = Case(When(NOW, then=Value(RecordPart.NOW)), When(HERE, then=Value(RecordPart.EARLIER)), default=Value(RecordPart.ELSEWHERE))


@dataclass(frozen=True, slots=True)
class RecordFigures:
    """How many records a template has: of its pages by state; of earlier pages and of pages elsewhere those that hold anything."""

    complete: int = 0
    incomplete: int = 0
    failed: int = 0
    earlier: int = 0
    elsewhere: int = 0

    @property
    def given(self) -> int:
        """Pages that gave a record, complete or not."""
        return self.complete + self.incomplete

    @property
    def total(self) -> int:
        """Pages that the rule was run over."""
        return self.given + self.failed

    def health(self, pages: int) -> list[tuple[float, str]]:
        """Shares of so many pages by the state of their records, with the state's colour."""
        parts = ((self.complete, "ok"), (self.incomplete, "suspect"), (self.failed, "broken"))
        return [(count / max(1, pages), colour) for count, colour in parts]


class RecordQuerySet(models.QuerySet["Record"]):
    """Tells the records of a template's current pages from the others.

    A record belongs to its page, and a template's records are those of its pages as they stand there now. What the pages have
    not got any more is kept and named apart, so that no count of one is taken for the other: records of earlier pages (another
    content stands at the address since, and the rule has not been run over it, as it is not while it is broken), and records of
    pages elsewhere (their page is of another template or of none since, by finding the templates anew or by adopting a
    clustering; when it comes back, so do they). Since a page has one content at a time, a template has at most as many records
    as pages.
    """

    def now(self) -> Self:
        """Records of pages that are of their template, of the content that stands there now."""
        return self.filter(NOW)

    def here(self) -> Self:
        """Records whose page is of their template, in whatever content."""
        return self.filter(HERE)

    def standing(self) -> Self:
        """Records of a content that stands there now, whatever template the page is of: a site's records."""
        return self.filter(STANDING)

    def outdated(self) -> Self:
        """Records of a content that does not stand at its address any more."""
        return self.exclude(STANDING)

    def in_part(self, part: str) -> Self:
        """Those that are of this part; what is no part is taken for NOW."""
        if part not in (RecordPart.EARLIER, RecordPart.ELSEWHERE):
            return self.now()
        return self.alias(part=_PART).filter(part=part)

    def given(self) -> Self:
        """Records of pages that gave one, complete or not."""
        return self.exclude(state=RecordState.FAILED)

    def failed(self) -> Self:
        """Records that say why a page gave none."""
        return self.filter(state=RecordState.FAILED)

    def figures(self) -> "Mapping[int, RecordFigures]":
        """{template: its figures} of these records, in one query; templates without any are missing."""
        found: dict[int, dict[str, int]] = {}
        rows = self.order_by().annotate(part=_PART)
        for cluster, part, state, n in rows.values_list("cluster", "part", "state").annotate(n=Count("pk")):
            counts = found.setdefault(cluster, {})
            if part == RecordPart.NOW:
                counts[state] = n
            elif state != RecordState.FAILED:
                counts[part] = counts.get(part, 0) + n
        return {cluster: RecordFigures(**counts) for cluster, counts in found.items()}


class Record(models.Model):
    """What one rule version gave on one page: its values, or the reason why there are none.

    values: {attribute: list of `RecordValue`}. rows: {list: [values of one row as above, …]}.
    state: complete; incomplete (something mandatory is missing or several values stand where one belongs);
    failed (nothing extracted; `reason` says why). text: all raw values, for the search.
    """

    State: TypeAlias = RecordState

    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="record")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="records")
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="records")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="records")
    state = models.CharField(max_length=10, choices=State.choices)
    reason = models.CharField(max_length=500, blank=True)
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rows: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    text = models.TextField(blank=True)
    extracted_at = models.DateTimeField()

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["cluster", "state"])]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RecordState.values), name="a_record_has_a_known_state"),
            models.CheckConstraint(condition=~Q(state=RecordState.FAILED) | ~Q(reason=""), name="a_failed_record_says_why"),
        ]

    def __str__(self) -> str:
        return f"record of {self.snapshot}"

    def read_values(self) -> dict[str, list[RecordValue]]:
        """{attribute: its values}. Raises JsonShapeError."""
        return read_values(self.values)

    def read_rows(self) -> dict[str, list[dict[str, list[RecordValue]]]]:
        """{list: the values of each of its rows}. Raises JsonShapeError."""
        return read_rows(self.rows)
