"""A site that is full takes no more pages, says so, and keeps what it has."""

from pathlib import Path
from typing import Any

import pytest

from extraction.models import Page, Run, Site, Snapshot, Team
from extraction.services.sites import quotas
from tests.services import factory
from tests.services.importing import bring, detail, manifest, zip_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def site() -> Site:
    quotas._stored.clear()
    return factory.site("Books")


def archive(folder: Path, *numbers: int) -> Path:
    return zip_at(folder / f"{min(numbers)}-{max(numbers)}.zip", manifest({f"{n}.html": detail(n) for n in numbers}))


def test_an_import_beyond_the_limit_of_pages_fails_with_the_reason_and_keeps_the_others(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_PAGES = 3
    assert bring(site, archive(tmp_path, 0, 1, 2)).state == Run.State.DONE
    run = bring(site, archive(tmp_path, 2, 3))
    assert run.state == Run.State.FAILED
    assert run.error == (
        "Books would have 4 pages with the next ones; a site may have at most 3. Delete pages, fetch fewer, or ask the administrator of "
        "this server for more (VERTEX_SITE_MAX_PAGES)."
    )
    assert Page.objects.filter(site=site).count() == 3


def test_pages_that_the_site_has_already_need_no_room(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_PAGES = 3
    bring(site, archive(tmp_path, 0, 1, 2))
    changed = zip_at(tmp_path / "again.zip", manifest({"0.html": detail(7)}))
    assert bring(site, changed).state == Run.State.DONE
    assert Snapshot.objects.count() == 4


def test_each_site_has_room_of_its_own(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_PAGES = 3
    bring(site, archive(tmp_path, 0, 1, 2))
    assert bring(factory.site("Films"), archive(tmp_path, 0, 1, 2)).state == Run.State.DONE


def test_the_sites_of_a_team_have_room_together(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_TEAM_MAX_PAGES = 4
    films = factory.site("Films")
    assert bring(site, archive(tmp_path, 0, 1, 2)).state == Run.State.DONE
    run = bring(films, archive(tmp_path, 3, 4))
    assert run.state == Run.State.FAILED
    assert run.error == (
        f"{site.team.name} would have 5 pages with the next ones; a team may have at most 4. Delete pages, fetch fewer, or ask the "
        "administrator of this server for more (VERTEX_TEAM_MAX_PAGES)."
    )
    assert bring(films, archive(tmp_path, 3)).state == Run.State.DONE


def test_each_team_has_room_of_its_own(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_TEAM_MAX_PAGES = 3
    bring(site, archive(tmp_path, 0, 1, 2))
    films = factory.site("Films")
    Site.objects.filter(pk=films.pk).update(team=Team.objects.create(name="Others", slug="others"))
    films.refresh_from_db()
    assert bring(films, archive(tmp_path, 0, 1, 2)).state == Run.State.DONE


def test_the_bytes_of_a_team_are_those_of_all_its_sites(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_TEAM_MAX_BYTES = 3 * len(detail(0))
    bring(site, archive(tmp_path, 0, 1))
    run = bring(factory.site("Films"), archive(tmp_path, 2, 3))
    assert run.state == Run.State.FAILED
    assert "VERTEX_TEAM_MAX_BYTES" in run.error


def test_an_import_beyond_the_limit_of_bytes_fails_with_the_reason(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_BYTES = 2 * len(detail(0))
    assert bring(site, archive(tmp_path, 0, 1)).state == Run.State.DONE
    run = bring(site, archive(tmp_path, 2, 3))
    assert run.state == Run.State.FAILED
    assert "bytes of stored pages with the next ones; a site may have at most" in run.error
    assert "VERTEX_SITE_MAX_BYTES" in run.error
    assert bring(site, archive(tmp_path, 0, 1)).state == Run.State.DONE, "the same bytes need no room"


def test_deleted_pages_give_their_room_back(site: Site, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_SITE_MAX_BYTES = 2 * len(detail(0))
    bring(site, archive(tmp_path, 0, 1))
    Page.objects.filter(site=site).update(current=None)
    Page.objects.filter(site=site).delete()
    quotas._stored["site", site.pk].at -= quotas.LOOK_EVERY_S + 1
    assert bring(site, archive(tmp_path, 2, 3)).state == Run.State.DONE
