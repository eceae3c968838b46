"""A run on its screen: progress, result, what follows, and who may cancel it."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.models import Run
from extraction.services.core import runs
from extraction.views.core import run_progress
from tests.services import factory
from tests.views.addresses import address
from tests.views.world import World


def test_the_screen_of_a_run_polls_until_the_run_has_ended(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.RUNNING, done=2, total=8)
    answer = client.get(address(world, "run_progress"))
    assert b'hx-trigger="every 1s"' in answer.content
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.DONE)
    assert b"hx-trigger" not in client.get(address(world, "run_progress")).content


def test_an_extraction_in_which_every_page_failed_does_not_look_like_a_success(signed_in: Any, world: World) -> None:
    summary = {"records": 6, "failed": 6, "reason": "Nothing was found on the page"}
    Run.objects.filter(pk=world.run.pk).update(summary=summary)
    text = signed_in("viewer").get(address(world, "run")).content.decode()
    assert "All failed" in text
    assert "Most common reason: Nothing was found on the page" in text
    assert "note-ok" not in text
    assert "All failed" in signed_in("viewer").get(address(world, "site_runs")).content.decode()


@pytest.mark.parametrize("kind", [Run.Kind.CRAWL, Run.Kind.EXTRACT])
def test_a_run_over_a_part_of_the_site_says_how_much_was_left_out(signed_in: Any, world: World, kind: Run.Kind) -> None:
    fetch = factory.run(world.site, Run.Kind.CRAWL, Run.State.DONE, summary={"pages": 9, "reason": "settled", "left": 31})
    shown = fetch if kind == Run.Kind.CRAWL else factory.run(world.site, kind, Run.State.DONE, cluster=world.cluster)
    text = signed_in("editor").get(shown.get_absolute_url()).content.decode()
    assert "31 more addresses were found and not fetched" in text
    assert reverse("crawl_extract", args=[world.site.slug]) in text
    assert reverse("crawl_extract", args=[world.site.slug]) not in signed_in("viewer").get(shown.get_absolute_url()).content.decode()
    factory.run(world.site, Run.Kind.CRAWL, Run.State.DONE, summary={"pages": 40, "reason": "finished"})
    assert "not fetched." not in signed_in("editor").get(shown.get_absolute_url()).content.decode()


def test_the_screen_of_an_import_leads_on_to_the_templates(signed_in: Any, world: World) -> None:
    done = factory.run(world.site, Run.Kind.IMPORT, Run.State.DONE)
    after = factory.run(world.site, Run.Kind.CLUSTER, Run.State.RUNNING)
    answer = signed_in("viewer").get(reverse("run_progress", args=[done.pk]))
    assert answer.headers["HX-Redirect"] == after.get_absolute_url()


@pytest.mark.parametrize("state", [Run.State.FAILED, Run.State.CANCELLED])
def test_an_import_without_pages_offers_another_upload_and_nothing_else(signed_in: Any, db: None, state: Run.State) -> None:
    site = factory.site("Empty")
    run = factory.run(site, Run.Kind.IMPORT, state, error="There is no page in it")
    text = signed_in("editor").get(run.get_absolute_url()).content.decode()
    assert "Upload another file" in text and reverse("site_import", args=[site.slug]) in text
    assert "View the" not in text
    crawl = factory.run(site, Run.Kind.CRAWL, state)
    text = signed_in("operator").get(crawl.get_absolute_url()).content.decode()
    assert "Continue" in text and "Change what is fetched" in text and "View the" not in text


def test_the_duration_of_a_resumed_run_is_the_sum_of_its_parts(signed_in: Any, world: World) -> None:
    now = timezone.now()
    run = Run.objects.create(
        site=world.site, kind=Run.Kind.CRAWL, started_at=now - timedelta(hours=3), heartbeat_at=now - timedelta(hours=2), done=1
    )
    assert runs.claim_run(run.pk)
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=timezone.now() + timedelta(minutes=5))
    text = signed_in("viewer").get(reverse("site_runs", args=[world.site.slug])).content.decode()
    assert "1 h 5 min" in text and '1 <span class="muted">page</span>' in text
    assert run_progress.describe_progress(Run.objects.get(pk=run.pk)).rate == pytest.approx(1 / 300, rel=0.01)


def test_people_can_cancel_their_own_runs_and_operators_any_run(signed_in: Any, person: Any, world: World) -> None:
    for starter, canceller, status, state in (
        ("editor", "editor", 302, Run.State.CANCELLED),
        ("admin", "editor", 403, Run.State.RUNNING),
        ("admin", "operator", 302, Run.State.CANCELLED),
    ):
        parameters = {"folder": f"/{starter}/{canceller}"}
        run = factory.run(world.site, Run.Kind.IMPORT, Run.State.RUNNING, created_by=person(starter), parameters=parameters)
        answer = signed_in(canceller).post(reverse("run_cancel", args=[run.pk]))
        run.refresh_from_db()
        assert (answer.status_code, run.state) == (status, state), (starter, canceller)
