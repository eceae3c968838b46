"""Bytes are stored once, thrown away into a bin from which they come back, and never half written."""

import errno
import io
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.utils import timezone

from extraction.services.core import stored_bytes

SOON = timezone.now() + timedelta(days=1)


class Objects(Storage):
    """An object storage, whose objects are no files."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def _open(self, name: str, mode: str = "rb") -> ContentFile[bytes]:
        return ContentFile(self.objects[name])

    def _save(self, name: str, content: IO[bytes]) -> str:
        self.objects[name] = content.read()
        return name

    def exists(self, name: str) -> bool:
        return name in self.objects

    def delete(self, name: str) -> None:
        del self.objects[name]


@pytest.fixture(autouse=True)
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A storage of its own, which is empty."""
    monkeypatch.setattr(default_storage, "_wrapped", FileSystemStorage(location=tmp_path / "storage"))
    return tmp_path / "storage"


def test_an_empty_storage_has_nothing_and_an_empty_bin(storage: Path) -> None:
    assert list(stored_bytes.list_stored(before=SOON)) == [] and stored_bytes.find_thrown_away(SOON) == []
    with pytest.raises(NotADirectoryError) as caught:
        stored_bytes.check_storage()
    assert caught.value.errno == errno.ENOTDIR
    storage.mkdir()
    with pytest.raises(NotADirectoryError):
        stored_bytes.check_storage()
    stored_bytes.put_bytes(b"Emma")
    stored_bytes.check_storage()


def test_what_is_thrown_away_is_still_found_until_the_bin_is_emptied(storage: Path) -> None:
    sha256 = stored_bytes.put_bytes(b"Emma")
    stored_bytes.throw_away(sha256)
    assert stored_bytes.get_bytes(sha256) == b"Emma" and list(stored_bytes.list_stored(before=SOON)) == []
    stored_bytes.throw_away(sha256)  # twice does no harm
    assert stored_bytes.find_thrown_away(SOON) == [sha256]
    stored_bytes.empty_trash(sha256, wanted=True)
    assert stored_bytes.find_thrown_away(SOON) == [] and [set(each) for each in stored_bytes.list_stored(before=SOON)] == [{sha256}]
    stored_bytes.throw_away(sha256)
    stored_bytes.empty_trash(sha256, wanted=False)
    with pytest.raises(FileNotFoundError):
        stored_bytes.get_bytes(sha256)


def test_only_what_was_stored_before_a_time_is_listed_and_half_written_files_are_not(storage: Path) -> None:
    sha256 = stored_bytes.put_bytes(b"Emma")
    folder = storage / "pages" / sha256[:2]
    (folder / ".half").write_bytes(b"x")
    assert list(stored_bytes.list_stored(before=SOON)) == [{sha256: (folder / f"{sha256[2:]}.gz").stat().st_size}]
    assert list(stored_bytes.list_stored(before=SOON - timedelta(days=2))) == []


def test_a_storage_that_does_not_replace_objects_keeps_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Objects()
    monkeypatch.setattr(default_storage, "_wrapped", store)
    stored_bytes.keep_file("a", b"one")
    stored_bytes.keep_file("a", b"two")
    assert store.objects == {"a": b"one"}
    with pytest.raises(OSError, match="the storage has another file named a and does not replace it"):
        stored_bytes.keep_stream("a", io.BytesIO(b"three"))
    stored_bytes.keep_stream("b", io.BytesIO(b"four"))
    assert store.objects == {"a": b"one", "b": b"four"}
    stored_bytes.check_storage()  # it says so itself if it cannot be used
