"""The clean-up of an attribute: it survives learning and repair, shapes how types are read, and is tried before it is saved."""

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.relearning import Relearned, relearn_attribute
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.values.cleanup.chain import CleanupStep
from extraction.models import Cluster, Record, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.rules import cleanup_chains, cleanups, rules
from tests.services import factory
from tests.services.records.test_extract_records import extract

pytestmark = pytest.mark.django_db

PER_KILO = (CleanupStep("replace", " per kilo"), CleanupStep("unit", "EUR"))


@pytest.fixture
def shop(sent: list[int]) -> Cluster:
    cluster = factory.cluster(
        factory.site(), kind=factory.record_type({"price": "price"}, mandatory=(), multiple=()), patterns=["shop.example/*"]
    )
    for number, price in enumerate(("1.234 per kilo", "2,50 per kilo", "old", "3,00 per kilo")):
        content = f"<html><body><p class='price'>{price}</p><i>{number}</i></body></html>".encode()
        factory.snapshot(cluster.site, f"https://shop.example/{number}", content, cluster=cluster)
    rules.publish_rule(learned(cluster))
    return cluster


def learned(cluster: Cluster) -> Rule:
    rule = RuleDefinition((AttributeRule("price", "price", alternatives=(Selector("//p[@class='price']"),)),))
    return rules.add_draft(cluster, rule, report=RuleReport(), origin=Rule.Origin.LEARNED)


def test_values_are_read_with_what_the_cleaned_column_shows(shop: Cluster) -> None:
    draft = cleanups.save_cleanup(Rule.objects.get(), "price", PER_KILO)
    rules.publish_rule(draft)
    extract(shop)
    found = [each.read_values()["price"][0] for each in Record.objects.now().order_by("pk")]
    assert [each.value for each in found] == ["1234 EUR", "2.50 EUR", None, "3.00 EUR"]
    assert draft.read_definition().attributes[0].column.decimal == ","


def test_a_chain_is_carried_into_a_learned_version_and_can_be_taken_out_again(shop: Cluster) -> None:
    cleanups.save_cleanup(Rule.objects.get(), "price", PER_KILO)
    again = learned(shop)
    assert (again.version, again.read_definition().attributes[0].cleanup) == (3, PER_KILO)
    without = cleanups.save_cleanup(again, "price", ())
    assert without.read_definition().attributes[0].cleanup == ()
    assert learned(shop).read_definition().attributes[0].cleanup == ()


def test_an_edited_xpath_and_a_repair_keep_the_chain(shop: Cluster) -> None:
    draft = cleanups.save_cleanup(Rule.objects.get(), "price", PER_KILO)
    edited = rules.edit_xpath(draft, "price", "//p")
    assert edited.read_definition().attributes[0].cleanup == PER_KILO
    pages = [read_page_table(parse(f"<html><body><div><b>{n},50 per kilo</b></div></body></html>".encode()).root) for n in range(1, 6)]
    made = relearn_attribute(draft.read_definition().attributes[0], pages, [(f"{n},50 per kilo",) for n in range(1, 6)])
    assert isinstance(made, Relearned) and made.rule.cleanup == PER_KILO


@pytest.mark.parametrize("with_records", [True, False])
def test_a_preview_counts_and_shows_the_odd_values_first(shop: Cluster, with_records: bool) -> None:
    if with_records:
        extract(shop)
    else:
        factory.samples(shop, list(shop.snapshots.order_by("pk")))
    rule = Rule.objects.get()
    found = cleanups.preview_cleanup(rule, "price", [CleanupStep("part", r"(.*) per"), CleanupStep("replace", "3,00")])
    assert found.by_records == with_records
    assert [(row.raw[0], row.outcome) for row in found.rows] == [
        ("old", "failed"),
        ("3,00 per kilo", "empty"),
        ("1.234 per kilo", "changed"),
        ("2,50 per kilo", "changed"),
    ]
    assert found.rows[2].stages == (("1.234",), ("1.234",)) and found.rows[2].read[0].value == "1234"
    assert dict(found.counts) == {"failed": 1, "empty": 1, "unread": 0, "changed": 2, "unchanged": 0}
    with pytest.raises(RuleError, match="no attribute"):
        cleanup_chains.find_attribute(rule.read_definition(), "cost")


def test_a_preview_stops_in_time_and_says_on_how_many_it_was_tried(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    extract(shop)
    monkeypatch.setattr(cleanups, "LIMIT_S", 0.0)
    found = cleanups.preview_cleanup(Rule.objects.get(), "price", [])
    assert (found.total, found.known) == (1, 4)


def test_the_record_says_what_a_clean_up_dropped(shop: Cluster) -> None:
    rules.publish_rule(cleanups.save_cleanup(Rule.objects.get(), "price", [CleanupStep("part", r"(.*) per")]))
    extract(shop)
    (record,) = Record.objects.filter(reason__contains="of its clean-up dropped “old”")
    assert (record.state, record.values) == ("failed", {})
    assert record.read_origins().entries[0].page == ("old",)
