"""Archives come from strangers: what is good in them is read, what is not is named with its reason, nothing else happens."""

import gzip
import io
import random
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.fetching.archives import ArchiveError, Item, Limits, PageItem, Refused, Skipped, read_archive
from extraction.fetching.items import FREE_EXPANSION_BYTES

LIMITS = Limits(pages=1000, page_bytes=1_000_000, total_bytes=200_000_000, expansion=200)
PAGE = b"<!doctype html><html><body><h1>A book</h1></body></html>"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def warc(records: list[dict[str, Any]], *, packed: bool = True) -> bytes:
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=packed)
    for record in records:
        kind = record.get("kind", "response")
        headers = StatusAndHeaders(
            record.get("status", "200 OK"), record.get("headers", [("Content-Type", "text/html")]), protocol="HTTP/1.1"
        )
        writer.write_record(
            writer.create_warc_record(
                record["url"],
                kind,
                payload=io.BytesIO(record.get("body", PAGE)),
                http_headers=headers if kind != "resource" else None,
                warc_content_type=record.get("type", "text/html") if kind == "resource" else "",
                warc_headers_dict={"WARC-Date": record.get("date", "2024-05-06T07:08:09Z")},
            )
        )
    return buffer.getvalue()


def items(data: bytes, limits: Limits = LIMITS, name: str = "upload") -> list[Item]:
    return list(read_archive(io.BytesIO(data), name=name, limits=limits))


def names(found: list[Item]) -> list[str]:
    return [item.name for item in found if isinstance(item, PageItem)]


def urls(found: list[Item]) -> list[str | None]:
    return [item.url for item in found if isinstance(item, PageItem)]


def refused(found: list[Item]) -> dict[str, str]:
    return {item.name: item.reason for item in found if isinstance(item, Refused)}


def skipped(found: list[Item]) -> list[str]:
    return [item.kind for item in found if isinstance(item, Skipped)]


PACKERS: list[Callable[[dict[str, bytes]], bytes]] = [zipped, tarred, lambda files: tarred(files, "w")]
packers = pytest.mark.parametrize("pack", PACKERS, ids=["zip", "tar.gz", "tar"])


@packers
def test_pages_are_what_is_named_or_looks_like_html_the_rest_is_counted(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(
        pack(
            {
                "site/a.html": PAGE,
                "site/b.HTM": PAGE,
                "site/book.php?id=3": PAGE,
                "site/wiki/Title": PAGE,
                "site/LICENSE": b"no page",
                "site/style.css": b"body{}",
                "site/logo.png": b"\x89PNG",
                "__MACOSX/site/._a.html": b"\0\5\x16\7",
                "site/.DS_Store": b"Bud1",
                "site/._b.HTM": b"\0\5\x16\7",
            }
        )
    )
    assert names(found) == ["site/a.html", "site/b.HTM", "site/book.php?id=3", "site/wiki/Title"]
    assert urls(found) == [None] * 4
    assert skipped(found) == ["not HTML", "style", "picture"]
    assert refused(found) == {}


@packers
def test_names_that_lead_elsewhere_are_refused_and_the_rest_goes_on(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({"../../etc/cron.html": PAGE, "/root.html": PAGE, "C:\\x.html": PAGE, "a/../b.html": PAGE, "./ok.html": PAGE}))
    assert names(found) == ["ok.html"]
    assert set(refused(found).values()) == {"its name leads out of the archive", "its name is an absolute path"}


@packers
def test_an_archive_within_an_archive_is_named_and_not_opened(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({"inner.zip": zipped({"x.html": PAGE}), "a.html": PAGE}))
    assert names(found) == ["a.html"]
    assert refused(found) == {"inner.zip": "an archive within an archive is not opened"}


@packers
def test_an_empty_file_named_as_a_page_is_a_page(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    assert [item.content for item in items(pack({"empty.html": b""})) if isinstance(item, PageItem)] == [b""]


@packers
def test_a_page_over_the_limit_is_refused_alone(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({"large.html": random.Random(1).randbytes(1_000_001), "exact.html": b"<p>" + b"x" * 999_997, "a.html": PAGE}))
    assert names(found) == ["exact.html", "a.html"]
    assert "more than 1,000,000 bytes" in refused(found)["large.html"]


@packers
def test_reading_stops_at_the_page_limit_and_says_so(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({f"{n}.html": PAGE for n in range(5)}), Limits(3, 1000, 10**6, 200))
    assert names(found) == ["0.html", "1.html", "2.html"]
    assert refused(found) == {"upload": "it holds more than 3 pages; the rest was not read"}


@packers
def test_reading_stops_at_the_limit_of_all_bytes(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({f"{n}.html": random.Random(n).randbytes(40_000) for n in range(9)}), Limits(100, 50_000, 200_000, 200))
    assert 1 <= len(names(found)) <= 5
    assert "more than 200,000 bytes" in refused(found)["upload"]


@packers
def test_the_manifest_gives_the_addresses(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    manifest = (
        "\ufefffile,note,URL\r\npages/0001.dat,x,https://example.com/a?b=1#part\r\npages/0002.html,,ftp://example.com/\r\n"
        "gone.html,,https://example.com/gone\r\n../up.html,,https://example.com/up\r\n"
    )
    found = items(
        pack({"pages/0001.dat": b"<p>plain", "pages/0002.html": PAGE, "pages/0003.html": PAGE, "manifest.csv": manifest.encode()})
    )
    assert dict(zip(names(found), urls(found), strict=True)) == {
        "pages/0001.dat": "https://example.com/a?b=1",
        "pages/0002.html": None,
        "pages/0003.html": None,
    }
    reasons = refused(found)
    assert reasons["pages/0002.html"].startswith("the address 'ftp://example.com/' is not an http")
    assert reasons["gone.html"] == "the manifest lists it, but it is missing"
    assert "leads out" in reasons["manifest.csv, line 5"]


@packers
def test_a_manifest_in_the_only_folder_counts_from_there(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({"site/p/1.html": PAGE, "site/manifest.csv": b"file,url\np/1.html,http://example.com/1\n"}))
    assert urls(found) == ["http://example.com/1"]


@packers
def test_two_files_with_one_address_give_one_page(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = items(pack({"1.html": PAGE, "2.html": PAGE, "manifest.csv": b"file,url\n1.html,http://e.com/\n2.html,http://e.com/#x\n"}))
    assert names(found) == ["1.html"]
    assert "earlier file" in refused(found)["2.html"]


@pytest.mark.parametrize("text", [b"", b"url;name\n1;2", b"\xff\xfe\x00", b'file,url\n"' + b"x" * 200_000])
def test_a_manifest_that_cannot_be_used_is_named(text: bytes) -> None:
    found = items(zipped({"manifest.csv": text, "a.html": PAGE}))
    assert (names(found), urls(found)) == (["a.html"], [None])
    assert "manifest.csv" in refused(found)


def test_a_manifest_with_semicolons_is_read() -> None:
    assert urls(items(zipped({"manifest.csv": b"url;file\nhttp://e.com/;a.html\n", "a.html": PAGE}))) == ["http://e.com/"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"just text", "not a zip, tar or WARC"),
        (PAGE, "not a zip, tar or WARC"),
        (b"\x1f\x8b\x08\x00garbage that is no deflate", "not what its first bytes say"),
        (gzip.compress(PAGE), "not a zip, tar or WARC"),
        (b"BZh91AY&SY", "bzip2"),
    ],
    ids=["empty", "text", "a page", "broken gzip", "a page in gzip", "bzip2"],
)
def test_a_file_is_known_by_its_content_not_by_its_name(data: bytes, reason: str) -> None:
    with pytest.raises(ArchiveError, match=reason):
        items(data, name="site.zip")


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="there is no file"):
        list(read_archive(tmp_path / "nowhere.zip", name="x", limits=LIMITS))


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(zipped({"a.html": PAGE}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    assert refused(items(bytes(data))) == {"a.html": "it is encrypted"}


def test_a_damaged_entry_is_refused_and_the_next_is_read() -> None:
    data = bytearray(zipped({"a.html": PAGE * 30, "b.html": PAGE}, zipfile.ZIP_STORED))
    data[data.index(b"A book")] ^= 1
    found = items(bytes(data))
    assert names(found) == ["b.html"]
    assert "damaged" in refused(found)["a.html"]


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
def test_of_a_zip_that_was_cut_off_the_first_pages_stay(buffer: type[io.BytesIO], method: int) -> None:
    target = buffer()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("manifest.csv", "file,url\np/0.html,http://e.com/0\np/9.html,http://e.com/9\n")
        for n in range(10):
            archive.writestr(f"p/{n}.html", PAGE + random.Random(n).randbytes(3000))
        archive.writestr("a.css", "b{}")
    data = target.getvalue()
    found = items(data[: len(data) * 55 // 100])
    if buffer is Unseekable and method == zipfile.ZIP_STORED:
        assert refused(found) == {"upload": "it was cut off, and manifest.csv does not say how long it is; the part before that was read"}
        return
    assert names(found) == [f"p/{n}.html" for n in range(5)]
    assert urls(found)[0] == "http://e.com/0"
    assert refused(found) == {
        "p/5.html": "it was cut off",
        "p/9.html": "the manifest lists it, but it is missing",
        "upload": "it was cut off; the part before that was read",
    }


def test_a_bomb_in_a_zip_that_was_cut_off_stops_reading() -> None:
    target = Unseekable()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.html", b"\0" * (FREE_EXPANSION_BYTES + 1_000_000))
        archive.writestr("a.html", PAGE)
    found = items(target.getvalue()[:-60])
    assert names(found) == []
    assert refused(found) == {"upload": "it unpacks to more than 200 times its size; the rest was not read"}


def test_a_zip_bomb_is_neither_unpacked_nor_fatal() -> None:
    bomb = zipped({"bomb.html": b"\0" * 50_000_000, "a.html": PAGE})
    found = items(bomb, Limits(10, 100_000_000, 10**9, 200))
    assert names(found) == ["a.html"]
    assert refused(found) == {"bomb.html": "it unpacks to more than 200 times its size"}


def test_a_gzip_bomb_stops_reading() -> None:
    found = items(tarred({"a.html": PAGE, "bomb.bin": b"\0" * (FREE_EXPANSION_BYTES + 1_000_000), "b.html": PAGE}))
    assert names(found) == ["a.html"]
    assert refused(found) == {"upload": "it unpacks to more than 200 times its size; the rest was not read"}


def test_an_overlong_zip_directory_is_refused_before_it_is_read() -> None:
    data = bytearray(zipped({"a.html": PAGE}))
    at = data.rindex(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<I", 400_000_000)
    with pytest.raises(ArchiveError, match="directory has 400,000,000 bytes"):
        items(bytes(data))


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
    found = items(buffer.getvalue())
    assert names(found) == ["a.html"]
    assert set(refused(found)) == {"s.html", "h.html", "d.html", "f.html"}


def test_a_symbolic_link_in_a_zip_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("l.html")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert refused(items(buffer.getvalue())) == {"l.html": "it is a symbolic link"}


def test_names_that_are_no_utf8_are_written_out() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo("caf\udce9.html")
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
    assert names(items(buffer.getvalue())) == ["caf\\xe9.html"]


def test_a_zip_name_in_unmarked_utf8_is_understood() -> None:
    data = zipped({"cafXX.html": PAGE}).replace(b"cafXX", "café".encode())
    assert names(items(data)) == ["café.html"]


def test_of_two_files_of_one_name_the_first_is_read() -> None:
    buffer = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.html", PAGE)
        archive.writestr("a.html", PAGE + b"2")
    found = items(buffer.getvalue())
    assert [item.content for item in found if isinstance(item, PageItem)] == [PAGE]
    assert "an earlier file has the same name" in refused(found)["a.html"]


def test_of_a_tar_file_that_was_cut_off_the_first_pages_stay() -> None:
    files = {f"{n}.html": PAGE + random.Random(n).randbytes(5000) for n in range(20)}
    for data in (tarred(files), tarred(files, "w")):
        found = items(data[: len(data) // 2])
        assert names(found) == [f"{n}.html" for n in range(len(names(found)))]
        assert 5 < len(names(found)) < 15
        assert "the part before that was read" in refused(found)["upload"]


def test_a_tar_header_that_asks_for_gigabytes_is_not_believed() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 4_000_000_000
    found = items(tarred({"a.html": PAGE}, "w")[:1024] + info.tobuf() + b"x" * 5000)
    assert names(found) == ["a.html"]
    assert "at once" in refused(found)["upload"]


def test_a_tar_file_of_nested_headers_ends_in_words() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 2
    nested = (info.tobuf() + b"n\0".ljust(512, b"\0")) * 3000
    found = items(tarred({"a.html": PAGE}, "w")[:1024] + nested)
    assert names(found) == ["a.html"]
    assert "damaged" in refused(found)["upload"]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["zip", "cut zip", "tar", "tar.gz", "warc", "warc.gz"])
def test_no_damage_raises_anything_but_an_error_in_words(kind: str, seed: int) -> None:
    files = {"manifest.csv": b"file,url\na.html,http://e.com/a\n", "a.html": PAGE, "b": PAGE, "c/d.html": PAGE * 9}
    records: list[dict[str, Any]] = [{"url": "http://e.com/a"}, {"url": "http://e.com/b", "body": PAGE * 5}]
    data = bytearray(
        {
            "zip": lambda: zipped(files),
            "cut zip": lambda: zipped(files)[:-40],
            "tar": lambda: tarred(files, "w"),
            "tar.gz": lambda: tarred(files),
            "warc": lambda: warc(records, packed=False),
            "warc.gz": lambda: warc(records),
        }[kind]()
    )
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 12)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        found = items(bytes(data[: rng.randint(len(data) // 2, len(data))]))
    except ArchiveError as error:
        assert str(error)
    else:
        assert all("\0" not in item.name for item in found)


def test_a_warc_gives_its_html_with_addresses_and_dates() -> None:
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    compressed = gzip.compress(PAGE)
    records: list[dict[str, Any]] = [
        {"url": "http://e.com/plain#x", "headers": [("Content-Type", "text/html; charset=utf-8")]},
        {"url": "http://e.com/chunked", "headers": [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], "body": chunked},
        {"url": "http://e.com/gzip", "headers": [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], "body": compressed},
        {
            "url": "http://e.com/both",
            "headers": [("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
            "body": b"%x\r\n%s\r\n0\r\n\r\n" % (len(compressed), compressed),
        },
        {
            "url": "http://e.com/deflate",
            "headers": [("Content-Type", "text/html"), ("Content-Encoding", "deflate")],
            "body": zlib.compress(PAGE)[2:-4],
        },
        {"url": "http://e.com/resource", "kind": "resource"},
        {"url": "http://e.com/no-type", "headers": []},
        {"url": "http://e.com/a.png", "headers": [("Content-Type", "image/png")], "body": b"\x89PNG"},
        {"url": "http://e.com/gone", "status": "404 Not Found"},
        {"url": "http://e.com/plain", "kind": "revisit", "body": b""},
        {"url": "http://e.com/request", "kind": "request", "status": "GET / HTTP/1.1"},
    ]
    for packed in (True, False):
        found = items(warc(records, packed=packed))
        pages = [item for item in found if isinstance(item, PageItem)]
        assert urls(found) == [f"http://e.com/{name}" for name in ("plain", "chunked", "gzip", "both", "deflate", "resource", "no-type")]
        assert {page.content for page in pages} == {PAGE}
        assert {page.fetched_at for page in pages} == {datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)}
        assert pages[0].content_type == "text/html; charset=utf-8"
        assert skipped(found) == ["not HTML", "HTTP 404", "revisit of a page"]
        assert refused(found) == {}


def test_a_warc_in_one_gzip_member_is_read() -> None:
    data = gzip.compress(warc([{"url": "http://e.com/1"}, {"url": "http://e.com/2"}], packed=False))
    assert urls(items(data)) == ["http://e.com/1", "http://e.com/2"]


@pytest.mark.parametrize("packed", [True, False])
def test_of_a_warc_that_was_cut_off_the_first_pages_stay(packed: bool) -> None:
    data = warc([{"url": f"http://e.com/{n}", "body": PAGE + random.Random(n).randbytes(3000)} for n in range(10)], packed=packed)
    found = items(data[: len(data) * 55 // 100])
    assert urls(found) == [f"http://e.com/{n}" for n in range(5)]
    assert refused(found)["http://e.com/5"] == "it was cut off"


def test_bodies_of_a_warc_are_bounded() -> None:
    html = ("Content-Type", "text/html")
    found = items(
        warc(
            [
                {"url": "http://e.com/bomb", "headers": [html, ("Content-Encoding", "gzip")], "body": gzip.compress(b"\0" * 30_000_000)},
                {"url": "http://e.com/large", "headers": [html], "body": random.Random(1).randbytes(3_000_000)},
                {"url": "http://e.com/lzma", "headers": [html, ("Content-Encoding", "br2")], "body": b"\x0b\x02\x80"},
                {"url": "http://e.com/cut", "headers": [html, ("Content-Encoding", "gzip")], "body": gzip.compress(PAGE)[:-20]},
                {"url": "http://e.com/a"},
            ]
        )
    )
    assert urls(found) == ["http://e.com/a"]
    reasons = refused(found)
    assert "more than 1,000,000 bytes" in reasons["http://e.com/bomb"]
    assert "more than 1,000,000 bytes" in reasons["http://e.com/large"]
    assert "'br2' is not known" in reasons["http://e.com/lzma"]
    assert "cut off" in reasons["http://e.com/cut"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_warc_packed_with_zstd_is_read(packed: bool) -> None:
    plain = warc([{"url": "http://e.com/a"}, {"url": "http://e.com/b"}], packed=False)
    pack = zstandard.ZstdCompressor().compress
    second = plain.index(b"WARC/", 5)
    whole = pack(plain[:second]) + pack(plain[second:]) if packed else pack(plain)
    assert urls(items(whole)) == ["http://e.com/a", "http://e.com/b"]
    if packed:
        assert any("cut off" in reason for reason in refused(items(whole[:-40])).values())
    else:
        with pytest.raises(ArchiveError, match="cut off"):
            items(whole[:-40])


def test_a_chunked_body_that_was_cut_off_is_refused_by_name() -> None:
    headers = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]
    found = items(
        warc([{"url": "http://e.com/cut", "headers": headers, "body": b"%x\r\n%s" % (len(PAGE) + 9, PAGE)}, {"url": "http://e.com/a"}])
    )
    assert urls(found) == ["http://e.com/a"]
    assert "chunked body was cut off" in refused(found)["http://e.com/cut"]


@pytest.mark.parametrize("off", [-1, 1])
def test_a_length_that_is_wrong_by_one_loses_no_page_in_silence(off: int) -> None:
    data = warc([{"url": "http://e.com/a"}, {"url": "http://e.com/b"}, {"url": "http://e.com/c"}], packed=False)
    length = int(re.search(rb"Content-Length: (\d+)", data)[1])  # type: ignore[index]
    found = items(data.replace(b"Content-Length: %d" % length, b"Content-Length: %d" % (length + off), 1))
    assert refused(found) or urls(found) == ["http://e.com/a", "http://e.com/b", "http://e.com/c"]


def test_a_warc_header_without_an_end_is_given_up() -> None:
    found = items(warc([{"url": "http://e.com/a"}], packed=False) + b"WARC/1.0\r\nX: " + b"x" * 9_000_000)
    assert urls(found) == ["http://e.com/a"]
    assert "header without an end" in refused(found)["upload"]


def test_two_visits_of_a_page_in_a_warc_are_both_given() -> None:
    assert urls(items(warc([{"url": "http://e.com/"}, {"url": "http://e.com/", "body": PAGE + b"2"}]))) == ["http://e.com/"] * 2


def test_a_folder_is_read_in_order_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "b.html").write_bytes(PAGE)
    (tmp_path / "a.html").write_bytes(PAGE)
    (tmp_path / "secret.html").symlink_to("/etc/passwd")
    (tmp_path / "elsewhere").symlink_to("/etc")
    (tmp_path / "manifest.csv").write_text("file,url\npages/b.html,http://e.com/b\n")
    found = list(read_archive(tmp_path, name="folder", limits=LIMITS))
    assert (names(found), urls(found)) == (["a.html", "pages/b.html"], [None, "http://e.com/b"])
    assert refused(found) == {"secret.html": "it is a symbolic link"} | {"elsewhere": "it is a symbolic link"}
