"""Lists on the screens: the record type's columns, the rows of a record, the rule, the CSV."""

import csv
import io
from typing import Any

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.models import Attribute, Cluster, RecordList, RecordType, Rule, Run
from extraction.services.learning import learn_rule, workspaces
from extraction.services.records import extract_records
from extraction.services.rules import rules
from tests.services import lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def shops(sent: list[int]) -> Cluster:
    workspaces.forget_workspaces()
    cluster = lists.shops()
    lists.mark(cluster, 0, (0, 1))
    for start in (
        learn_rule.start_learning,
        lambda cluster: rules.publish_rule(Rule.objects.get(cluster=cluster)) and extract_records.start_extraction(cluster),
    ):
        run = start(cluster)
        assert pipeline.execute_run(run.pk)
        assert Run.objects.get(pk=run.pk).state == Run.State.DONE
    return cluster


@pytest.fixture
def editor(client: Any, person: Any) -> Any:
    client.force_login(person("editor"))
    return client


def body(answer: Any) -> str:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode()


def test_the_records_page_counts_rows_and_opens_to_a_table(editor: Any, shops: Cluster) -> None:
    page = body(editor.get(reverse("records", args=["shops", 1])))
    assert f"> {len(lists.offers(5))} rows </button>" in " ".join(page.split())
    assert page.count("<dialog") >= 6
    assert "Tea 4-3" in page
    assert 'value="offers"' in page
    assert "1.20 GBP" in page


def test_the_csv_has_a_line_for_each_page_or_each_row_of_a_list(editor: Any, shops: Cluster) -> None:
    address = reverse("records_csv", args=["shops", 1])
    pages = list(csv.DictReader(io.StringIO(body(editor.get(address)))))
    rows = list(csv.DictReader(io.StringIO(body(editor.get(address, {"list": "offers", "columns": ["shop", "thing"]})))))
    assert len(pages) == 6
    assert rows == [{"shop": f"Shop {n}", "thing": name} for n in range(6) for name, _ in lists.offers(n)]
    names = [editor.get(address, asked).headers["Content-Disposition"] for asked in ({}, {"list": "offers"})]
    assert names == ['attachment; filename="shops-template-1.csv"', 'attachment; filename="shops-template-1-offers.csv"']
    assert editor.get(address, {"list": "orders"}).status_code == 400
    assert editor.get(address, {"columns": ["thing"]}).status_code == 400


def test_the_rule_page_shows_what_a_row_is_and_how_often_each_field_is_there(editor: Any, shops: Cluster) -> None:
    page = body(editor.get(Rule.objects.get().get_absolute_url()))
    total = sum(len(lists.offers(n)) for n in range(6))
    assert f"{total} rows on 6 of 6 pages" in page
    assert f"in {total} of {total} rows" in page
    assert "Tea 0-0" in page


def test_a_list_attribute_is_not_edited_as_one_of_the_page(editor: Any, shops: Cluster) -> None:
    rule = Rule.objects.get()
    asked = {"attribute": "thing", "xpath": "//b"}
    assert "two rows instead" in editor.post(reverse("rule_preview", args=["shops", 1, rule.version]), asked).content.decode()
    editor.post(reverse("rule_edit", args=["shops", 1, rule.version]), asked)
    assert Rule.objects.count() == 1


def form(rows: list[dict[str, str]]) -> dict[str, str]:
    data = {"name": "Search", "description": "", "attribute-TOTAL_FORMS": str(len(rows)), "attribute-INITIAL_FORMS": "0"}
    for n, row in enumerate(rows):
        data |= {f"attribute-{n}-{name}": value for name, value in ({"type": "text", "ORDER": str(n + 1)} | row).items()}
    return data


def test_a_record_type_is_made_with_lists(editor: Any) -> None:
    rows = [
        {"name": "query"},
        {"name": "title", "list": "hits"},
        {"name": "url", "type": "url", "list": "hits"},
        {"name": "advert", "list": "ads"},
    ]
    assert editor.post(reverse("record_type_new"), form(rows)).status_code == 302
    kind = RecordType.objects.get(name="Search")
    assert [(each.name, [a.name for a in each.attributes.all()]) for each in kind.lists.all()] == [
        ("hits", ["title", "url"]),
        ("ads", ["advert"]),
    ]
    assert Attribute.objects.get(name="query").list is None
    shown = body(editor.get(kind.get_absolute_url()))
    assert shown.count('value="hits"') == 2


def test_a_list_without_a_good_name_is_refused(editor: Any) -> None:
    answer = editor.post(reverse("record_type_new"), form([{"name": "title", "list": "2 hits!"}]))
    assert answer.status_code == 400
    assert "cannot be a list" in answer.content.decode()
    assert not RecordList.objects.exists()


def test_for_a_record_type_with_lists_only_the_table_shows_first_rows_and_the_csv_all_rows(editor: Any, shops: Cluster) -> None:
    Attribute.objects.filter(list=None).delete()
    page = body(editor.get(reverse("records", args=["shops", 1])))
    assert page.count('title="thing">Tea 3-0</span>') == 1 and "Tea 3-1</span>" in page
    assert page.index('name="list" value="offers" checked') < page.index('name="list" value=""')
    address = reverse("records_csv", args=["shops", 1])
    rows = list(csv.DictReader(io.StringIO(body(editor.get(address)))))
    assert [row["thing"] for row in rows] == [name for n in range(6) for name, _ in lists.offers(n)]
