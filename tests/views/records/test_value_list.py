"""The different values of a column, and the way from a wrong value to the place where the rule is taught."""

from typing import Any

from django.urls import reverse

from extraction.models import Attribute, Label, Record
from extraction.services.records import value_lists
from extraction.services.records.value_lists import ValuePlace
from tests.views.addresses import address
from tests.views.world import World


def change(record: Record, name: str, raw: str, *, value: str | None = "x", problem: str = "") -> None:
    record.values = {**record.values, name: [{"raw": raw, "value": value, "problem": problem}]}
    record.save()


def test_missing_unread_and_odd_values_come_first(world: World) -> None:
    title = Attribute.objects.of_cluster(world.cluster).get(name="title")
    records = list(Record.objects.filter(cluster=world.cluster).order_by("pk"))
    for record in records:
        change(record, "title", "Book")
    change(records[0], "title", "?", value=None, problem="it is not a title")
    records[1].values.pop("title")
    records[1].save()
    column = value_lists.list_distinct_values(world.cluster, title)
    assert [(each.raw, each.count) for each in column.values] == [("", 1), ("?", 1), ("Book", len(records) - 2)]
    assert (column.unread, column.counted, column.records) == (1, len(records), len(records))
    assert value_lists.find_places(world.cluster, title, "") == [ValuePlace(records[1].snapshot_id)]
    assert len(value_lists.find_places(world.cluster, title, "Book")) == len(records) - 2


def test_a_value_unlike_the_others_says_how(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr("extraction.algorithms.learning.outliers.FEW_VALUES", 4)
    title = Attribute.objects.of_cluster(world.cluster).get(name="title")
    first = Record.objects.filter(cluster=world.cluster).earliest("pk")
    change(first, "title", "the whole text of the page " * 30)
    column = value_lists.list_distinct_values(world.cluster, title)
    assert column.odd == 1
    assert column.values[0].places == [ValuePlace(first.snapshot_id)]
    assert "characters" in column.values[0].odd


def test_the_values_of_a_column_open_their_pages_in_the_workbench(signed_in: Any, world: World) -> None:
    title = Attribute.objects.of_cluster(world.cluster).get(name="title")
    first = Record.objects.filter(cluster=world.cluster).earliest("pk")
    link = f"annotate/?page={first.snapshot_id}&amp;attribute={title.pk}"
    shown = signed_in("editor").get(address(world, "value_list"), {"attribute": "title"}).content.decode()
    assert link in shown
    places = signed_in("editor").get(address(world, "value_list"), {"attribute": "title", "value": first.values["title"][0]["raw"]})
    assert link in places.content.decode()
    assert "annotate/" not in signed_in("viewer").get(address(world, "value_list")).content.decode()


def test_each_value_of_a_page_and_of_a_record_can_be_fixed(signed_in: Any, world: World) -> None:
    record = Record.objects.get(snapshot__page=world.page)
    for name in ("page", "record_values"):
        arguments = [world.site.slug, world.page.pk] if name == "page" else [world.site.slug, world.cluster.number, world.page.pk]
        shown = signed_in("editor").get(reverse(name, args=arguments)).content.decode()
        for attribute in Attribute.objects.of_cluster(world.cluster).of_page():
            assert f"annotate/?page={record.snapshot_id}&amp;attribute={attribute.pk}" in shown, (name, attribute)
        assert "Fix this value" not in signed_in("viewer").get(reverse(name, args=arguments)).content.decode()


def test_nothing_found_is_not_said_to_be_absent(signed_in: Any, world: World) -> None:
    record = Record.objects.get(snapshot__page=world.page)
    record.values = {}
    record.save()
    price = Attribute.objects.of_cluster(world.cluster).get(name="price")
    shown = signed_in("viewer").get(address(world, "page")).content.decode()
    assert "the rule finds nothing here" in shown
    assert "not on this page" not in shown
    Label.objects.filter(snapshot=record.snapshot, attribute=price).delete()
    Label.objects.create(cluster=world.cluster, snapshot=record.snapshot, attribute=price, location=None)
    assert shown.count("the rule finds nothing here") - 1 == signed_in("viewer").get(address(world, "page")).content.decode().count(
        "the rule finds nothing here"
    )
    assert "not on this page, as somebody marked" in signed_in("viewer").get(address(world, "page")).content.decode()
