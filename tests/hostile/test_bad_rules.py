"""Each bad rule is refused with a reason when it is typed or read, or ends within its limits when it runs."""

import hashlib
import json
import time
from typing import Any

import pytest

from extraction.algorithms.bundles import bundle
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.records.quality.patterns import matches_whole
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.values.cleanup.chain import CleanupError, CleanupStep, clean_values, read_steps
from extraction.services.core import careful_calls
from extraction.services.rules.xpath_trial import try_rules
from tests.hostile.bad_rules import BACKTRACKING, STYLESHEETS, UNRUNNABLE, XPATHS, BadStylesheet, BadXPath, make_bundles

LIMIT_S = 3.0
PAGE = ("<html><body>" + "<p class='a b'>some words <b>1</b></p>" * 400 + "</body></html>").encode()
RULE = RuleDefinition((AttributeRule("x", multiple=True, alternatives=(Selector("//p"),)),))


@pytest.mark.parametrize("bad", [each for each in XPATHS if each.refused], ids=lambda each: each.text[:40])
def test_a_bad_xpath_is_refused_when_it_is_typed(bad: BadXPath) -> None:
    started = time.process_time()
    with pytest.raises(XPathError) as caught:
        XPath(bad.text)
    assert bad.refused == "?" or bad.refused in str(caught.value)
    assert time.process_time() - started < 0.5


def test_an_xpath_that_may_run_long_ends_within_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careful_calls, "CPU_S", 1)
    rules = [
        RuleDefinition((AttributeRule("x", multiple=True, alternatives=(Selector(each.text),)),)) for each in XPATHS if not each.refused
    ]
    assert len(rules) >= 12
    started = time.monotonic()
    tried = try_rules(rules, [(PAGE, "text/html")], limit_s=1)
    assert time.monotonic() - started < 60
    assert tried.values or tried.errors or tried.too_much


@pytest.mark.parametrize("bad", STYLESHEETS, ids=lambda each: each.name)
def test_a_bad_stylesheet_is_refused_when_it_is_read(bad: BadStylesheet) -> None:
    text = write_stylesheet(RULE).replace("<xsl:stylesheet ", f"<xsl:stylesheet {bad.attributes} ", 1)
    with pytest.raises(RuleError):
        Stylesheet.compile(text.replace("</xsl:stylesheet>", f"{bad.inside}</xsl:stylesheet>"))


@pytest.mark.parametrize(
    "call", ["document('file:///etc/passwd')//p", "document('http://127.0.0.1:9/')//p", "document('')//p", "system-property('xsl:vendor')"]
)
def test_a_stylesheet_that_calls_for_access_gets_none_and_no_bundle_may_hold_it(call: str) -> None:
    text = write_stylesheet(RULE).replace("//p", call)
    with pytest.raises(RuleError, match="which a rule may not use"):
        bundle._refuse_functions(text)
    try:
        found = extract_values(Stylesheet.compile(text), parse(PAGE).root)
    except RuleError:
        return
    assert not any("root:" in value or "libxslt" in value for values in found.values.values() for value in values)


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_a_pattern_that_backtracks_elsewhere_takes_linear_time_here(pattern: str) -> None:
    started = time.process_time()
    for text in ("a" * 5_000 + "!", "ab" * 2_500, "x" * 5_000, "word " * 1_000):
        clean_values([text], [CleanupStep("part", pattern)])
        matches_whole(pattern, text)
    assert time.process_time() - started < LIMIT_S


@pytest.mark.parametrize("pattern", UNRUNNABLE, ids=lambda pattern: repr(pattern[:20]))
def test_a_pattern_that_cannot_be_run_is_refused(pattern: str) -> None:
    for step in ({"kind": "part"}, {"kind": "split", "pattern": True}, {"kind": "replace", "pattern": True}):
        with pytest.raises(CleanupError):
            read_steps([step | {"text": pattern}])


@pytest.mark.parametrize(
    "rows",
    [None, 1, "x", {}, [None], [1], [[]], [{}], [{"kind": None}], [{"kind": "eval", "text": "x"}], [{"kind": "trim", "text": 1}], [{"kind": "trim", "text": "x" * 501}],
     [{"kind": "map", "pairs": [["a"]]}], [{"kind": "map", "pairs": [["a", "b"]] * 2}], [{"kind": "trim", "text": "\0"}], [{"kind": "lower"}] * 11, [{"kind": "replace", "text": "a", "by": "\\9", "pattern": True}]],
    ids=lambda rows: json.dumps(rows)[:30],
)  # fmt: skip
def test_a_chain_that_is_none_is_refused(rows: Any) -> None:
    with pytest.raises((CleanupError, TypeError, KeyError, ValueError, AttributeError)):
        read_steps(rows)


def test_a_chain_that_grows_ends_at_its_limit() -> None:
    started = time.process_time()
    steps = [CleanupStep("replace", "a", "a" * 500)] * 5 + [CleanupStep("split", "a")] * 5
    assert clean_values(["a" * 500], steps) == ()
    assert time.process_time() - started < LIMIT_S


@pytest.mark.parametrize(("name", "content"), list(make_bundles()), ids=[name for name, _ in make_bundles()])
def test_a_file_that_is_no_bundle_is_refused(name: str, content: bytes) -> None:
    with pytest.raises(bundle.BundleError):
        bundle.read_bundle(content)


@pytest.mark.parametrize(
    "content", [None, [], {"templates": 1}, {"templates": [None]}, {"templates": [{"number": "x"}]}, {"templates": [{}] * 5}]
)
def test_a_bundle_of_the_right_digest_and_the_wrong_content_is_refused(content: Any) -> None:
    digest = hashlib.sha256(bundle._write_canonically(content)).hexdigest()
    with pytest.raises(bundle.BundleError):
        bundle.read_bundle(json.dumps({"kind": bundle.KIND, "format": bundle.FORMAT, "digest": digest, "content": content}).encode())


@pytest.mark.parametrize(
    "pattern", ["*" * 300, "a*" * 150 + "b", "http://[", "http://*:*/*", "?=*&*=*", "%00%zz%", "a/../../b", "\x00", "*/" * 100]
)
def test_a_pattern_of_addresses_matches_in_little_time_or_is_refused(pattern: str) -> None:
    started = time.process_time()
    try:
        made = UrlPattern.from_text(pattern)
        for url in ("http://a.example/" + "a" * 1_900, "http://a.example/" + "a/" * 900, "http://a.example/?" + "a=b&" * 400, "http://["):
            made.matches(url)
    except ValueError:
        pass
    assert time.process_time() - started < 0.5
