"""Pages that checks stored are deleted once nothing needs them, and nothing else is deleted."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.storage import default_storage

from extraction.models import Bellwether, Breakage, Check, Cluster, Page, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.monitoring import tidy_checks
from tests.services import watched

NOW = datetime(2026, 6, 1, 4, 0, tzinfo=UTC)


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    return watched.cluster(4)


def fetched(cluster: Cluster, content: bytes, *, days_ago: float = 10, page: int = 0, checked: bool = True) -> Snapshot:
    """Store a content that a check found at a page of the shop."""
    return Snapshot.objects.create(
        page=Page.objects.filter(site=cluster.site).order_by("pk")[page],
        sha256=stored_bytes.put_bytes(content),
        size_bytes=len(content),
        fetched_at=NOW - timedelta(days=days_ago),
        checked=checked,
    )


def left() -> set[int]:
    tidy_checks.tidy_checks(NOW)
    return set(Snapshot.objects.filter(fetched_at__lt=NOW).values_list("pk", flat=True))


def shown(cluster: Cluster, snapshot: Snapshot, *, days_ago: float, evidence: bool = True) -> Check:
    check = watched.check(cluster, NOW - timedelta(days=days_ago), confirmed=False)
    check.pages = [{"url": snapshot.page.url, "outcome": "ok", "old": snapshot.pk, "new": snapshot.pk}]
    check.evidence = [{"attribute": "title"}] if evidence else []
    check.save()
    return check


def test_a_page_fetched_only_by_a_check_is_deleted_with_its_bytes(cluster: Cluster) -> None:
    gone, twin = fetched(cluster, b"<p>one"), fetched(cluster, b"<p>two")
    fetched(cluster, b"<p>two", page=1, checked=False)
    assert left() & {gone.pk, twin.pk} == set()
    assert stored_bytes.get_bytes(stored_bytes.digest_bytes(b"<p>two")) == b"<p>two", "an import has the same bytes"
    name = stored_bytes._name(gone.sha256)
    assert not default_storage.exists(name)
    os.utime(default_storage.path(stored_bytes._bin(gone.sha256)), (0, 0))
    tidy_checks.tidy_checks(NOW)
    with pytest.raises(FileNotFoundError):
        stored_bytes.get_bytes(gone.sha256)


def test_deleted_bytes_that_are_needed_again_are_restored(cluster: Cluster) -> None:
    gone = fetched(cluster, b"<p>one")
    left()
    again = fetched(cluster, b"<p>one", page=2, checked=False)
    stored_bytes.throw_away(gone.sha256)
    assert stored_bytes.get_bytes(again.sha256) == b"<p>one"
    os.utime(default_storage.path(stored_bytes._bin(gone.sha256)), (0, 0))
    tidy_checks.tidy_checks(NOW)
    assert default_storage.exists(stored_bytes._name(gone.sha256))
    assert not default_storage.exists(stored_bytes._bin(gone.sha256))


def test_pages_that_are_needed_are_kept(cluster: Cluster) -> None:
    kept = {name: fetched(cluster, name.encode()) for name in ("baseline", "sample", "label", "current", "evidence", "open")}
    young = fetched(cluster, b"young", days_ago=0.5)
    crawled = fetched(cluster, b"crawled", checked=False)
    Bellwether.objects.create(cluster=cluster, page=kept["baseline"].page, baseline=kept["baseline"])
    cluster.samples.create(snapshot=kept["sample"], position=99, covered_fraction=1.0)
    assert cluster.record_type is not None
    attribute = cluster.record_type.attributes.first()
    assert attribute is not None
    cluster.labels.create(snapshot=kept["label"], attribute=attribute)
    Page.objects.filter(pk=kept["current"].page_id).update(current=kept["current"])
    shown(cluster, kept["evidence"], days_ago=89)
    check = shown(cluster, kept["open"], days_ago=300)
    rule = cluster.rules.serving().get()
    Breakage.objects.create(cluster=cluster, rule=rule, check_found=check, opened_at=NOW)
    assert {each.pk for each in kept.values()} | {young.pk, crawled.pk} <= left()


def test_pages_of_old_checks_and_of_checks_without_evidence_are_deleted(cluster: Cluster) -> None:
    fine, past = fetched(cluster, b"fine"), fetched(cluster, b"past", days_ago=200)
    shown(cluster, fine, days_ago=9, evidence=False)
    shown(cluster, past, days_ago=91)
    assert left() & {fine.pk, past.pk} == set()


def test_of_last_years_checks_without_findings_one_for_each_month_is_kept(cluster: Cluster) -> None:
    for days in (*range(366, 430), *range(10)):
        watched.check(cluster, NOW - timedelta(days=days))
    broken = watched.check(cluster, NOW - timedelta(days=400), "title")
    tidy_checks.tidy_checks(NOW)
    old = Check.objects.filter(checked_at__lt=NOW - timedelta(days=365), verdict="ok")
    months = [(at.year, at.month) for at in old.values_list("checked_at", flat=True)]
    assert sorted(months) == sorted(set(months)) == [(2025, 3), (2025, 4), (2025, 5)]
    assert Check.objects.filter(pk=broken.pk).exists()
    assert Check.objects.filter(checked_at__gt=NOW - timedelta(days=365)).count() == 10
