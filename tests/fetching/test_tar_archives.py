"""Tar files: damage, bombs and links in them."""

import io
import random
import tarfile
import time

import pytest

from extraction.fetching.items import FREE_EXPANSION_BYTES
from tests.fetching.archive_files import PAGE, make_tar, page_names, read_items, refusals


def test_a_gzip_bomb_stops_reading() -> None:
    found = read_items(make_tar({"a.html": PAGE, "bomb.bin": b"\0" * (FREE_EXPANSION_BYTES + 1_000_000), "b.html": PAGE}))
    assert page_names(found) == ["a.html"]
    assert refusals(found) == {"upload": "it unpacks to more than 200 times its size; the rest was not read"}


def test_links_and_devices_in_a_tar_file_are_refused() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind in {
            "s.html": tarfile.SYMTYPE,
            "h.html": tarfile.LNKTYPE,
            "d.html": tarfile.CHRTYPE,
            "f.html": tarfile.FIFOTYPE,
        }.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("a.html")
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
    found = read_items(buffer.getvalue())
    assert page_names(found) == ["a.html"]
    assert set(refusals(found)) == {"s.html", "h.html", "d.html", "f.html"}


def test_the_first_pages_of_a_truncated_tar_file_are_read() -> None:
    files = {f"{n}.html": PAGE + random.Random(n).randbytes(5000) for n in range(20)}
    for data in (make_tar(files), make_tar(files, "w")):
        found = read_items(data[: len(data) // 2])
        assert page_names(found) == [f"{n}.html" for n in range(len(page_names(found)))]
        assert 5 < len(page_names(found)) < 15
        assert "the part before that was read" in refusals(found)["upload"]


def test_a_tar_header_that_claims_gigabytes_is_refused() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 4_000_000_000
    found = read_items(make_tar({"a.html": PAGE}, "w")[:1024] + info.tobuf() + b"x" * 5000)
    assert page_names(found) == ["a.html"]
    assert "at once" in refusals(found)["upload"]


def test_a_tar_file_of_nested_headers_is_refused_with_a_reason() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 2
    nested = (info.tobuf() + b"n\0".ljust(512, b"\0")) * 3000
    found = read_items(make_tar({"a.html": PAGE}, "w")[:1024] + nested)
    assert page_names(found) == ["a.html"]
    assert "damaged" in refusals(found)["upload"]


def make_pax_tar(fields: dict[str, str], *, headers: int = 1, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return a tar file with a page, headers with these fields, and another page."""
    text = b""
    for name, value in fields.items():
        line = f" {name}={value}\n".encode()
        size = len(line) + len(str(len(line) + len(str(len(line)))))
        text += str(size).encode() + line
    header = tarfile.TarInfo("fields")
    header.type, header.size = kind, len(text)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in ("a.html", "b.html"):
            info = tarfile.TarInfo(name)
            info.size = len(PAGE)
            archive.addfile(info, io.BytesIO(PAGE))
            for _ in range(headers if name == "a.html" else 0):
                archive.addfile(header, io.BytesIO(text))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("fields", "headers", "kind", "reason"),
    [
        ({"comment": "1" * 300_000}, 1, tarfile.XHDTYPE, "it has a header with a number of more than 400 digits"),
        ({"comment": "x" * 1_055_000}, 1, tarfile.XHDTYPE, "it has a header without an end"),
        ({"comment": "x" * 90_000}, 20, tarfile.XHDTYPE, "it has a header without an end"),
        ({f"field.{n}": "x" for n in range(10_000)}, 1, tarfile.XGLTYPE, "it has more than 200 fields for all files"),
    ],
)
def test_headers_that_take_the_library_long_end_the_reading(fields: dict[str, str], headers: int, kind: bytes, reason: str) -> None:
    data = make_pax_tar(fields, headers=headers, kind=kind)
    started = time.process_time()
    found = read_items(data)
    assert time.process_time() - started < 2
    assert page_names(found) == ["a.html"]
    assert refusals(found) == {"upload": f"{reason}; the part before that was read"}


def test_headers_of_usual_size_are_read() -> None:
    fields = {"path": "long/" * 60 + "c.html", "mtime": "1700000000.123456789", "SCHILY.xattr.user.note": "x" * 60_000}
    assert page_names(read_items(make_pax_tar(fields))) == ["a.html", fields["path"]]
