"""Looking after the database: what is thinned, what is collected, what is repaired."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from extraction.models import Page, PageCount, Preview, Record, RecordChange, Rule, Snapshot, TrackedRecord
from extraction.models.kept import installing
from extraction.services.core import stored_bytes
from extraction.services.monitoring import care
from tests.services import factory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 4, 0, tzinfo=UTC)


def old_content(page: Page, n: int, *, days: int) -> Snapshot:
    content = factory.book_html(f"Old {n}")
    return Snapshot.objects.create(
        page=page,
        sha256=stored_bytes.put_bytes(content),
        size_bytes=1,
        fetched_at=NOW - timedelta(days=days),
        cluster=page.current.cluster if page.current else None,
    )


@pytest.fixture
def page() -> Page:
    factory.shop(1)
    return Page.objects.get()


def test_of_old_contents_the_last_of_each_month_stays(page: Page) -> None:
    first, last = old_content(page, 1, days=482), old_content(page, 2, days=480)
    other_month, recent, more = old_content(page, 3, days=440), old_content(page, 4, days=101), old_content(page, 5, days=100)
    assert care.thin_snapshots(NOW, after_days=365) == 1
    assert set(page.snapshots.values_list("pk", flat=True)) == {last.pk, other_month.pk, recent.pk, more.pk, page.current_id}
    assert not Snapshot.objects.filter(pk=first.pk).exists()
    assert care.thin_snapshots(NOW, after_days=365) == 0


def test_contents_that_something_refers_to_stay(page: Page) -> None:
    spare, recorded, sample = (old_content(page, n, days=490 - n) for n in range(3))
    old_content(page, 4, days=480)
    cluster = page.current.cluster  # type: ignore[union-attr]
    assert cluster
    rule = factory.rule(cluster, state=Rule.State.LIVE)
    Record.objects.create(snapshot=recorded, cluster=cluster, rule=rule, state="complete", extracted_at=NOW)
    cluster.samples.create(snapshot=sample, position=7, covered_fraction=1.0)
    thing = TrackedRecord.objects.create(cluster=cluster, digest="a", first_seen_at=NOW, seen_at=NOW)
    change = RecordChange.objects.create(cluster=cluster, record=thing, number=1, kind="changed", at=NOW, before=spare)
    assert care.thin_snapshots(NOW, after_days=365) == 1
    assert Snapshot.objects.filter(pk__in=[recorded.pk, sample.pk]).count() == 2
    change.refresh_from_db()
    assert change.before is None


def test_bytes_that_nothing_has_go_to_the_bin_and_others_stay(page: Page) -> None:
    lost = stored_bytes.put_bytes(b"<p>nothing has this</p>")
    assert page.current
    picture = stored_bytes.put_bytes(b"a picture")
    assert page.current.cluster
    Preview.objects.create(cluster=page.current.cluster, sha256=picture, made_of="x")
    assert care.collect_bytes(timezone.now()) == (0, 0), "young bytes may be of an import under way"
    later = timezone.now() + timedelta(days=2)
    wanted = {page.current.sha256, picture}
    moved, size = care.collect_bytes(later)
    assert moved >= 1
    assert size > 0
    stored = {sha256 for names in stored_bytes.list_stored(before=later) for sha256 in names}
    assert wanted <= stored
    assert lost not in stored
    assert stored_bytes.get_bytes(lost) == b"<p>nothing has this</p>", "the bin still has it"


def test_the_command_finds_and_repairs_wrong_counts(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    PageCount.objects.update(n=99)
    with pytest.raises(SystemExit):
        call_command("care", "--check")
    call_command("care")
    assert "repaired" in capsys.readouterr().out
    assert PageCount.objects.total() == 1
    call_command("care", "--check")
    assert "All counts are right" in capsys.readouterr().out


def test_triggers_and_indexes_that_are_missing_are_made_again(page: Page) -> None:
    triggers = sorted(installing.list_triggers(connection))
    installing.remove_triggers(connection)
    factory.snapshot(page.site, "https://shop.example/new", b"<p>x</p>", cluster=page.current.cluster if page.current else None)
    assert any(each.table for each in care.repair_counts()), "the new page was not counted"
    assert sorted(installing.list_triggers(connection)) == triggers and care.repair_counts() == []


def test_the_space_of_the_database_is_told(page: Page) -> None:
    space = care.refresh_statistics(vacuum=False)
    assert space.size_bytes > 0
    care.tidy_database()
    assert PageCount.objects.total() == 1
