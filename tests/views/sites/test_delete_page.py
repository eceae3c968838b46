"""Deleting one page: its versions, marks and record go, and what other pages show stays."""

from typing import Any

from extraction.models import Page, Record, Run, Snapshot, TrackedRecord
from tests.services import factory
from tests.views.addresses import address
from tests.views.world import World


def test_a_deleted_page_takes_its_record_with_it_and_leaves_the_others(signed_in: Any, world: World) -> None:
    factory.put(Run.objects.unfinished(), Run.State.CANCELLED)
    url, others = world.page.url, Record.objects.exclude(snapshot__page=world.page).count()
    tracked, before = TrackedRecord.objects.filter(sources__page=world.page).count(), TrackedRecord.objects.count()
    answer = signed_in("operator").post(address(world, "page_delete"))
    assert answer.headers["Location"] == address(world, "site_pages")
    assert not Page.objects.filter(url=url).exists()
    assert not Snapshot.objects.filter(page__url=url).exists()
    assert Record.objects.count() == others
    assert tracked == before - TrackedRecord.objects.count() == 1


def test_a_page_is_not_deleted_while_a_run_works_on_its_site(signed_in: Any, world: World) -> None:
    factory.put(Run.objects.unfinished(), Run.State.CANCELLED)
    factory.run(world.site, Run.Kind.CRAWL, Run.State.QUEUED)
    answer = signed_in("operator").post(address(world, "page_delete"), follow=True)
    assert "still at work on this site" in answer.content.decode()
    assert Page.objects.filter(pk=world.page.pk).exists()
