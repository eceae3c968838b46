"""What a process works on, for the lines that it logs meanwhile. Settings name this module, so it imports nothing of Django."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_work: ContextVar[Mapping[str, str | int]] = ContextVar("work", default={})  # noqa: B039 - it is never changed


@contextmanager
def working_on(**work: str | int) -> Iterator[None]:
    """Add fields to what is logged in this block: run, kind and site of a run."""
    before = _work.set({**_work.get(), **work})
    try:
        yield
    finally:
        _work.reset(before)


def read_work() -> Mapping[str, str | int]:
    """Return the fields; empty outside of such a block."""
    return _work.get()


class Work(logging.Filter):
    """Gives each record what the process works on, as its attribute `work`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record."""
        record.work = read_work()
        return True
