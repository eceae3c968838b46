"""What is being made refreshes by itself in a real Chromium: first checks, accepted repairs, records of a template."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Breakage, Run
from tests.services import factory
from tests.views import world as worlds
from tests.views.conftest import Opened

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def world(sent: list[int]) -> worlds.World:
    made = worlds.make()
    Run.objects.unfinished().delete()
    return made


def going(world: worlds.World, kind: str, **values: Any) -> Run:
    return factory.run(world.site, kind, Run.State.RUNNING, unit="pages", done=3, total=12, **values)


def advance(run: Run, done: int) -> None:
    Run.objects.filter(pk=run.pk).update(done=done, message=f"Page {done}")


def finish(run: Run) -> None:
    factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE)


def follow(page: Any, run: Run) -> None:
    """See a run's progress move and go away, without touching the page."""
    page.get_by_text("3 of 12 pages").wait_for()
    advance(run, 8)
    page.get_by_text("8 of 12 pages").wait_for(timeout=6_000)
    assert page.get_by_text("Page 8").is_visible()
    assert page.get_by_role("progressbar").first.get_attribute("value") == "0.6667"
    finish(run)
    page.get_by_text("8 of 12 pages").wait_for(state="detached", timeout=6_000)


def test_a_check_shows_its_progress_on_the_monitoring_page(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    run = going(world, Run.Kind.CHECK)
    follow(opened(reverse("site_monitoring", args=[world.site.slug])), run)
    assert wrong == []


def test_an_accepted_repair_shows_how_far_its_records_are(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    rule = factory.rule(world.cluster, version=9, state="retired", definition=world.rule.definition)
    Breakage.objects.filter(pk=world.breakage.pk).update(state=Breakage.State.REPAIRED, proposal=rule, closed_at=world.breakage.opened_at)
    run = going(world, Run.Kind.EXTRACT, cluster=world.cluster)
    page = opened(world.breakage.get_absolute_url())
    follow(page, run)
    page.get_by_text("replaced the broken rule").wait_for()
    assert wrong == []


@pytest.mark.parametrize("kind", [Run.Kind.EXTRACT, Run.Kind.CHECK, Run.Kind.REUSE, Run.Kind.LEARN])
def test_a_template_shows_what_is_being_made_of_it(opened: Opened, world: worlds.World, wrong: list[str], kind: str) -> None:
    of_template = kind in (Run.Kind.EXTRACT, Run.Kind.LEARN)
    run = going(world, kind, cluster=world.cluster if of_template else None)
    page = opened(world.cluster.get_absolute_url(), "editor")
    page.get_by_label("Rename Template 1").click()
    page.get_by_label("Name of the template").fill("Being typed")
    follow(page, run)
    assert page.get_by_label("Name of the template").input_value() == "Being typed", "what is typed stays"
    assert wrong == []


def test_runs_of_other_templates_are_not_shown(opened: Opened, world: worlds.World) -> None:
    other = factory.cluster(world.site, number=7)
    going(world, Run.Kind.EXTRACT, cluster=other)
    page = opened(world.cluster.get_absolute_url(), "editor")
    page.wait_for_load_state("networkidle")
    assert page.get_by_text("3 of 12 pages").count() == 0


def test_a_click_that_lasts_longer_than_a_refresh_is_not_lost(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    run = going(world, Run.Kind.CRAWL)
    page = opened(world.site.get_absolute_url())
    pause = page.locator("#now").get_by_role("button", name="Pause")
    box = pause.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    for _ in range(2):
        with page.expect_response(lambda answer: answer.url.endswith("/now/")):
            pass
    page.mouse.up()
    page.locator("#now").get_by_role("button", name="Resume").wait_for()
    run.refresh_from_db()
    assert run.state == Run.State.PAUSED
    assert wrong == []
