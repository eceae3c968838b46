"""A site whose templates have been found."""

from pathlib import Path

import pytest

from extraction.models import Run, Site
from tests.services.importing import bring, cluster_all, site_files, zip_at


@pytest.fixture
def site() -> Site:
    return Site.objects.create(name="Books", slug="books")


@pytest.fixture
def clustered(site: Site, tmp_path: Path) -> Site:
    """Twelve books in template 1, six lists in template 2, one page in none."""
    bring(site, zip_at(tmp_path / "a.zip", site_files() | {"about.html": b"<html><body><p>About us", "empty.html": b""}))
    assert [run.state for run in cluster_all(site)] == [Run.State.DONE]
    return site
