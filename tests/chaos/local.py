"""The database, the queue and the stored pages of an installation in its own folder, and what can happen to them."""

import contextlib
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from tests import migrated

LOCKED_S = (0.5, 5.0)
"""The least and most seconds for which the database is locked."""

LOCKED_FOR_LONG_S = 35.0
"""Longer than the database is waited for."""

Later = Callable[..., None]
"""Takes what to do, and after how many seconds; by chance if that is not given."""


class Local:
    """SQLite, a queue of files and a folder of stored pages. folder: where they lie."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locked_for_long = False

    def create(self) -> None:
        """Make an empty database."""
        migrated.copy_database(self._folder)

    def copy(self, folder: Path) -> "Local":
        """Make the files ready to be copied by the caller, and return what will be in the other folder."""
        with contextlib.closing(sqlite3.connect(self._database)) as database:
            database.execute("pragma wal_checkpoint(truncate)")
        return Local(folder)

    def environment(self) -> dict[str, str]:
        """Return the variables that name them: none, because all this is the default."""
        return {}

    def query(self, text: str) -> list[tuple[object, ...]]:
        """Return rows of the database, or raise OSError while it is locked."""
        try:
            with contextlib.closing(sqlite3.connect(self._database, timeout=60)) as database:
                return list(database.execute(text))
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error

    def make_faults(self, source: random.Random, later: Later, seconds: float) -> dict[str, Callable[[], bool]]:
        """Return {name: what injects it and returns whether it did}."""
        return {
            "database locked": lambda: self._lock_database(source.uniform(*LOCKED_S), later),
            "database locked for long": lambda: seconds >= 2 * LOCKED_FOR_LONG_S and self._lock_for_long(later),
            "broker emptied": self._empty_broker,
            "message garbled": self._garble_message,
            "storage away": lambda: self._take_storage_away(later),
            "storage read-only": lambda: self._forbid_writing(later),
        }

    @property
    def _database(self) -> Path:
        return self._folder / "vertex.sqlite3"

    def _lock_database(self, seconds: float, later: Later) -> bool:
        def hold() -> None:
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(self._database, timeout=30)) as database:
                database.execute("begin immediate")
                time.sleep(seconds)
                database.rollback()

        later(hold, 0)
        return True

    def _lock_for_long(self, later: Later) -> bool:
        """Lock the database for longer than anybody waits for it, but only once."""
        first, self._locked_for_long = not self._locked_for_long, True
        return first and self._lock_database(LOCKED_FOR_LONG_S, later)

    def _empty_broker(self) -> bool:
        messages = list((self._folder / "queue" / "messages").glob("*"))
        for message in messages:
            message.unlink(missing_ok=True)
        return bool(messages)

    def _garble_message(self) -> bool:
        for message in (self._folder / "queue" / "messages").glob("*.msg"):
            with contextlib.suppress(OSError):
                message.write_bytes(b"\0{garbled")
                return True
        return False

    def _take_storage_away(self, later: Later) -> bool:
        """Put a file in the place of the folder of the stored pages for a while, so that nothing in it can be read or written."""
        storage = self._folder / "storage"
        away = storage.with_name("storage-away")
        if away.exists() or not storage.is_dir():
            return False
        storage.rename(away)
        storage.touch()

        def bring_back() -> None:
            storage.unlink()
            away.rename(storage)

        later(bring_back)
        return True

    def _forbid_writing(self, later: Later) -> bool:
        """Let nothing be made or written in the folder of the stored pages for a while, as if its disk were mounted so."""
        hook = self._folder / "hooks" / "read-only"
        hook.write_text(str(self._folder / "storage"))
        later(lambda: hook.unlink(missing_ok=True))
        return True
