"""The different values of a column, each with the pages that have it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from extraction.models import Attribute, Role, Snapshot
from extraction.services.records import value_lists
from extraction.services.records.value_lists import DistinctValue, ValuePlace
from extraction.views.policy import requires
from extraction.views.templates import cluster_view
from extraction.views.templates.clusters import cluster_of

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place of a value. row: its row from 1; 0 for the page itself."""

    snapshot: Snapshot
    row: int


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value and some of its places."""

    value: DistinctValue
    places: Sequence[ShownPlace]

    @property
    def more(self) -> int:
        """The number of places that are not shown."""
        return self.value.count - len(self.places)


@require_safe
@requires(Role.VIEWER)
def show_values(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the different values of `attribute=`, or all pages with the one in `value=`; an empty `value=` means "no value"."""
    cluster = cluster_of(slug, number)
    attributes = list(Attribute.objects.of_cluster(cluster).select_related("list").order_by("list__position", "position", "pk"))
    attribute = next((each for each in attributes if each.name == request.GET.get("attribute")), attributes[0] if attributes else None)
    asked = request.GET.get("value")
    context = {"site": cluster.site, "cluster": cluster, "attributes": attributes, "attribute": attribute, "asked": asked}
    context["runnable"] = cluster_view.can_run(cluster)
    if attribute is not None and asked is not None:
        found = Paginator(value_lists.find_places(cluster, attribute, asked), PER_PAGE).get_page(request.GET.get("page", 1))
        context |= {"pages": found, "places": _show_places(found)}
    elif attribute is not None:
        column = value_lists.list_distinct_values(cluster, attribute)
        shown = Paginator(column.values, PER_PAGE).get_page(request.GET.get("page", 1))
        context |= {"pages": shown, "column": column, "rows": _show_values(shown)}
    return render(request, "extraction/records/value_list.html", context)


def _show_values(page: Page[DistinctValue]) -> list[ShownValue]:
    snapshots = _read_snapshots(place for each in page for place in each.places)
    return [ShownValue(each, _join(each.places, snapshots)) for each in page]


def _show_places(page: Page[ValuePlace]) -> list[ShownPlace]:
    return _join(page, _read_snapshots(page))


def _read_snapshots(places: Iterable[ValuePlace]) -> dict[int, Snapshot]:
    return Snapshot.objects.select_related("page").in_bulk({place.snapshot_id for place in places})


def _join(places: Iterable[ValuePlace], snapshots: dict[int, Snapshot]) -> list[ShownPlace]:
    return [ShownPlace(snapshots[place.snapshot_id], place.row) for place in places if place.snapshot_id in snapshots]
