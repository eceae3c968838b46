"""How long an XPath could run: what is run without care is quick, and learned rules are."""

import random
import time
from functools import partial

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.dom.xpath_cost import Reach, find_reach, may_run_long
from extraction.algorithms.errors import XPathError
from extraction.services.core import careful_calls
from extraction.services.core.careful_calls import run_carefully

CROWD = parse(b"<html><body>" + b"<p class='a'>x</p>" * 4_000 + b"</body></html>").root
MIDDLE = parse(b"<html><body>" + b"<p class='a'>x</p>" * 600 + b"</body></html>").root
SMALL = parse(b"<html><body>" + b"<p class='a'>x</p>" * 20 + b"</body></html>").root


@pytest.mark.parametrize(
    ("expression", "reach"),
    [
        ("//div[@class='x']/text()", Reach()),
        ("/descendant::li[ancestor::ul[contains(@class, 'a//b')]]", Reach()),
        ("//dd[preceding-sibling::dt[1][contains(., 'x')]]", Reach(side=1)),
        ("//li[ancestor::*[preceding-sibling::h2[a] and preceding-sibling::*[self::h2][1]]]", Reach(side=1)),
        ("//p[count(../node()) > 1]", Reach(side=1)),
        ("//p[count(../node()[count(../node()) > 1]) > 1]", Reach(side=2)),
        ("//p[count(../*/../*/../*) > 1]", Reach(side=3)),
        ("//p[(a | ../b)/../c]", Reach(side=2)),
        ("//p[../or/../b]", Reach(side=2)),
        ("//p[contains(ancestor::*, 'x')]", Reach(side=1)),
        ("//p[. = /html//p]", Reach(wide=2)),
        ("//p[string(/) = 'x']", Reach(wide=1)),
    ],
)
def test_conditions_that_leave_their_node_are_counted(expression: str, reach: Reach) -> None:
    assert find_reach(expression) == reach


def count_nodes(expression: str) -> int:
    return len(XPath(expression).select(MIDDLE))


def test_nested_counts_on_a_crowded_page_are_taken_for_slow_and_on_a_small_one_not() -> None:
    nested = find_reach("//p[count(../node()[count(../node()) > 1]) > 1]")
    assert may_run_long(nested, CROWD) and not may_run_long(nested, SMALL)


def make_condition(source: random.Random, depth: int = 0) -> str:
    """Return a condition as a hostile or a careless person may write it."""
    step = source.choice(
        ["../node()", "../*", "preceding-sibling::*", "following-sibling::p", "ancestor::*/*", "//p", "*", "@class", ".", "text()"]
    )
    inner = (
        f"[{make_condition(source, depth + 1)}]" if depth < 2 and source.random() < 0.5 and not step.startswith(("@", ".", "text")) else ""
    )
    further = source.choice(["", "", "/../*"]) if not step.startswith(("@", "text")) else ""
    form = source.choice(["count({}) > 5000", "not({})", "contains({}, 'zzz')", "{} = 'zzz'", "string-length({}) > 9"])
    return form.format(step + inner + further) + source.choice(["", "", " and position() > 0", " or . = 'yy'"])


def test_what_is_not_taken_for_slow_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careful_calls, "CPU_S", 30)  # a second is more on a busy machine; what is slow takes hours
    source, quick = random.Random(4), 0
    for _ in range(150):
        expression = f"//p[{make_condition(source)}]"
        if may_run_long(find_reach(expression), MIDDLE):
            continue
        try:
            # Ends what takes longer than its limit, instead of waiting for hours.
            run_carefully(partial(count_nodes, expression))
        except XPathError:
            continue
        quick += 1
    assert quick > 50


def test_the_estimate_itself_takes_no_time() -> None:
    root = parse(b"<html><body>" + b"<p>x<b>y</b></p>" * 100_000 + b"</body></html>").root
    started = time.process_time()
    assert may_run_long(Reach(side=2), root) and may_run_long(Reach(side=1), root)
    assert not may_run_long(Reach(), root)
    assert time.process_time() - started < 1
