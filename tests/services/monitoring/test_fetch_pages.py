"""Fetching pages for a check: what happens when its child process is killed."""

import pytest

from extraction.fetching.crawl.process import CrawlFailed
from extraction.models import Run, Source
from extraction.services.core import runs
from extraction.services.monitoring import fetch_pages
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("from_outside", "state"), [(True, Run.State.QUEUED), (False, Run.State.FAILED)])
def test_a_check_whose_child_was_killed_is_tried_again_and_one_that_failed_is_not(
    from_outside: bool, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise CrawlFailed("the crawler ended with exit code -9", from_outside=from_outside)

    monkeypatch.setattr(fetch_pages, "fetch_once", fail)
    site = factory.site()
    Source.objects.create(site=site, addresses=["https://shop.example/"])
    run = factory.run(site, Run.Kind.CHECK)

    def check(_run: Run, _progress: runs.Progress) -> None:
        fetch_pages.make_fetcher(site, spool="x")(["https://shop.example/1"])

    runs.execute_run(run.pk, {Run.Kind.CHECK: check})  # type: ignore[dict-item]
    run.refresh_from_db()
    assert run.state == state
    assert "killed" in run.message if from_outside else "could not be fetched" in run.error
