"""Templates of a site: name, record type, samples, finding and merging."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Schema, Status

from extraction.api import comments
from extraction.api.bodies import RequestBody
from extraction.api.comments import AddedComment, CommentIn, CommentOut
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_cluster, find_site
from extraction.api.paging import Asked, Paged, take_page, take_page_at_once
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.templates import ClusterForm, MergeForm, NameForm
from extraction.models import Breakage, Cluster, Page, PageCount, RecordCount, RecordFigures, RecordType, Rule
from extraction.services.core.comments import count_by_cluster
from extraction.services.templates import cluster_pages
from extraction.services.templates import clusters as service
from extraction.views.core import comments as comment_views
from extraction.views.sites import sites
from extraction.views.templates import clusters

operations = Operations("Templates")


class TemplateOut(Schema):
    """A template of a site.

    small: it has few pages and nobody has worked on it, so it is only offered.
    live_version, rule_state: the version of the rule that extracts records, and its state; null and empty if there is none.
    draft_version: the newest version that was never published.
    breakage: the id of the open breakage.
    """

    number: int
    site: str
    name: str
    label: str
    record_type: str | None
    ignored: bool
    small: bool
    url_patterns: list[str]
    pages: int
    complete: int
    incomplete: int
    failed: int
    live_version: int | None
    rule_state: str
    draft_version: int | None
    breakage: int | None
    assignee: str | None
    comments: int


class TemplateChange(RequestBody):
    """Changes of a template. Fields that are left out stay as they are.

    record_type: its slug; empty for none.
    assignee: the name of the person who works on it; empty for nobody.
    """

    name: str | None = None
    assignee: str | None = None
    ignored: bool | None = None
    record_type: str | None = None


class SampleOut(Schema):
    """A page that was chosen for marking. covered: share of the template that this page and those before it show."""

    page: int
    url: str
    covered: float


class FindIn(RequestBody):
    """How to find templates. threshold: the least number of similar pages that make one; null to choose it by the site's size."""

    threshold: int | None = None


class MergeIn(RequestBody):
    """Which templates are the same. into: the number of the one that takes in the others."""

    into: int
    others: list[int]


def describe_templates(found: Sequence[Cluster]) -> list[TemplateOut]:
    """Return what the API says about templates, in a constant number of queries."""
    ids = [each.pk for each in found]
    records = RecordCount.objects.filter(cluster__in=ids).figures()
    pages = PageCount.objects.filter(cluster_key__in=ids).exclude(reading=Page.Reading.NONE).totals("cluster_key")
    commented = count_by_cluster(ids)
    breakages = dict(Breakage.objects.open().filter(cluster__in=ids).values_list("cluster", "pk"))
    serving = {rule.cluster_id: rule for rule in Rule.objects.serving().filter(cluster__in=ids).only("cluster", "version", "state")}
    drafts = dict(Rule.objects.unpublished().filter(cluster__in=ids).order_by("version").values_list("cluster", "version"))
    return [
        TemplateOut(
            number=each.number,
            site=each.site.slug,
            name=each.name,
            label=each.label,
            record_type=each.record_type.slug if each.record_type else None,
            ignored=each.ignored,
            small=each.small,
            url_patterns=each.url_patterns,
            pages=pages.get(each.pk, 0),
            complete=(figures := records.get(each.pk, RecordFigures())).complete,
            incomplete=figures.incomplete,
            failed=figures.failed,
            live_version=serving[each.pk].version if each.pk in serving else None,
            rule_state=serving[each.pk].state if each.pk in serving else "",
            draft_version=drafts.get(each.pk),
            breakage=breakages.get(each.pk),
            assignee=each.assignee.get_username() if each.assignee else None,
            comments=commented[each.pk],
        )
        for each in found
    ]


def describe_template(cluster: Cluster) -> TemplateOut:
    """Return what the API says about a template."""
    return describe_templates([cluster])[0]


@operations.get("/sites/{slug:slug}/templates", like=clusters.site, response=Paged[TemplateOut])
def list_templates(request: ApiRequest, slug: str, paging: Asked, record_type: str = "") -> dict[str, Any]:
    """List the templates of a site, also small and ignored ones. `record_type` is the slug of a record type."""
    found: QuerySet[Cluster] = find_site(request, slug).clusters.select_related("site", "record_type", "assignee")
    if record_type:
        found = found.filter(record_type__slug=record_type)
    return take_page_at_once(found, paging, describe_templates)


@operations.get("/sites/{slug:slug}/templates/{int:number}", like=clusters.cluster, response=TemplateOut)
def show_template(request: ApiRequest, slug: str, number: int) -> TemplateOut:
    """Show a template."""
    return describe_template(find_cluster(request, slug, number))


@operations.change("PATCH", "/sites/{slug:slug}/templates/{int:number}", like=clusters.rename, response=TemplateOut)
def change_template(request: ApiRequest, slug: str, number: int, body: TemplateChange) -> TemplateOut:
    """Rename a template, ignore it, set its record type, or assign it to somebody."""
    found = find_cluster(request, slug, number)
    form = NameForm({"name": body.name or ""})
    if not form.is_valid():
        raise refuse_form(form)
    if body.record_type is not None:
        chosen = RecordType.objects.filter(slug=body.record_type, team=found.site.team_id).first()
        if body.record_type and chosen is None:
            raise ProblemError(422, f"There is no record type {body.record_type}.")
        service.set_record_type(found, chosen)
    if body.name is not None:
        service.rename_template(found, form.cleaned_data["name"])
    if body.ignored is not None:
        service.ignore_template(found, body.ignored)
    if body.assignee is not None:
        comments.assign(found, body.assignee)
    return describe_template(find_cluster(request, slug, number))


@operations.get("/sites/{slug:slug}/templates/{int:number}/comments", like=clusters.cluster, response=Paged[CommentOut])
def list_template_comments(request: ApiRequest, slug: str, number: int, paging: Asked) -> dict[str, Any]:
    """List the comments on a template, and those on its breakages, oldest first."""
    return take_page(comments.select_comments(find_cluster(request, slug, number)), paging, comments.describe_comment)


@operations.post(
    "/sites/{slug:slug}/templates/{int:number}/comments", like=comment_views.comment_template, response=AddedComment, status=201
)
def comment_template(request: ApiRequest, slug: str, number: int, body: CommentIn) -> Status[dict[str, Any]]:
    """Add a comment to a template. @name tells that person."""
    return Status(201, comments.add_comment(find_cluster(request, slug, number), body, request.access.user))


@operations.get("/sites/{slug:slug}/templates/{int:number}/samples", like=clusters.cluster, response=list[SampleOut])
def list_samples(request: ApiRequest, slug: str, number: int) -> list[SampleOut]:
    """List the pages to mark values on, the best first."""
    rows = find_cluster(request, slug, number).samples.select_related("snapshot__page").order_by("position")
    return [SampleOut(page=each.snapshot.page_id, url=each.snapshot.page.url, covered=each.covered_fraction) for each in rows]


@operations.post("/sites/{slug:slug}/templates/find", like=sites.start_clustering, response=RunOut, status=202)
def find_templates(request: ApiRequest, slug: str, body: FindIn) -> Status[RunOut]:
    """Start a search for the templates of a site."""
    site = find_site(request, slug)
    form = ClusterForm({"threshold": body.threshold})
    if not form.is_valid():
        raise refuse_form(form)
    run = cluster_pages.start_clustering(site, threshold=form.cleaned_data["threshold"], user=request.access.user)
    return Status(202, describe_run(run))


@operations.post("/sites/{slug:slug}/templates/merge", like=clusters.merge, response=TemplateOut)
def merge_templates(request: ApiRequest, slug: str, body: MergeIn) -> TemplateOut:
    """Merge templates that are the same."""
    site = find_site(request, slug)
    form = MergeForm({"clusters": [body.into, *body.others]}, site=site)
    if not form.is_valid():
        raise refuse_form(form)
    into, *others = form.cleaned_data["clusters"]
    merged = service.merge_templates(into, others)
    return describe_template(get_object_or_404(Cluster.objects.select_related("site", "record_type"), pk=merged.pk))
