"""Labels: the places that an editor marked."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from extraction.algorithms.dom.nodes import Location
from extraction.models.cluster import Cluster
from extraction.models.marked_places import read_location
from extraction.models.schema import Attribute


class LabelQuerySet(models.QuerySet["Label"]):
    """Common queries on labels."""

    def of_page(self) -> Self:
        """Labels of attributes of the page itself."""
        return self.filter(row=0)

    def of_rows(self) -> Self:
        """Labels of attributes of the rows of a list."""
        return self.filter(row__gt=0, attribute__list__isnull=False)


class Label(models.Model):
    """What an editor said about one attribute on one page: where its value is, or that it is not on the page.

    An attribute has either one label without a location on a page, or any number of labels with one, never both.
    `services.labelling` is the only writer.

    location: `Location.as_json()` in the parsed tree of the snapshot; None for "not on this page".
    value: the cleaned value at the location when it was marked.
    position: the order of several values.
    row: 0 for the page's own attributes; for an attribute of a list, the number of the marked row on the page, from 1.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="labels")
    snapshot = models.ForeignKey("extraction.Snapshot", on_delete=models.CASCADE, related_name="labels")
    attribute = models.ForeignKey(Attribute, on_delete=models.CASCADE, related_name="labels")
    location: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(null=True, blank=True)
    value = models.TextField(blank=True)
    position = models.PositiveIntegerField(default=0)
    row = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering = ["snapshot", "attribute", "row", "position"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "snapshot", "attribute", "row", "position"], name="one_label_per_place"),
            models.CheckConstraint(
                condition=Q(location__isnull=False) | Q(value="", position=0), name="an_absent_value_is_one_empty_label"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attribute}: {self.value if self.location else 'not here'}"

    def read_location(self) -> Location | None:
        """Return the location, None for "not on this page". Raises JsonShapeError."""
        return None if self.location is None else read_location(self.location)

    @property
    def absent(self) -> bool:
        """Whether the editor said that the attribute is not on this page."""
        return self.location is None
