"""Zip files: names, damage, bombs and links in them."""

import io
import random
import struct
import tarfile
import zipfile

import pytest

from extraction.fetching import manifest
from extraction.fetching.archives import ArchiveError, Limits, PageItem, Refused
from extraction.fetching.items import FREE_EXPANSION_BYTES
from tests.fetching.archive_files import PAGE, make_zip, page_names, page_urls, read_items, refusals


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(make_zip({"a.html": PAGE}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    assert refusals(read_items(bytes(data))) == {"a.html": "it is encrypted"}


def test_a_damaged_entry_is_refused_and_the_next_is_read() -> None:
    data = bytearray(make_zip({"a.html": PAGE * 30, "b.html": PAGE}, zipfile.ZIP_STORED))
    data[data.index(b"A book")] ^= 1
    found = read_items(bytes(data))
    assert page_names(found) == ["b.html"]
    assert "damaged" in refusals(found)["a.html"]


class Unseekable(io.BytesIO):
    """What makes zipfile write lengths behind the entries, as programs that stream do."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize("buffer", [io.BytesIO, Unseekable])
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_the_first_pages_of_a_truncated_zip_are_read(buffer: type[io.BytesIO], method: int) -> None:
    target = buffer()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("manifest.csv", "file,url\np/0.html,http://e.com/0\np/9.html,http://e.com/9\n")
        for n in range(10):
            archive.writestr(f"p/{n}.html", PAGE + random.Random(n).randbytes(3000))
        archive.writestr("a.css", "b{}")
    data = target.getvalue()
    found = read_items(data[: len(data) * 55 // 100])
    if buffer is Unseekable and method == zipfile.ZIP_STORED:
        assert refusals(found) == {"upload": "it was cut off, and manifest.csv does not say how long it is; the part before that was read"}
        return
    assert page_names(found) == [f"p/{n}.html" for n in range(5)]
    assert page_urls(found)[0] == "http://e.com/0"
    assert refusals(found) == {
        "p/5.html": "it was cut off",
        "p/9.html": "the manifest lists it, but it is missing",
        "upload": "it was cut off; the part before that was read",
    }


def test_reading_a_truncated_zip_stops_at_a_bomb() -> None:
    target = Unseekable()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.html", b"\0" * (FREE_EXPANSION_BYTES + 1_000_000))
        archive.writestr("a.html", PAGE)
    found = read_items(target.getvalue()[:-60])
    assert page_names(found) == []
    assert refusals(found) == {"upload": "it unpacks to more than 200 times its size; the rest was not read"}


def test_a_zip_bomb_is_neither_unpacked_nor_fatal() -> None:
    bomb = make_zip({"bomb.html": b"\0" * 50_000_000, "a.html": PAGE})
    found = read_items(bomb, Limits(10, 100_000_000, 10**9, 200))
    assert page_names(found) == ["a.html"]
    assert refusals(found) == {"bomb.html": "it unpacks to more than 200 times its size"}


def test_an_overlong_zip_directory_is_refused_before_it_is_read() -> None:
    data = bytearray(make_zip({"a.html": PAGE}))
    at = data.rindex(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<I", 400_000_000)
    with pytest.raises(ArchiveError, match="directory has 400,000,000 bytes"):
        read_items(bytes(data))


def test_a_symbolic_link_in_a_zip_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("l.html")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert refusals(read_items(buffer.getvalue())) == {"l.html": "it is a symbolic link"}


def test_names_that_are_not_utf8_are_escaped() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo("caf\udce9.html")
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
    assert page_names(read_items(buffer.getvalue())) == ["caf\\xe9.html"]


def test_a_zip_name_in_unmarked_utf8_is_understood() -> None:
    data = make_zip({"cafXX.html": PAGE}).replace(b"cafXX", "café".encode())
    assert page_names(read_items(data)) == ["café.html"]


def test_of_two_files_with_the_same_name_the_first_is_read() -> None:
    buffer = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.html", PAGE)
        archive.writestr("a.html", PAGE + b"2")
    found = read_items(buffer.getvalue())
    assert [item.content for item in found if isinstance(item, PageItem)] == [PAGE]
    assert "an earlier file has the same name" in refusals(found)["a.html"]


@pytest.mark.parametrize(("method", "word"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA")])
def test_only_stored_and_deflated_entries_are_unpacked(method: int, word: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("manifest.csv", b"file,url\n" * 2_000_000, method)
        archive.writestr("a.html", PAGE + b" " * 2_000_000, method)
        archive.writestr("b.html", PAGE, zipfile.ZIP_DEFLATED)
    found = read_items(buffer.getvalue())
    assert page_names(found) == ["b.html"]
    assert refusals(found) == {
        "a.html": f"it is packed with {word}; only files that are stored or deflated are read",
        "manifest.csv": f"it is packed with {word}; only files that are stored or deflated are read; file names are used as addresses",
    }


@pytest.mark.parametrize("line", [b"a.html,http://e.com/a\n", b"a.html,nowhere\n", b"../a,\n", b"\n", b",\n"])
def test_a_manifest_of_repeated_lines_takes_little_memory_and_says_where_it_ends(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "MAX_LINES", 5_000)
    found = manifest.parse_manifest(b"file,url\n" + line * 20_000)
    assert len(found.rows) <= 1
    assert len(found.problems) <= manifest.MAX_PROBLEMS + 2
    assert Refused("manifest.csv", "it has more than 5,000 lines; its other lines were not read") in found.problems
    if line.startswith(b"a"):
        assert found.problems[-1].reason.endswith("more of its lines have problems, which are not listed")
