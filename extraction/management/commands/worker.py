"""The command that runs workers and starts each one again when it dies."""

import itertools
import os
import signal
import subprocess
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection

from extraction.services.core import lost_runs
from extraction.services.core.sandbox_child import die_with_parent

RESTART_S = 1.0
"""The least time between two starts of a worker, so that one that dies at once does not overload the machine."""

LOOK_EVERY = 5
"""After how many turns of the loop to look for workers that hang."""

STOP_S = 3.0
"""How long a worker may go on after it was told to stop. Its run is a row in the database, so the next worker starts it again."""


class Command(BaseCommand):
    help = "Run workers. A worker that dies or hangs is started again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=2, help="how many workers (default: 2)")
        parser.add_argument("--loglevel", default="INFO")

    def handle(self, *, processes: int, loglevel: str, **_: Any) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        commands = [_command(number, loglevel) for number in range(1, processes + 1)]
        workers: list[subprocess.Popen[bytes]] = []
        try:
            workers += [_start(command) for command in commands]
            for second in itertools.count():
                time.sleep(RESTART_S)
                if second % LOOK_EVERY == 0:
                    self._end_stuck(workers)
                for number, worker in enumerate(workers):
                    if worker.poll() is not None:
                        self.stderr.write(f"Worker {number + 1} ended with {worker.returncode}; starting it again")
                        workers[number] = _start(commands[number])
        except KeyboardInterrupt:
            _stop(workers)

    def _end_stuck(self, workers: "list[subprocess.Popen[bytes]]") -> None:
        """Kill the workers that hang; the next turn of the loop starts them again. Their runs are in the database."""
        try:
            stuck = lost_runs.find_stuck_workers([worker.pid for worker in workers if worker.poll() is None])
        except DatabaseError:  # the workers need the database, too; the next look tells more
            return
        finally:
            connection.close()
        for worker in workers:
            if worker.pid in stuck:
                self.stderr.write(f"Ending the worker with process number {worker.pid}: {stuck[worker.pid]}")
                worker.kill()


def _command(number: int, loglevel: str) -> list[str]:
    # Each worker is a single process. The processes of Celery's own pool share a lock. If one is killed while it holds the lock, for
    # example because memory ran out, the others wait for ever.
    name = f"worker{number}@%h"
    options = ["--pool", "solo", "--hostname", name, "--loglevel", loglevel, "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "-A", "vertex", "worker", *options]


def _start(command: list[str]) -> "subprocess.Popen[bytes]":
    supervisor = os.getpid()
    return subprocess.Popen(  # noqa: S603 - our own command line
        command,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: die_with_parent(supervisor),
    )


def _stop(workers: "list[subprocess.Popen[bytes]]") -> None:
    for worker in workers:
        worker.terminate()
    end = time.monotonic() + STOP_S
    for worker in workers:
        try:
            worker.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
