"""The bytes of pages: stored once under their sha256, compressed."""

import gzip
import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

LEVEL = 6
"""gzip's own default: level 9 takes twice the time for one per cent on HTML."""


def digest(content: bytes) -> str:
    """The name under which a content is kept: its sha256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def put(content: bytes) -> str:
    """Keeps a content unless it is there already; gives its sha256."""
    sha256 = digest(content)
    name = _name(sha256)
    if not default_storage.exists(name):
        # A writer killed half-way leaves no half file: Django's file storage writes under the name only once it is
        # open, so the write goes to a name of its own and two writers of the same bytes write the same bytes.
        saved = default_storage.save(name, ContentFile(gzip.compress(content, LEVEL, mtime=0)))
        if saved != name:
            default_storage.delete(saved)
    return sha256


def get(sha256: str) -> bytes:
    """The bytes kept under a sha256. Raises FileNotFoundError naming it."""
    with default_storage.open(_name(sha256), "rb") as file:
        return gzip.decompress(file.read())


def _name(sha256: str) -> str:
    return f"pages/{sha256[:2]}/{sha256[2:]}.gz"
