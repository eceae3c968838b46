"""Functions that the tests run in a child: some behave well, others do not."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any, BinaryIO


def echo(source: BinaryIO) -> Iterator[Any]:
    for line in source:
        yield line.decode().strip()


def count_bytes(source: BinaryIO) -> Iterator[int]:
    yield len(source.read())


def show_environment(source: BinaryIO) -> Iterator[Any]:
    yield dict(os.environ)


def raise_error(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    raise ValueError("the seventh page is odd")


def recurse(source: BinaryIO) -> Iterator[Any]:
    yield recurse_forever(0)


def recurse_forever(depth: int) -> int:
    return recurse_forever(depth + 1) + 1


def overflow_stack(source: BinaryIO) -> Iterator[Any]:
    """Make nested calls in C, so that the stack overflows before Python's own limit."""
    sys.setrecursionlimit(10**9)
    nested: list[Any] = []
    for _ in range(1_000_000):
        nested = [nested]
    yield repr(nested)


def allocate(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    held = []
    while True:
        held.append(bytearray(10_000_000))


def allocate_by_numpy(source: BinaryIO) -> Iterator[Any]:
    import numpy

    yield numpy.ones((100_000, 100_000)).tolist()


def spin(source: BinaryIO) -> Iterator[Any]:
    yield os.getpid()
    while True:
        pass


def spin_without_signals(source: BinaryIO) -> Iterator[Any]:
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    yield from spin(source)


def sleep(source: BinaryIO) -> Iterator[Any]:
    yield os.getpid()
    time.sleep(600)
    yield "slept"


def rest_between_rows(source: BinaryIO) -> Iterator[Any]:
    yield 1
    yield 2
    time.sleep(600)


def kill_itself(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    os.kill(os.getpid(), signal.SIGKILL)


def fault(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(source: BinaryIO) -> Iterator[Any]:
    print("no more pages", file=sys.stderr)
    sys.exit(3)
    yield


def print_garbage(source: BinaryIO) -> Iterator[Any]:
    print("}{ not a result")
    os.write(1, b"\xff\x00 nor this\n")
    yield "after"


def write_garbage_as_results(source: BinaryIO) -> Iterator[Any]:
    """Write to any open descriptor, as a badly behaved library may do."""
    yield "before"
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b"}{ \xff\n")
        except OSError:
            continue
    time.sleep(600)


def give_too_much(source: BinaryIO) -> Iterator[Any]:
    while True:
        yield "x" * 100_000


def give_an_endless_row(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    yield "x" * 50_000_000


def print_too_much(source: BinaryIO) -> Iterator[Any]:
    for _ in range(200):
        sys.stderr.write("y" * 100_000)
    sys.stderr.write(" the end")
    yield "after"


def close_its_results(source: BinaryIO) -> Iterator[Any]:
    yield "before"
    os.closerange(3, 20)
    time.sleep(600)


def give_what_json_does_not_know(source: BinaryIO) -> Iterator[Any]:
    yield {1, 2}
