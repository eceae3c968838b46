"""Uploads in a browser: pages that a later one lacks are marked as gone, and a page’s own address is shown."""

from pathlib import Path

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.models import Page, Run, Site, TrackedRecord
from extraction.services.rules import rules
from tests.services import factory
from tests.services.importing import bring, detail, manifest, zip_at
from tests.views import world as worlds
from tests.views.conftest import Opened
from tests.views.world import World

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(db: None, sent: list[int]) -> Site:
    return factory.site()


def archive(path: Path, *addresses: str) -> Path:
    return zip_at(path, manifest({address: detail(number) for number, address in enumerate(addresses)}))


def test_pages_that_a_later_upload_lacks_are_marked_as_gone(opened: Opened, site: Site, tmp_path: Path, wrong: list[str]) -> None:
    bring(site, archive(tmp_path / "all.zip", "1.html", "2.html", "3.html", "4.html"))
    page = opened(f"/sites/{site.slug}/import/", "editor")
    page.locator("input[type=file]").set_input_files(archive(tmp_path / "less.zip", "1.html", "2.html"))
    page.get_by_role("button", name="Upload and import").click()
    page.wait_for_url("**/runs/*/")
    pipeline.execute_run(Run.objects.unfinished().get(kind=Run.Kind.IMPORT).pk)
    page.reload()
    page.get_by_text("2 pages of earlier imports are not in less.zip").wait_for()
    page.get_by_role("button", name="Mark as gone").click()
    page.get_by_text("2 pages of earlier imports are not in less.zip").wait_for(state="detached")
    assert set(Page.objects.exclude(gone_at=None).values_list("url", flat=True)) == {"https://example.com/3", "https://example.com/4"}
    assert wrong == []


def test_a_page_with_tracking_keys_in_its_address_shows_the_address_it_gives_as_its_own(
    opened: Opened, world: World, wrong: list[str]
) -> None:
    factory.put(Run.objects.unfinished(), Run.State.DONE)
    html = factory.book_html("Book 9").replace(b"<head>", b"<head><link rel=canonical href='/book/9?utm_campaign=own&size=2'>")
    tracked = factory.snapshot(world.site, "https://shop.example/book/9?utm_source=mail", html, cluster=world.cluster)
    rules.publish_rule(worlds.draft(world.cluster))
    page = opened(reverse("records", args=world.template), "editor")
    page.get_by_role("button", name="Make them again").click()
    page.wait_for_url("**/runs/*/")
    pipeline.execute_run(Run.objects.unfinished().get(kind=Run.Kind.EXTRACT).pk)
    page.goto(reverse("tracked_record", args=[*world.template, TrackedRecord.objects.get(page=tracked.page).pk]))
    page.get_by_text("the page gives https://shop.example/book/9?size=2 as its own address").first.wait_for()
    assert wrong == []
