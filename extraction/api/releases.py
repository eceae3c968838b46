"""Quality: what the records of each run were found to be, and whether they are released."""

from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Field, Schema

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError
from extraction.models import RuleFailure, RunRelease
from extraction.services.quality import releases as service
from extraction.services.quality.releases import Decided
from extraction.views.quality import release_view, releases

operations = Operations("Quality of runs")


class ReleaseItem(Schema):
    """The verdict on the records that a run extracted for a template.

    state: released, held (it waits for a person) or rejected.
    reasons: a sentence for each broken rule.
    counts: {list, empty for pages: number of records or rows}.
    base_run: the run that the records were compared with; null if there was none.
    decided_by: who released or rejected it; empty if no person did. note: what that person said, or why nobody had to decide.
    """

    id: int
    run: int
    site: str
    template: int
    state: str
    reasons: list[str]
    counts: dict[str, int]
    base_run: int | None
    judged_at: datetime
    decided_by: str
    decided_at: datetime | None
    note: str


class ResultOut(Schema):
    """What one rule found in a run.

    rule: its id, null if it was deleted since; text: the rule in words; reason: what was found, empty if nothing failed.
    """

    id: int
    rule: int | None
    text: str
    weight: str
    broken: bool
    checked: int
    failing: int
    unread: int
    undecided: int
    reason: str


class ReleaseOut(ReleaseItem):
    """A verdict with what each rule found, the broken rules first."""

    results: list[ResultOut]


class FailureOut(Schema):
    """A record that failed a rule in a run, as it was then. Only the first ones of each rule are kept.

    result: what it failed; record: its id over time, null for rows that are not followed; value: cut if it is long.
    """

    result: int
    record: int | None
    page: int | None
    url: str | None
    list_name: str
    value: str
    reason: str


class DecisionIn(RequestBody):
    """A decision about a held run. note: what the others should know."""

    note: str = Field("", max_length=500)


def describe_release(release: RunRelease) -> ReleaseItem:
    """Return what the API says about a verdict in a list."""
    return ReleaseItem(**_describe(release))


def describe_whole_release(release: RunRelease) -> ReleaseOut:
    """Return what the API says about a verdict."""
    results = [
        ResultOut(
            id=each.result.pk,
            rule=each.result.rule_id,
            text=each.result.text,
            weight=each.result.weight,
            broken=each.result.broken,
            checked=each.result.checked,
            failing=each.result.failing,
            unread=each.result.unread,
            undecided=each.result.undecided,
            reason=each.result.reason,
        )
        for each in release_view.describe_release(release).results
    ]
    return ReleaseOut(**_describe(release), results=results)


@operations.get("/releases", like=releases.show_quality, response=Paged[ReleaseItem])
def list_releases(
    request: ApiRequest,
    paging: Asked,
    site: str = "",
    template: int | None = None,
    run: int | None = None,
    state: Literal["", "released", "held", "rejected"] = "",
) -> dict[str, Any]:
    """List the verdicts on the records of runs, newest first.

    Filter by the slug of a site, the number of a template, the id of a run, and by state: released, held (it waits for a person) or
    rejected.
    """
    found = _select(request)
    found = found.filter(cluster__site__slug=site) if site else found
    found = found.filter(cluster__number=template) if template is not None else found
    found = found.filter(run=run) if run is not None else found
    return take_page(found.filter(state=state) if state else found, paging, describe_release, newest_first=True)


@operations.get("/releases/{int:release_id}", like=releases.show_release, response=ReleaseOut)
def show_release(request: ApiRequest, release_id: int) -> ReleaseOut:
    """Show the verdict on the records of a run, with what each rule found."""
    return describe_whole_release(_find(request, release_id))


@operations.get("/releases/{int:release_id}/failures", like=releases.show_release, response=Paged[FailureOut], records=True)
def list_failures(request: ApiRequest, release_id: int, paging: Asked, result: int | None = None) -> dict[str, Any]:
    """List the records of a run that failed. `result` is the id of what one rule found."""
    found = RuleFailure.objects.filter(result__release=_find(request, release_id)).select_related("page")
    return take_page(found.filter(result=result) if result is not None else found, paging, _describe_failure)


@operations.post("/releases/{int:release_id}/release", like=releases.decide, response=ReleaseOut)
def release_run(request: ApiRequest, release_id: int, body: DecisionIn) -> ReleaseOut:
    """Release the records of a held run, because they are right. They are delivered from now on."""
    return _answer(service.release_run(_find(request, release_id), request.access.user, body.note))


@operations.post("/releases/{int:release_id}/reject", like=releases.decide, response=ReleaseOut)
def reject_run(request: ApiRequest, release_id: int, body: DecisionIn) -> ReleaseOut:
    """Reject the records of a held run. The last released ones stay delivered."""
    return _answer(service.reject_run(_find(request, release_id), request.access.user, body.note))


def _select(request: ApiRequest) -> "QuerySet[RunRelease]":
    rows = RunRelease.objects.settled().select_related("cluster__site", "cluster__record_type", "run", "base", "decided_by")
    return rows.filter(cluster__site__in=request.access.list_sites())


def _find(request: ApiRequest, release_id: int) -> RunRelease:
    return get_object_or_404(_select(request), pk=release_id)


def _answer(decided: Decided) -> ReleaseOut:
    if not decided.taken:
        raise ProblemError(409, releases.describe_lost(decided.release))
    return describe_whole_release(decided.release)


def _describe(release: RunRelease) -> dict[str, Any]:
    return {
        "id": release.pk,
        "run": release.run_id,
        "site": release.cluster.site.slug,
        "template": release.cluster.number,
        "state": release.state,
        "reasons": release.reasons,
        "counts": release.counts,
        "base_run": release.base.run_id if release.base else None,
        "judged_at": release.judged_at,
        "decided_by": release.decided_name,
        "decided_at": release.decided_at,
        "note": release.note,
    }


def _describe_failure(failure: RuleFailure) -> FailureOut:
    return FailureOut(
        result=failure.result_id,
        record=failure.record_id,
        page=failure.page_id,
        url=failure.page.url if failure.page else None,
        list_name=failure.list_name,
        value=failure.value,
        reason=failure.reason,
    )
