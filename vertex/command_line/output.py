"""What commands print, and the exit codes."""

import dataclasses
import json
import math
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

import click

from vertex.client import RunFailed, VertexError
from vertex.client_rows import Run

FAILED, RUN_FAILED, UNREACHABLE, FORBIDDEN, FOUND_BROKEN, CONFLICT = 1, 3, 4, 5, 6, 7
"""Exit codes. 0: done. 1: refused or failed. 2: wrong arguments (click). docs/command-line.md lists them."""

SECONDS_SHOWN_FROM = 1

QUEUED_LONG_S = 10
"""After so long in the queue, a person is told that no worker takes the run."""

NO_WORKER = "No worker has taken it yet. Workers run with “vertex serve”; with --here before the command, its work is done without one."


class Failure(click.ClickException):
    """A command failed."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        vars(self)["exit_code"] = code  # click declares it for the class


def read_version() -> str:
    """Return the version of Vertex; "unknown" in a checkout that was not installed."""
    try:
        return version("vertex")
    except PackageNotFoundError:
        return "unknown"


def fail(error: VertexError) -> NoReturn:
    """End the command with the message and the exit code of an error."""
    if isinstance(error, RunFailed):
        raise Failure(str(error), RUN_FAILED) from error
    codes = {0: UNREACHABLE, 401: FORBIDDEN, 403: FORBIDDEN}
    raise Failure(str(error), codes.get(error.status, FAILED)) from error


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    click.echo(json.dumps(value, default=_as_json, ensure_ascii=False))


def print_rows(rows: Iterable[Any], columns: Sequence[str], *, as_json: bool) -> None:
    """Print rows as a table, or as one line of JSON each."""
    if as_json:
        for row in rows:
            print_json(row)
        return
    print_table(columns, ([getattr(row, name) for name in columns] for row in rows))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table of values."""
    lines = [tuple(columns), *(tuple(map(_as_text, row)) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if len(lines) == 1:
        click.echo("(none)")


def print_row(row: Any, *, as_json: bool) -> None:
    """Print one object: a field a line, or as JSON."""
    if as_json:
        print_json(row)
        return
    for each in dataclasses.fields(row):
        click.echo(f"{each.name:16} {_as_text(getattr(row, each.name))}".rstrip())


class RunPrinter:
    """Prints the progress of a run on standard error: one line that changes, or a line for each run if nobody watches."""

    def __init__(self) -> None:
        self._shown: int | None = None
        self._watched = sys.stderr.isatty()
        self._queued: tuple[int, float] | None = None

    def __call__(self, run: Run) -> None:
        self._say_if_nobody_works(run)
        total = f"/{run.total:,}" if run.total else ""
        left = f", {run.left_s:.0f} s left" if run.left_s and run.left_s >= SECONDS_SHOWN_FROM else ""
        line = f"{run.kind} (run {run.id}): {run.state}, {run.done:,}{total} {run.unit}{left} {run.message}".rstrip()
        if self._watched:
            click.echo(f"\r\x1b[K{line}", err=True, nl=run.finished)
        elif run.finished or self._shown != run.id:
            click.echo(line, err=True)
            self._shown = run.id

    def _say_if_nobody_works(self, run: Run) -> None:
        """Say once for each run that it has been queued for long."""
        if run.state != "queued":
            return
        if self._queued is None or self._queued[0] != run.id:
            self._queued = (run.id, time.monotonic())
        elif time.monotonic() - self._queued[1] > QUEUED_LONG_S:
            click.echo(("\n" if self._watched else "") + NO_WORKER, err=True)
            self._queued = (run.id, math.inf)


def _as_json(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be written as JSON")


def _as_text(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, list | tuple):
        return "; ".join(map(_as_text, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_as_text(each)}" for name, each in value.items() if each not in (None, "", [], {})) or "-"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _as_text(_as_json(value))
    return str(value)
