"""Clusterings side by side: every method prints its groups, and nothing is stored."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from extraction.models import Cluster, Run, Site
from extraction.services.core.runs import JobError
from extraction.services.lab import compare_clusterings
from tests.services.importing import bring, site_files, zip_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site.objects.create(name="Books", slug="books")
    bring(made, zip_at(tmp_path / "a.zip", site_files() | {"about.html": b"<html><body><p>About us", "empty.html": b""}))
    return made


def test_each_method_prints_its_groups_and_nothing_is_stored(site: Site) -> None:
    before = (Run.objects.count(), Cluster.objects.count())
    out = StringIO()
    call_command("cluster_site", "books", "--compare", "--method", "rtdm", "--method", "text-max", stdout=out)
    lines = out.getvalue().splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["rtdm", "text-max"]
    assert (Run.objects.count(), Cluster.objects.count()) == before
    for row in compare_clusterings.compare_methods(site, ["masked-shingles"]):
        assert row.sizes == (12, 6), "books and lists"
        assert sum(row.sizes) + row.alone == 19 and row.kbit > 0


def test_a_single_method_can_be_run_on_a_few_pages(site: Site) -> None:
    (row,) = compare_clusterings.compare_methods(site, ["lsh"], most=5)
    assert sum(row.sizes) + row.alone == 5


def test_a_comparison_that_cannot_start_says_why(site: Site) -> None:
    with pytest.raises(CommandError, match="requires --compare"):
        call_command("cluster_site", "books", "--method", "rtdm")
    with pytest.raises(JobError, match="Bare has no pages"):
        list(compare_clusterings.compare_methods(Site.objects.create(name="Bare", slug="bare"), ["lsh"]))
    out = StringIO()
    with pytest.raises(CommandError, match="Bare has no pages"):
        call_command("cluster_site", "bare", "--compare", stdout=out)
    assert out.getvalue() == "", "no header of a table that does not come"
