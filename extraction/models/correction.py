"""Corrections: values that a person put in the place of what a rule gives on a page."""

from typing import Any, Self, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.corrected_rows import RowPlace
from extraction.models.cluster import Cluster
from extraction.models.marked_places import MarkedPlaces, read_marked_places
from extraction.models.page import Page
from extraction.models.record_values import RecordValue
from extraction.models.schema import Attribute
from extraction.models.snapshot import Snapshot


class CorrectionKind(models.TextChoices):
    CORRECTED = "corrected", gettext_lazy("Corrected")
    FILLED = "filled", gettext_lazy("Filled")
    REJECTED = "rejected", gettext_lazy("Rejected")


class CorrectionState(models.TextChoices):
    ACTIVE = "active", gettext_lazy("In use")
    REVIEW = "review", gettext_lazy("To review")
    ENDED = "ended", gettext_lazy("Ended")


class CorrectionQuerySet(models.QuerySet["Correction"]):
    """Common queries on corrections."""

    def open(self) -> Self:
        """Corrections that are in use or wait for a person."""
        return self.exclude(state=CorrectionState.ENDED)

    def to_review(self) -> Self:
        """Corrections of values that the page gives otherwise now."""
        return self.filter(state=CorrectionState.REVIEW)

    def of_cluster(self, cluster: Cluster) -> Self:
        """Corrections on the pages that are in a template now."""
        # As a subquery, so that a database never begins with the pages of the template, of which there may be very many.
        now = Page.objects.filter(pk=OuterRef("page")).order_by().values("cluster")
        return self.alias(now=Subquery(now)).filter(now=cluster.pk)


class Correction(models.Model):
    """What a person says about an attribute on a page, in place of what the rule gives there.

    It belongs to the page and the attribute, so it outlasts runs, rules and templates. It applies while the rule gives the same texts as
    when it was made (`basis`). If it gives others, the correction waits for a person with the new texts in `found`.

    row: the row of the list (`RowPlace` as JSON, with the ids of attributes in place of names), None for an attribute of the page itself.
    row_digest: tells the rows of a list apart; "" without a list.
    texts: what the person wrote; empty if the value was rejected.
    type, values: the type as which the texts were read, and the values as JSON.
    basis: the texts on the page.
    found: the texts on the page that are under review, None otherwise; reason: why it waits or how it ended, in words.
    taught: the places that were marked for the learner (`marked_places`), [] if none; label_row: the row of the marks.
    """

    Kind: TypeAlias = CorrectionKind
    State: TypeAlias = CorrectionState

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="corrections")
    attribute = models.ForeignKey(Attribute, on_delete=models.CASCADE, related_name="corrections")
    row: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(null=True, blank=True)
    row_digest = models.CharField(max_length=64, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    texts: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    type = models.CharField(max_length=10)
    values: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    basis: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    found: models.JSONField[list[str] | None, list[str] | None] = models.JSONField(null=True, blank=True)
    snapshot = models.ForeignKey(Snapshot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    taught: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list, blank=True)
    label_row = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by_name = models.CharField(max_length=150)
    at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["page", "state"]), models.Index(fields=["state", "id"])]
        constraints = [
            models.UniqueConstraint(
                fields=["page", "attribute", "row_digest"],
                condition=~Q(state=CorrectionState.ENDED),
                name="one_open_correction_per_value",
            ),
            models.CheckConstraint(condition=Q(state__in=CorrectionState.values), name="a_correction_has_a_known_state"),
            models.CheckConstraint(condition=Q(kind__in=CorrectionKind.values), name="a_correction_is_of_a_known_kind"),
            models.CheckConstraint(
                condition=Q(state=CorrectionState.REVIEW, found__isnull=False) | ~Q(state=CorrectionState.REVIEW),
                name="a_correction_under_review_has_what_was_found",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attribute} of {self.page}: {', '.join(self.texts) or 'rejected'}"

    @property
    def written(self) -> str:
        """What the person wrote, one value on each line."""
        return "\n".join(self.texts)

    def read_values(self) -> list[RecordValue]:
        """Return the values that the correction gives. Raises JsonShapeError."""
        return [RecordValue.from_json(row) for row in self.values]

    def read_row(self) -> RowPlace | None:
        """Return where the row was when it was corrected, with the ids of attributes as names. Raises JsonShapeError."""
        try:
            return None if self.row is None else RowPlace.from_json(self.row)
        except (KeyError, TypeError, ValueError) as error:
            raise JsonShapeError(f"not the row of a correction: {self.row!r:.200}") from error

    def read_taught(self) -> MarkedPlaces:
        """Return the places that were marked for the learner: () for none, None for "not on this page". Raises JsonShapeError."""
        return read_marked_places(self.taught)
