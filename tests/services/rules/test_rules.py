"""The life of a rule: one version is live at a time, all are kept, and a person's XPath is tried before it is saved."""

import io
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Cluster, Rule, Snapshot
from extraction.models.rule_report import AttributeReport, FailedAttribute, RuleReport
from extraction.services.learning import workspaces
from extraction.services.rules import effects, rules, xpath_trial, xpath_words
from tests.services import factory
from tests.services.core import sandbox_entries

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(10)


def value(xpath: str = "//h1", *, part: TextPart | None = None, **more: str) -> RuleDefinition:
    title = AttributeRule("title", mandatory=True, alternatives=(Selector(xpath, part),))
    return RuleDefinition((title, *(AttributeRule(name, alternatives=(Selector(path),)) for name, path in more.items())))


def draft(cluster: Cluster, xpath: str = "//h1", **more: Any) -> Rule:
    return rules.add_draft(cluster, value(xpath, **more), report=RuleReport(), origin=Rule.Origin.LEARNED)


def states(cluster: Cluster) -> list[tuple[int, str]]:
    return list(Rule.objects.filter(cluster=cluster).order_by("version").values_list("version", "state"))


def test_publishing_retires_the_live_rule_in_the_same_transaction(shop: Cluster) -> None:
    first, second = draft(shop), draft(shop, "//h1[1]")
    assert rules.publish_rule(first).state == Rule.State.LIVE
    assert rules.publish_rule(second).published_at is not None
    assert states(shop) == [(1, "retired"), (2, "live")]
    rules.publish_rule(first)
    assert states(shop) == [(1, "live"), (2, "retired")]
    rules.retire_rule(first)
    assert states(shop) == [(1, "retired"), (2, "retired")]


def test_a_rule_in_the_wrong_state_is_refused_in_words(shop: Cluster) -> None:
    rule = draft(shop)
    with pytest.raises(rules.StateError, match="Version 1 is draft; only a live rule can be retired"):
        rules.retire_rule(rule)
    rules.publish_rule(rule)
    with pytest.raises(rules.StateError, match="Version 1 is live, but it must be draft or validated or repaired or retired"):
        rules.publish_rule(rule)
    assert states(shop) == [(1, "live")]


def test_a_rule_that_cannot_run_or_has_no_attribute_is_not_published(shop: Cluster) -> None:
    broken = draft(shop)
    Rule.objects.filter(pk=broken.pk).update(stylesheet="<no/>")
    with pytest.raises(rules.StateError, match="cannot be run"):
        rules.publish_rule(Rule.objects.get(pk=broken.pk))
    empty = rules.add_draft(shop, RuleDefinition(), report=RuleReport(), origin=Rule.Origin.EDITED)
    with pytest.raises(rules.StateError, match="no attributes"):
        rules.publish_rule(empty)


def test_the_database_itself_allows_one_live_rule(shop: Cluster) -> None:
    first, second = draft(shop), draft(shop, "//h1[1]")
    rules.publish_rule(first)
    with pytest.raises(IntegrityError), transaction.atomic():
        Rule.objects.filter(pk=second.pk).update(state=Rule.State.LIVE)


def test_a_lost_race_is_reported_and_changes_nothing(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = draft(shop)

    def collide(*_: Any) -> bool:
        raise IntegrityError("one_live_rule_per_cluster")

    monkeypatch.setattr(rules, "_replace_serving", collide)
    with pytest.raises(rules.StateError, match="at the same moment"):
        rules.publish_rule(rule)
    assert states(shop) == [(1, "draft")]


@pytest.mark.django_db(transaction=True)
def test_people_who_publish_at_once_leave_one_live_rule() -> None:
    shop = factory.shop(2)
    drafts = [draft(shop, f"//h1[{n}]") for n in range(1, 7)]
    gate = threading.Barrier(len(drafts))
    errors: list[BaseException] = []

    def publish(rule: Rule) -> None:
        try:
            gate.wait(10)
            rules.publish_rule(rule)
        except rules.StateError as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=publish, args=(rule,)) for rule in drafts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = [state for _, state in states(shop)]
    assert errors == []
    assert (found.count("live"), found.count("retired")) == (1, 5)


def test_the_same_draft_is_not_written_twice(shop: Cluster) -> None:
    first = draft(shop)
    again = rules.add_draft(shop, value(), report=RuleReport(pages=3), origin=Rule.Origin.LEARNED)
    assert again.pk == first.pk
    assert Rule.objects.get().read_report() == RuleReport(pages=3)
    rules.publish_rule(first)
    assert draft(shop).version == 2


def test_a_preview_shows_old_and_new_side_by_side_and_saves_nothing(shop: Cluster) -> None:
    rule = draft(shop, "//p[@class='price']")
    effect = rules.preview_xpath(rule, "title", "//h1")
    assert effect.error == ""
    assert (effect.checked, effect.total, effect.hits, effect.gained, effect.lost, effect.changed, effect.same) == (10, 10, 10, 2, 0, 8, 0)
    first = effect.rows[0]
    assert (first.url, first.old, first.new) == ("https://shop.example/book/0", ("Price: £0.50",), ("Book 0",))
    assert [row.snapshot_id for row in effect.rows[:3]] == list(shop.samples.values_list("snapshot_id", flat=True))
    assert states(shop) == [(1, "draft")]


def test_a_preview_looks_at_a_few_pages_of_many(shop: Cluster) -> None:
    for n in range(100, 140):
        factory.snapshot(shop.site, f"https://shop.example/book/{n}", factory.book_html(f"Book {n}"), cluster=shop)
    effect = rules.preview_xpath(draft(shop), "title", "//h1/text()")
    assert (effect.checked, effect.total, effect.same) == (20, 50, 20)


def test_a_page_that_cannot_be_read_is_shown_as_such(shop: Cluster) -> None:
    page = factory.snapshot(shop.site, "https://shop.example/book/empty", b" ", cluster=shop)
    factory.samples(shop, [])
    effect = rules.preview_xpath(draft(shop), "title", "//h1")
    assert [row.error for row in effect.rows if row.snapshot_id == page.pk] == ["the page is empty"]
    assert effect.checked == 10


def test_an_edit_is_a_new_draft_version_and_keeps_the_rest(shop: Cluster, person: Any) -> None:
    rule = rules.publish_rule(draft(shop, author="//li"))
    edited = rules.edit_xpath(rule, "title", "//h1/text()", person("editor"))
    assert (edited.version, edited.state, edited.origin) == (2, "draft", "edited")
    assert edited.created_by == person("editor")
    selectors = {each.name: each.alternatives for each in edited.read_definition().attributes}
    assert selectors == {"title": (Selector("//h1/text()"),), "author": (Selector("//li"),)}
    assert edited.report["edited_from"] == 1
    assert edited.report["attributes"][0]["hits"] == 10
    assert states(shop) == [(1, "live"), (2, "draft")]


def test_an_edit_keeps_the_part_of_the_text_that_the_alternatives_agree_on(shop: Cluster) -> None:
    rule = draft(shop, "//p[@class='price']", part=TextPart(prefix="Price: "))
    effect = rules.preview_xpath(rule, "title", "//div/p")
    assert effect.rows[0].new == ("£0.50",)
    edited = rules.edit_xpath(rule, "title", "//div/p").read_definition()
    assert edited.attributes[0].alternatives == (Selector("//div/p", TextPart(prefix="Price: ")),)


def test_an_attribute_that_could_not_be_learned_may_be_given_an_xpath(shop: Cluster) -> None:
    report = RuleReport(failed=(FailedAttribute(name="price", reason="no"),))
    rule = rules.add_draft(shop, value(), report=report, origin=Rule.Origin.LEARNED)
    edited = rules.edit_xpath(rule, "price", "//p[@class='price']/text()")
    attributes = edited.read_definition().attributes
    assert [(each.name, each.type, each.mandatory) for each in attributes] == [("title", "text", True), ("price", "price", True)]
    assert edited.report["failed"] == []
    with pytest.raises(XPathError, match="There is no attribute “weight”"):
        rules.edit_xpath(rule, "weight", "//p")


@pytest.mark.parametrize(
    ("xpath", "words"),
    [
        ("", "the XPath is empty"),
        ("//a[", "The [ at character 4 is never closed."),
        ("//a]b", "The ] at character 4 has no opening bracket."),
        ("//div[text(]", "The ] at character 12 does not close the ( at character 11."),
        ('//a[@class="x]', 'The text that begins with " at character 12 has no closing ".'),
        ('//a[@title="it\'s"', "The [ at character 4 is never closed."),
        ("//a/[1]", "At character 4, “/[1]” cannot follow “//a”."),
        ("matches(//a, 'x')", "“matches” at character 1 is not a function of XPath 1.0."),
        ("//html:div", "The prefix “html:” at character 3 has no meaning on an HTML page; leave it out."),
        ("count(//a)", "gives a number; it must select elements, texts or attributes"),
        ("'a'", "gives a string"),
        ("//a = 'x'", "gives yes or no"),
        ("//*[//*[//*[//a]]]", "could run too long"),
        ("//h1[re:test(., 'x')]", "“re:test” at character 6 is not a function of XPath 1.0."),
        ("//h9[matches(., 'x')]", "“matches” at character 6 is not a function of XPath 1.0."),
        ("//h1[document('x')]", "“document” at character 6 is not a function of XPath 1.0."),
        ("//h1[html:b]", "The prefix “html:” at character 6 has no meaning on an HTML page; leave it out."),
        ("//h1[$spaces]", "“$spaces” at character 6 is a variable, and rules have no variables."),
        ("//" + "a" * 5000, "5,002 characters"),
    ],
)
def test_a_bad_xpath_is_refused_in_words_with_the_position(shop: Cluster, xpath: str, words: str) -> None:
    assert words in xpath_words.explain_xpath(xpath)
    rule = draft(shop)
    assert words in rules.preview_xpath(rule, "title", xpath).error
    with pytest.raises(XPathError) as caught:
        rules.edit_xpath(rule, "title", xpath)
    assert words in str(caught.value)
    assert states(shop) == [(1, "draft")]


@pytest.mark.parametrize(
    "xpath", ["//h1", "//child::h1/text()", "/html/body//p[contains(., ':')]/@class", "id('main')/h1 | //h2", "//p[. = 're:x($y)']"]
)
def test_good_xpaths_are_accepted(xpath: str) -> None:
    assert xpath_words.explain_xpath(xpath) == ""


def test_an_xpath_that_fails_on_a_page_is_refused_with_the_page(shop: Cluster) -> None:
    rule = draft(shop)
    with pytest.raises(XPathError, match=r"https://shop.example/book/0: the XPath of title cannot be evaluated on this page"):
        rules.edit_xpath(rule, "title", "//h1[count(string(.)) > 0]")
    assert states(shop) == [(1, "draft")]


def test_an_xpath_that_could_be_tried_on_no_page_is_refused() -> None:
    shop = factory.shop(0)
    factory.snapshot(shop.site, "https://shop.example/book/empty", b" ", cluster=shop)
    with pytest.raises(XPathError, match="It could not be tried on any of 1 pages"):
        rules.edit_xpath(draft(shop), "title", "//h1")


def test_an_xpath_that_never_ends_is_stopped_and_not_saved(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    page = factory.snapshot(shop.site, "https://shop.example/book/big", factory.book_html("Big", pad=6000), cluster=shop)
    shop.samples.all().delete()
    factory.samples(shop, [page])
    monkeypatch.setattr(xpath_trial, "LIMIT_S", 1)
    started = time.monotonic()
    effect = rules.preview_xpath(draft(shop), "title", "//*/following::*/following::*/following::*")
    assert time.monotonic() - started < 30 * xpath_trial.PATIENCE, "without a limit it takes hours"
    assert effect.error.startswith("It could not be tried on https://shop.example/book/big: it ")
    assert effect.error.endswith(". Start the XPath at an element with an id or a class.")


def test_a_crash_of_a_trial_reaches_the_person_with_its_reason(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xpath_trial, "evaluate_pages", sandbox_entries.overflow_stack)
    effect = rules.preview_xpath(draft(shop), "title", "//h1")
    assert "it failed: SIGSEGV: Segmentation fault" in effect.error and "Start the XPath" not in effect.error
    with pytest.raises(XPathError, match="SIGSEGV"):
        rules.edit_xpath(draft(shop), "title", "//h1")


def test_the_trial_returns_the_results_from_before_the_time_limit() -> None:
    pages = [(factory.book_html("Small"), ""), (factory.book_html("Big", pad=6000), ""), (factory.book_html("Last"), "")]
    tried = xpath_trial.try_rules([value("//*/following::*/following::*/following::*[self::p]")], pages, limit_s=1)
    assert (tried.too_much, sorted(tried.values)) == (True, [0])


def test_the_trial_ends_when_it_needs_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xpath_trial, "MEMORY_BYTES", 1)
    tried = xpath_trial.try_rules([value("//h1")], [(factory.book_html("Small", pad=6000), "")])
    assert (tried.too_much, tried.values, tried.errors) == (True, {}, {})


def test_a_lack_of_memory_while_a_page_is_read_is_the_childs_and_not_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(content: bytes, *, content_type: str | None) -> None:
        raise PageError("reading the page failed: MemoryError: ")

    monkeypatch.setattr(xpath_trial, "parse", read)
    with pytest.raises(PageError):
        list(xpath_trial.evaluate_pages(io.BytesIO(b"".join(xpath_trial._request([value("//h1")], [(b"<p>x", "")])))))


def test_the_trial_limits_what_it_gives_back() -> None:
    page = factory.book_html("T" * 1000, pad=200)
    [given] = xpath_trial.try_rules([value("//h1", ad="//a")], [(page, "")]).values[0]
    assert (len(given["title"][0]), len(given["ad"])) == (xpath_trial.MAX_CHARACTERS, xpath_trial.MAX_VALUES)


def test_the_report_counts_over_the_clusters_pages(shop: Cluster) -> None:
    ids = list(Snapshot.objects.filter(cluster=shop).order_by("pk").values_list("pk", flat=True))
    factory.snapshot(shop.site, "https://shop.example/book/empty", b" ", cluster=shop)
    report = effects.count_effects(shop, value("//h1", price="//p[@class='price']", author="//li"))
    title, price, author = report.attributes
    assert (report.pages, report.checked, report.unreadable) == (11, 10, 1)
    assert title == AttributeReport(name="title", checked=10, hits=10)
    assert price.without == (ids[4], ids[9])
    assert list(author.several_on) == ids[1::2]


def test_a_damaged_rule_is_an_error_in_words() -> None:
    with pytest.raises(RuleError, match="not a rule"):
        Rule(definition={"format": 99}).read_definition()
