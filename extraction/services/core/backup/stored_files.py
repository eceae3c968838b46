"""The files of the storage, to and from an archive."""

from collections.abc import Iterator

from django.core.files.storage import default_storage

from extraction.services.core import readiness, stored_bytes
from extraction.services.core.backup.archive import ArchiveWriter

FOLDER = "storage"

LEFT_OUT = frozenset({readiness.FOLDER, "doctor"})
"""Folders of files that live for a moment, by which Vertex tries whether the storage works."""


def list_files(folder: str = "") -> Iterator[str]:
    """Yield the names of all files below a folder of the storage. Files that are half written have names with a dot and are left out.

    The bin comes last, so that contents that are moved there meanwhile are still found.
    """
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(files):
        if not name.startswith("."):
            yield f"{folder}/{name}".lstrip("/")
    for name in sorted(folders, key=lambda name: (name == stored_bytes.BIN, name)):
        if folder or name not in LEFT_OUT:
            yield from list_files(f"{folder}/{name}".lstrip("/"))


def write_files(archive: ArchiveWriter) -> tuple[int, int]:
    """Add all files to an archive and return their number and their bytes. Files that are deleted meanwhile are left out."""
    count = total_bytes = 0
    for name in list_files():
        try:
            file = default_storage.open(name, "rb")
        except FileNotFoundError:
            continue
        with file:
            size_bytes = file.size
            archive.add(f"{FOLDER}/{name}", file, size_bytes)
        count += 1
        total_bytes += size_bytes
    return count, total_bytes
