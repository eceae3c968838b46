"""The command that runs workers and starts each one again when it dies."""

import signal
import subprocess
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

RESTART_S = 1.0
"""The least time between two starts of a worker, so that one that dies at once does not overload the machine."""

STOP_S = 3.0
"""How long a worker may go on after it was told to stop. Its run is a row in the database, so the next worker starts it again."""


class Command(BaseCommand):
    help = "Run workers. A worker that dies for any reason is started again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=2, help="how many workers (default: 2)")
        parser.add_argument("--loglevel", default="INFO")

    def handle(self, *, processes: int, loglevel: str, **_: Any) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        commands = [_command(number, loglevel) for number in range(1, processes + 1)]
        workers: list[subprocess.Popen[bytes]] = []
        try:
            workers += [_start(command) for command in commands]
            while True:
                time.sleep(RESTART_S)
                for number, worker in enumerate(workers):
                    if worker.poll() is not None:
                        self.stderr.write(f"Worker {number + 1} ended with {worker.returncode}; starting it again")
                        workers[number] = _start(commands[number])
        except KeyboardInterrupt:
            _stop(workers)


def _command(number: int, loglevel: str) -> list[str]:
    # Each worker is a single process. The processes of Celery's own pool share a lock. If one is killed while it holds the lock, for
    # example because memory ran out, the others wait for ever.
    name = f"worker{number}@%h"
    options = ["--pool", "solo", "--hostname", name, "--loglevel", loglevel, "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "-A", "vertex", "worker", *options]


def _start(command: list[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - our own command line


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
