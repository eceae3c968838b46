"""Records: the values that rules give for pages."""

from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from extraction.models.cluster import Cluster
from extraction.models.record_origins import RecordOrigins
from extraction.models.record_values import RecordValue, read_rows, read_values
from extraction.models.rule import Rule
from extraction.models.run import Run
from extraction.models.snapshot import Snapshot


class RecordPart(models.TextChoices):
    """Which records of a template. OUTDATED ones are among those of NOW; the other parts are apart from each other."""

    NOW = "now", gettext_lazy("of its pages")
    OUTDATED = "outdated", gettext_lazy("that are outdated")
    ELSEWHERE = "elsewhere", gettext_lazy("of pages now elsewhere")
    GONE = "gone", gettext_lazy("of pages that are gone")


class RecordState(models.TextChoices):
    COMPLETE = "complete", gettext_lazy("Complete")
    INCOMPLETE = "incomplete", gettext_lazy("Incomplete")
    FAILED = "failed", gettext_lazy("Failed")


class KeptPart(models.TextChoices):
    """What a record is to its template. The database sets it (`models.kept`)."""

    NOW = "now", gettext_lazy("of the current content of a page of the template")
    EARLIER = "earlier", gettext_lazy("the last one of a page of the template that has new content without a record")
    GONE = "gone", gettext_lazy("as before, but the page is gone")
    ELSEWHERE = "elsewhere", gettext_lazy("any other")


@dataclass(frozen=True, slots=True)
class RecordFigures:
    """How many records a template has.

    complete, incomplete, failed: records of its pages, by state.
    earlier: of these, the records that come from earlier content of their page, without the failed ones.
    older: of these, the records that come from the current content but from a version of the rule that is not live any more.
    sorting: of these, the records of pages with new content that is not sorted into the templates yet.
    held: of these, the records with attributes that are held back.
    elsewhere, gone: further records, of pages now elsewhere and of pages that are gone, without the failed ones.
    """

    complete: int = 0
    incomplete: int = 0
    failed: int = 0
    earlier: int = 0
    older: int = 0
    sorting: int = 0
    held: int = 0
    elsewhere: int = 0
    gone: int = 0

    @property
    def outdated(self) -> int:
        """Number of records of its pages that the live rule has not made from the current content."""
        return self.earlier + self.older

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
    """Separates the records of a template's pages from its other records.

    Each page of a template has one record: that of its current content or, until the rule has given one, the last one. The last one stays
    while a refresh has fetched new content that is not sorted into the templates yet, and while the rule is broken. Such a record is
    *outdated*, and so is one that an earlier version of the rule made. Outdated records are shown and exported with the others and counted
    wherever they are read.

    Two other kinds of records are kept apart:

    - Records of pages elsewhere: the page is now in another template or in none, because templates were searched again or a
      clustering was adopted. If the page comes back, so does its record.
    - Records of pages that are gone. They can be asked for.
    """

    def now(self) -> Self:
        """Record of each page of their template, also if it is outdated."""
        return self.exclude(part__in=(KeptPart.GONE, KeptPart.ELSEWHERE))  # most records, so the index by id is read in its order

    def shown(self) -> Self:
        """Record of each page, whichever template it is in. These are the records of a site."""
        return self.filter(shown=True)

    def standing(self) -> Self:
        """Record of the current content of a page, whichever template the page is in."""
        return self.filter(standing=True)

    def outdated(self) -> Self:
        """Record that the live rule has not made from the current content of the page. Use it after `now` or `shown`."""
        return self.filter(Q(standing=False) | Q(rule__state=Rule.State.RETIRED))

    def in_part(self, part: str) -> Self:
        """Record of a `RecordPart`; an unknown part counts as NOW."""
        if part == RecordPart.OUTDATED:
            return self.now().outdated().given()
        if part == RecordPart.GONE:
            return self.filter(part=KeptPart.GONE)
        if part == RecordPart.ELSEWHERE:
            return self.filter(part=KeptPart.ELSEWHERE)
        return self.now()

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
    part, shown, standing, sorting: what it is to its template, whether it is one of the records of its site, whether it is of the current
        content of its page, and whether that page waits to be sorted into the templates. The database sets them (`models.kept`); what
        is assigned to them is ignored.
    run: the run that made it, or a later one that found it up to date.
    state: COMPLETE; INCOMPLETE if a mandatory value is missing or an attribute has too many values; FAILED if nothing was
        extracted.
    reason: why it failed.
    origins: `RecordOrigins` as JSON: the texts of the page where they differ from the values, and who corrected them.
    text: all raw values, for the search.
    canonical: the address on the same host that the page gives as its own, if it is another one than the page's.
    held_back: {attribute or list: why its values are those of an earlier record, or missing}, because its part of the rule is broken.
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
    held_back: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict, blank=True)
    extracted_at = models.DateTimeField()
    part = models.CharField(max_length=10, choices=KeptPart.choices, default=KeptPart.NOW, editable=False)
    shown = models.BooleanField(default=True, editable=False)
    standing = models.BooleanField(default=True, editable=False)
    sorting = models.BooleanField(default=False, editable=False)

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["cluster", "id"]),
            models.Index(fields=["cluster", "state", "id"]),
            models.Index(fields=["cluster", "part", "id"]),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RecordState.values), name="a_record_has_a_known_state"),
            models.CheckConstraint(condition=~Q(state=RecordState.FAILED) | ~Q(reason=""), name="a_failed_record_says_why"),
        ]

    def __str__(self) -> str:
        return f"record of {self.snapshot}"

    @property
    def is_current(self) -> bool:
        """Whether it comes from the current content of its page. Its snapshot and page should be loaded."""
        return self.snapshot.page.current_id == self.snapshot_id

    def read_values(self) -> dict[str, list[RecordValue]]:
        """Return {attribute: its values}. Raises JsonShapeError."""
        return read_values(self.values)

    def read_rows(self) -> dict[str, list[dict[str, list[RecordValue]]]]:
        """Return {list: the values of each of its rows}. Raises JsonShapeError."""
        return read_rows(self.rows)

    def read_origins(self) -> RecordOrigins:
        """Return where its values come from, if they are not what the page says. Raises JsonShapeError."""
        return RecordOrigins.from_json(self.origins)
