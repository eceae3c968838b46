"""Runs: start, progress, problems, cancel, pause and resume."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ninja import Schema

from extraction.api.operations import ApiRequest, Operations, find_run
from extraction.api.paging import Asked, Paged, take_page, take_page_at_once
from extraction.api.problems import ProblemError
from extraction.models import Run, SearchTerm
from extraction.services.core import runs as service
from extraction.services.intake import search_terms
from extraction.views.core import run_progress, run_words, runs
from extraction.views.intake import crawls
from extraction.views.policy import may_control

operations = Operations("Runs")


class RunOut(Schema):
    """A job and how far it is.

    outcome: the state, or more exactly how it ended: no_records, many_failed, all_failed, found_broken.
    done, total: progress in `unit`; total is 0 while it is unknown.
    summary: figures of its results, by kind.
    left_s: seconds that are left at the present rate; null if unknown.
    following: the unfinished run that followed this one, such as the search for templates after an import.
    """

    id: int
    site: str
    template: int | None
    kind: str
    state: str
    outcome: str
    done: int
    total: int
    unit: str
    message: str
    error: str
    finished: bool
    summary: dict[str, Any]
    summary_text: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    created_by: str | None
    elapsed_s: float | None
    left_s: float | None
    following: int | None


class RunProblemOut(Schema):
    """Something that a run could not use. name: a file, an address or an attribute."""

    name: str
    reason: str


class SearchTermOut(Schema):
    """A term of the site's search, and what the search said to it in a crawl.

    state: found, nothing, unclear (asked, and it cannot be told whether it found anything), failed (no answer) or waiting (not asked).
    url: the address of its first result page.
    links: how many links that page has that the answer for a made-up word has not; null if that is not known.
    """

    term: str
    state: str
    url: str
    links: int | None
    message: str


def describe_run(run: Run) -> RunOut:
    """Return what the API says about a run."""
    return describe_runs([run])[0]


def describe_runs(found: Sequence[Run]) -> list[RunOut]:
    """Return what the API says about runs, in a constant number of queries."""
    followers = run_progress.find_followers(found)
    return [_describe_run(run, followers.get(run.pk)) for run in found]


def _describe_run(run: Run, following: Run | None) -> RunOut:
    progress = run_progress.describe_progress(run)
    return RunOut(
        id=run.pk,
        site=run.site.slug,
        template=run.cluster.number if run.cluster else None,
        kind=run.kind,
        state=run.state,
        outcome=run_words.name_outcome(run),
        done=run.done,
        total=run.total,
        unit=run.unit,
        message=run.message,
        error=run.error,
        finished=run.finished,
        summary=run.summary,
        summary_text=run_words.write_sentence(run),
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        created_by=run.created_by.get_username() if run.created_by else None,
        elapsed_s=progress.elapsed_s,
        left_s=progress.left_s,
        following=following.pk if following else None,
    )


@operations.get("/runs", like=runs.list_runs, response=Paged[RunOut])
def list_runs(request: ApiRequest, paging: Asked, site: str = "", kind: str = "", state: str = "") -> dict[str, Any]:
    """List runs, newest first.

    Filter by the slug of a site, by kind (import, crawl, cluster, learn, extract, check …) and by state (queued, running, paused, done,
    failed, cancelled, or unfinished for the first three).
    """
    found = Run.objects.filter(site__in=request.access.list_sites()).select_related("site", "cluster", "created_by")
    found = found.filter(site__slug=site) if site else found
    found = found.filter(kind=kind) if kind else found
    if state:
        found = found.unfinished() if state == "unfinished" else found.filter(state=state)
    return take_page_at_once(found, paging, describe_runs, newest_first=True)


@operations.get("/runs/{int:run_id}", like=runs.show_run, response=RunOut)
def show_run(request: ApiRequest, run_id: int) -> RunOut:
    """Show a run and its progress."""
    return describe_run(find_run(request, run_id))


@operations.get("/runs/{int:run_id}/problems", like=runs.show_run, response=Paged[RunProblemOut])
def list_run_problems(request: ApiRequest, run_id: int, paging: Asked) -> dict[str, Any]:
    """List what a run could not use, and why."""
    found = find_run(request, run_id).problems.all()
    return take_page(found, paging, lambda each: RunProblemOut(name=each.name, reason=each.reason))


@operations.get("/runs/{int:run_id}/search-terms", like=crawls.list_search_terms, response=Paged[SearchTermOut])
def list_search_terms(request: ApiRequest, run_id: int, paging: Asked, state: str = "") -> dict[str, Any]:
    """List the terms of the site's search in a crawl, and what the search said to each. Filter by state: `nothing` lists those in vain."""
    found = search_terms.select_terms(find_run(request, run_id), state)
    return take_page(found, paging, _describe_term)


def _describe_term(each: SearchTerm) -> SearchTermOut:
    return SearchTermOut(term=each.term, state=each.state, url=each.url, links=each.links, message=each.message)


@operations.post("/runs/{int:run_id}/cancel", like=runs.cancel_run, response=RunOut)
def cancel_run(request: ApiRequest, run_id: int) -> RunOut:
    """Cancel a run.

    Editors may cancel their own runs, operators all. Work done before that is kept. A run that has ended stays as it is.
    """
    service.cancel_run(_find_controlled(request, run_id))
    return describe_run(find_run(request, run_id))


@operations.post("/runs/{int:run_id}/pause", like=crawls.pause_run, response=RunOut)
def pause_run(request: ApiRequest, run_id: int) -> RunOut:
    """Pause a crawl."""
    found = _find_controlled(request, run_id)
    if found.kind != Run.Kind.CRAWL:
        raise ProblemError(409, "Only a crawl can be paused.")
    service.pause_run(found)
    return describe_run(find_run(request, run_id))


@operations.post("/runs/{int:run_id}/resume", like=crawls.resume_run, response=RunOut)
def resume_run(request: ApiRequest, run_id: int) -> RunOut:
    """Resume a crawl that is paused, failed or was cancelled."""
    found = _find_controlled(request, run_id)
    if found.kind != Run.Kind.CRAWL:
        raise ProblemError(409, "Only a crawl can be resumed.")
    if service.resume_run(found) is service.Resumption.ANOTHER_UNDER_WAY:
        raise ProblemError(409, "Another crawl of this site has been started since.")
    return describe_run(find_run(request, run_id))


def _find_controlled(request: ApiRequest, run_id: int) -> Run:
    found = find_run(request, run_id)
    may_control(request, found, or_refuse=True)
    return found
