"""Whose run comes next: one person with many runs does not keep the others waiting."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from extraction import tasks
from extraction.models import Run
from extraction.services.core import fair_order, lost_runs
from tests.services import factory

pytestmark = pytest.mark.django_db


def start(site: str, user: Any, kind: str = Run.Kind.CLUSTER, state: str = Run.State.QUEUED, **values: Any) -> Run:
    return factory.run(factory.site(site), kind, state, created_by=user, **values)


def take_all(*, workers: int) -> list[str]:
    """Return who started the runs, in the order in which so many workers take them when each run takes equally long."""
    order, under_way = [], list[int]()
    while (chosen := fair_order.choose_run()) is not None:
        run = Run.objects.select_related("created_by").get(pk=chosen)
        factory.put(Run.objects.filter(pk=chosen), Run.State.RUNNING)
        order.append(run.created_by.username if run.created_by else run.site.name)
        under_way.append(chosen)
        if len(under_way) >= workers:
            factory.put(Run.objects.filter(pk=under_way.pop(0)), Run.State.DONE)
    return order


def test_a_person_with_one_run_does_not_wait_for_all_runs_of_another(person: Callable[[str], Any]) -> None:
    for number in range(20):
        start(f"Many {number}", person("editor"))
    start("One", person("operator"))
    assert take_all(workers=2).index("operator") == 1


def test_the_oldest_run_comes_first_if_nobody_has_one_under_way(person: Callable[[str], Any]) -> None:
    first = start("A", person("editor"))
    start("B", person("operator"))
    assert fair_order.choose_run() == first.pk


def test_of_one_persons_runs_that_of_the_idle_site_comes_first(person: Callable[[str], Any]) -> None:
    start("Busy", person("editor"), Run.Kind.CRAWL, Run.State.RUNNING)
    start("Busy", person("editor"), Run.Kind.LEARN)
    idle = start("Idle", person("editor"))
    assert fair_order.choose_run() == idle.pk


def test_an_upload_is_read_before_previews_that_were_asked_for_earlier(person: Callable[[str], Any]) -> None:
    for number in range(12):
        start(f"Site {number}", person("operator"), Run.Kind.PREVIEW)
    start("Site 12", person("editor"), Run.Kind.PREVIEW, Run.State.RUNNING)
    upload = start("Site 0", person("editor"), Run.Kind.IMPORT)
    check = start("Site 0", None, Run.Kind.CHECK)
    assert fair_order.choose_run() == check.pk  # the editor has a run under way
    factory.put(Run.objects.filter(pk=check.pk), Run.State.DONE)
    assert fair_order.choose_run() == upload.pk


def test_previews_are_made_when_nothing_else_waits(person: Callable[[str], Any]) -> None:
    later = start("A", person("editor"), Run.Kind.IMPORT, sent_at=timezone.now() + timedelta(minutes=1))
    preview = start("B", person("editor"), Run.Kind.PREVIEW)
    assert fair_order.choose_run() == preview.pk
    assert later.pk < preview.pk


def test_scheduled_runs_take_turns_with_people(person: Callable[[str], Any]) -> None:
    for number in range(4):
        start(f"Site {number}", None, Run.Kind.CHECK)
    start("Mine", person("editor"))
    assert set(take_all(workers=2)) == {"Site 0", "Site 1", "Site 2", "Site 3", "editor"}


def test_a_run_that_is_tried_again_waits_for_its_time(person: Callable[[str], Any]) -> None:
    start("Later", person("editor"), sent_at=timezone.now() + timedelta(minutes=1))
    assert fair_order.choose_run() is None


def test_a_message_for_one_run_lets_a_worker_take_another(person: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    start("Busy", person("editor"), Run.Kind.CRAWL, Run.State.RUNNING)
    named, other = start("Named", person("editor")), start("Other", person("operator"))
    taken: list[int] = []

    def take(pk: int) -> bool:
        taken.append(pk)
        return True

    monkeypatch.setattr("extraction.pipeline.execute_run", take)
    tasks.execute.apply(args=(named.pk,))
    assert taken == [other.pk]


def test_a_worker_that_comes_too_late_for_a_run_takes_the_next_one(person: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = start("A", person("editor")), start("B", person("editor"))

    def execute(pk: int) -> bool:
        factory.put(Run.objects.filter(pk=pk), Run.State.RUNNING)
        return pk == second.pk

    monkeypatch.setattr("extraction.pipeline.execute_run", execute)
    tasks.execute.apply(args=(first.pk,))
    assert set(Run.objects.values_list("state", flat=True)) == {Run.State.RUNNING}


def test_a_sweep_sends_few_messages_for_many_waiting_runs(
    person: Callable[[str], Any], sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    long_ago = timezone.now() - timedelta(minutes=5)
    for number in range(60):
        start(f"Site {number}", person("editor"), sent_at=long_ago)
    with django_capture_on_commit_callbacks(execute=True):
        assert lost_runs.sweep_runs() == lost_runs.MAX_SENT_AGAIN
    assert len(sent) == lost_runs.MAX_SENT_AGAIN
