"""The structure lab: what other clustering methods find, and taking over one of them."""

from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status

from extraction.algorithms.methods import METHODS
from extraction.api.bodies import RequestBody
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.models import Clustering
from extraction.services.lab import comparisons
from extraction.services.templates import cluster_pages
from extraction.views.lab import lab

operations = Operations("Structure lab")

NAMES = ", ".join(METHODS)


class CompareIn(RequestBody):
    __doc__ = f"Which methods to compare: {NAMES}."

    methods: list[str] = Field(min_length=1, max_length=len(METHODS))


class ClusteringItem(Schema):
    """What one method found.

    method: empty for the templates of the site at that time.
    sizes: the number of pages of each group, the largest first. A page that is like no other is a group of one.
    bits: the length of a description of the pages with these groups (MDL); shorter is better. null if it could not be computed; bits_reason
        says why.
    seconds, peak_bytes: the time and memory that the method used. reason: why it gave up; empty if it did not.
    """

    id: int
    run: int
    method: str
    groups: int
    pages: int
    sizes: list[int]
    bits: float | None
    bits_reason: str
    seconds: float
    peak_bytes: int
    reason: str


class ClusteringOut(ClusteringItem):
    """What one method found, with the ids of the pages of each group."""

    members: list[list[int]]


@operations.post("/sites/{slug:slug}/lab/comparisons", like=lab.start_comparison, response=RunOut, status=202)
def start_comparison(request: ApiRequest, slug: str, body: CompareIn) -> Status[RunOut]:
    """Start to cluster pages of a site with other methods. Nothing changes by that."""
    return Status(202, describe_run(comparisons.start_comparison(find_site(request, slug), body.methods, user=request.access.user)))


@operations.get("/sites/{slug:slug}/lab/clusterings", like=lab.show_lab, response=Paged[ClusteringItem])
def list_clusterings(request: ApiRequest, slug: str, paging: Asked, run: int | None = None) -> dict[str, Any]:
    """List what methods found on a site, newest first; with `run`, in one comparison."""
    found = Clustering.objects.filter(site=find_site(request, slug))
    return take_page(found.filter(run=run) if run is not None else found, paging, _describe_item, newest_first=True)


@operations.get("/sites/{slug:slug}/lab/clusterings/{int:clustering_id}", like=lab.show_clustering, response=ClusteringOut)
def show_clustering(request: ApiRequest, slug: str, clustering_id: int) -> ClusteringOut:
    """Show what a method found, with the pages of each group."""
    found = _find(request, slug, clustering_id)
    return ClusteringOut(**_describe(found), members=found.groups)


@operations.post("/sites/{slug:slug}/lab/clusterings/{int:clustering_id}/adopt", like=lab.adopt_clustering, response=RunOut, status=202)
def adopt_clustering(request: ApiRequest, slug: str, clustering_id: int) -> Status[RunOut]:
    """Start to make the groups of a clustering the templates of the site."""
    return Status(202, describe_run(cluster_pages.start_adopting(_find(request, slug, clustering_id), user=request.access.user)))


def _find(request: ApiRequest, slug: str, clustering_id: int) -> Clustering:
    return get_object_or_404(Clustering.objects.select_related("site", "run"), site=find_site(request, slug), pk=clustering_id)


def _describe_item(found: Clustering) -> ClusteringItem:
    return ClusteringItem(**_describe(found))


def _describe(found: Clustering) -> dict[str, Any]:
    sizes = [len(each) for each in found.groups]
    return {
        "id": found.pk,
        "run": found.run_id,
        "method": found.method,
        "groups": len(sizes),
        "pages": sum(sizes),
        "sizes": sizes,
        "bits": found.bits,
        "bits_reason": found.bits_reason,
        "seconds": found.seconds,
        "peak_bytes": found.peak_bytes,
        "reason": found.reason,
    }
