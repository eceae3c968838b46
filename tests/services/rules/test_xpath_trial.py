"""XPaths that people write: what the child process answers for each page, and how a mistake is explained."""

import io
import json
from typing import Any

import pytest

from extraction.algorithms.errors import PageError
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.services.rules import xpath_trial
from extraction.services.rules.xpath_trial import evaluate_pages
from extraction.services.rules.xpath_words import _locate_error, _measure_valid

OWN = AttributeRule("title", alternatives=(Selector("//h1"),))
LIST = ListRule("offers", (Selector("//li"),), (AttributeRule("thing", alternatives=(Selector("b"),)),))


def evaluate(rule: RuleDefinition, *pages: bytes) -> list[dict[str, Any]]:
    head = {"rules": [rule.as_json()], "pages": [[len(content), ""] for content in pages]}
    return list(evaluate_pages(io.BytesIO(json.dumps(head).encode() + b"\n" + b"".join(pages))))


def test_each_page_has_its_values_those_of_a_list_one_row_after_the_other() -> None:
    page = "<h1>{0}</h1><ul><li><b>{0} a</b></li><li></li><li><b>{0} b</b></li></ul>"
    rows = evaluate(RuleDefinition((OWN,), (LIST,)), page.format("x").encode(), b"<p>nothing</p>", page.format("y").encode())
    assert [row["page"] for row in rows] == [0, 1, 2]
    assert [{name: found for name, found in row["values"][0].items() if found} for row in rows] == [
        {"title": ["x"], "thing": ["x a", "x b"]},
        {},
        {"title": ["y"], "thing": ["y a", "y b"]},
    ]


def test_what_is_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xpath_trial, "MAX_CHARACTERS", 3)
    monkeypatch.setattr(xpath_trial, "MAX_VALUES", 2)
    (row,) = evaluate(RuleDefinition((AttributeRule("p", multiple=True, alternatives=(Selector("//p"),)),)), b"<p>abcdef</p>" * 5)
    assert row["values"] == [{"p": ["abc", "abc"]}]


def test_a_page_that_cannot_be_read_says_why_and_memory_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_with(text: str) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise PageError(text)

        monkeypatch.setattr(xpath_trial, "parse", fail)

    fail_with("it has no elements")
    assert evaluate(RuleDefinition((OWN,)), b"x", b"y") == [{"error": "it has no elements", "page": n} for n in (0, 1)]
    fail_with("Memory allocation failed")
    with pytest.raises(PageError, match="Memory allocation failed"):
        evaluate(RuleDefinition((OWN,)), b"x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("//h1", ""),
        ("//h1 ]", "At character 6, “]” cannot follow “//h1 ”."),
        (")", "An XPath cannot begin with “)”."),
        (" ] and more than twenty characters", "An XPath cannot begin with “] and more than twen”."),
    ],
)
def test_a_mistake_is_shown_where_what_is_right_ends(text: str, words: str) -> None:
    assert _locate_error(text) == words


def test_nothing_is_no_xpath() -> None:
    assert _measure_valid("") == 0 == _measure_valid(")")
