"""Child processes: their results, their limits, and how their end is reported."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from extraction.services.core.sandbox import Ending, EntryPoint, SandboxLimits, SandboxOutcome, run_in_sandbox
from tests.services.core import sandbox_entries as entries

LIMITS = SandboxLimits(cpu_s=20, wall_s=60, memory_bytes=1024**3)

Children = Callable[[], list[int]]


def run(entry: EntryPoint, *request: bytes, **limits: float) -> SandboxOutcome:
    given = {"cpu_s": LIMITS.cpu_s, "wall_s": LIMITS.wall_s, "memory_bytes": LIMITS.memory_bytes} | limits
    return run_in_sandbox(entry, request, limits=SandboxLimits(**given))  # type: ignore[arg-type]


@pytest.fixture
def children() -> Children:
    """The children of this process that a test has started: those of other tests may still be ending."""
    before = set(psutil.Process().children())
    return lambda: [child.pid for child in psutil.Process().children() if child not in before]


def is_gone(pid: int, *, within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_child_reads_bytes_and_gives_rows(children: Children) -> None:
    outcome = run(entries.echo, b"one\ntw", b"o\n", b"", b"three\n")
    assert outcome == SandboxOutcome(Ending.FINISHED, ("one", "two", "three"))
    assert children() == []


def test_a_request_larger_than_a_pipe_arrives_whole() -> None:
    assert run(entries.count_bytes, *[b"x" * 1_000_000] * 30).rows == (30_000_000,)


def test_a_child_that_does_not_read_its_request_still_finishes() -> None:
    assert run(entries.print_garbage, *[b"x" * 1_000_000] * 3).ending is Ending.FINISHED


def test_an_error_reaches_the_person_with_its_type_message_and_place() -> None:
    outcome = run(entries.raise_error)
    assert (outcome.ending, outcome.rows) == (Ending.CRASHED, ("before",))
    assert outcome.error and (outcome.error.type, outcome.error.message) == ("ValueError", "the seventh page is odd")
    assert outcome.error.place.startswith("tests/services/core/sandbox_entries.py, line ") and outcome.error.place.endswith(
        ", in raise_error"
    )
    assert outcome.reason.startswith("it failed: ValueError: the seventh page is odd (tests/services/core/sandbox_entries.py, line ")
    assert "Traceback (most recent call last)" in outcome.stderr


def test_too_deep_a_recursion_is_an_error_like_any_other() -> None:
    outcome = run(entries.recurse)
    assert outcome.ending is Ending.CRASHED
    assert outcome.error and outcome.error.type == "RecursionError" and outcome.error.place.endswith("in recurse_forever")


def test_a_stack_overflow_is_reported_with_the_line_it_happened_at() -> None:
    outcome = run(entries.overflow_stack)
    assert outcome.ending is Ending.CRASHED
    assert outcome.error and outcome.error.type == "SIGSEGV" and "in overflow_stack" in outcome.error.place
    assert outcome.reason.startswith("it failed: SIGSEGV: Segmentation fault (tests/services/core/sandbox_entries.py")


@pytest.mark.parametrize("entry", [entries.allocate, entries.allocate_by_numpy])
def test_a_child_that_allocates_too_much_says_so(entry: EntryPoint) -> None:
    outcome = run(entry, memory_bytes=512 * 1024**2)
    assert (outcome.ending, outcome.error) == (Ending.MEMORY, None)
    assert outcome.reason == "it needs more than 512 MB of memory"


def test_a_memory_limit_below_what_python_needs_counts_as_memory_used_up() -> None:
    assert run(entries.allocate, memory_bytes=1).ending is Ending.MEMORY


def test_a_child_that_spins_is_stopped_when_its_processor_time_is_used_up() -> None:
    outcome = run(entries.spin, cpu_s=1)
    assert (outcome.ending, len(outcome.rows)) == (Ending.CPU_TIME, 1)
    assert outcome.reason == "it needs more than 1 seconds of a processor"


@pytest.mark.parametrize("entry", [entries.sleep, entries.spin_without_signals])
def test_a_child_is_stopped_when_its_wall_clock_time_is_used_up(entry: EntryPoint) -> None:
    outcome = run(entry, wall_s=4.0)
    assert outcome.ending is Ending.WALL_TIME and outcome.reason.startswith("it was not done after ")
    [pid] = outcome.rows
    assert not psutil.pid_exists(pid), "it is neither alive nor a zombie"


def test_a_child_is_stopped_when_a_row_takes_too_long() -> None:
    outcome = run(entries.rest_between_rows, row_s=0.5)
    assert (outcome.ending, outcome.rows) == (Ending.WALL_TIME, (1, 2))
    assert run(entries.rest_between_rows, first_row_s=0.0).rows == ()


@pytest.mark.parametrize(("entry", "ending", "name"), [(entries.kill_itself, "STOPPED", "SIGKILL"), (entries.fault, "CRASHED", "SIGSEGV")])
def test_a_signal_that_kills_a_child_is_named(entry: EntryPoint, ending: str, name: str) -> None:
    outcome = run(entry)
    assert (outcome.ending, outcome.rows) == (Ending[ending], ("before",))
    assert outcome.error and outcome.error.type == name and name in outcome.reason


def test_a_child_that_exits_early_counts_as_crashed() -> None:
    outcome = run(entries.leave)
    assert (outcome.ending, outcome.reason) == (Ending.CRASHED, "it failed: exit code 3: no more pages")


def test_printed_output_is_not_a_result() -> None:
    outcome = run(entries.print_garbage)
    assert (outcome.ending, outcome.rows) == (Ending.FINISHED, ("after",))
    assert "}{ not a result" in outcome.stderr and "nor this" in outcome.stderr


def test_garbage_among_the_results_ends_a_child_and_is_shown() -> None:
    outcome = run(entries.write_garbage_as_results)
    assert (outcome.ending, outcome.rows) == (Ending.CRASHED, ("before",))
    assert outcome.reason == r"it failed: it wrote a line that is not a result: b'}{ \xff'"


@pytest.mark.parametrize("entry", [entries.give_too_much, entries.give_an_endless_row])
def test_a_child_that_returns_too_much_is_stopped(entry: EntryPoint) -> None:
    outcome = run(entry, output_bytes=5 * 1024**2)
    assert (outcome.ending, outcome.reason) == (Ending.OUTPUT, "it gives more than 5 MB of results")
    assert sum(len(row) for row in outcome.rows) <= 5 * 1024**2


def test_the_end_of_a_childs_printed_output_is_kept() -> None:
    outcome = run(entries.print_too_much)
    assert outcome.ending is Ending.FINISHED and outcome.rows == ("after",)
    assert outcome.stderr.endswith(" the end") and len(outcome.stderr) <= 16 * 1024


def test_a_child_that_closes_its_result_pipe_is_still_limited() -> None:
    outcome = run(entries.close_its_results, wall_s=4.0)
    assert (outcome.ending, outcome.rows) == (Ending.WALL_TIME, ("before",))


def test_a_row_that_is_not_json_is_an_error_of_the_child() -> None:
    assert run(entries.give_what_json_does_not_know).reason.startswith("it failed: TypeError: Object of type set is not JSON serializable")


def test_an_unknown_entry_point_is_an_error_of_the_child() -> None:
    def inner(source: object) -> list[object]:
        return []

    assert "AttributeError" in run(inner).reason


def test_secrets_of_the_dashboard_do_not_reach_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERTEX_SECRET_KEY", "secret")
    [environment] = run(entries.show_environment).rows
    assert not [name for name in environment if name.startswith(("VERTEX", "DJANGO"))]


def test_the_callback_runs_repeatedly_and_may_stop_the_child(children: Children) -> None:
    class GoneError(Exception):
        pass

    looks = []

    def look() -> None:
        looks.append(children())
        if len(looks) == 3:
            raise GoneError

    with pytest.raises(GoneError):
        run_in_sandbox(entries.sleep, [], limits=LIMITS, look=look)
    assert [len(each) for each in looks] == [1, 1, 1] and children() == []


def test_a_child_dies_with_its_parent() -> None:
    code = (
        "from extraction.services.core.sandbox import SandboxLimits, run_in_sandbox; from tests.services.core import sandbox_entries\n"
        "run_in_sandbox(sandbox_entries.sleep, [], limits=SandboxLimits(cpu_s=60, wall_s=600, memory_bytes=1024**3))"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[3]) as parent:
        end = time.monotonic() + 20
        while not (found := psutil.Process(parent.pid).children()) and time.monotonic() < end:
            time.sleep(0.05)
        [child] = found
        time.sleep(1)  # until it has asked to die with its parent
        os.kill(parent.pid, signal.SIGKILL)
    assert is_gone(child.pid)
