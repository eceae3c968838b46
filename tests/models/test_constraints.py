"""The database refuses contradictory rows, whatever code writes them."""

from typing import Any

import pytest
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from extraction.models import (
    Alert,
    Attribute,
    Bellwether,
    Breakage,
    Check,
    CrawlAddress,
    Label,
    Monitor,
    Record,
    Rule,
    SamplePage,
    Snapshot,
    Source,
)
from tests.services import factory
from tests.views import world as worlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(sent: list[int]) -> None:
    """At least one row of each table."""
    made = worlds.make()
    now = timezone.now()
    Monitor.objects.update_or_create(site=made.site, defaults={"next_due_at": now})
    Source.objects.update_or_create(site=made.site, defaults={"addresses": ["https://shop.example/"]})
    page = factory.snapshot(made.site, "https://shop.example/watched", factory.book_html("Watched"), cluster=made.cluster)
    Bellwether.objects.get_or_create(cluster=made.cluster, page=page.page, defaults={"baseline": page})
    Label.objects.create(cluster=made.cluster, snapshot=page, attribute=Attribute.objects.all()[0], location=None)
    Record.objects.get_or_create(snapshot=page, cluster=made.cluster, rule=made.rule, state="complete", extracted_at=now)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("model", "which", "wrong"),
    [
        (Rule, {"state": "live"}, {"published_at": None}),
        (Rule, {"state": "live"}, {"state": "draft"}),
        (Rule, {}, {"state": "lively"}),
        (Rule, {}, {"version": 0}),
        (Breakage, {"closed_at__isnull": False}, {"state": "open"}),
        (Breakage, {"closed_at__isnull": False}, {"closed_at": None}),
        (Check, {}, {"verdict": "odd"}),
        (Check, {}, {"covered_fraction": 1.5}),
        (Check, {}, {"asked": 1, "reached": 2}),
        (Bellwether, {}, {"asked": 1, "answered": 2}),
        (Monitor, {}, {"every_hours": 0}),
        (Source, {}, {"delay_s": -1.0}),
        (Source, {}, {"concurrency": 0}),
        (Label, {"location__isnull": True}, {"value": "something"}),
        (Label, {}, {"row": -1}),
        (Snapshot, {"error": ""}, {"error": "the page is empty", "vector": "0" * 16}),
        (SamplePage, {}, {"covered_fraction": -0.1}),
        (Record, {}, {"state": "failed", "reason": ""}),
        (Alert, {}, {"state": "sent", "sent_at": None}),
        (Alert, {}, {"state": "sending", "claimed_at": None}),
        (CrawlAddress, {"state": "done"}, {"outcome": ""}),
        (CrawlAddress, {"state": "queued"}, {"outcome": "ok"}),
        (Attribute, {}, {"type": "colour"}),
    ],
)
def test_a_contradictory_row_is_refused(model: type[models.Model], which: dict[str, Any], wrong: dict[str, Any]) -> None:
    found = model._default_manager.filter(**which)[:1].values_list("pk", flat=True)
    assert found, "there is a row to spoil"
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.filter(pk=found[0]).update(**wrong)
