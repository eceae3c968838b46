"""Records: the values that rules give for pages."""

from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from django.db import models
from django.db.models import Q

from extraction.models.cluster import Cluster
from extraction.models.record_origins import RecordOrigins
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


@dataclass(frozen=True, slots=True)
class RecordFigures:
    """How many records a template has.

    complete, incomplete, failed: records of its current pages, by state.
    earlier, elsewhere: records of earlier content and of pages now elsewhere, without the failed ones.
    """

    complete: int = 0
    incomplete: int = 0
    failed: int = 0
    earlier: int = 0
    elsewhere: int = 0

    @property
    def given(self) -> int:
        """Number of pages that gave a record, complete or not."""
        return self.complete + self.incomplete

    @property
    def total(self) -> int:
        """Number of pages that the rule was run on."""
        return self.given + self.failed

    def health(self, pages: int) -> list[tuple[float, str]]:
        """Return each state's share of `pages`, with the colour of the state."""
        parts = ((self.complete, "ok"), (self.incomplete, "suspect"), (self.failed, "broken"))
        return [(count / max(1, pages), colour) for count, colour in parts]


class RecordQuerySet(models.QuerySet["Record"]):
    """Separates the records of a template's current pages from its other records.

    The records of a template are those of its pages in their current content. Two other kinds of records are kept and named
    separately, so that their counts are never mixed up:

    - Records of earlier content: the page has changed since, and the rule has not been run on the new content, for example
      because it is broken.
    - Records of pages elsewhere: the page is now in another template or in none, because templates were searched again or a
      clustering was adopted. If the page comes back, so does its record.

    A page has one content at a time, so a template has at most as many records as pages.
    """

    def now(self) -> Self:
        """Record whose page is in their template, for the current content of the page."""
        return self.filter(part=RecordPart.NOW)

    def here(self) -> Self:
        """Record whose page is in their template, for any content of the page."""
        return self.filter(part__in=(RecordPart.NOW, RecordPart.EARLIER))

    def standing(self) -> Self:
        """Record of the current content of a page, whichever template the page is in."""
        return self.filter(standing=True)

    def outdated(self) -> Self:
        """Record of earlier content of a page."""
        return self.filter(standing=False)

    def in_part(self, part: str) -> Self:
        """Record of a `RecordPart`; an unknown part counts as NOW."""
        if part not in (RecordPart.EARLIER, RecordPart.ELSEWHERE):
            return self.now()
        return self.filter(part=part)

    def given(self) -> Self:
        """Record of pages that gave one, complete or not."""
        return self.exclude(state=RecordState.FAILED)

    def failed(self) -> Self:
        """Record that say why a page gave none."""
        return self.filter(state=RecordState.FAILED)


class Record(models.Model):
    """The values that one version of a rule gave on one page, or the reason why there are none.

    values: {attribute: list of `RecordValue`}.
    rows: {list: [values of one row, as above, …]}.
    part, standing: which of the template's records it is, and whether it is of the current content of its page. The database sets them
        (`models.kept`); what is assigned to them is ignored.
    run: the run that made it, or a later one that found it up to date.
    state: COMPLETE; INCOMPLETE if a mandatory value is missing or an attribute has too many values; FAILED if nothing was
        extracted.
    reason: why it failed.
    origins: `RecordOrigins` as JSON: the texts of the page where they differ from the values, and who corrected them.
    text: all raw values, for the search.
    canonical: the address on the same host that the page gives as its own, if it is another one than the page's.
    """

    State: TypeAlias = RecordState

    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="record")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="records", db_index=False)
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="records")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="records")
    state = models.CharField(max_length=10, choices=State.choices)
    reason = models.CharField(max_length=500, blank=True)
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rows: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    origins: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    text = models.TextField(blank=True)
    canonical = models.CharField(max_length=2000, blank=True)
    extracted_at = models.DateTimeField()
    part = models.CharField(max_length=10, choices=RecordPart.choices, default=RecordPart.NOW, editable=False)
    standing = models.BooleanField(default=True, editable=False)

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["cluster", "part", "id"]), models.Index(fields=["cluster", "part", "state", "id"])]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RecordState.values), name="a_record_has_a_known_state"),
            models.CheckConstraint(condition=~Q(state=RecordState.FAILED) | ~Q(reason=""), name="a_failed_record_says_why"),
        ]

    def __str__(self) -> str:
        return f"record of {self.snapshot}"

    def read_values(self) -> dict[str, list[RecordValue]]:
        """Return {attribute: its values}. Raises JsonShapeError."""
        return read_values(self.values)

    def read_rows(self) -> dict[str, list[dict[str, list[RecordValue]]]]:
        """Return {list: the values of each of its rows}. Raises JsonShapeError."""
        return read_rows(self.rows)

    def read_origins(self) -> RecordOrigins:
        """Return where its values come from, if they are not what the page says. Raises JsonShapeError."""
        return RecordOrigins.from_json(self.origins)
