"""What a child process says to its parent, and which limits it has. (`test_sandbox` runs whole children.)"""

import errno
import io
import json
import resource
import signal
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from extraction.services.core import sandbox_child
from extraction.services.core.sandbox_child import describe_error, die_with_parent, is_out_of_memory, main

INFINITE = resource.RLIM_INFINITY


def count(stream: Any) -> Iterator[int]:
    """Yield the number of bytes of each line, and fail as the last one says."""
    for line in stream:
        yield len(line)
        if line.startswith(b"memory"):
            raise MemoryError
        if line.startswith(b"fail"):
            raise ValueError("x" * 5000)


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """What this process writes when it plays the child, whose limits it does not get."""
    results = io.BytesIO()
    monkeypatch.setattr(sandbox_child, "_take_stdout", lambda: results)
    monkeypatch.setattr(sandbox_child, "_limit", lambda *_: None)
    monkeypatch.setattr(sandbox_child, "die_with_parent", lambda _: None)
    monkeypatch.setattr("extraction.services.core.sandbox_child.faulthandler.enable", lambda: None)
    return results


def run(child: io.BytesIO, text: bytes, monkeypatch: pytest.MonkeyPatch, *, function: str = "count") -> list[Any]:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    main(__name__, function, json.dumps({"parent": 1, "cpu_s": 1, "memory_bytes": 1}))
    return [json.loads(line) for line in child.getvalue().splitlines()]


def test_each_row_is_a_line_and_the_last_line_says_that_all_were_written(child: io.BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(child, b"a\nbc\n", monkeypatch) == [["row", 2], ["row", 3], ["finished", None]]


def test_the_rows_before_a_failure_arrive_and_the_last_line_names_it(child: io.BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    row, (kind, (error, message, place)) = run(child, b"fail\n", monkeypatch)
    assert (row, kind, error, message) == (["row", 5], "crashed", "ValueError", "x" * sandbox_child.MAX_MESSAGE)
    assert place.startswith("tests/services/core/test_sandbox_child.py, line ") and place.endswith(", in count")


def test_memory_that_is_used_up_is_told_from_other_failures(child: io.BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(child, b"memory\n", monkeypatch) == [["row", 7], ["memory used up", None]]


def test_a_function_that_is_not_there_is_a_failure_too(child: io.BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    ((kind, (error, _, _)),) = run(child, b"", monkeypatch, function="missing")
    assert (kind, error) == ("crashed", "AttributeError")


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "x"), True),
        (OSError(errno.ENOENT, "x"), False),
        (RuntimeError("std::bad_alloc"), True),
        (ValueError("Memory allocation failed : building node"), True),
        (ValueError("no such memory"), False),
    ],
)
def test_libraries_say_in_many_ways_that_there_is_no_memory(error: Exception, memory: bool) -> None:
    assert is_out_of_memory(error) == memory


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert describe_error(ValueError("why")) == ["ValueError", "why", ""]


@pytest.mark.parametrize(
    ("most", "soft", "hard", "set_to"),
    [
        (INFINITE, 5, 7, (5, 7)),
        (INFINITE, INFINITE, INFINITE, (INFINITE, INFINITE)),
        (100, 5, 7, (5, 7)),
        (6, 5, 7, (5, 6)),
        (4, 5, 7, (4, 4)),
        (4, INFINITE, INFINITE, (4, 4)),
    ],
    ids=["no limit here", "no limit at all", "a higher limit", "a lower hard limit", "a lower limit", "the system's instead of none"],
)
def test_a_limit_is_never_higher_than_that_of_the_system(
    most: int, soft: int, hard: int, set_to: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, most))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, both: limits.append((kind, both)))
    sandbox_child._limit(resource.RLIMIT_CPU, soft, hard)
    assert limits == [(resource.RLIMIT_CPU, set_to)]


def test_a_child_whose_parent_died_before_it_could_ask_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    library = SimpleNamespace(prctl=lambda option, number: asked.append((option, number)))
    monkeypatch.setattr("extraction.services.core.sandbox_child.ctypes.CDLL", lambda _: library)
    monkeypatch.setattr("extraction.services.core.sandbox_child.os.getppid", lambda: 7)
    monkeypatch.setattr(sys, "platform", "linux")
    die_with_parent(7)
    with pytest.raises(SystemExit, match="the parent is gone"):
        die_with_parent(8)
    assert asked == [(sandbox_child.PR_SET_PDEATHSIG, signal.SIGKILL)] * 2
    monkeypatch.setattr(sys, "platform", "darwin")
    die_with_parent(8)
    assert len(asked) == 2, "other systems have no such call"
