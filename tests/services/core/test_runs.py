"""A run is a row: it is claimed once, finished once, and found again when its worker or its message is lost."""

from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import IntegrityError
from django.utils import timezone

from extraction.models import Run, Site
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import lost_runs, runs, worker_names
from extraction.views.core import run_words
from tests.services import factory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site() -> Site:
    return Site.objects.create(name="Books", slug="books")


def jobs(job: Any) -> dict[str, Any]:
    return {Run.Kind.CLUSTER: job}


def test_a_run_is_sent_when_it_is_committed_and_the_same_run_is_not_started_twice(site: Site, sent: list[int]) -> None:
    first = runs.start_run(Run.Kind.CLUSTER, site, parameters=RunParameters(threshold=5))
    again = runs.start_run(Run.Kind.CLUSTER, site, parameters=RunParameters(threshold=5))
    other = runs.start_run(Run.Kind.CLUSTER, site, parameters=RunParameters(threshold=6))
    assert first == again != other
    assert sent == [first.pk, other.pk]


def test_two_workers_with_the_same_message_do_the_job_once(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)
    calls: list[int] = []

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        assert runs.execute_run(run.pk, jobs(job)) is False
        calls.append(run.pk)
        return RunSummary(clusters=3)

    assert runs.execute_run(run.pk, jobs(job)) is True
    assert runs.execute_run(run.pk, jobs(job)) is False
    run.refresh_from_db()
    assert calls == [run.pk]
    assert (run.state, run.summary) == (Run.State.DONE, {"clusters": 3})


def test_a_job_that_cannot_be_done_ends_with_its_reason(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        raise runs.JobError("there are no pages")

    runs.execute_run(run.pk, jobs(job))
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, "there are no pages")


def test_a_cancelled_run_shows_its_real_progress(site: Site, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "HEARTBEAT_S", 600.0)  # however slow the machine is, only what is reported now is written
    run = runs.start_run(Run.Kind.CLUSTER, site)

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        progress(100, total=300, now=True)
        runs.cancel_run(Run.objects.get(pk=run.pk))
        progress(200)
        progress(250, now=True)
        return RunSummary()

    runs.execute_run(run.pk, jobs(job))
    run.refresh_from_db()
    assert (run.state, run.done, run.total) == (Run.State.CANCELLED, 250, 300)


@pytest.mark.parametrize(
    ("kind", "summary", "words", "outcome"),
    [
        (
            "cluster",
            {"clusters": 1, "clustered": 6, "unclustered": 4, "threshold": 2, "last_number": 1},
            "1 template, 6 pages in it, 4 pages without a template",
            "done",
        ),
        ("cluster", {"clusters": 2, "clustered": 1, "unclustered": 0}, "2 templates, 1 page in them", "done"),
        ("cluster", {"clusters": 0, "clustered": 0, "unclustered": 3}, "0 templates, 3 pages without a template", "done"),
        ("import", {"pages": 1, "new": 1, "refused": 2, "skipped": {"css": 3}}, "1 page read, 1 new, 2 files refused", "done"),
        ("crawl", {"pages": 2, "new": 1, "gone": 1, "missed": 1}, "2 pages fetched, 1 new, 1 gone, 1 address without a page", "done"),
        ("crawl", {"pages": 0, "missed": 2}, "0 pages fetched, 2 addresses without a page", "done"),
        ("learn", {"rule": 7, "version": 2, "attributes": 1, "failed": 1}, "1 attribute learned, 1 not learned", "done"),
        ("extract", {"records": 4, "complete": 3, "failed": 1, "pages_per_s": 9.5}, "4 records, 3 complete, 1 failed", "done"),
        ("extract", {"records": 4, "complete": 2, "failed": 2}, "4 records, 2 complete, 2 failed", "many_failed"),
        ("extract", {"records": 4, "failed": 4, "reason": "no"}, "4 records, 4 failed", "all_failed"),
        ("extract", {"records": 0, "failed": 0, "unmatched": 1}, "0 records, 1 page without a template", "no_records"),
    ],
)
def test_the_result_of_a_run_is_described_in_words(site: Site, kind: str, summary: dict[str, Any], words: str, outcome: str) -> None:
    run = Run(kind=kind, site=site, state=Run.State.DONE, summary=summary)
    assert (run_words.write_sentence(run), run_words.name_outcome(run)) == (words, outcome)


def test_a_program_error_ends_the_run_as_failed(site: Site, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    from extraction import pipeline, tasks

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        raise ZeroDivisionError("by zero")

    monkeypatch.setitem(pipeline.JOBS, Run.Kind.CLUSTER, job)
    run = runs.start_run(Run.Kind.CLUSTER, site)
    tasks.execute.apply(args=(run.pk,))
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert run.error == "Internal error: ZeroDivisionError: by zero"


def test_a_cancelled_run_stops_at_its_next_heartbeat(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        progress(1, total=10, now=True)
        assert runs.cancel_run(run)
        progress(2, now=True)
        pytest.fail("it went on")

    runs.execute_run(run.pk, jobs(job))
    run.refresh_from_db()
    assert (run.state, run.done) == (Run.State.CANCELLED, 2)
    assert not runs.cancel_run(run)


def test_a_lost_message_is_sent_again_after_a_while(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)
    assert lost_runs.sweep_runs() == 0
    Run.objects.update(sent_at=timezone.now() - timedelta(seconds=runs.UNCLAIMED_AFTER_S + 1))
    assert lost_runs.sweep_runs() == 1
    assert sent == [run.pk, run.pk]


def test_a_run_that_was_queued_before_the_clock_was_set_back_is_sent_again(site: Site, sent: list[int]) -> None:
    runs.start_run(Run.Kind.CLUSTER, site)
    Run.objects.update(sent_at=timezone.now() + timedelta(seconds=lost_runs.LONGEST_PAUSE_S - 5))
    assert lost_runs.sweep_runs() == 0, "a run that is put off for a while waits"
    Run.objects.update(sent_at=timezone.now() + timedelta(days=1))
    assert lost_runs.sweep_runs() == 1


@pytest.mark.parametrize("holder", ["elsewhere 17@1.0", "here"])
def test_a_run_whose_worker_died_is_started_again(site: Site, sent: list[int], holder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)
    assert runs.claim_run(run.pk)
    assert lost_runs.sweep_runs() == 0, "its worker, this process, lives"
    host, process = worker_names.name_worker().rsplit(" ", 1)
    Run.objects.update(
        claimed_by=f"{host} {process}9" if holder == "here" else holder,
        heartbeat_at=timezone.now() - timedelta(seconds=lost_runs.STALE_AFTER_S + 1),
    )
    assert lost_runs.sweep_runs() == 1
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED
    assert runs.execute_run(run.pk, jobs(lambda run, progress: RunSummary()))
    run.refresh_from_db()
    assert (run.state, run.attempts) == (Run.State.DONE, 2)


def test_a_run_that_kills_its_workers_is_given_up(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)
    factory.put(Run.objects.all(), Run.State.RUNNING, attempts=runs.MAX_ATTEMPTS)
    assert lost_runs.sweep_runs() == 0
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "5 times" in run.error


def test_a_worker_that_was_given_up_cannot_finish_the_run(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        Run.objects.update(state=Run.State.QUEUED, claimed_by="")
        return RunSummary(clusters=1)

    runs.execute_run(run.pk, jobs(job))
    run.refresh_from_db()
    assert (run.state, run.summary) == (Run.State.QUEUED, {})


def test_a_run_started_while_the_broker_is_down_is_not_lost(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(current_app, "send_task", refuse)
    run = runs.start_run(Run.Kind.CLUSTER, site)
    run.refresh_from_db()
    assert run.state == Run.State.QUEUED


def test_a_paused_run_rests_until_it_is_resumed(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CRAWL, site)

    def job(run: Run, progress: runs.Progress) -> RunSummary:
        progress(3, total=10, now=True)
        assert runs.pause_run(run)
        progress(4, now=True)
        pytest.fail("it went on")

    runs.execute_run(run.pk, {Run.Kind.CRAWL: job})
    run.refresh_from_db()
    assert (run.state, run.done, run.finished) == (Run.State.PAUSED, 4, False)
    assert not runs.pause_run(run)
    assert lost_runs.sweep_runs() == 0, "nobody takes up what a person let rest"
    assert runs.start_run(Run.Kind.CRAWL, site) == run
    assert runs.resume_run(run) is runs.Resumption.RESUMED
    assert runs.resume_run(run) is runs.Resumption.NOT_RESTING
    assert sent == [run.pk, run.pk]
    assert runs.execute_run(run.pk, {Run.Kind.CRAWL: lambda run, progress: RunSummary()})
    run.refresh_from_db()
    assert (run.state, run.attempts) == (Run.State.DONE, 1)
    assert runs.resume_run(run) is runs.Resumption.NOT_RESTING, "what is done is not done again"


@pytest.mark.parametrize("state", [Run.State.FAILED, Run.State.CANCELLED])
def test_a_failed_or_cancelled_run_can_be_resumed(site: Site, sent: list[int], state: str) -> None:
    run = runs.start_run(Run.Kind.CRAWL, site)
    Run.objects.update(state=state, error="no network", attempts=runs.MAX_ATTEMPTS, finished_at=timezone.now())
    assert runs.resume_run(run) is runs.Resumption.RESUMED
    run.refresh_from_db()
    assert (run.state, run.error, run.finished_at, run.attempts) == (Run.State.QUEUED, "", None, 0)


def test_a_paused_run_can_be_cancelled(site: Site, sent: list[int]) -> None:
    run = runs.start_run(Run.Kind.CRAWL, site)
    assert runs.pause_run(run)
    assert runs.cancel_run(run)
    assert not runs.pause_run(run)


def test_a_run_cannot_be_resumed_while_an_equal_one_is_unfinished(site: Site, sent: list[int]) -> None:
    old = runs.start_run(Run.Kind.CRAWL, site, parameters=RunParameters(mode="sample"))
    runs.cancel_run(old)
    new = runs.start_run(Run.Kind.CRAWL, site, parameters=RunParameters(mode="extract", rules=(1,)))
    assert new != old
    assert runs.resume_run(old) is runs.Resumption.ANOTHER_UNDER_WAY
    old.refresh_from_db()
    assert old.state == Run.State.CANCELLED
    assert sent == [old.pk, new.pk]
    runs.cancel_run(new)
    assert runs.resume_run(old) is runs.Resumption.RESUMED


@pytest.mark.parametrize(
    ("kind", "first", "second", "same"),
    [
        (Run.Kind.CLUSTER, RunParameters(threshold=5, after=1), RunParameters(after=1, threshold=5), True),
        (Run.Kind.CLUSTER, RunParameters(threshold=5), RunParameters(threshold=5, method=""), False),
        (Run.Kind.CRAWL, RunParameters(mode="sample"), RunParameters(mode="extract", rules=(1,)), True),
        (Run.Kind.IMPORT, RunParameters(upload="x", sha256="1"), RunParameters(upload="y", sha256="1"), True),
        (Run.Kind.IMPORT, RunParameters(upload="x", sha256="1"), RunParameters(upload="x", sha256="2"), False),
        (Run.Kind.IMPORT, RunParameters(folder="/a"), RunParameters(folder="/b"), False),
    ],
)
def test_the_parameters_that_matter_to_a_kind_decide_whether_two_runs_are_equal(
    site: Site, sent: list[int], kind: Run.Kind, first: RunParameters, second: RunParameters, same: bool
) -> None:
    assert (runs.start_run(kind, site, parameters=first) == runs.start_run(kind, site, parameters=second)) is same


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": Run.State.DONE},
        {"finished_at": timezone.now()},
        {"state": Run.State.RUNNING, "started_at": timezone.now()},
        {"state": "lost"},
        {"kind": "nothing"},
    ],
)
def test_a_contradictory_run_cannot_be_stored(site: Site, sent: list[int], wrong: dict[str, Any]) -> None:
    run = runs.start_run(Run.Kind.CLUSTER, site)
    with pytest.raises(IntegrityError):
        Run.objects.filter(pk=run.pk).update(**wrong)
