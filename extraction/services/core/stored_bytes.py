"""The bytes of pages, stored once under their sha256 and compressed."""

import errno
import gzip
import hashlib
import io
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from django.core.files.base import File
from django.core.files.storage import default_storage

LEVEL = 6
"""Compression level. gzip's default, level 9, takes twice the time to save one per cent on HTML."""

PAGES = "pages"
"""Folder for contents."""

BIN = "bin"
"""Folder for contents that nothing needs any more. They stay there for some days."""


def digest_bytes(content: bytes) -> str:
    """Return the name under which bytes are stored: their sha256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def put_bytes(content: bytes) -> str:
    """Store bytes unless they are stored already, and return their sha256."""
    sha256 = digest_bytes(content)
    name = _name(sha256)
    if not default_storage.exists(name):
        keep_file(name, gzip.compress(content, LEVEL, mtime=0))
    return sha256


def get_bytes(sha256: str) -> bytes:
    """Return the bytes stored under a sha256. Raises FileNotFoundError if there are none."""
    try:
        return _read(_name(sha256))
    except FileNotFoundError:
        with suppress(FileNotFoundError):
            return _read(_bin(sha256))  # it was moved there although something has begun to need it
        raise


def throw_away(sha256: str) -> None:
    """Move bytes to the bin. `get_bytes` still finds them there; `put_bytes` does not look there and stores them again."""
    if default_storage.exists(_name(sha256)):
        with default_storage.open(_name(sha256), "rb") as file:
            keep_file(_bin(sha256), file.read())
        default_storage.delete(_name(sha256))


def list_stored(*, before: datetime) -> Iterator[dict[str, int]]:
    """Yield {sha256: size of the file in bytes} of what was stored before a time, folder by folder."""
    if not default_storage.exists(PAGES):
        return
    for folder in sorted(default_storage.listdir(PAGES)[0]):
        found = {}
        for name in default_storage.listdir(f"{PAGES}/{folder}")[1]:
            path = f"{PAGES}/{folder}/{name}"
            if not name.startswith(".") and default_storage.get_modified_time(path) < before:
                found[folder + name.removesuffix(".gz")] = default_storage.size(path)
        if found:
            yield found


def find_thrown_away(before: datetime) -> list[str]:
    """Return the sha256s of what was moved to the bin before a time."""
    if not default_storage.exists(BIN):
        return []
    names = [name.removesuffix(".gz") for name in default_storage.listdir(BIN)[1] if not name.startswith(".")]
    return sorted(sha256 for sha256 in names if default_storage.get_modified_time(_bin(sha256)) < before)


def empty_trash(sha256: str, *, wanted: bool) -> None:
    """Remove bytes from the bin: restore them if they are wanted after all, else delete them."""
    if wanted and not default_storage.exists(_name(sha256)):
        with default_storage.open(_bin(sha256), "rb") as file:
            keep_file(_name(sha256), file.read())
    default_storage.delete(_bin(sha256))


def check_storage() -> None:
    """Raise OSError if the folder of the storage is missing or empty: a disk that is not mounted looks so.

    Call it before something is given up because its file is missing.
    """
    try:
        root = Path(default_storage.path(""))
    except NotImplementedError:  # an object storage says so itself
        return
    if not root.is_dir() or not any(root.iterdir()):
        raise NotADirectoryError(errno.ENOTDIR, "the folder of the storage is missing or empty", str(root))


def keep_file(name: str, data: bytes) -> None:
    """Write a file of the storage completely or not at all, replacing an existing one.

    Django's file storage opens the final name and then writes, so a writer that is killed would leave half a page under that
    name for good. So the bytes are written to a temporary name and renamed. An object store shows an object only once it is
    complete; one that does not replace objects keeps the first.
    """
    _keep_whole(name, io.BytesIO(data))


def keep_stream(name: str, source: IO[bytes]) -> None:
    """Write a file of the storage from another file, completely or not at all. Raises OSError if it does not replace an existing one."""
    if not _keep_whole(name, source):
        raise OSError(f"the storage has another file named {name} and does not replace it")


def _keep_whole(name: str, source: IO[bytes]) -> bool:
    """Write a file. Return False if the storage keeps an existing one."""
    try:
        path = Path(default_storage.path(name))
    except NotImplementedError:
        saved = default_storage.save(name, File(source))
        if saved != name:
            default_storage.delete(saved)
        return saved == name
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with half.open("wb") as file:
            shutil.copyfileobj(source, file)
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
    return True


def _read(name: str) -> bytes:
    with default_storage.open(name, "rb") as file:
        return gzip.decompress(file.read())


def _bin(sha256: str) -> str:
    return f"{BIN}/{sha256}.gz"


def _name(sha256: str) -> str:
    return f"{PAGES}/{sha256[:2]}/{sha256[2:]}.gz"
