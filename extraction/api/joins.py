"""Joins: rows of listings and the pages that they lead to, as one record."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError
from extraction.api.records import ValueOut, name_token
from extraction.forms.joins import MAX_KEYS, MAX_LISTINGS
from extraction.models import Attribute, Cluster, Join, JoinedRecord, Site
from extraction.services.joins import make_records, plans, proposals, search
from extraction.services.joins.plans import JoinPlan, ListingPlan, Problems
from extraction.services.joins.state import describe_state
from extraction.views.joins import join_view, joined, joins

operations = Operations("Joined records")

JOIN = "/sites/{slug:slug}/joins/{int:join_id}"

Part = Literal["", "joined", "row", "page", "conflicts", "several", "disagreeing", "incomplete"]


class ListingIn(RequestBody):
    """A list whose rows take part.

    template: the number of the template of the listing pages; list_name: the list.
    link: the attribute with the page's address. keys: in place of a link, pairs of an attribute of the rows and one of the page.
    with_page: the listing page's own values go with each row.
    """

    template: int
    list_name: str
    link: str = ""
    keys: list[list[str]] = Field([], max_length=MAX_KEYS)
    with_page: bool = False


class JoinIn(RequestBody):
    """A join. template: the number of the template of the pages.

    name: empty to have one made.
    winner: the side whose values count where both have an attribute: page or listing.
    turned: attributes of the page for which the other side counts.
    """

    template: int
    listings: list[ListingIn] = Field(min_length=1, max_length=MAX_LISTINGS)
    name: str = Field(default="", max_length=120)
    winner: Literal["page", "listing"] = "page"
    turned: list[str] = []


class ListingOut(Schema):
    """A list of a join. Names are null for what was removed since."""

    template: int | None
    list_name: str | None
    link: str | None
    keys: list[list[str | None]]
    with_page: bool


class JoinOut(Schema):
    """A join.

    figures: what it found when its records were last made: rows, joined_rows, joined, several, row_alone, page_alone, conflicts …
    problems: why it cannot be made until somebody chooses again. warnings: what is to be known about its records.
    """

    id: int
    site: str
    name: str
    template: int | None
    winner: str
    turned: list[str]
    listings: list[ListingOut]
    figures: dict[str, Any]
    columns: list[str]
    made_at: datetime | None
    problems: list[str]
    warnings: list[str]


class ProposalOut(Schema):
    """A join that the records suggest. join: give it to create the join; shares: of the rows of each list, how many find a page."""

    join: JoinIn
    shares: list[float]


class ProposalsOut(Schema):
    """Joins that the records suggest, the best first. complete: all pages of the site were looked at."""

    proposals: list[ProposalOut]
    complete: bool


class JoinedOut(Schema):
    """A joined record.

    state: joined, row (rows without a page; why says why) or page (a page without a row).
    rows: how many rows it has. conflicts: attributes that both sides have with different values.
    disagreeing: its rows differ among each other. complete: the page's record is complete.
    """

    id: int
    state: str
    page: int | None
    url: str | None
    values: dict[str, list[ValueOut]]
    rows: int
    conflicts: list[str]
    disagreeing: bool
    complete: bool
    why: str


def describe_join(join: Join) -> JoinOut:
    """Return what the API says about a join."""
    state, result = describe_state(join), join.read_result()
    listings = join.listings.select_related("cluster", "list", "link").prefetch_related("keys__in_list", "keys__on_page")
    return JoinOut(
        id=join.pk,
        site=join.site.slug,
        name=join.name,
        template=join.detail.number if join.detail else None,
        winner=join.winner,
        turned=[each.name for each in join.turned.all()],
        listings=[
            ListingOut(
                template=each.cluster.number if each.cluster else None,
                list_name=each.list.name if each.list else None,
                link=each.link.name if each.link else None,
                keys=[[_name(key.in_list), _name(key.on_page)] for key in each.keys.all()],
                with_page=each.with_page,
            )
            for each in listings
        ],
        figures=result.figures.as_json(),
        columns=[each.name for each in result.columns],
        made_at=join.made_at,
        problems=list(state.problems),
        warnings=state.warnings,
    )


def describe_joined(record: JoinedRecord) -> JoinedOut:
    """Return what the API says about a joined record."""
    return JoinedOut(
        id=record.pk,
        state=record.state,
        page=record.page_id,
        url=record.page.url if record.page else None,
        values={
            name: [ValueOut(raw=each["raw"], value=each.get("value"), problem=each.get("problem", "")) for each in many]
            for name, many in record.values.items()
        },
        rows=record.rows,
        conflicts=record.conflicts,
        disagreeing=record.disagreeing,
        complete=record.complete,
        why=record.why,
    )


@operations.get("/sites/{slug:slug}/joins", like=joins.list_joins, response=list[JoinOut])
def list_joins(request: ApiRequest, slug: str) -> list[JoinOut]:
    """List the joins of a site, by name."""
    return [describe_join(each) for each in find_site(request, slug).joins.select_related("site", "detail")]


@operations.get("/sites/{slug:slug}/joins/proposals", like=joins.propose, response=ProposalsOut)
def propose_joins(request: ApiRequest, slug: str) -> ProposalsOut:
    """List joins that the records of a site suggest."""
    found = proposals.propose_joins(find_site(request, slug))
    shown = [
        ProposalOut(
            join=JoinIn(
                template=each.detail.number,
                listings=[
                    ListingIn(
                        template=one.cluster.number,
                        list_name=one.list_name,
                        link="" if one.by_key else one.by[0],
                        keys=_name_keys(one.plan) if one.by_key else [],
                        with_page=one.plan.with_page,
                    )
                    for one in each.listings
                ],
            ),
            shares=[round(one.share, 4) for one in each.listings],
        )
        for each in found.found
    ]
    return ProposalsOut(proposals=shown, complete=not found.cut)


@operations.post("/sites/{slug:slug}/joins", like=joins.create_join, response=JoinOut, status=201)
def create_join(request: ApiRequest, slug: str, body: JoinIn) -> Status[JoinOut]:
    """Create a join, and start to make its records if both sides are released."""
    return Status(201, _save(request, find_site(request, slug), body, None))


@operations.get(JOIN, like=joined.list_records, response=JoinOut)
def show_join(request: ApiRequest, slug: str, join_id: int) -> JoinOut:
    """Show a join and what it found."""
    return describe_join(_find(request, slug, join_id))


@operations.change("PUT", JOIN, like=joins.edit_join, response=JoinOut)
def change_join(request: ApiRequest, slug: str, join_id: int, body: JoinIn) -> JoinOut:
    """Change all settings of a join, and start to make its records again."""
    join = _find(request, slug, join_id)
    return _save(request, join.site, body, join)


@operations.post(f"{JOIN}/make", like=joins.make_join, response=RunOut, status=202)
def make_join(request: ApiRequest, slug: str, join_id: int) -> Status[RunOut]:
    """Start to bring the records of a join up to date. 409 if it needs a choice, or if records of a side are held back."""
    join = _find(request, slug, join_id)
    state = describe_state(join)
    if reasons := [*state.problems, *(each.words for each in state.gates)]:
        raise ProblemError(409, " ".join(reasons))
    return Status(202, describe_run(make_records.start_joining(join, request.access.user)))


@operations.change("DELETE", JOIN, like=joins.delete_join)
def delete_join(request: ApiRequest, slug: str, join_id: int) -> Status[None]:
    """Delete a join with its records. The records of both sides stay."""
    plans.delete_join(_find(request, slug, join_id))
    return Status(204, None)


@operations.get(f"{JOIN}/records", like=joined.list_records, response=Paged[JoinedOut], records=True)
def list_joined_records(
    request: ApiRequest, slug: str, join_id: int, paging: Asked, q: str = "", part: Part = "", missing: str = ""
) -> dict[str, Any]:
    """List joined records.

    `q`: words that occur in the values or the address. `part`: joined, row (without a page), page (without a row), conflicts (the sides
    differ), several (rows), disagreeing (rows) or incomplete. `missing`: a column without a value.
    """
    join = _find(request, slug, join_id)
    columns = [each.name for each in join.read_result().columns]
    if missing and missing not in columns:
        raise ProblemError(422, f"The joined records have no column {missing}. They have: {', '.join(columns) or 'none yet'}.")
    found: QuerySet[JoinedRecord] = search.search_joined(join, query=q, part=part, missing=missing)
    return take_page(found, paging, describe_joined)


@operations.get(f"{JOIN}/export", like=joined.download_records, records=True, file=True)
def export_joined_records(request: ApiRequest, slug: str, join_id: int, format: str = "csv") -> HttpResponseBase:  # noqa: ARG001
    """Send joined records as a file. Takes the same parameters as the export of a template, and `q`, `of` (a part) and `missing`."""
    return joined.send_joined_export(request, _find(request, slug, join_id), who=name_token(request))


def _find(request: ApiRequest, slug: str, join_id: int) -> Join:
    return get_object_or_404(Join.objects.select_related("site", "detail__record_type"), site=find_site(request, slug), pk=join_id)


def _save(request: ApiRequest, site: Site, body: JoinIn, join: Join | None) -> JoinOut:
    plan = join_view.complete_plan(site, _read_plan(site, body))
    found = plans.check_plan(site, plan)
    if isinstance(found, Problems):
        raise ProblemError(422, " ".join(found.sentences))
    saved = plans.save_plan(site, plan, join, request.access.user)
    make_records.start_joins([saved], request.access.user)
    return describe_join(Join.objects.select_related("site", "detail").get(pk=saved.pk))


def _read_plan(site: Site, body: JoinIn) -> JoinPlan:
    """Return the settings with the ids of what the body names. Raises ProblemError."""
    detail = _find_template(site, body.template)
    of_page = {each.name: each for each in Attribute.objects.of_cluster(detail).filter(list=None)}
    if strange := [name for name in body.turned if name not in of_page]:
        raise ProblemError(422, f"The pages of template {body.template} have no attribute {strange[0]}.")
    listings = tuple(_read_listing(site, each, of_page) for each in body.listings)
    return JoinPlan(body.name.strip(), detail.pk, body.winner, frozenset(of_page[name].pk for name in body.turned), listings)


def _read_listing(site: Site, body: ListingIn, of_page: dict[str, Attribute]) -> ListingPlan:
    cluster = _find_template(site, body.template)
    in_list = {each.name: each for each in Attribute.objects.of_cluster(cluster).filter(list__name=body.list_name).select_related("list")}
    if not in_list:
        raise ProblemError(422, f"Template {body.template} has no list {body.list_name} with attributes.")
    if bool(body.link) == bool(body.keys):
        raise ProblemError(422, f"Say how the rows of {body.list_name} find their pages: by a link or by keys.")
    if body.link and body.link not in in_list:
        raise ProblemError(422, f"{body.list_name} has no attribute {body.link}.")
    if body.link and in_list[body.link].type != Attribute.Type.URL:
        raise ProblemError(422, f"{body.link} of {body.list_name} is not of the type URL, so it cannot be a link.")
    pairs = []
    for pair in body.keys:
        if len(pair) != 2 or pair[0] not in in_list or pair[1] not in of_page:
            raise ProblemError(422, f"A key is a pair of an attribute of {body.list_name} and one of the page, unlike {pair}.")
        pairs.append((in_list[pair[0]].pk, of_page[pair[1]].pk))
    return ListingPlan(
        cluster.pk,
        next(iter(in_list.values())).list_id,
        by_key=bool(pairs),
        link=in_list[body.link].pk if body.link else None,
        keys=tuple(pairs),
        with_page=body.with_page,
    )


def _find_template(site: Site, number: int) -> Cluster:
    found = site.clusters.filter(number=number).select_related("record_type").first()
    if found is None:
        raise ProblemError(422, f"{site.name} has no template {number}.")
    if found.record_type is None:
        raise ProblemError(422, f"{found.label} has no record type. Choose one first.")
    return found


def _name_keys(plan: ListingPlan) -> list[list[str]]:
    ids = [pk for pair in plan.keys for pk in pair if pk is not None]
    names = dict(Attribute.objects.filter(pk__in=ids).values_list("pk", "name"))
    pairs: Sequence[tuple[int | None, int | None]] = plan.keys
    return [[names.get(row or 0, ""), names.get(page or 0, "")] for row, page in pairs]


def _name(attribute: Attribute | None) -> str | None:
    return attribute.name if attribute else None
