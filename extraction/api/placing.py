"""Pages that are in the wrong template, and templates that seem to be the same."""

from typing import Any, Literal

from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Field, Schema

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import refuse_form
from extraction.api.templates import TemplateOut, describe_template
from extraction.forms.templates import PlaceForm
from extraction.models import Cluster, MergeProposal
from extraction.services.templates import merge_proposals
from extraction.services.templates import placing as service
from extraction.views.templates import clusters, placing

operations = Operations("Templates")

PROPOSAL = "/sites/{slug:slug}/merge-proposals/{int:proposal_id}"


class MoveIn(RequestBody):
    """Which pages to move, and where to. into: the number of a template, new, or null for no template."""

    pages: list[int] = Field(min_length=1, max_length=placing.MAX_MOVED)
    into: int | Literal["new"] | None


class MovedOut(Schema):
    """What a move did. into: the template that the pages are in now; labels, records: how many were removed with it."""

    into: int | None
    pages: int
    labels: int
    records: int


class MergeProposalOut(Schema):
    """Two templates that seem to be the same.

    into: the number of the one that would stay; other: that of the one that would be merged into it.
    kind: same (both rules give the same values), reads (the rule of `into` reads the other's pages) or alike (their structure).
    state: open or refused.
    """

    id: int
    into: int
    other: int
    kind: str
    state: str
    evidence: dict[str, Any]


@operations.post("/sites/{slug:slug}/pages/move", like=placing.place, response=MovedOut)
def move_pages(request: ApiRequest, slug: str, body: MoveIn) -> MovedOut:
    """Move pages to another template, to a new one, or out of theirs. It lasts: later searches for templates keep them there."""
    site, user = find_site(request, slug), request.access.user
    data = QueryDict(mutable=True)
    data.setlist("pages", [str(each) for each in body.pages])
    data["into"] = "" if body.into is None else str(body.into)
    form = PlaceForm(data, site=site)
    if not form.is_valid():
        raise refuse_form(form)
    pages, into = form.cleaned_data["pages"], form.cleaned_data["into"]
    moved = service.move_to_new_template(site, pages, user) if into == PlaceForm.NEW else service.move_pages(site, pages, into, user)
    return MovedOut(into=moved.into.number if moved.into else None, pages=moved.pages, labels=moved.labels, records=moved.records)


@operations.get("/sites/{slug:slug}/merge-proposals", like=clusters.site, response=Paged[MergeProposalOut])
def list_merge_proposals(request: ApiRequest, slug: str, paging: Asked, state: Literal["open", "refused"] = "open") -> dict[str, Any]:
    """List templates of a site that seem to be the same. `state`: open (the default) or refused."""
    found = MergeProposal.objects.of_site(find_site(request, slug)).select_related("into", "other")
    return take_page(found.filter(state=state), paging, _describe_proposal)


@operations.post(f"{PROPOSAL}/accept", like=placing.same, response=TemplateOut)
def accept_merge_proposal(request: ApiRequest, slug: str, proposal_id: int) -> TemplateOut:
    """Merge the two templates of a proposal."""
    merged = merge_proposals.accept_proposal(_find_proposal(request, slug, proposal_id))
    return describe_template(Cluster.objects.select_related("site", "record_type").get(pk=merged.pk))


@operations.post(f"{PROPOSAL}/refuse", like=placing.same, response=MergeProposalOut)
def refuse_merge_proposal(request: ApiRequest, slug: str, proposal_id: int) -> MergeProposalOut:
    """Say that the two templates of a proposal are not the same. This is not proposed again."""
    proposal = _find_proposal(request, slug, proposal_id)
    merge_proposals.refuse_proposal(proposal)
    return _describe_proposal(_find_proposal(request, slug, proposal_id))


def _find_proposal(request: ApiRequest, slug: str, proposal_id: int) -> MergeProposal:
    rows = MergeProposal.objects.of_site(find_site(request, slug)).select_related("into__site", "other__site")
    return get_object_or_404(rows, pk=proposal_id)


def _describe_proposal(proposal: MergeProposal) -> MergeProposalOut:
    return MergeProposalOut(
        id=proposal.pk,
        into=proposal.into.number,
        other=proposal.other.number,
        kind=proposal.kind,
        state=proposal.state,
        evidence=proposal.evidence,
    )
