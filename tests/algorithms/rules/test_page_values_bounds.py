"""What a page gives a record is bounded before it is cleaned up and read."""

import time

from extraction.algorithms.rules import page_values
from extraction.algorithms.rules.apply import Extraction
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.values.cleanup.chain import CleanupStep

SLOW = CleanupStep("part", "(?:x?){200}y")


def read(rule: RuleDefinition, extraction: Extraction) -> page_values.PageValues:
    return page_values.read_page_values(rule, extraction, base_url="https://a.example/", language="en")


def test_an_xpath_that_gives_every_text_of_a_large_page_is_read_in_part_and_says_so() -> None:
    rule = RuleDefinition((AttributeRule("when", type="date", multiple=True, alternatives=(Selector("//text()"),)),))
    found = read(rule, Extraction({"when": ("1 May 2024",) * 100_000}))
    assert len(found.values["when"]) == page_values.MAX_VALUES
    assert "the page has 100,000 texts for when, of which 20,000 are read" in found.origins.notes


def test_all_rows_of_a_page_share_the_budget_of_patterns() -> None:
    attribute = AttributeRule("a", alternatives=(Selector("p"),), cleanup=(SLOW,))
    rule = RuleDefinition((), (ListRule("l", (Selector("//p"),), (attribute,)),))
    started = time.process_time()
    found = read(rule, Extraction(rows={"l": ({"a": ("x" * 5_000,)},) * 5_000}))
    assert time.process_time() - started < 8
    assert any("take too long for all values of this page" in note for note in found.origins.notes)
