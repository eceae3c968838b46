"""Archives and folders of every kind: which files are pages, the manifest, the limits, and damage."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extraction.fetching.archives import ArchiveError, Limits, PageItem, Refused, read_archive
from tests.fetching.archive_files import (
    LIMITS,
    PAGE,
    make_tar,
    make_warc,
    make_zip,
    page_names,
    page_urls,
    read_items,
    refusals,
    skipped_names,
)

PACKERS: list[Callable[[dict[str, bytes]], bytes]] = [make_zip, make_tar, lambda files: make_tar(files, "w")]


packers = pytest.mark.parametrize("pack", PACKERS, ids=["zip", "tar.gz", "tar"])


@packers
def test_files_named_as_html_or_looking_like_it_are_pages_and_the_rest_is_counted(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(
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
    assert page_names(found) == ["site/a.html", "site/b.HTM", "site/book.php?id=3", "site/wiki/Title"]
    assert page_urls(found) == [None] * 4
    assert skipped_names(found) == ["not HTML", "style", "picture"]
    assert refusals(found) == {}


@packers
def test_names_that_lead_out_of_the_archive_are_refused_and_the_rest_is_read(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({"../../etc/cron.html": PAGE, "/root.html": PAGE, "C:\\x.html": PAGE, "a/../b.html": PAGE, "./ok.html": PAGE}))
    assert page_names(found) == ["ok.html"]
    assert set(refusals(found).values()) == {"its name leads out of the archive", "its name is an absolute path"}


@packers
def test_an_archive_within_an_archive_is_listed_but_not_opened(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({"inner.zip": make_zip({"x.html": PAGE}), "a.html": PAGE}))
    assert page_names(found) == ["a.html"]
    assert refusals(found) == {"inner.zip": "an archive within an archive is not opened"}


@packers
def test_an_empty_file_named_as_a_page_is_a_page(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    assert [item.content for item in read_items(pack({"empty.html": b""})) if isinstance(item, PageItem)] == [b""]


@packers
def test_a_page_over_the_limit_is_refused_and_the_others_are_read(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({"large.html": random.Random(1).randbytes(1_000_001), "exact.html": b"<p>" + b"x" * 999_997, "a.html": PAGE}))
    assert page_names(found) == ["exact.html", "a.html"]
    assert "more than 1,000,000 bytes" in refusals(found)["large.html"]


@packers
def test_reading_stops_at_the_page_limit_and_says_so(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({f"{n}.html": PAGE for n in range(5)}), Limits(3, 1000, 10**6, 200))
    assert page_names(found) == ["0.html", "1.html", "2.html"]
    assert refusals(found) == {"upload": "it holds more than 3 pages; the rest was not read"}


@packers
def test_reading_stops_at_the_limit_of_all_bytes(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({f"{n}.html": random.Random(n).randbytes(40_000) for n in range(9)}), Limits(100, 50_000, 200_000, 200))
    assert 1 <= len(page_names(found)) <= 5
    assert "more than 200,000 bytes" in refusals(found)["upload"]


@packers
def test_the_manifest_gives_the_addresses(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    manifest = (
        "\ufefffile,note,URL\r\npages/0001.dat,x,https://example.com/a?b=1#part\r\npages/0002.html,,ftp://example.com/\r\n"
        "gone.html,,https://example.com/gone\r\n../up.html,,https://example.com/up\r\n"
    )
    found = read_items(
        pack({"pages/0001.dat": b"<p>plain", "pages/0002.html": PAGE, "pages/0003.html": PAGE, "manifest.csv": manifest.encode()})
    )
    assert dict(zip(page_names(found), page_urls(found), strict=True)) == {
        "pages/0001.dat": "https://example.com/a?b=1",
        "pages/0002.html": None,
        "pages/0003.html": None,
    }
    reasons = refusals(found)
    assert reasons["pages/0002.html"].startswith("the address 'ftp://example.com/' is not an http")
    assert reasons["gone.html"] == "the manifest lists it, but it is missing"
    assert "leads out" in reasons["manifest.csv, line 5"]


@packers
def test_a_manifest_in_the_only_folder_counts_from_there(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({"site/p/1.html": PAGE, "site/manifest.csv": b"file,url\np/1.html,http://example.com/1\n"}))
    assert page_urls(found) == ["http://example.com/1"]


@packers
def test_two_files_with_one_address_give_one_page(pack: Callable[[dict[str, bytes]], bytes]) -> None:
    found = read_items(pack({"1.html": PAGE, "2.html": PAGE, "manifest.csv": b"file,url\n1.html,http://e.com/\n2.html,http://e.com/#x\n"}))
    assert page_names(found) == ["1.html"]
    assert "earlier file" in refusals(found)["2.html"]


@pytest.mark.parametrize("text", [b"", b"url;name\n1;2", b"\xff\xfe\x00", b'file,url\n"' + b"x" * 200_000])
def test_a_manifest_that_cannot_be_used_is_reported(text: bytes) -> None:
    found = read_items(make_zip({"manifest.csv": text, "a.html": PAGE}))
    assert (page_names(found), page_urls(found)) == (["a.html"], [None])
    assert "manifest.csv" in refusals(found)


def test_a_manifest_with_semicolons_is_read() -> None:
    assert page_urls(read_items(make_zip({"manifest.csv": b"url;file\nhttp://e.com/;a.html\n", "a.html": PAGE}))) == ["http://e.com/"]


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
def test_the_kind_of_an_archive_follows_from_its_content_not_its_name(data: bytes, reason: str) -> None:
    with pytest.raises(ArchiveError, match=reason):
        read_items(data, name="site.zip")


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="there is no file"):
        list(read_archive(tmp_path / "nowhere.zip", name="x", limits=LIMITS))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["zip", "cut zip", "tar", "tar.gz", "warc", "warc.gz"])
def test_random_damage_raises_nothing_but_an_error_in_words(kind: str, seed: int) -> None:
    files = {"manifest.csv": b"file,url\na.html,http://e.com/a\n", "a.html": PAGE, "b": PAGE, "c/d.html": PAGE * 9}
    records: list[dict[str, Any]] = [{"url": "http://e.com/a"}, {"url": "http://e.com/b", "body": PAGE * 5}]
    data = bytearray(
        {
            "zip": lambda: make_zip(files),
            "cut zip": lambda: make_zip(files)[:-40],
            "tar": lambda: make_tar(files, "w"),
            "tar.gz": lambda: make_tar(files),
            "warc": lambda: make_warc(records, packed=False),
            "warc.gz": lambda: make_warc(records),
        }[kind]()
    )
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 12)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        found = read_items(bytes(data[: rng.randint(len(data) // 2, len(data))]))
    except ArchiveError as error:
        assert str(error)
    else:
        assert all("\0" not in item.name for item in found)


def test_a_folder_is_read_in_order_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "b.html").write_bytes(PAGE)
    (tmp_path / "a.html").write_bytes(PAGE)
    (tmp_path / "secret.html").symlink_to("/etc/passwd")
    (tmp_path / "elsewhere").symlink_to("/etc")
    (tmp_path / "manifest.csv").write_text("file,url\npages/b.html,http://e.com/b\n")
    found = list(read_archive(tmp_path, name="folder", limits=LIMITS))
    assert (page_names(found), page_urls(found)) == (["a.html", "pages/b.html"], [None, "http://e.com/b"])
    assert refusals(found) == {"secret.html": "it is a symbolic link"} | {"elsewhere": "it is a symbolic link"}


def damage(data: bytes, source: random.Random) -> bytes:
    """Return a file with bytes changed, taken out or put in."""
    found = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 5, 20))):
        place = source.randrange(len(found) + 1)
        cut = source.choice((0, 1, 1, source.randrange(9)))
        put = source.choice((b"", b"\0", b"\xff", b"9" * 20, b"\xff" * 4, b"\r\n\r\n", b"\0" * 512, b"-1", b"PK\x03\x04", b"WARC/1.0\r\n"))
        found[place : place + cut] = put
    return bytes(found)


def test_a_damaged_archive_never_raises_anything_but_that_it_cannot_be_opened() -> None:
    source = random.Random(2)
    files = {"manifest.csv": b"file,url\na.html,http://e.com/a\n", "a.html": PAGE, "b/c.htm": PAGE * 30, "x.html": PAGE, "s.css": b"a{}"}
    records: list[dict[str, Any]] = [
        {"url": "http://e.com/a"},
        {"url": "http://e.com/b", "headers": [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], "body": gzip.compress(PAGE)},
        {"url": "http://e.com/c", "headers": [("Transfer-Encoding", "chunked")], "body": b"5\r\n<html\r\n0\r\n\r\n"},
    ]
    whole = [
        make_zip(files),
        make_zip(files, 0),
        make_tar(files),
        make_tar(files, "w"),
        make_warc(records),
        make_warc(records, packed=False),
    ]
    whole.append(whole[1].replace(b"x.html", b"\0.html"))  # a file without a name
    for data in [*whole, *(damage(source.choice(whole), source) for _ in range(2_000))]:
        try:
            found = read_items(data)
        except ArchiveError:
            continue
        assert not [item for item in found if isinstance(item, Refused) and "reading it failed" in item.reason], data
