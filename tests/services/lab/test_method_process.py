"""A method in a process of its own: its groups, its time and memory, and its limits."""

import io
import json
import math
import random
from dataclasses import asdict
from typing import Any

import pytest

from extraction.algorithms import methods
from extraction.algorithms.alignment import rtdm
from extraction.algorithms.methods import METHODS, mdl_bits
from extraction.services.core.sandbox import SandboxLimits
from extraction.services.lab import method_process, template_paths
from tests.services.core import sandbox_entries
from tests.services.importing import detail, listing

PAGES = {f"book {n}": detail(n) for n in range(6)} | {f"list {n}": listing(n) for n in range(4)}
KINDS = [sorted(name for name in PAGES if name.startswith(kind)) for kind in ("book", "list")]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_separates_two_templates_and_skips_unreadable_pages(method: str) -> None:
    groups = METHODS[method](PAGES | {"empty": b""})
    assert sorted(sorted(group) for group in groups if group != ["empty"]) == KINDS


def test_a_child_returns_the_methods_groups_with_time_and_memory() -> None:
    looks: list[None] = []
    found = method_process.run_method("lsh", PAGES, look=lambda: looks.append(None))
    assert found.groups == METHODS["lsh"](PAGES) and found.reason == ""
    assert 0 < found.seconds < 60 and 0 <= found.peak_bytes < 1e9
    assert found.bits == pytest.approx(mdl_bits(PAGES, found.groups or []))
    assert looks


def test_pages_too_large_to_compare_in_full_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtdm, "MAX_CELLS", 1_000)
    draw = random.Random(2)

    def page() -> bytes:
        items = ("".join(f"<{tag}></{tag}>" for tag in draw.choices("biuqs", k=9)) for _ in range(160))
        return b"<html><body><ul>" + "".join(f"<li>{item}</li>" for item in items).encode()

    found = methods.find_groups("rtdm", {"one": page(), "other": page()})
    assert found.notice.startswith("1 pair of pages was too large to compare in full")
    assert methods.find_groups("rtdm", {"one": b"<p>a", "other": b"<p>b"}).notice == ""


def test_the_paths_of_the_groups_are_found_in_the_child_and_a_stop_from_outside_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = method_process.run_method("lsh", PAGES, paths=True)
    assert found.groups is not None and found.paths == template_paths.find_paths(PAGES, found.groups)
    assert any(found.paths.templates) and not math.isnan(found.bits) and found.stopped == ""
    monkeypatch.setattr(method_process, "cluster_pages", sandbox_entries.kill_itself_at_once)
    stopped = method_process.run_method("lsh", PAGES)
    assert stopped.groups is None and "SIGKILL" in stopped.stopped


def test_a_method_that_takes_too_much_is_stopped_with_the_reason() -> None:
    long = {str(n): b"<html><body>" + b"".join(b"<p>%d" % (n * m) for m in range(2000)) for n in range(100)}
    assert (
        "more than 1 seconds of a processor"
        in method_process.run_method("text-mdl", long, limits=SandboxLimits(cpu_s=1, wall_s=60, memory_bytes=2**31)).reason
    )
    cramped = method_process.run_method("text-hash", long, limits=SandboxLimits(cpu_s=60, wall_s=120, memory_bytes=64 * 2**20))
    assert cramped.groups is None and "more than 64 MB of memory for these pages" in cramped.reason
    assert math.isnan(cramped.bits)


def test_the_method_stops_when_its_caller_stops_waiting() -> None:
    class GoneError(Exception):
        pass

    def look() -> None:
        raise GoneError

    with pytest.raises(GoneError):
        method_process.run_method("text-mdl", PAGES, look=look)


def test_the_real_error_of_a_method_is_reported() -> None:
    reason = method_process.run_method("k-means", PAGES).reason
    assert reason.startswith("it failed: KeyError: 'k-means' (extraction/algorithms/methods.py, line ")


def test_a_cost_that_cannot_be_computed_leaves_the_groups_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_process, "cluster_pages", sandbox_entries.group_and_fail)
    found = method_process.run_method("lsh", PAGES)
    assert found.groups == [["book 0"]] and found.reason == "" and math.isnan(found.bits)
    assert found.bits_reason.startswith("it failed: ZeroDivisionError: division by zero (tests/services/core/sandbox_entries.py, line ")


def test_a_cost_of_known_groups_that_cannot_be_computed_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_process, "cluster_pages", sandbox_entries.recurse)
    groups = [["book 0"], ["book 1"]]
    found = method_process.measure_bits(PAGES, groups)
    assert found.groups == groups and math.isnan(found.bits) and found.reason == ""
    assert found.bits_reason.startswith("it failed: RecursionError: ")


def answers(*, groups: list[list[str]] | None, cost: bool = False, paths: bool = False) -> list[dict[str, Any]]:
    """Return what the child answers to a request."""
    head = {"method": "lsh", "groups": groups, "cost": cost, "paths": paths, "pages": [(name, len(data)) for name, data in PAGES.items()]}
    return list(method_process.cluster_pages(io.BytesIO(json.dumps(head).encode() + b"\n" + b"".join(PAGES.values()))))


def test_the_child_answers_with_the_groups_then_with_their_cost_and_then_with_their_paths() -> None:
    groups, cost, paths = answers(groups=None, cost=True, paths=True)
    assert sorted(map(sorted, groups["groups"])) == KINDS and math.isnan(groups["bits"]) and groups["paths"] is None
    assert cost["bits"] == pytest.approx(mdl_bits(PAGES, groups["groups"])) and cost["paths"] is None
    assert paths["bits"] == cost["bits"] and paths["paths"] == asdict(template_paths.find_paths(PAGES, groups["groups"]))
    assert len(answers(groups=None)) == 1
    known = answers(groups=KINDS, cost=True)
    assert len(known) == 1 and known[0]["groups"] == KINDS and known[0]["seconds"] == 0, "groups that are known are not looked for"
