"""Record types: what is extracted. All sites of a team share them."""

from typing import Protocol, Self, TypeAlias

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from extraction.models.team import Team, find_first_team

GONE_AFTER = 2
"""The number of runs in a row that must miss a record before it counts as gone, unless its type says otherwise. One miss may be an
accident."""


class RecordType(models.Model):
    """A kind of record, such as Book, with its attributes.

    gone_after: how many runs in a row must miss a record before it counts as gone.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, default=find_first_team, related_name="record_types")
    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=90, unique=True)
    description = models.CharField(max_length=300, blank=True)
    gone_after = models.PositiveSmallIntegerField(default=GONE_AFTER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_record_type_per_team_and_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("record_type", args=[self.slug])

    @property
    def has_mandatory(self) -> bool:
        """Whether a record can lack something: whether any attribute is mandatory."""
        return Attribute.objects.filter(record_type=self, mandatory=True).exists()


class RecordList(models.Model):
    """A list of repeating rows on the pages of a record type, such as the offers of a shop page, with its own attributes.

    key_per_page: the key of a row says which row of its page it is; equal keys on pages of different records are different rows.
    """

    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="lists")
    name = models.CharField(max_length=60)
    position = models.PositiveIntegerField(default=0)
    key_per_page = models.BooleanField(default=False)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["record_type", "name"], name="one_list_per_name")]

    def __str__(self) -> str:
        return self.name


class _OfRecordType(Protocol):
    """Anything with a record type, such as a cluster."""

    record_type_id: int | None


class AttributeQuerySet(models.QuerySet["Attribute"]):
    """Common queries on attributes."""

    def of_cluster(self, cluster: _OfRecordType) -> Self:
        """Attributes of the cluster's record type; none if it has no type."""
        return self.filter(record_type=cluster.record_type_id)

    def of_page(self) -> Self:
        """Attributes of the page itself."""
        return self.filter(list=None)

    def of_rows(self) -> Self:
        """Attributes of the rows of a list."""
        return self.filter(list__isnull=False)


class AttributeType(models.TextChoices):
    TEXT = "text", gettext_lazy("Text")
    NUMBER = "number", gettext_lazy("Number")
    PRICE = "price", gettext_lazy("Price with currency")
    DATE = "date", gettext_lazy("Date")
    URL = "url", gettext_lazy("URL")
    IMAGE = "image", gettext_lazy("Image")
    BOOLEAN = "boolean", gettext_lazy("Yes or no")


class Attribute(models.Model):
    """An attribute of a record type: of the page itself, or of the rows of one of its lists.

    name: an identifier, used for the column and in the stylesheet.
    multiple: a record may have several values.
    mandatory: a record without it is incomplete.
    hotkey: the key that chooses it in the workbench.
    position: its place, from 0; the hue is the position modulo eight.
    list: the list whose rows it belongs to, None for the page's own attributes.
    is_key: it is part of what tells records apart.
    created_at: None for attributes made before this was stored.
    """

    Type: TypeAlias = AttributeType
    HUES = 8

    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="attributes")
    name = models.CharField(max_length=60)
    type = models.CharField(max_length=10, choices=Type.choices, default=Type.TEXT)
    multiple = models.BooleanField(default=False)
    mandatory = models.BooleanField(default=False)
    hotkey = models.CharField(max_length=1, blank=True)
    position = models.PositiveIntegerField(default=0)
    list = models.ForeignKey(RecordList, null=True, blank=True, on_delete=models.CASCADE, related_name="attributes")
    is_key = models.BooleanField(default=False)
    created_at = models.DateTimeField(null=True, editable=False)

    objects = AttributeQuerySet.as_manager()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["record_type", "name"], name="one_attribute_per_name"),
            models.CheckConstraint(condition=Q(type__in=AttributeType.values), name="an_attribute_is_of_a_known_type"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def hue(self) -> int:
        """Which of the eight attribute hues marks it, from 0."""
        return self.position % self.HUES
