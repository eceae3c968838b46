"""Rules suggested from the records and runs of a shop, and rules tried before they are stored."""

import pytest

from extraction.algorithms.records.quality.offers import MIN_RECORDS
from extraction.models import Cluster, QualityRule
from extraction.services.quality import edit_rules, suggest_rules, try_rule
from extraction.services.quality.edit_rules import QualityRuleError, RuleDraft
from tests.services.quality.shop_rules import add_rule, extract
from tests.services.records.bookshop import Bookshop, open_shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Bookshop:
    shop = open_shop(7, count=MIN_RECORDS)
    shop.visit()
    return shop


def test_the_next_ordinary_run_keeps_all_suggested_rules_and_a_broken_shop_breaks_some(shop: Bookshop) -> None:
    for _ in range(3):
        extract(shop)
    found = suggest_rules.suggest_rules(shop.kind)
    kinds = {(each.draft.kind, each.draft.attribute.name if each.draft.attribute else "") for each in found.rules}
    assert {("required", "title"), ("pattern", "isbn"), ("unique", "isbn"), ("range", "price"), ("count", "")} <= kinds
    for each in found.rules:
        rule = edit_rules.create_rule(shop.kind, each.draft, None)
        assert rule.read_basis() == each.offer.basis
    assert suggest_rules.suggest_rules(shop.kind).rules == []
    assert extract(shop).reasons == []
    for book in shop.books.values():
        book.pence *= 1000
    shop.visit()
    assert [reason.split(" is from")[0] for reason in extract(shop).reasons] == ["price"]


def test_too_few_records_suggest_nothing(shop: Bookshop) -> None:
    for book in list(shop.books.values())[:2]:
        book.on_sale = False
    shop.visit()
    extract(shop)
    assert suggest_rules.suggest_rules(shop.kind).rules == []


def test_limits_that_a_person_changes_are_no_longer_those_of_the_data(shop: Bookshop) -> None:
    extract(shop)
    found = next(each for each in suggest_rules.suggest_rules(shop.kind).rules if each.draft.kind == "range")
    rule = edit_rules.create_rule(shop.kind, found.draft, None)
    same = RuleDraft(kind="range", attribute=rule.attribute, limits=found.draft.limits, allowed_fraction=0.01, weight="block")
    assert edit_rules.update_rule(rule, same, None).basis
    other = RuleDraft(kind="range", attribute=rule.attribute, limits=found.draft.limits, allowed_fraction=0.5, weight="block")
    assert not edit_rules.update_rule(rule, other, None).basis


def test_a_tried_rule_finds_what_a_run_would_find_and_stores_nothing(shop: Bookshop) -> None:
    extract(shop)
    rule = add_rule(shop, "range", "price", low="20")
    QualityRule.objects.all().delete()
    tried = try_rule.try_rule(rule, shop.cluster)
    cheap = sum(book.pence < 2000 for book in shop.books.values())
    assert (tried.score.failing, tried.score.checked, QualityRule.objects.count()) == (cheap, MIN_RECORDS, 0)


@pytest.mark.parametrize(("kind", "attribute"), [("range", "title"), ("language", "price"), ("monotony", "stock")])
def test_a_rule_that_does_not_fit_the_type_is_refused(shop: Bookshop, kind: str, attribute: str) -> None:
    with pytest.raises(QualityRuleError, match=f"does not fit {attribute}"):
        add_rule(shop, kind, attribute, low="1")


def test_the_same_rule_is_stored_once(shop: Bookshop) -> None:
    add_rule(shop, "range", "price", low="1")
    with pytest.raises(QualityRuleError, match="says the same"):
        add_rule(shop, "range", "price", low="1", weight="note")


def test_of_many_templates_some_are_looked_at_and_the_suggestion_says_so(shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    extract(shop)
    assert (suggest_rules.suggest_rules(shop.kind).looked, suggest_rules.suggest_rules(shop.kind).complete) == (1, True)
    Cluster.objects.create(site=shop.kind.clusters.get().site, number=99, record_type=shop.kind)
    monkeypatch.setattr(suggest_rules, "MAX_TEMPLATES", 1)
    found = suggest_rules.suggest_rules(shop.kind)
    assert (found.looked, len(found.clusters), found.complete) == (1, 2, True)
    assert found.rules
