"""Rules: versions, learning, editing, publishing, retiring, and files that run without Vertex."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Body, Field, Schema, Status

from extraction.algorithms.values.cleanup.chain import MAX_STEPS, CleanupError, CleanupStep
from extraction.api.bodies import RequestBody
from extraction.api.core import RunOut, describe_run
from extraction.api.operations import ApiRequest, Operations, find_cluster, find_site
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.rules import XPathForm
from extraction.models import Rule
from extraction.services.learning import learn_rule as learning
from extraction.services.records import extract_records
from extraction.services.rules import cleanups as cleanup_service
from extraction.services.rules import doubts
from extraction.services.rules import export_rule as exporting
from extraction.services.rules import rules as service
from extraction.views.rules import cleanups, rules

operations = Operations("Rules")


class RuleItem(Schema):
    """A version of a template's rule. state: draft, validated, live, suspect, broken, repaired or retired."""

    version: int
    state: str
    origin: str
    created_at: datetime
    created_by: str | None
    published_at: datetime | None


class RuleOut(RuleItem):
    """A version with its definition (XPaths and clean-ups by attribute) and its report (how it was judged)."""

    definition: dict[str, Any]
    report: dict[str, Any]


class PublishIn(RequestBody):
    """How to publish. despite_doubts: although values look wrong on pages that nobody marked."""

    despite_doubts: bool = False


class XPathIn(RequestBody):
    """Another XPath for an attribute."""

    attribute: str
    xpath: str


class StepIn(RequestBody):
    """A step of a clean-up.

    kind: trim, split, part, replace, map, join, unit, lower or upper. text: what it works with. by: what replace puts in its place.
    pairs: of a map, [what is on the page, what to put in its place]. pattern: text is a pattern (split and replace).
    keep: a map keeps values that are not in it.
    """

    kind: Literal["trim", "split", "part", "replace", "map", "join", "unit", "lower", "upper"]
    text: str = ""
    by: str = ""
    pairs: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    pattern: bool = False
    keep: bool = True


class CleanupIn(RequestBody):
    """What is done to the values of an attribute before they are read, in this order. No steps: nothing."""

    attribute: str
    steps: list[StepIn] = Field(max_length=MAX_STEPS)


NO_BODY = PublishIn()


def describe_rule(rule: Rule) -> dict[str, Any]:
    """Return what the API says about a version."""
    return {
        "version": rule.version,
        "state": rule.state,
        "origin": rule.origin,
        "created_at": rule.created_at,
        "created_by": rule.created_by.get_username() if rule.created_by else None,
        "published_at": rule.published_at,
        "definition": rule.definition,
        "report": rule.report,
    }


@operations.get("/sites/{slug:slug}/templates/{int:number}/rules", like=rules.list_rules, response=Paged[RuleItem])
def list_rules(request: ApiRequest, slug: str, number: int, paging: Asked) -> dict[str, Any]:
    """List the versions of a template's rule, newest first."""
    found = Rule.objects.filter(cluster=find_cluster(request, slug, number)).select_related("created_by")
    return take_page(found, paging, describe_rule, newest_first=True)


@operations.get("/sites/{slug:slug}/templates/{int:number}/rules/{int:version}", like=rules.show_rule, response=RuleOut)
def show_rule(request: ApiRequest, slug: str, number: int, version: int) -> dict[str, Any]:
    """Show a version."""
    return describe_rule(_find_rule(request, slug, number, version))


@operations.get("/sites/{slug:slug}/templates/{int:number}/rules/{int:version}/export/{form}", like=rules.download_rule, file=True)
def export_rule(request: ApiRequest, slug: str, number: int, version: int, form: Literal["xslt", "scrapy", "web-poet"]) -> HttpResponse:
    """Send a version as a file that runs without Vertex: `xslt`, `scrapy` or `web-poet`."""
    exported = exporting.export_rule(_find_rule(request, slug, number, version), form)
    headers = {"Content-Disposition": f'attachment; filename="{exported.name}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(exported.text, content_type=f"{exported.content_type}; charset=utf-8", headers=headers)


@operations.post("/sites/{slug:slug}/templates/{int:number}/learn", like=rules.start_learning, response=RunOut, status=202)
def learn_rule(request: ApiRequest, slug: str, number: int) -> Status[RunOut]:
    """Start to learn a rule from the marked values. It becomes a draft: publish it next."""
    return Status(202, describe_run(learning.start_learning(find_cluster(request, slug, number), request.access.user)))


@operations.post("/sites/{slug:slug}/templates/{int:number}/rules/{int:version}/edit", like=rules.edit_xpath, response=RuleOut, status=201)
def edit_rule(request: ApiRequest, slug: str, number: int, version: int, body: XPathIn) -> Status[dict[str, Any]]:
    """Save a version with another XPath as a new draft."""
    found = _find_rule(request, slug, number, version)
    form = XPathForm(body.model_dump())
    if not form.is_valid():
        raise refuse_form(form)
    draft = service.edit_xpath(found, form.cleaned_data["attribute"], form.cleaned_data["xpath"], request.access.user)
    return Status(201, describe_rule(draft))


@operations.post(
    "/sites/{slug:slug}/templates/{int:number}/rules/{int:version}/clean-up", like=cleanups.edit_cleanup, response=RuleOut, status=201
)
def clean_up_rule(request: ApiRequest, slug: str, number: int, version: int, body: CleanupIn) -> Status[dict[str, Any]]:
    """Save a version with another clean-up of an attribute as a new draft. The definition of a version shows its clean-ups."""
    found = _find_rule(request, slug, number, version)
    try:
        steps = [CleanupStep(**each.model_dump() | {"pairs": tuple((old, new) for old, new in each.pairs)}) for each in body.steps]
    except CleanupError as error:
        raise ProblemError(422, str(error)) from error
    return Status(201, describe_rule(cleanup_service.save_cleanup(found, body.attribute, steps, request.access.user)))


@operations.post("/sites/{slug:slug}/templates/{int:number}/rules/{int:version}/publish", like=rules.publish_rule, response=RuleOut)
def publish_rule(request: ApiRequest, slug: str, number: int, version: int, body: Annotated[PublishIn, Body()] = NO_BODY) -> dict[str, Any]:
    """Make a version the one that extracts records. Earlier versions can be published again.

    A draft is refused with 409, unless the body has `despite_doubts`, if its values look wrong on pages that nobody marked, if it lacks a
    mandatory attribute, or if it finds nothing for an attribute on all pages of a language.
    """
    found = _find_rule(request, slug, number, version)
    if not body.despite_doubts:
        doubts.refuse_doubtful(found)
    service.publish_rule(found, request.access.user)
    return describe_rule(_find_rule(request, slug, number, version))


@operations.post("/sites/{slug:slug}/templates/{int:number}/rules/{int:version}/retire", like=rules.retire_rule, response=RuleOut)
def retire_rule(request: ApiRequest, slug: str, number: int, version: int) -> dict[str, Any]:
    """Take the live version out of use."""
    service.retire_rule(_find_rule(request, slug, number, version), request.access.user)
    return describe_rule(_find_rule(request, slug, number, version))


@operations.post("/sites/{slug:slug}/templates/{int:number}/extract", like=rules.start_extraction, response=RunOut, status=202)
def extract_template(request: ApiRequest, slug: str, number: int) -> Status[RunOut]:
    """Start to run the live rule of a template on all of its pages."""
    return Status(202, describe_run(extract_records.start_extraction(find_cluster(request, slug, number), request.access.user)))


@operations.post("/sites/{slug:slug}/extract", like=rules.start_extraction, response=RunOut, status=202)
def extract_site(request: ApiRequest, slug: str) -> Status[RunOut]:
    """Start to run all live rules of a site on their pages."""
    return Status(202, describe_run(extract_records.start_site_extraction(find_site(request, slug), request.access.user)))


def _find_rule(request: ApiRequest, slug: str, number: int, version: int) -> Rule:
    rows = Rule.objects.select_related("cluster__site", "cluster__record_type", "created_by")
    return get_object_or_404(rows, cluster=find_cluster(request, slug, number), version=version)
