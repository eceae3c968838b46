"""Labels: what an editor said about one attribute on one page. This is the only writer of the Label table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.learning.page_table import find_unread_tags
from extraction.models import Attribute, AuditKind, Cluster, Label, Snapshot
from extraction.models.marked_places import MarkedPlaces, read_marked_places
from extraction.services.core import audit
from extraction.services.core.stored_pages import read_elements

MAX_PLACES = 2_000
"""The largest number of values of one attribute on one page, far more than an editor would mark."""


MAX_ROWS = 200
"""The largest number of rows of a list that are marked on one page. Two are enough to learn, but confirming a whole page sends many at
once."""


class LabelError(ValueError):
    """What was marked cannot be a label. The message says why."""


@dataclass(frozen=True, slots=True)
class RestoredMark:
    """A mark that another installation had. location: None for "not on this page"."""

    row: int
    location: Location | None
    value: str


def set_labels(
    cluster: Cluster,
    snapshot: Snapshot,
    attribute: Attribute,
    locations: Sequence[Location] | None,
    user: User | None,
    *,
    row: int = 0,
    nodes: Sequence[etree._Element] | None = None,
) -> list[Label]:
    """Replace the labels of an attribute on a page, or in one row of its list there. Return the new labels in document order.

    Raises LabelError, and PageError if the page cannot be read.

    locations: the places; None for "not on this page", () to clear the labels.
    row: the row of the list, 0 for an attribute of the page itself.
    nodes: the elements of the page, if the caller has them.
    """
    _check(cluster, snapshot, attribute, locations, row)
    if locations is None:
        places: list[tuple[dict[str, Any] | None, str]] = [(None, "")]
    else:
        page = nodes if nodes is not None or not locations else read_elements(snapshot)
        places = [(place.as_json(), text) for place, text in _read_once(page or (), locations)]
    labels = [
        Label(
            cluster=cluster,
            snapshot=snapshot,
            attribute=attribute,
            row=row,
            location=location,
            value=text,
            position=position,
            created_by=user,
        )
        for position, (location, text) in enumerate(places)
    ]
    with transaction.atomic():
        Label.objects.filter(cluster=cluster, snapshot=snapshot, attribute=attribute, row=row).delete()
        audit.record_often(AuditKind.LABELS_CHANGED, cluster)
        return Label.objects.bulk_create(labels)


def restore_labels(
    cluster: Cluster, snapshot: Snapshot, attribute: Attribute, marks: Sequence[RestoredMark], user: User | None
) -> list[Label]:
    """Replace the labels of an attribute on a page, in all rows, with marks that another installation had. Return the new labels.

    The caller has checked that each mark finds its value on the page. The page may be one that is in no template any more.
    """
    places: Counter[int] = Counter()
    labels = []
    for mark in marks:
        labels.append(
            Label(
                cluster=cluster,
                snapshot=snapshot,
                attribute=attribute,
                row=mark.row,
                location=mark.location.as_json() if mark.location else None,
                value=mark.value,
                position=places[mark.row],
                created_by=user,
            )
        )
        places[mark.row] += 1
    with transaction.atomic():
        Label.objects.filter(cluster=cluster, snapshot=snapshot, attribute=attribute).delete()
        return Label.objects.bulk_create(labels)


def get_labels(cluster: Cluster, snapshot: Snapshot, attribute: Attribute, row: int = 0) -> MarkedPlaces:
    """Return what is said now: the places, None for "not on this page", () for nothing."""
    labels = Label.objects.filter(cluster=cluster, snapshot=snapshot, attribute=attribute, row=row)
    return read_marked_places(list(labels.order_by("position").values_list("location", flat=True)))


def _check(cluster: Cluster, snapshot: Snapshot, attribute: Attribute, locations: Sequence[Location] | None, row: int) -> None:
    if (row > 0) != (attribute.list_id is not None):
        raise LabelError(
            (
                gettext("%(attribute)s is marked row by row")
                if attribute.list_id
                else gettext("%(attribute)s is not an attribute of a list, so it has no rows")
            )
            % {"attribute": attribute.name}
        )
    if row > MAX_ROWS:
        raise LabelError(
            gettext("%(attribute)s: row %(row)s was marked; at most %(max_rows)s rows per page can be marked")
            % {"attribute": attribute.name, "row": row, "max_rows": MAX_ROWS}
        )
    if attribute.record_type_id != cluster.record_type_id:
        raise LabelError(
            gettext("%(attribute)s is not an attribute of %(cluster)s's record type")
            % {"attribute": attribute.name, "cluster": cluster.label}
        )
    if snapshot.cluster_id != cluster.pk:
        raise LabelError(gettext("page %(pk)s does not belong to %(cluster)s") % {"pk": snapshot.pk, "cluster": cluster.label})
    if locations and len(locations) > 1 and not attribute.multiple:
        raise LabelError(
            gettext("%(attribute)s has one value per record, but %(locations)s places were marked")
            % {"attribute": attribute.name, "locations": len(locations)}
        )
    if locations and len(locations) > MAX_PLACES:
        raise LabelError(
            gettext("%(attribute)s: %(locations)s places were marked; at most %(max_places)s can be marked")
            % {"attribute": attribute.name, "locations": len(locations), "max_places": MAX_PLACES}
        )


def _read_once(nodes: Sequence[etree._Element], locations: Sequence[Location]) -> list[tuple[Location, str]]:
    """Return the places in document order, each with its value. Of an element and a text in it with the same value, only the element stays.

    A rule may propose an element where a person clicks its text. Kept as two places, they would be two values.
    """
    kept: list[tuple[Location, str]] = []
    whole: dict[etree._Element, str] = {}
    for place in sorted(set(locations), key=_sort_key):
        text = _read_value(nodes, place)
        node = nodes[place.node]
        if place.kind != "attribute" and any(whole.get(around) == text for around in (node, *node.iterancestors())):
            continue
        if place.kind == "element" and place.start is None:
            whole[node] = text
        kept.append((place, text))
    return kept


def _read_value(nodes: Sequence[etree._Element], place: Location) -> str:
    found = value(nodes, place)
    if found is None:
        raise LabelError(gettext("this place is no longer on the page; open the page again and mark the value again"))
    tag = str(nodes[place.node].tag)
    if place.kind != "attribute" and tag in find_unread_tags(nodes[0]):
        raise LabelError(gettext("the text of a %(tag)s element cannot be marked, because no rule can be learned from it") % {"tag": tag})
    if not found:
        raise LabelError(gettext("there is no text at that place"))
    return found


def _sort_key(place: Location) -> tuple[int, str, int, str, int]:
    return place.node, place.kind, place.text, place.attribute, place.start or 0
