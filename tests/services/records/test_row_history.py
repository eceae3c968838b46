"""The rows of lists over time: each row is a record of its own if its list has a key."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Cluster, Page, RecordList, RecordType, Run, TrackedRecord
from extraction.models.rule import Rule
from extraction.models.rule_report import RuleReport
from extraction.services.deliveries import deliver
from extraction.services.deliveries.record_lines import LineMaker, NotDelivered, find_template_records, find_type_records
from extraction.services.records import keys, value_lists
from extraction.services.rules import cleanups, rules
from tests.services import factory
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import make_target
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


def test_known_rows_get_the_key_of_their_page_when_keys_count_within_a_page(offers: Cluster) -> None:
    show(offers, "a", x="1", y="2")
    show(offers, "b", x="1")
    extract(offers)
    kind = RecordType.objects.get()
    (listed, seller) = (RecordList.objects.get(), kind.attributes.get(name="seller"))
    assert sorted(each.key for each in TrackedRecord.objects.filter(list_name="offers")) == [["x"], ["y"]]
    done = keys.save_keys(kind, {seller.pk}, {listed.pk}, gone_after=2)
    assert done.things == 2
    assert sorted(each.key for each in TrackedRecord.objects.filter(list_name="offers")) == [
        ["https://shop.example/a", "x"],
        ["https://shop.example/a", "y"],
    ]
    extract(offers)
    assert TrackedRecord.objects.filter(list_name="offers", key=["https://shop.example/b", "x"]).exists()
    keys.save_keys(kind, {seller.pk}, (), gone_after=2)
    rows = TrackedRecord.objects.filter(list_name="offers")
    assert sorted((each.state, each.key) for each in rows) == [("joined", ["x"]), ("present", ["x"]), ("present", ["y"])]


def test_rows_that_would_share_a_key_are_told_before_a_person_chooses_it(offers: Cluster) -> None:
    show(offers, "a", x="1", y="1")
    show(offers, "b", x="2")
    extract(offers)
    kind = RecordType.objects.get()
    seller, cost = (kind.attributes.get(name=name).pk for name in ("seller", "cost"))
    assert [(name, figures.conflicts) for name, figures in keys.find_conflicts(kind, {cost}, ())] == [("offers", 1)]
    assert [name for name, _ in keys.find_conflicts(kind, {seller}, ())] == ["offers"]
    assert keys.find_conflicts(kind, {seller}, {RecordList.objects.get().pk}) == [] == keys.find_conflicts(kind, (), ())


def test_the_values_of_a_list_are_counted_by_row_with_their_places(offers: Cluster) -> None:
    show(offers, "a", x="1", y="2")
    show(offers, "b", x="1", z="")
    extract(offers)
    cost = RecordType.objects.get().attributes.get(name="cost")
    found = value_lists.list_distinct_values(offers, cost)
    assert [(each.raw, each.count, [place.row for place in each.places]) for each in found.values] == [
        ("", 1, [2]),
        ("2", 1, [2]),
        ("1", 2, [1, 1]),
    ]
    assert [place.row for place in value_lists.find_places(offers, cost, "1")] == [1, 1]
    assert [place.row for place in value_lists.find_places(offers, cost, "")] == [2]
    assert (found.counted, found.records) == (2, 2)


def test_a_clean_up_is_tried_on_the_values_of_all_rows(offers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    show(offers, "a", x="1", y="2")
    show(offers, "b", x="1", z="")
    rule = Rule.objects.get()
    before, _ = cleanups.read_column(rule, rule.read_definition(), "cost")
    extract(offers)
    found, from_records = cleanups.read_column(rule, rule.read_definition(), "cost")
    assert (found, from_records) == ({("1",): 2, ("2",): 1}, True) and before == found
    monkeypatch.setattr(cleanups, "MAX_GROUPS", 2)
    assert sum(cleanups._limit(found).values()) == 2 and cleanups._limit(Counter({("a",): 1, ("b",): 1, ("c",): 1})) == {
        ("a",): 1,
        ("b",): 1,
    }


def test_a_delivery_of_rows_has_the_values_of_their_page_too(offers: Cluster, tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    show(offers, "a", x="1", y="2")
    show(offers, "b", z="3")
    extract(offers)
    target = make_target(RecordType.objects.get(), "folder", list_name="offers", format="jsonl", described=False)
    assert deliver.deliver(queue_hand(target).pk, timezone.now())
    lines = [json.loads(line) for line in next(tmp_path.glob("*.jsonl")).read_text().splitlines()]
    assert sorted((each["title"], each["seller"], each["cost"]) for each in lines) == [("a", "x", "1"), ("a", "y", "2"), ("b", "z", "3")]
    TrackedRecord.objects.filter(key=["z"]).update(page=None, snapshot=None)
    RecordType.objects.get().attributes.filter(name="title").update(position=7)
    records = find_type_records(RecordType.objects.get(), "offers")
    states = {each.key: each for each in records.read_states()}
    assert states["z",].page_id is None and "title" not in LineMaker(records).make_line(states["z",]).values
    assert LineMaker(records).make_line(states["x",]).values["title"]


def test_rows_of_one_template_without_a_key_are_not_delivered(offers: Cluster) -> None:
    show(offers, "a", x="1")
    extract(offers)
    assert find_template_records(offers, "offers").cluster == offers
    RecordType.objects.get().attributes.update(is_key=False)
    with pytest.raises(NotDelivered, match="The rows of offers have no key"):
        find_template_records(offers, "offers")
