"""Runs chosen tests in a child that forks from a process which has loaded the libraries: `python -m tests.mutation.runner`.

Each line of the input is a request (JSON), each line of the output its answer. No module of the dashboard is loaded before the fork, so
that each child reads the code as it is then.
"""

import importlib
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

LIBRARIES = ("pytest", "coverage", "hypothesis.strategies", "_hypothesis_pytestplugin", "numpy", "lxml.html", "datasketch", "parsel",
             "tinycss2", "regex", "re2", "html5lib", "babel.numbers", "w3lib.html", "extruct")  # fmt: skip
"""Loaded before the fork, because each child would wait for them."""

MEMORY_BYTES = 6 << 30
FLAGS = ("-x", "-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:django", "-p", "no:xdist", "-p", "no:cov",
         "-p", "no:anyio", "-m", "not data and not slow")  # fmt: skip


class Request(TypedDict):
    """files: test files. only: {test: seconds it takes}, or empty for all tests. measure: folder whose lines are measured, or ""."""

    files: list[str]
    only: dict[str, float]
    measure: str
    cpu_s: float
    wall_s: float


class Answer(TypedDict):
    """outcome: "passed", "failed" or "time". by: the test that failed. lines: {file: {line: tests}}, "" for what an import runs."""

    outcome: str
    by: str
    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]


class Selection:
    """A plugin of pytest that runs only some tests, the quick ones first, and keeps files together."""

    def __init__(self, request: Request, coverage: Any) -> None:
        self.only, self.coverage = request["only"], coverage
        self.seconds: dict[str, float] = {}
        self.failed = ""

    def pytest_configure(self) -> None:
        """Make a failure cheap: hypothesis does not look for a smaller example."""
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutation",
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
            phases=[Phase.explicit, Phase.generate],
        )
        settings.load_profile("mutation")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.only:
            chosen = [each for each in items if each.nodeid in self.only]
            first: dict[Path, float] = {}
            for each in chosen:
                first[each.path] = min(first.get(each.path, 1e9), self.only[each.nodeid])
            items[:] = sorted(chosen, key=lambda each: (first[each.path], each.path, self.only[each.nodeid]))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.seconds[nodeid] = -time.process_time()
        if self.coverage is not None:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] += time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid


def main() -> None:
    """Answer requests until the input ends."""
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)


def _answer(request: Request) -> Answer:
    """Run the tests of a request in a child, which is killed with all that it started when its time is over."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        os.close(reading)
        _run_and_leave(request, writing)
    os.close(writing)
    text = b"".join(_read(reading, time.monotonic() + request["wall_s"]))
    os.close(reading)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(text) if text else Answer(outcome="time", by="", seconds={}, lines={})


def _read(reading: int, until: float) -> Iterator[bytes]:
    while (left := until - time.monotonic()) > 0 and select.select([reading], [], [], left)[0] and (block := os.read(reading, 1 << 16)):
        yield block


def _run_and_leave(request: Request, writing: int) -> None:
    """Run the tests and write the answer. Nothing is written if the process ends before, for example for want of time or memory."""
    cpu_s = int(request["cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    silence = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(silence, each)
    sys.dont_write_bytecode = not request["measure"]
    with tempfile.TemporaryDirectory(prefix="vertex-mutation-") as var, suppress(BaseException):
        os.environ["VERTEX_VAR_DIR"] = var
        answer = json.dumps(_run(request)).encode()
        with open(writing, "wb") as pipe:
            pipe.write(answer)
    os._exit(0)


def _run(request: Request) -> Answer:
    import pytest
    from coverage import Coverage

    cover = Coverage(data_file=None, source=[request["measure"]], config_file=False) if request["measure"] else None
    selection = Selection(request, cover)
    if cover is not None:
        cover.start()
    code = pytest.main([*FLAGS, *request["files"]], plugins=[selection])
    lines: dict[str, dict[str, list[str]]] = {}
    if cover is not None:
        cover.stop()
        data = cover.get_data()
        lines = {path: {str(line): tests for line, tests in data.contexts_by_lineno(path).items()} for path in data.measured_files()}
    outcome = "passed" if code == pytest.ExitCode.OK else "failed"
    return Answer(outcome=outcome, by=selection.failed, seconds=selection.seconds, lines=lines)


if __name__ == "__main__":
    main()
