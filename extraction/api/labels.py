"""Labels: what people marked on pages."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from lxml import etree
from ninja import Field, Schema

from extraction.algorithms.dom.nodes import Location
from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_cluster
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError
from extraction.models import Attribute, Label, Page
from extraction.services.core import stored_pages
from extraction.services.labels import labelling, marked_texts
from extraction.views.rules import rules
from extraction.views.templates import clusters

operations = Operations("Labels")


class LabelOut(Schema):
    """What was said about one attribute on one page.

    value: the marked text; empty if the attribute is not on the page.
    absent: somebody said that the attribute is not on this page.
    location: the place in the tree of the page, as `places` takes it.
    row: the number of the marked row of a list, from 1; 0 for the page itself.
    """

    page: int
    url: str
    attribute: str
    value: str
    absent: bool
    location: dict[str, Any] | None
    row: int


class MarkIn(RequestBody):
    """A value, named by its text or by an XPath that selects one place.

    occurrence: which of several places with this text, from 1.
    xpath: if a text is given too, the place must have it.
    """

    text: str = ""
    occurrence: int | None = None
    xpath: str = ""


class MarksIn(RequestBody):
    """What an attribute is on a page. It replaces what was said before. Give one of the three.

    values: the values, by their texts; an empty list takes back what was said.
    places: the values, by their places in the tree of the page.
    absent: the attribute is not on this page.
    row: the row of a list, from 1; 0 for the page itself.
    """

    values: list[MarkIn] | None = None
    places: list[dict[str, Any]] | None = Field(None, max_length=labelling.MAX_PLACES)
    absent: bool = False
    row: int = Field(0, ge=0, le=labelling.MAX_ROWS)


def describe_label(label: Label) -> LabelOut:
    """Return what the API says about a label."""
    return LabelOut(
        page=label.snapshot.page_id,
        url=label.snapshot.page.url,
        attribute=label.attribute.name,
        value=label.value,
        absent=label.absent,
        location=label.location,
        row=label.row,
    )


@operations.get("/sites/{slug:slug}/templates/{int:number}/labels", like=clusters.cluster, response=Paged[LabelOut])
def list_labels(request: ApiRequest, slug: str, number: int, paging: Asked, page: int | None = None, attribute: str = "") -> dict[str, Any]:
    """List what is marked on the pages of a template. Filter by the id of a page and by the name of an attribute."""
    found: QuerySet[Label] = Label.objects.filter(cluster=find_cluster(request, slug, number))
    found = found.select_related("snapshot__page", "attribute")
    found = found.filter(snapshot__page=page) if page is not None else found
    found = found.filter(attribute__name=attribute) if attribute else found
    return take_page(found, paging, describe_label)


@operations.change(
    "PUT",
    "/sites/{slug:slug}/templates/{int:number}/pages/{int:page_id}/labels/{attribute}",
    like=rules.start_learning,
    response=list[LabelOut],
)
def set_labels(request: ApiRequest, slug: str, number: int, page_id: int, attribute: str, body: MarksIn) -> list[LabelOut]:
    """Mark an attribute on a page, as the workbench does."""
    cluster = find_cluster(request, slug, number)
    page = get_object_or_404(Page.objects.select_related("current"), pk=page_id, site=cluster.site)
    if page.current is None:
        raise ProblemError(409, "This page has no content.")
    chosen = get_object_or_404(Attribute.objects.of_cluster(cluster), name=attribute)
    if (body.values is not None) + (body.places is not None) + body.absent != 1:
        raise ProblemError(422, "Give either values, places or absent.")
    nodes = stored_pages.read_elements(page.current)
    locations: list[Location] | None = None
    if body.values is not None:
        locations = [_find_mark(nodes, each) for each in body.values]
    elif body.places is not None:
        locations = [_read_place(each) for each in body.places]
    saved = labelling.set_labels(cluster, page.current, chosen, locations, request.access.user, row=body.row, nodes=nodes)
    for each in saved:
        each.snapshot.page = page
    return [describe_label(each) for each in saved]


def _find_mark(nodes: Sequence[etree._Element], mark: MarkIn) -> Location:
    if mark.xpath:
        return marked_texts.find_xpath(nodes, mark.xpath, text=mark.text)
    return marked_texts.find_text(nodes, mark.text, occurrence=mark.occurrence)


def _read_place(row: dict[str, Any]) -> Location:
    try:
        return Location.from_json(row)
    except ValueError as error:
        raise ProblemError(422, f"A place is {error}.") from error
