"""Sites that use everything a folder can hold."""

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.records.corrected_rows import describe_row
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import (
    Attribute,
    Cluster,
    ClusterCore,
    Correction,
    DeliveryTarget,
    Monitor,
    OfferedRows,
    Placement,
    QualityRule,
    RecordList,
    RefreshSchedule,
    Rule,
    Source,
)
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.models.rule_report import RuleReport
from extraction.services.deliveries.secrets import seal_secrets
from extraction.services.joins.plans import JoinPlan, ListingPlan, save_plan
from extraction.services.rules import rules
from extraction.services.templates import page_steps
from tests.services import factory, lists

MASK = "3f.a2.**.10.00.ff.**.01"


def shops() -> Cluster:
    """Return the template of a site with shops and their offers, with one of each thing that a folder can hold."""
    cluster = lists.shops()
    site = cluster.site
    site.address = "https://shops.example/"
    site.save()
    Source.objects.create(site=site, addresses=[site.address], exclude=["*/private/*"], delay_s=1.5, depth=3)
    Monitor.objects.create(site=site, next_due_at=timezone.now(), every_hours=12, auto_repair=True)
    RefreshSchedule.objects.create(site=site, mode="times", times=["06:30", "Mon 08:00"], zone="Europe/Berlin", paused_at=timezone.now())
    cluster.name, cluster.masks = "Shop: page №1", [MASK]
    cluster.save()
    lists.mark(cluster, 0, [0, 1, 3])
    lists.mark(cluster, 1, [0, 2])
    _add_details(cluster)
    publish(cluster)
    _add_quality(cluster)
    _add_delivery(cluster)
    _add_correction(cluster)
    return cluster


def publish(cluster: Cluster) -> Rule:
    """Publish a rule that is written by hand."""
    own = AttributeRule("shop", mandatory=True, alternatives=(Selector("//h1/text()"),))
    rows = ListRule(
        "offers",
        (Selector("//li[@class='offer']"),),
        (
            AttributeRule("thing", mandatory=True, alternatives=(Selector("b/text()"),)),
            AttributeRule("price", type="price", alternatives=(Selector("i/text()"),)),
        ),
    )
    draft = rules.add_draft(cluster, RuleDefinition((own,), (rows,)), report=RuleReport(), origin=Rule.Origin.EDITED)
    return rules.publish_rule(draft)


def _add_details(cluster: Cluster) -> None:
    shown = lists.snapshots(cluster)
    other = factory.cluster(cluster.site, number=4)
    Placement.objects.create(page=shown[5].page, cluster=other, belongs=False)
    Placement.objects.create(page=shown[4].page, cluster=cluster, belongs=True)
    OfferedRows.objects.create(
        cluster=cluster, list=RecordList.objects.get(record_type=cluster.record_type), snapshot=shown[0], rows=4, whole=True
    )
    core = TemplateCore.of_pages([page_steps.read_steps(each) for each in shown])
    ClusterCore.objects.create(cluster=cluster, data=core.to_bytes())
    RecordList.objects.filter(record_type=cluster.record_type).update(key_per_page=True)
    Attribute.objects.filter(record_type=cluster.record_type, name="thing").update(is_key=True, hotkey="t")
    listed = RecordList.objects.get(record_type=cluster.record_type)
    thing, shop = (Attribute.objects.get(record_type=cluster.record_type, name=name) for name in ("thing", "shop"))
    listing = ListingPlan(cluster.pk, listed.pk, by_key=True, keys=((thing.pk, shop.pk),), with_page=True)
    save_plan(cluster.site, JoinPlan("Things with shops", cluster.pk, "listing", frozenset([shop.pk]), (listing,)))


def _add_quality(cluster: Cluster) -> None:
    kind = cluster.record_type
    assert kind
    price = Attribute.objects.get(record_type=kind, name="price")
    made = [
        QualityRule.objects.create(record_type=kind, attribute=price, kind="range", limits={"low": low, "currency": ""}, weight="block")
        for low in ("0.5", "0.2")
    ]
    QualityRule.objects.create(record_type=kind, kind="count", limits={"least": 0.5, "runs": 3}, allowed_fraction=0.01)
    QualityRule.objects.create(
        record_type=kind, cluster=cluster, overrides=made[0], attribute=price, kind="range", limits={"low": "0.1"}, enabled=False
    )


def _add_delivery(cluster: Cluster) -> None:
    assert cluster.record_type
    DeliveryTarget.objects.create(
        name="Data team",
        record_type=cluster.record_type,
        list_name="offers",
        kind="sftp",
        place=TargetPlace(host="sftp.example", user="vertex", folder="in").as_json(),
        content=TargetContent(format="jsonl", columns=("thing", "price")).as_json(),
        secret=seal_secrets({"password": "swordfish-17"}),
        mode="cron",
        cron="0 6 * * *",
        next_due_at=timezone.now(),
    )


def _add_correction(cluster: Cluster) -> None:
    ids: dict[str, Any] = {each.name: str(each.pk) for each in Attribute.objects.filter(record_type=cluster.record_type)}
    rows = [{ids["thing"]: (name,), ids["price"]: (price,) if price else ()} for name, price in lists.offers(2)]
    place = describe_row(rows, 3, key=[ids["thing"]])
    common = {"page": lists.snapshots(cluster)[2].page, "by_name": "ada", "at": datetime(2026, 11, 2, 3, 4, 5, tzinfo=UTC)}
    Correction.objects.create(
        **common,
        attribute_id=int(ids["price"]),
        row=place.as_json(),
        row_digest=place.identity,
        kind="filled",
        texts=["£9.99"],
        type="price",
        values=[{"raw": "£9.99", "value": "9.99 GBP"}],
    )
    Correction.objects.create(
        **common,
        attribute_id=int(ids["shop"]),
        kind="corrected",
        texts=["Tea & more"],
        type="text",
        basis=["Shop 2"],
        values=[{"raw": "Tea & more", "value": "Tea & more"}],
    )
