"""The pages of a folder on this machine."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from extraction.fetching import files, manifest
from extraction.fetching.items import ArchiveEntry, Budget, EntryError, Item, Limits, Wanted


class FolderReader:
    """Reads the regular files below a folder, in the order of their names. It does not follow symbolic links.

    fraction: the share of the files that has been read.
    """

    ordered_by_time = False
    wanted: Wanted | None = None

    def __init__(self, folder: Path, *, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._done = 0
        self._total = 0

    @property
    def fraction(self) -> float:
        return self._done / self._total if self._total else 0.0

    def __iter__(self) -> Iterator[Item]:
        paths = list(self._paths())
        self._total = len(paths)
        # Files in a folder are not packed, so only their total size is limited.
        budget = Budget(self._limits, self._limits.total_bytes)
        yield from files.read_files(self._entries(paths, budget), self._manifest(), budget, self.wanted)

    def _paths(self) -> Iterator[Path]:
        for parent, folders, names in os.walk(self._folder):
            folders.sort()
            for name in sorted(names) + [each for each in folders if (Path(parent) / each).is_symlink()]:
                yield Path(parent) / name

    def _entries(self, paths: list[Path], budget: Budget) -> Iterator[ArchiveEntry]:
        for path in paths:
            self._done += 1
            name = str(path.relative_to(self._folder))
            problem = "it is a symbolic link" if path.is_symlink() else "" if path.is_file() else "it is not a regular file"
            yield ArchiveEntry(name, 0 if problem else path.stat().st_size, _reader(path, budget), problem)

    def _manifest(self) -> manifest.Manifest:
        path = self._folder / manifest.NAME
        if path.is_symlink() or not path.is_file():
            return manifest.Manifest()
        return manifest.too_large(path.name) if path.stat().st_size > manifest.MAX_BYTES else manifest.parse_manifest(path.read_bytes())


def _reader(path: Path, budget: Budget) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        try:
            with path.open("rb") as file:
                content = file.read(limit)
        except OSError as error:
            raise EntryError(f"it cannot be read: {error.strerror}") from error
        budget.unpack(len(content))
        return content

    return read
