"""An XPath of a person that would run for hours on one page: the page is named, and the run goes on."""

import time

import pytest

from extraction.algorithms.errors import RuleError
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Record, Rule, Run
from extraction.pipeline import execute_run
from extraction.services.core import careful_calls
from extraction.services.records import extract_records
from tests.services import factory

NESTED = "//h1[count(../node()[count(../node()[count(../node()) > 1]) > 1]) > 1]"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careful_calls, "CPU_S", 1)
    apply._slow.clear()


def test_a_run_names_the_crowded_page_and_extracts_the_others(sent: list[int]) -> None:
    shop = factory.shop(6)
    crowded = b"<html><body><h1>Crowd</h1>" + b"<p>x</p>" * 4_000 + b"</body></html>"
    page = factory.snapshot(shop.site, "https://shop.example/book/crowd", crowded, cluster=shop)
    rule = RuleDefinition(
        (AttributeRule("title", alternatives=(Selector(NESTED),)),),
        (ListRule("all", (Selector("//body"),), (AttributeRule("part", multiple=True, alternatives=(Selector("p"),)),)),),
    )
    stored = factory.rule(shop, state=Rule.State.LIVE, definition=rule.as_json())
    Rule.objects.filter(pk=stored.pk).update(stylesheet=xslt.write_stylesheet(rule))
    run = extract_records.start_extraction(shop)
    started = time.monotonic()
    execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    assert time.monotonic() - started < 60
    slow = Record.objects.get(snapshot=page)
    assert slow.state == Record.State.FAILED
    assert slow.reason.startswith("The rule cannot be run on this page: an XPath of the rule searches too much of this page")
    assert "it takes longer than 1 seconds" in slow.reason
    others = Record.objects.exclude(snapshot=page)
    assert others.count() == 6 and not others.filter(state=Record.State.FAILED).exists()


def test_a_careful_call_gives_what_a_plain_one_gives_and_ends_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = apply.Extraction({"a": ("1", "é")}, {"b": "no"}, {"l": ({"c": ("2",)}, {})})
    assert apply.Extraction.from_json(careful_calls.run_carefully(found.as_json)) == found
    with pytest.raises(RuleError, match="of its own"):
        careful_calls.run_carefully(_refuse)
    monkeypatch.setattr(careful_calls, "CPU_S", 1)
    for function in (_spin, _eat, lambda: time.sleep(600)):
        started = time.monotonic()
        with pytest.raises(RuleError, match="takes longer than"):
            careful_calls.run_carefully(function)
        assert time.monotonic() - started < 200


def test_an_expression_that_was_given_up_on_several_pages_is_not_tried_again() -> None:
    def fail() -> None:
        raise RuleError("no")

    for _ in range(apply.MAX_SLOW_PAGES):
        with pytest.raises(RuleError, match="no"):
            apply._call_carefully("x", fail)
    with pytest.raises(RuleError, match="not tried on other large ones"):
        apply._call_carefully("x", lambda: 1 / 0)


def _refuse() -> None:
    raise RuleError("a reason of its own")


def _spin() -> None:
    while True:
        pass


def _eat() -> None:
    kept = []
    while True:
        kept.append(bytearray(50_000_000))
