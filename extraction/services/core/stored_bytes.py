"""The bytes of pages: stored once under their sha256, compressed."""

import gzip
import hashlib
import uuid
from datetime import datetime
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

LEVEL = 6
"""gzip's own default: level 9 takes twice the time for one per cent on HTML."""

BIN = "bin"
"""Folder of contents that nothing needs any more, for some days."""


def digest_bytes(content: bytes) -> str:
    """The name under which a content is kept: its sha256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def put_bytes(content: bytes) -> str:
    """Keeps a content unless it is there already; gives its sha256."""
    sha256 = digest_bytes(content)
    name = _name(sha256)
    if not default_storage.exists(name):
        keep_file(name, gzip.compress(content, LEVEL, mtime=0))
    return sha256


def get_bytes(sha256: str) -> bytes:
    """The bytes kept under a sha256. Raises FileNotFoundError naming it."""
    name = _name(sha256)
    if not default_storage.exists(name) and default_storage.exists(_bin(sha256)):
        name = _bin(sha256)  # somebody came to need it just when it was put there
    with default_storage.open(name, "rb") as file:
        return gzip.decompress(file.read())


def throw_away(sha256: str) -> None:
    """Puts a content into the bin, where `get` still finds it. Whoever stores it again does not look there."""
    if default_storage.exists(_name(sha256)):
        with default_storage.open(_name(sha256), "rb") as file:
            keep_file(_bin(sha256), file.read())
        default_storage.delete(_name(sha256))


def find_thrown_away(before: datetime) -> list[str]:
    """What is in the bin since before a time."""
    if not default_storage.exists(BIN):
        return []
    names = [name.removesuffix(".gz") for name in default_storage.listdir(BIN)[1] if not name.startswith(".")]
    return sorted(sha256 for sha256 in names if default_storage.get_modified_time(_bin(sha256)) < before)


def empty_trash(sha256: str, *, wanted: bool) -> None:
    """Takes a content out of the bin: back to where it was if it is wanted after all, else for good."""
    if wanted and not default_storage.exists(_name(sha256)):
        with default_storage.open(_bin(sha256), "rb") as file:
            keep_file(_name(sha256), file.read())
    default_storage.delete(_bin(sha256))


def keep_file(name: str, data: bytes) -> None:
    """Writes a file of the storage whole or not at all, over what is there.

    Django's storage for files opens the final name and then writes: a writer killed in between would leave half a page
    under the name of the whole one, for ever. So the bytes go to a name of their own and are renamed. An object store
    shows an object only once it is complete.
    """
    try:
        path = Path(default_storage.path(name))
    except NotImplementedError:
        saved = default_storage.save(name, ContentFile(data))
        if saved != name:
            default_storage.delete(saved)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        half.write_bytes(data)
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise


def _bin(sha256: str) -> str:
    return f"{BIN}/{sha256}.gz"


def _name(sha256: str) -> str:
    return f"pages/{sha256[:2]}/{sha256[2:]}.gz"
