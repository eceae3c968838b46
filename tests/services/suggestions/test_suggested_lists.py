"""Lists are offered with names, values and the agreement of other methods. An accepted list is marked row by row, and its rule reads the
other pages."""

from typing import Any

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.algorithms.alignment.mse import lines
from extraction.models import Attribute, Cluster, Label, OfferedRows, RecordList, RecordType
from extraction.services.core.runs import JobError
from extraction.services.learning import learn_rule
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.services.suggestions import found_lists, suggested_lists
from extraction.services.suggestions.suggested_lists import TakenList
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import clusters
from tests.reading import words
from tests.services import factory
from tests.services.lists import html as shop_html
from tests.services.lists import offers

pytestmark = pytest.mark.django_db


@pytest.fixture
def shops() -> Cluster:
    """Six shops without annotations."""
    site = factory.site("Shops")
    cluster = factory.cluster(site, patterns=["shops.example/*"])
    pages = [factory.snapshot(site, f"https://shops.example/{n}", shop_html(n), cluster=cluster) for n in range(6)]
    factory.samples(cluster, pages)
    return cluster


TAKEN = TakenList(0, "offers", (TakenColumns(0, "thing", "text"), TakenColumns(1, "price", "price")))


def test_lists_are_offered_with_their_fields_and_first_rows(shops: Cluster) -> None:
    offer = suggested_lists.suggest_lists(shops)
    (found,) = offer.lists
    assert (offer.pages, found.pages, found.rows, found.first) == (6, 6, sum(len(offers(n)) for n in range(6)), 4)
    assert [(field.type, field.multiple) for field in found.fields] == [("text", False), ("price", False)]
    assert found.fields[0].share == 1 > found.fields[1].share
    assert found.shown == tuple(offers(0)[:4])
    assert found.name == "offer"


def test_an_accepted_list_is_marked_in_two_rows_of_each_of_two_pages(shops: Cluster, person: Any) -> None:
    marked = suggested_lists.take_list(shops, suggested_lists.suggest_lists(shops).key, TAKEN, person("editor"), type_name="Shop")
    assert (marked.rows, marked.pages) == (4, 2)
    shops.refresh_from_db()
    assert shops.record_type and [each.name for each in shops.record_type.lists.all()] == ["offers"]
    said = Label.objects.filter(cluster=shops).order_by("snapshot", "row", "attribute__position").values_list("row", "value")
    assert list(said) == [(row, text) for page in (0, 1) for row in (1, 2) for text in offers(page)[row - 1]]


def test_all_rows_of_the_first_page_and_two_of_another_are_marked_with_missing_values_as_absent(shops: Cluster, person: Any) -> None:
    every = TakenList(0, "offers", TAKEN.fields, every=True)
    marked = suggested_lists.take_list(shops, suggested_lists.suggest_lists(shops).key, every, person("editor"), type_name="Shop")
    assert (marked.rows, marked.pages) == (6, 2)
    first = Label.objects.order_by("snapshot")[0].snapshot
    prices = Label.objects.filter(cluster=shops, attribute__name="price", snapshot=first).order_by("row")
    assert list(OfferedRows.objects.order_by("snapshot").values_list("rows", "whole"))[:2] == [(4, True), (len(offers(1)), False)]
    assert [label.location is None for label in prices] == [not price for _, price in offers(0)]


def test_a_rule_learned_from_an_accepted_list_reads_the_rows_of_other_pages(shops: Cluster, person: Any) -> None:
    suggested_lists.take_list(shops, suggested_lists.suggest_lists(shops).key, TAKEN, person("editor"), type_name="Shop")
    shops.refresh_from_db()
    run = learn_rule.start_learning(shops)
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.error
    (table,) = shops.rules.get().report["lists"]
    assert table["name"] == "offers" and "offered" not in table


def test_rows_that_differ_from_the_offer_are_reported_with_their_pages(shops: Cluster, person: Any, signed_in: Any) -> None:
    suggested_lists.take_list(shops, suggested_lists.suggest_lists(shops).key, TAKEN, person("editor"), type_name="Shop")
    OfferedRows.objects.filter(rows=len(offers(0))).update(rows=2)
    shops.refresh_from_db()
    pipeline.execute_run(learn_rule.start_learning(shops).pk)
    rule = shops.rules.get()
    told = rule.report["lists"][0]["offered"]
    assert told["unlike"] == len(told["on"]) >= 1 and all(each["rows"] == 2 and each["given"] == 4 for each in told["on"])
    text = words(signed_in("viewer").get(rule.get_absolute_url()))
    assert f"{told['given']} rows instead of the {told['rows']} that were suggested" in text and "4 instead of 2" in text


def test_an_existing_record_type_gets_the_list_and_existing_marks_stay(shops: Cluster, person: Any) -> None:
    kind = RecordType.objects.create(name="Shop", slug="shop")
    Attribute.objects.create(record_type=kind, name="shop", position=0)
    Cluster.objects.filter(pk=shops.pk).update(record_type=kind)
    shops.refresh_from_db()
    key = suggested_lists.suggest_lists(shops).key
    suggested_lists.take_list(shops, key, TAKEN, person("editor"))
    before = set(Label.objects.values_list("pk", flat=True))
    assert suggested_lists.take_list(shops, key, TAKEN, person("editor")).rows == 0
    assert set(Label.objects.values_list("pk", flat=True)) == before
    assert [(each.name, each.list and each.list.name) for each in kind.attributes.all()] == [
        ("shop", None),
        ("thing", "offers"),
        ("price", "offers"),
    ]


def test_a_list_that_the_record_type_has_is_offered_with_its_names(shops: Cluster, person: Any, signed_in: Any) -> None:
    (found,) = suggested_lists.suggest_lists(shops).lists
    drafts = [AttributeDraft(None, "cost", "price", list="things"), AttributeDraft(None, found.fields[0].name, "text")]
    clusters.set_record_type(shops, record_types.create_record_type("Shop", "", drafts, team=shops.site.team))
    (offered,) = suggested_lists.suggest_lists(shops).lists
    assert (offered.name, offered.known) == ("things", frozenset({1}))
    assert [field.name for field in offered.fields] == [f"things_{found.fields[0].name}", "cost"]
    page = signed_in("editor").get(address(shops)).content.decode()
    assert 'value="cost"' in page


def test_a_record_type_that_has_only_lists_is_sent_to_them(shops: Cluster, signed_in: Any) -> None:
    drafts = [AttributeDraft(None, "cost", "price", list="things")]
    clusters.set_record_type(shops, record_types.create_record_type("Shop", "", drafts, team=shops.site.team))
    page = signed_in("editor").get(reverse("cluster_suggest_proposed", args=[shops.site.slug, shops.number])).content.decode()
    assert "All attributes of Shop are in lists" in page and "Nothing was found" not in page


def test_a_name_that_is_already_in_use_is_refused_and_changes_nothing(shops: Cluster, person: Any) -> None:
    kind = RecordType.objects.create(name="Shop", slug="shop")
    Attribute.objects.create(record_type=kind, name="Price", position=0)
    Cluster.objects.filter(pk=shops.pk).update(record_type=kind)
    shops.refresh_from_db()
    with pytest.raises(JobError, match="Price is already an attribute of the page"):
        suggested_lists.take_list(shops, suggested_lists.suggest_lists(shops).key, TAKEN, person("editor"))
    assert not RecordList.objects.exists() and not Label.objects.exists()


def test_pages_that_changed_meanwhile_are_not_marked(shops: Cluster, person: Any) -> None:
    with pytest.raises(JobError, match="sample pages have changed"):
        suggested_lists.take_list(shops, "1-2-3", TAKEN, person("editor"), type_name="Shop")
    assert not RecordType.objects.exists()


def test_pages_without_lists_offer_none(db: None) -> None:
    cluster = factory.cluster(factory.site("Books"))
    for n in range(3):
        factory.snapshot(cluster.site, f"https://books.example/{n}", factory.book_html(f"Book {n}"), cluster=cluster)
    assert suggested_lists.suggest_lists(cluster).lists == ()


def address(cluster: Cluster) -> str:
    return reverse("cluster_suggest_lists", args=[cluster.site.slug, cluster.number])


def form(cluster: Cluster, **more: Any) -> dict[str, Any]:
    fields = {"take": [0, 1], "name-0": "thing", "type-0": "text", "name-1": "price", "type-1": "price"}
    return {"key": suggested_lists.suggest_lists(cluster).key, "list": 0, "list_name": "offers", "record_type": "Shop", **fields, **more}


def test_the_screen_shows_lists_and_accepts_one(shops: Cluster, signed_in: Any) -> None:
    client = signed_in("editor")
    screen = client.get(reverse("cluster_suggest", args=[shops.site.slug, shops.number])).content.decode()
    assert f'hx-get="{address(shops)}"' in screen
    text = client.get(address(shops)).content.decode()
    assert "30 rows on 6 of 6 pages" in text and "Tea 0-0" in text and "£1.00" in text
    answer = client.post(address(shops), form(shops, list_name="my offers"))
    assert answer.headers["Location"] == reverse("workbench", args=[shops.site.slug, shops.number])
    assert RecordList.objects.get().name == "my_offers"


def test_the_screen_says_that_of_long_pages_only_the_beginning_was_read(
    shops: Cluster, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def show() -> str:
        found_lists._FOUND.clear()
        suggested_lists._read.cache_clear()
        return words(signed_in("editor").get(address(shops)))

    assert "only the beginning was read" not in show()
    monkeypatch.setattr(lines, "MAX_LINES", 8)
    assert "of the 6 pages are so long that only the beginning was read here" in show()
    found_lists._FOUND.clear()
    suggested_lists._read.cache_clear()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"take": []}, "Tick at least one field."),
        ({"list_name": ""}, "The list needs a name."),
        ({"list_name": "no name!"}, "cannot be a list’s name"),
        ({"list": "x"}, "Enter a whole number."),
        ({"list": 7}, "sample pages have changed"),
        ({"name-0": "x", "name-1": "X"}, "x is used twice"),
        ({"record_type": ""}, "Record type: This field is required."),
    ],
)
def test_a_bad_form_says_what_is_wrong_and_keeps_the_input(shops: Cluster, signed_in: Any, change: dict[str, Any], said: str) -> None:
    answer = signed_in("editor").post(address(shops), form(shops, **{"name-1": "cost", **change}))
    text = answer.content.decode().replace("&#x27;", "’")
    assert answer.status_code == 400
    assert said in text
    assert change.get("list", 0) != 0 or f'value="{change.get("name-1", "cost")}"' in text
    assert not RecordType.objects.exists()


def test_only_editors_can_use_lists(shops: Cluster, signed_in: Any) -> None:
    assert signed_in("viewer").get(address(shops)).status_code == 403
    assert signed_in("viewer").post(address(shops), form(shops)).status_code == 403
    assert signed_in("editor").put(address(shops)).status_code == 405


def test_fields_that_are_columns_of_a_list_fold_below_it_and_are_not_ticked(shops: Cluster, signed_in: Any) -> None:
    text = signed_in("editor").get(reverse("cluster_suggest_table", args=[shops.site.slug, shops.number])).content.decode()
    own, folded = text.split("<details", 1)
    assert "Shop 0" in own and "Tea 0-0" not in own
    assert "of the list offer" in folded and "Tea 0-0" in folded and "checked" not in folded
