"""The overview of a site's templates, and the record type of a template."""

import pytest
from django.db import connection
from django.db.models import OuterRef, Subquery
from django.test.utils import CaptureQueriesContext

from extraction.models import Cluster, Page, Record, RecordType, Rule, Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.templates import clusters
from tests.services.templates.clustered_site import make_label, make_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def test_the_record_type_of_a_cluster_with_labels_cannot_be_changed(clustered: Site) -> None:
    book = clustered.clusters.get(number=1)
    make_label(book, book.snapshots.current().kept()[0])
    clusters.set_record_type(book, RecordType.objects.get(name="Book"))
    with pytest.raises(JobError, match="marked values of its current record type"):
        clusters.set_record_type(book, RecordType.objects.create(name="Film", slug="film"))


def test_the_overview_counts_what_a_person_asks_for(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one, 1, Rule.State.LIVE)
    rule = make_rule(one, 2)
    pages = list(one.snapshots.current().kept()[:3])
    for snapshot, state in zip(pages, ("complete", "failed", "incomplete"), strict=True):
        reason = "" if state == "complete" else "title is missing"
        Record.objects.create(snapshot=snapshot, cluster=one, rule=rule, state=state, reason=reason, extracted_at=snapshot.fetched_at)
    for name in ("title", "author"):
        make_label(one, pages[0], name)
    clusters.ignore_template(one, True)
    overview = clusters.list_templates(clustered)
    assert (overview.pages, overview.unclustered, overview.unreadable) == (20, 1, 1)
    lists, books = overview.rows
    assert (lists.cluster, books.cluster) == (two, one), "ignored ones come last"
    assert (books.pages, books.share_fraction, books.records.given, books.records.failed) == (12, 0.6, 2, 1)
    assert (books.labelled_pages, books.rules, books.live_version, books.draft_version) == (1, 2, 1, 2)
    assert (books.rule_state, books.breakage, lists.rule_state) == ("live", None, "")
    assert books.preview is not None
    sample = one.samples.get(position=0).snapshot
    assert books.preview == sample
    fresh = Snapshot.objects.create(page=sample.page, sha256="f" * 64, size_bytes=1, fetched_at=sample.fetched_at, cluster=one)
    Page.objects.filter(pk=sample.page_id).update(current=fresh)
    assert {row.cluster: row.preview for row in clusters.list_templates(clustered).rows}[one] == fresh, "as the page is now"


def test_the_overview_needs_no_more_queries_for_ten_thousand_pages(clustered: Site) -> None:
    with CaptureQueriesContext(
        connection,
    ) as few:
        clusters.list_templates(clustered)
    pages = Page.objects.bulk_create([Page(site=clustered, url=f"http://e.com/{n}") for n in range(10_000)])
    extra = [Cluster.objects.create(site=clustered, number=n) for n in range(10, 40)]
    Snapshot.objects.bulk_create(
        [Snapshot(page=p, sha256=f"{p.pk:064x}", size_bytes=1, fetched_at=p.created_at, cluster=extra[p.pk % 30]) for p in pages]
    )
    newest = Snapshot.objects.filter(page=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    Page.objects.filter(current=None).update(current=Subquery(newest))
    with CaptureQueriesContext(connection) as many:
        overview = clusters.list_templates(clustered)
    assert len(few) == len(many) <= 13
    assert len(overview.rows) == 32
    assert overview.pages == 10_020
