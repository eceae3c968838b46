"""What a column's values show is learned with each version, and every record is read by it."""

import pytest

from extraction import pipeline
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.models import Attribute, Cluster, Record, RecordType, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.records import export_csv, extract_records
from extraction.services.rules import rules
from tests.services import factory

pytestmark = pytest.mark.django_db

PAGES = (("1.299 €", "03/04/2024"), ("49,90 €", "25/12/2024"), ("10–20 €", "05/06/2024"))

VALUE = RuleDefinition(
    tuple(AttributeRule(name, name, alternatives=(Selector(f"//p[@class='{name}']/text()"),)) for name in ("price", "date"))
)


@pytest.fixture
def offers() -> Cluster:
    kind = RecordType.objects.create(name="Offer", slug="offer")
    for position, name in enumerate(("price", "date")):
        Attribute.objects.create(record_type=kind, name=name, type=name, position=position)
    cluster = factory.cluster(factory.site("Offers"), kind=kind, patterns=["offers.example/*"])
    for number, (price, day) in enumerate(PAGES):
        content = f"<html><body><h1>{number}</h1><p class='price'>{price}</p><p class='date'>{day}</p></body></html>".encode()
        factory.snapshot(cluster.site, f"https://offers.example/{number}", content, cluster=cluster)
    return cluster


def draft(cluster: Cluster) -> Rule:
    return rules.add_draft(cluster, VALUE, report=RuleReport(), origin=Rule.Origin.LEARNED)


def test_a_new_version_holds_what_its_columns_show(offers: Cluster) -> None:
    price, date = draft(offers).read_definition().attributes
    assert price.column == ColumnEvidence(decimal=",")
    assert date.column == ColumnEvidence(date_order="DMY", last_year=2024)


def test_the_same_draft_made_again_is_the_same_version(offers: Cluster) -> None:
    assert draft(offers).pk == draft(offers).pk


def test_a_rule_of_texts_learns_nothing(offers: Cluster) -> None:
    value = RuleDefinition((AttributeRule("title", alternatives=(Selector("//h1"),)),))
    made = rules.add_draft(offers, value, report=RuleReport(), origin=Rule.Origin.LEARNED)
    assert made.read_definition() == value
    assert "column" not in str(made.definition)
    assert value.attributes[0].column == NO_EVIDENCE


def test_records_and_csv_are_read_by_the_column(offers: Cluster) -> None:
    rules.publish_rule(draft(offers))
    assert pipeline.execute_run(extract_records.start_extraction(offers).pk)
    lines = [line.strip() for line in export_csv.write_rows(offers)]
    assert lines[1:] == [
        "1299 EUR,2024-04-03,https://offers.example/0",
        "49.90 EUR,2024-12-25,https://offers.example/1",
        "10–20 €,2024-06-05,https://offers.example/2",
    ]
    refused = Record.objects.get(snapshot__page__url="https://offers.example/2").values["price"][0]
    assert refused["value"] is None and "2 numbers" in refused["problem"]
