"""Labels of the old design do not hinder learning for the new one, and attributes found by a repair are kept."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from extraction import pipeline
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.models import Attribute, Breakage, Check, Cluster, Label, Page, Rule, Run, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core import stored_bytes
from extraction.services.labels import designs
from extraction.services.learning import learn_rule, learning_set, workspaces
from extraction.services.monitoring import breakages
from extraction.services.rules import rules
from tests.services import factory, watched

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield


def redesigned(number: int) -> bytes:
    """The price moved to where the author was, the title stays in its h1; authors are gone from the list."""
    return (
        f'<html><body><div id="main"><h1 class="name">Book {number}</h1><ul class="people"><li class="author">£{number}.50</li></ul>'
        f"<footer><b>by</b> <i>Writer {number}</i></footer></div></body></html>"
    ).encode()


@pytest.fixture
def shop(sent: list[int]) -> Cluster:
    """Two old pages are annotated, the rule is live; then a check finds price and author broken on the redesigned pages."""
    cluster = factory.shop(6)
    factory.mark(cluster, 0, title=["Book 0"], price=["£0.50"], author=["Writer 0"])
    factory.mark(cluster, 1, title=["Book 1"], price=["£1.50"], author=["Writer 1", "Second 1"])
    rules.publish_rule(learn(cluster))
    at = timezone.now()
    rows = []
    for number, page in enumerate(Page.objects.filter(site=cluster.site).order_by("pk")):
        old = page.current_id
        content = redesigned(number)
        new = Snapshot.objects.create(
            page=page, sha256=stored_bytes.put_bytes(content), size_bytes=len(content), fetched_at=at, checked=True
        )
        rows.append({"url": page.url, "outcome": "ok", "old": old, "new": new.pk})
    found = watched.check(cluster, at, "price", "author")
    Check.objects.filter(pk=found.pk).update(pages=rows)
    return cluster


def learn(cluster: Cluster) -> Rule:
    run = learn_rule.start_learning(cluster)
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return Rule.objects.get(pk=run.summary["rule"])


def mark_new(cluster: Cluster, number: int, **values: list[str]) -> None:
    """Marks texts of a page as it is now."""
    page = Snapshot.objects.filter(page__site=cluster.site, checked=True).order_by("pk")[number]
    Snapshot.objects.filter(pk=page.pk).update(cluster=cluster)
    for name, texts in values.items():
        places = [factory.text_at(redesigned(number), text) for text in texts]
        factory.label(cluster, page, Attribute.objects.get(record_type=cluster.record_type, name=name), places)


def xpaths(rule: Rule) -> dict[str, list[str]]:
    return {each["name"]: [one["xpath"] for one in each["alternatives"]] for each in rule.definition["attributes"]}


def values(rule: Rule, html: bytes) -> dict[str, tuple[str, ...]]:
    return extract_values(Stylesheet.compile(rule.stylesheet), parse(html).root).merged()


def test_old_labels_are_learned_from_until_a_new_page_is_marked(shop: Cluster) -> None:
    assert designs.find_new_pages(shop.pk) == []
    assert xpaths(learn(shop)) == xpaths(Rule.objects.get(cluster=shop, version=1))


def test_after_a_mark_on_the_new_design_old_labels_of_the_attribute_are_left_out(shop: Cluster) -> None:
    mark_new(shop, 3, price=["£3.50"], author=["Writer 3"])
    rule = learn(shop)
    assert values(rule, redesigned(5)) == {"title": ("Book 5",), "price": ("£5.50",), "author": ("Writer 5",)}
    assert {name: len(each) for name, each in xpaths(rule).items()} == {"title": 1, "price": 1, "author": 1}
    assert rule.report["failed"] == []
    assert Label.objects.filter(snapshot__checked=False).exists(), "none was deleted"


def test_labels_of_attributes_that_did_not_break_are_still_learned_from(shop: Cluster) -> None:
    mark_new(shop, 3, price=["£3.50"])
    title = Attribute.objects.get(record_type=shop.record_type, name="title")
    assert len(learning_set.read_labels(shop)[title.pk]) == 2


def test_the_rule_is_tried_on_the_pages_of_the_new_design(shop: Cluster) -> None:
    mark_new(shop, 3, price=["£3.50"], author=["Writer 3"])
    price = next(each for each in learn(shop).report["attributes"] if each["name"] == "price")
    assert (price["hits"], price["checked"]) == (6, 6)
    assert len(designs.find_learnable_pages(shop.pk)) == 6
    Breakage.objects.update(state=Breakage.State.RECOVERED, closed_at=timezone.now())
    assert designs.find_new_pages(shop.pk) == []


def test_attributes_found_by_the_repair_are_kept_when_the_others_are_marked(shop: Cluster) -> None:
    repaired = Rule.objects.get(cluster=shop, version=1).definition
    repaired["attributes"][1]["alternatives"] = [{"xpath": "//ul[@class='people']/li"}]
    report = {
        "attributes": [{"name": "price", "alternatives": [], "relearned": {"judged": 4, "agreeing": 4}}],
        "failed": [{"name": "author", "reason": "gone"}],
    }
    proposal = rules.add_draft(shop, RuleDefinition.from_json(repaired), report=RuleReport.from_json(report), origin=Rule.Origin.REPAIRED)
    Breakage.objects.update(proposal=proposal)
    breakages.accept_repair(Breakage.objects.get())
    mark_new(shop, 3, author=["Writer 3"])
    rule = learn(shop)
    assert values(rule, redesigned(5)) == {"title": ("Book 5",), "price": ("£5.50",), "author": ("Writer 5",)}
    assert [each["name"] for each in rule.report["attributes"]] == ["title", "price", "author"]


def test_after_an_unnoticed_break_labels_on_replaced_pages_are_left_out(sent: list[int]) -> None:
    cluster = factory.shop(4)
    factory.mark(cluster, 0, title=["Book 0"], price=["£0.50"])
    Cluster.objects.filter(pk=cluster.pk).update(masks=["11.**.**.**.**.**.**.**"])
    old = Snapshot.objects.filter(cluster=cluster).order_by("pk")[0]
    Snapshot.objects.filter(cluster=cluster).update(vector="2200000000000000", fetched_at=timezone.now() - timedelta(days=2))
    new = factory.snapshot(cluster.site, old.page.url, redesigned(0), cluster=cluster, vector="1100000000000000")
    price = Attribute.objects.get(record_type=cluster.record_type, name="price")
    cluster.refresh_from_db()
    assert list(learning_set.read_labels(cluster)[price.pk]) == [old.pk], "the only labels there are"
    factory.label(cluster, new, price, [factory.text_at(redesigned(0), "£0.50")])
    assert list(learning_set.read_labels(cluster)[price.pk]) == [new.pk]
