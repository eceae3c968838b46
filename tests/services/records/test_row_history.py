"""The rows of lists over time: each row is a record of its own if its list has a key."""

import pytest

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Cluster, Page, RecordList, RecordType, Run, TrackedRecord
from extraction.models.rule import Rule
from extraction.models.rule_report import RuleReport
from extraction.services.records import keys
from extraction.services.rules import rules
from tests.services import factory
from tests.services.records.test_extract_records import extract

pytestmark = pytest.mark.django_db

SELLER, COST = (AttributeRule(name, alternatives=(Selector(f"span[@class='{name}']/text()"),)) for name in ("seller", "cost"))


@pytest.fixture
def offers(sent: list[int]) -> Cluster:
    kind = factory.record_type({"title": "text"}, mandatory=(), multiple=())
    listed = kind.lists.create(name="offers")
    kind.attributes.create(name="seller", list=listed, is_key=True, position=1)
    kind.attributes.create(name="cost", list=listed, position=2)
    cluster = factory.cluster(factory.site(), kind=kind, patterns=["shop.example/*"])
    title = AttributeRule("title", alternatives=(Selector("//h1/text()"),))
    rule = RuleDefinition((title,), (ListRule("offers", (Selector("//li"),), (SELLER, COST)),))
    rules.publish_rule(rules.add_draft(cluster, rule, report=RuleReport(), origin=Rule.Origin.LEARNED))
    return cluster


def show(cluster: Cluster, name: str, **costs: str) -> None:
    rows = "".join(f"<li><span class='seller'>{seller}</span><span class='cost'>{cost}</span></li>" for seller, cost in costs.items())
    content = f"<html><body><h1>{name}</h1><ul>{rows}</ul></body></html>".encode()
    factory.snapshot(cluster.site, f"https://shop.example/{name}", content, cluster=cluster)


def events(run: Run) -> list[tuple[str, str, list[str]]]:
    return sorted((each.kind, "/".join(each.record.key), sorted(each.values)) for each in run.changes.all() if each.record.list_name)


def gone_at_once(cluster: Cluster) -> None:
    RecordType.objects.filter(clusters=cluster).update(gone_after=1)


def test_rows_are_new_changed_and_gone_by_their_key_and_not_by_their_place(offers: Cluster) -> None:
    gone_at_once(offers)
    show(offers, "a", x="1", y="2")
    assert events(extract(offers)) == [("added", "x", []), ("added", "y", [])]
    show(offers, "a", z="3", y="2", x="9")
    assert events(extract(offers)) == [("added", "z", []), ("changed", "x", ["cost"])]
    show(offers, "a", z="3")
    assert events(extract(offers)) == [("gone", "x", []), ("gone", "y", [])]
    show(offers, "a", z="3", x="9")
    assert events(extract(offers)) == [("back", "x", [])]


def test_a_row_that_moves_to_another_page_of_a_listing_is_the_same(offers: Cluster) -> None:
    gone_at_once(offers)
    show(offers, "a", x="1", y="2")
    show(offers, "b", z="3")
    extract(offers)
    show(offers, "a", x="1")
    show(offers, "b", y="2", z="3")
    assert events(extract(offers)) == [("moved", "y", [])]


def test_a_key_within_a_page_tells_the_rows_of_different_pages_apart(offers: Cluster) -> None:
    RecordList.objects.update(key_per_page=True)
    show(offers, "a", x="1")
    show(offers, "b", x="2")
    extract(offers)
    assert TrackedRecord.objects.filter(list_name="offers").count() == 2
    assert not TrackedRecord.objects.with_conflicts().exists()
    show(offers, "b", x="3")
    (change,) = events(extract(offers))
    assert (change[0], change[2]) == ("changed", ["cost"])


def test_equal_keys_on_one_page_with_other_values_are_a_conflict(offers: Cluster) -> None:
    content = b"<html><body><h1>a</h1><ul>" + b"".join(
        b"<li><span class='seller'>x</span><span class='cost'>%d</span></li>" % cost for cost in (1, 2)
    )
    factory.snapshot(offers.site, "https://shop.example/a", content, cluster=offers)
    extract(offers)
    (row,) = TrackedRecord.objects.filter(list_name="offers")
    assert row.values["cost"][0]["raw"] == "1"
    assert [each.problem for each in row.sources.all()] == ["The page has it more than once; cost differs"]
    assert events(extract(offers)) == []


def test_a_key_within_a_page_is_proposed_if_pages_share_values(offers: Cluster) -> None:
    show(offers, "a", x="1", y="2")
    show(offers, "b", x="3", y="4")
    extract(offers)
    kind = offers.record_type
    assert kind
    of_pages, of_rows = keys.list_choices(kind)
    assert of_pages.proposal
    assert of_pages.proposal.attributes == ("title",)
    assert of_rows.proposal
    assert of_rows.proposal.attributes == ("cost",)
    show(offers, "c", x="3", y="4")
    show(offers, "b", x="4", y="3")
    extract(offers)
    _, of_rows = keys.list_choices(kind)
    assert of_rows.proposal
    assert (of_rows.proposal.attributes, of_rows.per_page) == (("seller",), True)


def test_rows_of_a_list_without_a_key_are_not_followed(offers: Cluster) -> None:
    kind = offers.record_type
    assert kind
    kind.attributes.update(is_key=False)
    show(offers, "a", x="1")
    extract(offers)
    assert list(TrackedRecord.objects.values_list("list_name", flat=True)) == [""]
    assert Page.objects.count() == 1


def test_a_copy_of_a_page_without_a_key_shares_its_rows(offers: Cluster) -> None:
    kind = offers.record_type
    assert kind
    RecordList.objects.update(key_per_page=True)
    link = b'<link rel="canonical" href="https://shop.example/a">'
    page = b"<html><head>%s</head><body><h1>a</h1><ul>%s</ul></body></html>"
    row = b"<li><span class='seller'>%s</span><span class='cost'>1</span></li>"
    factory.snapshot(offers.site, "https://shop.example/a", page % (b"", row % b"x" + row % b"y"), cluster=offers)
    for rows in (row % b"x", row % b"x" + row % b"y"):
        factory.snapshot(offers.site, "https://shop.example/b", page % (link, rows), cluster=offers)
        extract(offers)
    assert TrackedRecord.objects.filter(list_name="").count() == 1
    assert [each.sources.count() for each in TrackedRecord.objects.filter(list_name="offers")] == [2, 2]
