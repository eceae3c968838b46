"""Joins: rows of listings and the pages that they lead to, as one record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.algorithms.json_values import JsonValue
from extraction.models.cluster import Cluster
from extraction.models.page import Page
from extraction.models.run import Run
from extraction.models.schema import Attribute, RecordList
from extraction.models.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinColumn(JsonValue):
    """An attribute of joined records, as they were last made.

    source: the name of the attribute in the record types. side: "listing", "page" or, for one that both have, "both".
    """

    name: str
    source: str
    type: str = "text"
    multiple: bool = False
    side: str = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFigures(JsonValue):
    """What a join found.

    rows: rows of the listings; joined_rows of them have a page.
    joined: records of a page and its rows. several: of these, those with more than one row.
    row_alone: records of rows without a page; rows with the same link or key are one. page_alone: pages without a row.
    conflicts: joined records whose sides differ in a shared attribute. disagreeing: records whose rows differ among each other.
    ways: {`Way` in lower case: joined records whose first row found its page in this way}.
    reasons: {`NoPageReason`: rows without a page for this reason}.
    """

    rows: int = 0
    joined_rows: int = 0
    joined: int = 0
    several: int = 0
    row_alone: int = 0
    page_alone: int = 0
    conflicts: int = 0
    disagreeing: int = 0
    ways: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinResult(JsonValue):
    """The state in which joined records were last made: their columns and figures, and the settings and names that they come from.

    settings: a digest of the join's settings and of the names of its attributes.
    """

    columns: tuple[JoinColumn, ...] = ()
    figures: JoinFigures = JoinFigures()
    settings: str = ""


class JoinSide(models.TextChoices):
    PAGE = "page", gettext_lazy("The page")
    LISTING = "listing", gettext_lazy("The listing")


class Join(models.Model):
    """How rows of listings and pages of a template become one record each.

    detail: the template of the pages; None after it was deleted.
    winner: the side whose values count where both have an attribute.
    turned: attributes of the pages for which the other side counts.
    result: `JoinResult` as JSON.
    made_at: when the joined records were last made; None if never.
    """

    Winner: TypeAlias = JoinSide

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="joins")
    name = models.CharField(max_length=120)
    detail = models.ForeignKey(Cluster, null=True, on_delete=models.SET_NULL, related_name="joins")
    winner = models.CharField(max_length=10, choices=JoinSide.choices, default=JoinSide.PAGE)
    turned = models.ManyToManyField(Attribute, blank=True, related_name="+")
    result: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    made_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.CheckConstraint(condition=Q(winner__in=JoinSide.values), name="a_join_has_a_known_winner")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("joined_records", args=[self.site.slug, self.pk])

    def read_result(self) -> JoinResult:
        """Return the state in which its records were last made. Raises JsonShapeError."""
        return JoinResult.from_json(self.result)


class JoinListing(models.Model):
    """A list whose rows take part in a join.

    cluster, list: the template and its list; None after they were deleted.
    by_key: rows find their page by key attributes (`JoinKey`), not by a link.
    link: the attribute with the address of the page; None after it was deleted, or if the join is by key.
    with_page: the listing page's own values go with each of its rows.
    position: the first listing gives the values if a thing is in several.
    """

    join = models.ForeignKey(Join, on_delete=models.CASCADE, related_name="listings")
    cluster = models.ForeignKey(Cluster, null=True, on_delete=models.SET_NULL, related_name="join_listings")
    list = models.ForeignKey(RecordList, null=True, on_delete=models.SET_NULL, related_name="+")
    by_key = models.BooleanField(default=False)
    link = models.ForeignKey(Attribute, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    with_page = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return f"{self.list} of {self.cluster}"


class JoinKey(models.Model):
    """A pair of attributes whose values must be equal. Either is None after it was deleted."""

    listing = models.ForeignKey(JoinListing, on_delete=models.CASCADE, related_name="keys")
    in_list = models.ForeignKey(Attribute, null=True, on_delete=models.SET_NULL, related_name="+")
    on_page = models.ForeignKey(Attribute, null=True, on_delete=models.SET_NULL, related_name="+")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return f"{self.in_list} = {self.on_page}"


class NoPageReason(models.TextChoices):
    """Why a row of a listing has no page."""

    NO_LINK = "no_link", gettext_lazy("The row has no link that can be read")
    NO_KEY = "no_key", gettext_lazy("A value to join by is missing")
    UNKNOWN = "unknown", gettext_lazy("No page at this address is stored")
    NO_MATCH = "no_match", gettext_lazy("No page has these values")
    FAILED = "failed", gettext_lazy("The page gave no record")
    ELSEWHERE = "elsewhere", gettext_lazy("The page is in another template, or in none")
    AMBIGUOUS = "ambiguous", gettext_lazy("Several pages fit")


class JoinedState(models.TextChoices):
    JOINED = "joined", gettext_lazy("Joined")
    ROW = "row", gettext_lazy("Row without a page")
    PAGE = "page", gettext_lazy("Page without a row")


class JoinedRecord(models.Model):
    """One thing of a join, as the join was last made: a page with its rows, rows without a page, or a page without a row.

    digest: tells it apart within its join, also in later runs.
    page: the page, None without one.
    values: {column: its values as JSON}.
    conflicts: the shared attributes that both sides have with different values.
    reason: a `NoPageReason`, for rows without a page. why: the same in words, with what is known; "" for others.
    way: a `Way` in lower case, by which the first row found the page.
    rows: how many rows it has.
    disagreeing: its rows differ among each other.
    complete: the page's record is complete; True without a page.
    text: all raw values and addresses, case folded, for the search.
    """

    State: TypeAlias = JoinedState
    Reason: TypeAlias = NoPageReason

    join = models.ForeignKey(Join, on_delete=models.CASCADE, related_name="records")
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=JoinedState.choices)
    page = models.ForeignKey(Page, null=True, on_delete=models.CASCADE, related_name="+")
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    conflicts: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    reason = models.CharField(max_length=10, choices=NoPageReason.choices, blank=True)
    why = models.CharField(max_length=500, blank=True)
    way = models.CharField(max_length=10, blank=True)
    rows = models.PositiveIntegerField(default=0)
    disagreeing = models.BooleanField(default=False)
    complete = models.BooleanField(default=True)
    text = models.TextField(blank=True)
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["join", "id"]), models.Index(fields=["join", "state", "id"])]
        constraints = [
            models.UniqueConstraint(fields=["join", "digest"], name="one_joined_record_per_thing"),
            models.CheckConstraint(condition=Q(state__in=JoinedState.values), name="a_joined_record_has_a_known_state"),
            models.CheckConstraint(condition=~Q(state=JoinedState.ROW) | ~Q(why=""), name="a_row_without_a_page_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.join}: {self.digest[:12]}"

    def get_absolute_url(self) -> str:
        return reverse("joined_record", args=[self.join.site.slug, self.join_id, self.pk])


class JoinedRow(models.Model):
    """A row of a joined record: one of its sources.

    page, place: the listing page, and the row's place in its list there, from 0.
    values: the row's values as JSON when the join was made.
    problem: what it disagrees about with the first row of the record.
    """

    record = models.ForeignKey(JoinedRecord, on_delete=models.CASCADE, related_name="sources")
    listing = models.ForeignKey(JoinListing, on_delete=models.CASCADE, related_name="+")
    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="+")
    place = models.PositiveIntegerField()
    values: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"row {self.place} of {self.page}"
