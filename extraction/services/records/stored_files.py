"""Files of downloads, kept for a while, so that a download that broke off can go on where it stopped.

A file is made once and never changed, and its etag names its bytes. A download goes on with the file that it began with, whatever has
happened to the records since. It never mixes two files.
"""

import hashlib
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.storage import default_storage
from django.db.models import Max
from django.utils import timezone

from extraction.models import StoredFile

FOLDER = "downloads"

KEPT_PER_PLACE = 3
"""Files that are kept for one person and address. Older ones go when a new one is made."""


def make_place(who: str, address: str) -> str:
    """Return the place of the files that somebody gets at an address."""
    return hashlib.sha256(f"{who}\n{address}".encode()).hexdigest()


def store_file(path: Path, *, place: str, name: str, content_type: str, made_from: str = "", owner: User | None = None) -> StoredFile:
    """Keep a copy of a complete file.

    made_from: a digest of what it was made from, by which `find_same` finds it.
    owner: the person who may fetch it by its own address.
    """
    etag = uuid.uuid4().hex
    with path.open("rb") as file:
        stored = default_storage.save(f"{FOLDER}/{etag}", File(file))
    found = StoredFile.objects.create(
        place=place,
        etag=etag,
        path=stored,
        name=name,
        content_type=content_type,
        size_bytes=path.stat().st_size,
        made_from=made_from,
        owner=owner,
        created_at=timezone.now(),
    )
    _remove(StoredFile.objects.filter(place=place).order_by("-pk")[KEPT_PER_PLACE:])
    return found


def find_to_go_on(place: str, etag: str) -> StoredFile | None:
    """Return the file with which a download goes on.

    etag: what the downloading program says it has (If-Range), "" if it does not say. Then there must be only one file, so that it
        cannot be another one.
    """
    kept = list(StoredFile.objects.filter(place=place)[:2])
    if etag:
        return StoredFile.objects.filter(place=place, etag=etag).first()
    return kept[0] if len(kept) == 1 else None


def find_same(place: str, made_from: str) -> StoredFile | None:
    """Return the newest file that was made from the same things."""
    return StoredFile.objects.filter(place=place, made_from=made_from).first()


def open_file(file: StoredFile) -> File[bytes]:
    """Return the stored bytes. Raises OSError if they are gone."""
    opened: File[bytes] = default_storage.open(file.path)
    return opened


def tidy_files(now: datetime) -> int:
    """Delete files that are older than VERTEX_DOWNLOADS_KEEP_HOURS. Return how many.

    The newest file of a place stays if it can be found again by what it was made from: programs ask for it again and again.
    """
    old = StoredFile.objects.filter(created_at__lt=now - timedelta(hours=settings.VERTEX_DOWNLOADS_KEEP_HOURS))
    made_from = StoredFile.objects.exclude(made_from="").order_by().values("place")
    return _remove(old.exclude(pk__in=made_from.annotate(newest=Max("pk")).values("newest")))


def _remove(files: Iterable[StoredFile]) -> int:
    count = 0
    for each in list(files):
        default_storage.delete(each.path)
        each.delete()
        count += 1
    return count
