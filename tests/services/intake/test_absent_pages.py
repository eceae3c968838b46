"""An import that contains less than before offers to mark the rest as gone."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from extraction.models import CrawlAddress, Page, Record, Run, Site, Source, TrackedRecord
from extraction.services.core.runs import JobError
from extraction.services.intake import absent_pages
from tests.services import factory
from tests.services.importing import bring, detail, manifest, zip_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> Site:
    return factory.site()


def archive(path: Path, *numbers: int) -> Path:
    return zip_at(path, manifest({f"{n}.html": detail(n) for n in numbers}))


def test_pages_that_a_new_import_lacks_are_noted_and_marked_as_gone_when_a_person_says_so(
    site: Site, tmp_path: Path, sent: list[int]
) -> None:
    bring(site, archive(tmp_path / "all.zip", 1, 2, 3, 4))
    lost = Page.objects.get(url__contains="/4")
    cluster = factory.cluster(site, kind=factory.record_type())
    now = timezone.now()
    thing = TrackedRecord.objects.create(cluster=cluster, page=lost, digest="d", key=["4"], first_seen_at=now, seen_at=now)
    run = bring(site, archive(tmp_path / "less.zip", 1, 2))
    assert (run.read_summary().absent, absent_pages.count_absent(run)) == (2, 2)
    assert not Page.objects.exclude(gone_at=None).exists(), "an archive may hold only a part of the site"
    assert absent_pages.mark_gone(run) == 2
    assert set(Page.objects.exclude(left_at=None).values_list("url", flat=True)) == {"https://example.com/3", "https://example.com/4"}
    thing.refresh_from_db()
    assert thing.misses == 1, "the next run finds it gone"
    assert absent_pages.count_absent(run) == 0
    bring(site, archive(tmp_path / "back.zip", 1, 4))
    assert Page.objects.get(pk=lost.pk).left_at is None
    with pytest.raises(JobError, match="imported again since"):
        absent_pages.mark_gone(run)


def test_another_part_of_a_site_and_a_site_that_is_fetched_note_nothing(site: Site, tmp_path: Path, sent: list[int]) -> None:
    bring(site, archive(tmp_path / "one.zip", 1, 2))
    assert bring(site, archive(tmp_path / "two.zip", 3, 4)).read_summary().absent is None
    Source.objects.create(site=site, addresses=["https://example.com/"])
    assert bring(site, archive(tmp_path / "three.zip", 1)).read_summary().absent is None
    assert not CrawlAddress.objects.exists()


def test_the_command_says_what_is_absent_and_marks_it_when_asked(site: Site, tmp_path: Path, sent: list[int]) -> None:
    bring(site, archive(tmp_path / "all.zip", 1, 2, 3))
    said, told = io.StringIO(), io.StringIO()
    less = archive(tmp_path / "less.zip", 1, 2)
    call_command("import_pages", site.slug, str(less), "--here", stdout=told, stderr=said)
    assert "1 pages of earlier imports are not in it. If they are gone, import it again with --mark-gone" in said.getvalue()
    call_command("import_pages", site.slug, str(less), "--here", "--mark-gone", stdout=told, stderr=said)
    assert "1 pages of earlier imports are not in it and are marked as gone" in told.getvalue()
    assert Page.objects.exclude(left_at=None).count() == 1
    assert Run.objects.filter(kind=Run.Kind.IMPORT).count() == 3
    assert not Record.objects.exists()
