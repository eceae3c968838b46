"""A rule whose values look wrong on pages that nobody marked is asked about before it is published."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from extraction.algorithms.rules.rule import AttributeRule
from extraction.models import Attribute, Cluster, Decision, Role, Rule, Snapshot
from extraction.models.rule_report import DoubtReport, RuleReport
from extraction.services.core.people import save_person
from extraction.services.rules import doubts, effects, rules
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from tests.services import factory
from tests.services.rules.test_rules import value

pytestmark = pytest.mark.django_db


def write_page(number: int, language: str) -> bytes:
    price = f"<p class='price'>£{number}.50</p>" if language == "en" else f"<p class='preis'>{number},50 €</p>"
    return f"<html lang='{language}'><body><h1>Book {number}</h1>{price}</body></html>".encode()


@pytest.fixture
def shop() -> Cluster:
    """Six English and six German pages; the price of the German ones has another class."""
    site = factory.site("Shop")
    cluster = factory.cluster(site, kind=factory.record_type({"title": "text", "price": "text"}))
    for number in range(12):
        language = "en" if number < 6 else "de"
        url = f"https://shop.example/{language}/book/{number}"
        factory.snapshot(site, url, write_page(number, language), cluster=cluster)
    return cluster


def make_draft(cluster: Cluster) -> Rule:
    definition = value("//h1", price="//p[@class='price']")
    report = effects.count_effects(cluster, definition)
    return rules.add_draft(cluster, definition, report=report, origin=Rule.Origin.LEARNED)


def test_a_value_that_one_language_lacks_is_named_with_its_pages(shop: Cluster) -> None:
    report = make_draft(shop).read_report()
    (doubt,) = report.doubts
    assert (doubt.attribute, doubt.kind, doubt.count) == ("price", "missing", 6)
    assert {(group.name, group.checked): group.hits for group in report.groups} == {
        ("in the language de", 6): {"title": 6, "price": 0},
        ("in the language en", 6): {"title": 6, "price": 6},
    }
    without = {group.name: group.without for group in report.groups}
    assert without == {"in the language de": {"price": min(doubt.pages)}, "in the language en": {}}


def test_a_draft_in_doubt_is_published_only_when_somebody_says_so(shop: Cluster) -> None:
    draft = make_draft(shop)
    with pytest.raises(doubts.Doubtful, match="price: no value on 6 of 6 pages in the language de"):
        doubts.refuse_doubtful(draft)
    rules.publish_rule(draft)
    doubts.refuse_doubtful(draft)


def test_marks_on_three_such_pages_settle_the_doubt_and_one_does_not(shop: Cluster) -> None:
    price = Attribute.objects.of_cluster(shop).get(name="price")
    for number, kinds in ((7, ["missing"]), (8, ["missing"]), (9, [])):
        german = Snapshot.objects.get(page__url=f"https://shop.example/de/book/{number}")
        factory.label(shop, german, price, None)
        found = make_draft(shop).read_report().doubts
        assert [each.kind for each in found] == kinds
        assert all(german.pk not in each.pages and each.words.startswith("no value on any of the 6 pages") for each in found)


def test_a_rule_without_a_mandatory_attribute_is_asked_about(shop: Cluster) -> None:
    Attribute.objects.filter(name="price").update(mandatory=True)
    definition = value("//h1")
    report = effects.count_effects(shop, definition)
    draft = rules.add_draft(shop, definition, report=report, origin=Rule.Origin.LEARNED)
    with pytest.raises(doubts.Doubtful, match="price: mandatory, but not in this rule"):
        doubts.refuse_doubtful(draft)
    with pytest.raises(CommandError, match="Nothing was published"):
        call_command("publish_rule", "shop", str(shop.number), stderr=io.StringIO())
    Attribute.objects.filter(name="price").update(mandatory=False)
    doubts.refuse_doubtful(draft)


def test_the_command_asks_and_names_the_person(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    draft, said = make_draft(shop), io.StringIO()
    editor = save_person(User(username="eve"), password="a-long-enough-password", role=Role.EDITOR)
    arguments = ["publish_rule", "shop", str(shop.number)]
    with pytest.raises(CommandError, match="Nothing was published"):
        call_command(*arguments, stderr=said)
    assert "price: no value on 6 of 6 pages" in said.getvalue()
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command(*arguments, "--by", "nobody")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for answer, state in (("n", Rule.State.DRAFT), ("y", Rule.State.LIVE)):
        monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
        if answer == "n":
            with pytest.raises(CommandError):
                call_command(*arguments, stderr=said)
        else:
            call_command(*arguments, "--by", "eve", stderr=said, stdout=said)
        draft.refresh_from_db()
        assert draft.state == state
    assert Decision.objects.get(rule=draft).by == editor


def test_doubts_and_explanations_follow_a_new_name(shop: Cluster) -> None:
    draft = make_draft(shop)
    known = list(Attribute.objects.of_cluster(shop).order_by("position"))
    drafts = [AttributeDraft(each.pk, {"price": "cost"}.get(each.name, each.name), each.type) for each in known]
    record_type = shop.record_type
    assert record_type is not None
    record_types.update_record_type(record_type, "Book", "", drafts)
    draft.refresh_from_db()
    report = draft.read_report()
    assert [each.attribute for each in report.doubts] == ["cost"]
    assert all(set(group.hits) == {"title", "cost"} for group in report.groups)
    assert [set(group.without) for group in report.groups if group.without] == [{"cost"}]


def test_an_edited_xpath_brings_its_own_doubts(shop: Cluster) -> None:
    draft = make_draft(shop)
    edited = rules.edit_xpath(draft, "price", "//p")
    assert edited.read_report().doubts == ()
    assert all("price" not in group.hits for group in edited.read_report().groups)


def test_a_report_without_doubts_is_read(shop: Cluster) -> None:
    assert RuleReport.from_json({}).doubts == ()
    one = RuleReport(doubts=(DoubtReport(attribute="a", kind="missing", words="w", count=1, pages=(1,)),))
    assert RuleReport.from_json(one.as_json()) == one


def test_a_relative_address_is_not_in_doubt(shop: Cluster) -> None:
    cover = AttributeRule("cover", "image")
    values = {number: (f"/img/{number}.svg",) for number in range(8)}
    assert doubts.judge_values(cover, values, (), ()) == []
    values[3] = ("No picture yet",)
    assert [each.kind for each in doubts.judge_values(cover, values, (), ())] == ["unread"]
