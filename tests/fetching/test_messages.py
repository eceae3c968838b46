"""Messages between parent and child arrive as they were sent, or are refused with the name of the wrong key."""

import json

import pytest

from extraction.algorithms.json_values import JsonShapeError
from extraction.fetching.crawl.messages import (
    Address,
    Command,
    CrawlPlan,
    CrawlProgress,
    Done,
    EndReason,
    Fetched,
    FetchedAsset,
    FoundAddresses,
    Outcome,
    RenderMode,
    event_from_json,
    event_to_json,
)

PLAN = CrawlPlan(
    spool="/spool",
    start=("https://a.example/",),
    queued=(Address(url="https://a.example/é", depth=3, via="https://a.example/"),),
    known=("https://a.example/1",),
    headers={"Authorization": "Basic x"},
    max_depth=None,
    page_limit=10,
    delay_s=0.25,
    rendered=RenderMode.WHEN_NEEDED,
)


@pytest.mark.parametrize(
    "event",
    [
        FoundAddresses(addresses=(Address(url="https://a.example/1", depth=1, via="https://a.example/"),)),
        Fetched(url="https://a.example/1", outcome=Outcome.OK, status=200, headers={"etag": '"1"'}, body="/spool/1", elapsed_s=0.5),
        Fetched(url="https://a.example/2", outcome=Outcome.UNREACHABLE, message="no such host"),
        FetchedAsset(url="https://a.example/a.css", page_url="https://a.example/1", content_type="text/css", body="/spool/2", size_bytes=3),
        CrawlProgress(fetched=3, queued=4, bytes=5, by_outcome={"ok": 3}),
        Done(reason=EndReason.SETTLED),
    ],
)
def test_an_event_arrives_as_it_was_sent(event):
    line = event_to_json(event)
    assert "\n" not in line
    assert event_from_json(line) == event


def test_a_plan_arrives_as_it_was_sent():
    assert CrawlPlan.from_json(PLAN.to_json()) == PLAN


def test_a_plan_of_another_release_is_understood():
    assert CrawlPlan.from_json('{"spool": "/s", "telepathy": true}') == CrawlPlan(spool="/s")


def test_whole_seconds_are_seconds():
    assert CrawlPlan.from_json('{"spool": "/s", "delay_s": 2}').delay_s == 2.0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"concurrency": "4"}, "concurrency"),
        ({"concurrency": True}, "concurrency"),
        ({"start": "https://a.example/"}, "start"),
        ({"start": [1]}, "start"),
        ({"rendered": "sometimes"}, "rendered"),
        ({"queued": [{"depth": 1}]}, "url"),
        ({"headers": {"A": 1}}, "headers.A"),
        ({"page_limit": 1.5}, "page_limit"),
    ],
)
def test_a_wrong_value_is_named_in_the_error(change, named):
    with pytest.raises(JsonShapeError, match=named):
        CrawlPlan.from_json(json.dumps({"spool": "/s"} | change))


@pytest.mark.parametrize("line", ["", "[]", "{", '{"event": "dreamt"}', '{"event": "done"}'])
def test_a_line_that_is_not_an_event_is_refused(line):
    with pytest.raises(JsonShapeError):
        event_from_json(line)


def test_commands_arrive_and_others_are_refused():
    assert [Command.from_json(command.to_json()) for command in Command] == list(Command)
    with pytest.raises(JsonShapeError, match="no command"):
        Command.from_json('{"command": "dance"}')
