"""Lists from marked rows to CSV: learned with the page's own attributes, extracted, typed, exported, renamed."""

import csv
import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from extraction import pipeline
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules import apply, xslt
from extraction.models import Attribute, Cluster, Label, Record, RecordList, RecordType, Rule, Run
from extraction.services.labels import labelling
from extraction.services.labels.labelling import LabelError
from extraction.services.learning import learn_rule, workspaces
from extraction.services.records import export_csv, extract_records, records
from extraction.services.rules import rules
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from tests.services import factory, lists

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield


@pytest.fixture
def shops() -> Cluster:
    cluster = lists.shops()
    lists.mark(cluster, 0, (0, 1))
    return cluster


def finished(run: Run) -> Run:
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    return run


def learned(cluster: Cluster) -> Rule:
    run = finished(learn_rule.start_learning(cluster))
    assert (run.state, run.error) == (Run.State.DONE, "")
    return Rule.objects.get(pk=run.summary["rule"])


def extracted(cluster: Cluster) -> list[Record]:
    rules.publish_rule(learned(cluster))
    assert finished(extract_records.start_extraction(cluster)).state == Run.State.DONE
    return list(Record.objects.filter(cluster=cluster).order_by("snapshot_id"))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_two_marked_rows_and_a_heading_give_the_pages_own_value_and_every_row_of_every_page(shops: Cluster, sent: list[int]) -> None:
    found = extracted(shops)
    assert [record.values["shop"][0]["raw"] for record in found] == [f"Shop {n}" for n in range(6)]
    for page, record in enumerate(found):
        rows = [(row["thing"][0]["raw"], row["price"][0]["raw"] if "price" in row else "") for row in record.rows["offers"]]
        assert rows == lists.offers(page)
        assert record.rows["offers"][0]["price"][0]["value"] == f"1.{page}0 GBP"
    assert {record.state for record in found} == {Record.State.COMPLETE}
    assert records.search_records(shops, query="tea 4-3").get().snapshot == lists.snapshots(shops)[4]


def test_the_report_counts_pages_and_rows(shops: Cluster, sent: list[int]) -> None:
    rule = learned(shops)
    assert [attribute.name for attribute in rule.read_definition().attributes] == ["shop"]
    entry = rule.report["lists"][0]
    total = sum(len(lists.offers(n)) for n in range(6))
    assert (entry["name"], entry["hits"], entry["checked"], entry["rows"]) == ("offers", 6, 6, total)
    assert entry["filled"] == {"thing": total, "price": sum(bool(price) for n in range(6) for _, price in lists.offers(n))}
    assert [each["name"] for each in entry["attributes"]] == ["thing", "price"]
    assert rule.report["failed"] == []


def test_a_single_marked_row_is_refused_as_too_few_and_the_rest_is_learned(sent: list[int]) -> None:
    cluster = lists.shops()
    lists.mark(cluster, 0, (0,))
    rule = learned(cluster)
    assert not rule.read_definition().lists
    assert "second row" in rule.report["failed"][0]["reason"]


def test_the_csv_of_a_list_has_a_line_for_each_row_and_that_of_pages_one_for_each_page(shops: Cluster, sent: list[int]) -> None:
    extracted(shops)
    layout = export_csv.get_default_layout(shops, list="offers", normalised=False)
    assert layout.columns == ("thing", "price", "shop", "source_url")
    lines = table("".join(export_csv.write_rows(shops, layout)))
    wanted = [
        {"thing": name, "price": price, "shop": f"Shop {n}", "source_url": f"https://shops.example/{n}"}
        for n in range(6)
        for name, price in lists.offers(n)
    ]
    assert lines == wanted
    pages = table("".join(export_csv.write_rows(shops)))
    assert [row["shop"] for row in pages] == [f"Shop {n}" for n in range(6)]
    assert set(pages[0]) == {"shop", "source_url"}


def test_the_command_exports_a_list_and_names_the_existing_ones(
    shops: Cluster, sent: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    extracted(shops)
    call_command("export_csv", "Shops", "1", "--list", "offers")
    assert len(table(capsys.readouterr().out)) == sum(len(lists.offers(n)) for n in range(6))
    with pytest.raises(CommandError, match="Lists: offers"):
        call_command("export_csv", "Shops", "1", "--list", "orders")


def test_a_page_without_rows_is_incomplete_if_the_list_has_a_mandatory_attribute(shops: Cluster, sent: list[int]) -> None:
    factory.snapshot(shops.site, "https://shops.example/none", b"<h1>Shop 9</h1><ul class=offers></ul>", cluster=shops)
    record = extracted(shops)[-1]
    assert (record.state, record.reason) == (Record.State.INCOMPLETE, "offers has no rows on this page")


def test_only_attributes_of_a_list_can_be_marked_in_rows(shops: Cluster) -> None:
    page = lists.snapshots(shops)[1]
    shop, thing = Attribute.objects.get(name="shop"), Attribute.objects.get(name="thing")
    with pytest.raises(LabelError, match="row by row"):
        labelling.set_labels(shops, page, thing, None, None)
    with pytest.raises(LabelError, match="not an attribute of a list"):
        labelling.set_labels(shops, page, shop, None, None, row=1)
    with pytest.raises(LabelError, match="row 5000"):
        labelling.set_labels(shops, page, thing, None, None, row=5000)


def drafts() -> list[AttributeDraft]:
    return [
        AttributeDraft(each.pk, each.name, each.type, each.multiple, each.mandatory, each.hotkey, each.list.name if each.list else "")
        for each in Attribute.objects.select_related("list")
    ]


def changed(name: str, **what: str) -> list[AttributeDraft]:
    return [AttributeDraft(**({f: getattr(d, f) for f in d.__slots__} | (what if d.name == name else {}))) for d in drafts()]


def test_a_list_and_its_attributes_are_renamed_in_rules_and_records(shops: Cluster, sent: list[int]) -> None:
    extracted(shops)
    assert shops.record_type
    new = [
        AttributeDraft(d.id, {"thing": "name"}.get(d.name, d.name), d.type, d.multiple, d.mandatory, d.hotkey, d.list and "wares")
        for d in drafts()
    ]
    record_types.update_record_type(shops.record_type, "Shop", "", new)
    assert list(RecordList.objects.values_list("name", flat=True)) == ["wares"]
    assert Label.objects.filter(row__gt=0).count() == 4
    record = Record.objects.order_by("pk")[0]
    assert record.rows["wares"][0]["name"][0]["raw"] == "Tea 0-0"
    value = Rule.objects.get().read_definition()
    assert (value.lists[0].name, [a.name for a in value.lists[0].attributes]) == ("wares", ["name", "price"])
    assert finished(extract_records.start_extraction(shops)).state == Run.State.DONE
    assert Record.objects.order_by("pk")[0].rows == record.rows


def test_an_attribute_that_leaves_its_list_would_lose_its_marks_and_says_so(shops: Cluster) -> None:
    assert shops.record_type
    with pytest.raises(record_types.InUse, match="price has 2 marked values"):
        record_types.update_record_type(shops.record_type, "Shop", "", changed("price", list=""))
    record_types.update_record_type(shops.record_type, "Shop", "", changed("price", list=""), drop_labels=True)
    assert Attribute.objects.get(name="price").list is None
    assert not Label.objects.filter(attribute__name="price").exists()


def test_a_list_is_deleted_with_its_last_attribute(shops: Cluster) -> None:
    assert shops.record_type
    only = [d for d in drafts() if not d.list]
    record_types.update_record_type(shops.record_type, "Shop", "", only, drop_labels=True)
    assert not RecordList.objects.exists()


def tiles(page: int) -> bytes:
    """A page of products. The third tile is an advert, which has a name and a price like the others, but no rating."""
    rows = [f"<li class=tile><h3>Pot {page}{n}</h3><p><b>£{page}{n}.00</b> <i>{n % 5},5 / 5</i></p></li>" for n in range(1, 6)]
    rows.insert(2, "<li class='tile paid'><h3>Knife club</h3><p><b>£9.99</b> <em>Sponsored</em></p></li>")
    return f"<html><body><h1>All</h1><ul class=grid>{''.join(rows)}</ul></body></html>".encode()


def test_a_row_of_which_all_is_marked_as_missing_is_no_row(sent: list[int]) -> None:
    """Rows 1 and 2 are products, and row 3, the next one that was found, is said to be none: it is the advert."""
    site, kind = factory.site("Pots"), RecordType.objects.create(name="Pot", slug="pot")
    listed = RecordList.objects.create(record_type=kind, name="pots")
    names = ("name", "price", "rating")
    attributes = [Attribute.objects.create(record_type=kind, name=name, position=n, list=listed) for n, name in enumerate(names)]
    cluster = factory.cluster(site, kind=kind)
    pages = [factory.snapshot(site, f"https://pots.example/{n}", tiles(n), cluster=cluster) for n in range(1, 6)]
    for row in (1, 2):
        texts = (f"Pot 1{row}", f"£1{row}.00", f"{row % 5},5 / 5")
        for attribute, text in zip(attributes, texts, strict=True):
            labelling.set_labels(cluster, pages[0], attribute, [factory.text_at(tiles(1), text)], None, row=row)

    def names_on(rule: Rule) -> list[str]:
        root = parse(tiles(2)).root
        given = apply.extract_values(xslt.Stylesheet.compile(rule.stylesheet), root)
        return [row["name"][0] for row in given.rows["pots"]]

    assert "Knife club" in names_on(learned(cluster))
    for attribute in attributes:
        labelling.set_labels(cluster, pages[0], attribute, None, None, row=3)
    assert names_on(learned(cluster)) == [f"Pot 2{n}" for n in range(1, 6)]
