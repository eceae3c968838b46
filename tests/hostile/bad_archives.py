"""Archives that are made to trip a reader: bombs, traversal, links, names, lengths that lie, and files that are two things at once.

Each holds one good page `good.html` beside what is bad, unless its outcome says otherwise.
"""

import gzip
import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.fetching.archive_files import PAGE, make_tar, make_warc, make_zip

GOOD = "good.html"


@dataclass(frozen=True, slots=True)
class BadArchive:
    """An archive and what is read from it.

    pages: the names of the pages that are read.
    refused: a part of a reason that is given for something in it; empty if nothing is refused.
    error: a part of the reason for which nothing can be read at all; empty if something is.
    """

    name: str
    content: bytes
    pages: tuple[str, ...] = (GOOD,)
    refused: str = ""
    error: str = ""


def make_archives() -> list[BadArchive]:
    """Return all archives, each with a name of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the zip library warns of names that are used twice
        return [archive for maker in (_names, _zips, _tars, _warcs, _others) for archive in maker()]


LEADING_OUT = (
    "../evil.html",
    "../../../etc/passwd.html",
    "a/../../evil.html",
    "/etc/cron.d/evil.html",
    "C:/evil.html",
    "..\\evil.html",
    "\\\\host\\evil.html",
)


def _names() -> Iterator[BadArchive]:
    """Names that lead out of the archive, and names that trip what stores or shows them."""
    for name in LEADING_OUT:
        yield BadArchive(f"names: zip {name}", make_zip({name: PAGE, GOOD: PAGE}), refused="its name")
        yield BadArchive(f"names: tar {name}", make_tar({name: PAGE, GOOD: PAGE}), refused="its name")
    for name in (
        "a\x01b.html",
        "<script>alert(1)<.html",
        "{{7*7}}.html",
        "=cmd|'/c calc'!A0.html",
        "a\r\nb.html",
        "\u202elmth.exe.html",
        "'; DROP TABLE x;--.html",
    ):
        printable = name.replace("\x01", "\\x01").replace("\r", "\\x0d").replace("\n", "\\x0a")
        yield BadArchive(f"names: odd {name!r}", make_zip({name: PAGE, GOOD: PAGE}), pages=(printable, GOOD))
    yield BadArchive("names: too long", make_zip({"x" * 3_000 + ".html": PAGE, GOOD: PAGE}), refused="its name")
    yield BadArchive("names: many levels", make_zip({"a/" * 900 + "b.html": PAGE, GOOD: PAGE}), pages=("a/" * 900 + "b.html", GOOD))
    yield BadArchive("names: used twice", _zip((GOOD, PAGE), (GOOD, b"<html>2")), refused="same name")
    yield BadArchive("names: of a resource fork", make_zip({"__MACOSX/._a.html": b"\0", GOOD: PAGE}))
    yield BadArchive("names: of an archive in the archive", make_zip({"a.zip": make_zip({"b.html": PAGE}), GOOD: PAGE}), refused="archive")


def _zip(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """Return a zip file of entries, of which several may have one name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def _special_entry(mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link.html")
    info.create_system, info.external_attr = 3, mode << 16
    return info


def _change(data: bytes, old: bytes, offset: int, new: bytes, *, last: bool = True) -> bytes:
    """Return the data with bytes written at an offset from the first or last occurrence of `old`."""
    at = (data.rindex(old) if last else data.index(old)) + offset
    return data[:at] + new + data[at + len(new) :]


def _zips() -> Iterator[BadArchive]:
    """Zip files whose headers lie."""
    for name, mode in {"a symbolic link": 0o120777, "a device": 0o060644, "a pipe": 0o010644, "a socket": 0o140755}.items():
        yield BadArchive(
            f"zip: {name}",
            _zip((_special_entry(mode), b"/etc/passwd"), (GOOD, PAGE)),
            refused="link" if mode == 0o120777 else "not a",
        )
    two = make_zip({"bad.html": PAGE * 20, GOOD: PAGE})
    central = b"PK\x01\x02"
    yield BadArchive(
        "zip: encrypted",
        _change(_change(two, central, 8, b"\x01\0", last=False), b"PK\x03\x04", 6, b"\x01\0", last=False),
        refused="encrypted",
    )
    yield BadArchive(
        "zip: an unknown method",
        _change(_change(two, central, 10, b"\x63\0", last=False), b"PK\x03\x04", 8, b"\x63\0", last=False),
        refused="packed with",
    )
    yield BadArchive("zip: a wrong checksum", _change(two, central, 16, b"\1\2\3\4", last=False), refused="damaged")
    yield BadArchive("zip: a size that is too small", _change(two, central, 24, struct.pack("<I", 5), last=False), refused="bad.html")
    yield BadArchive("zip: a size that is too large", _change(two, central, 24, struct.pack("<I", 2**31), last=False), refused="bad.html")
    yield BadArchive("zip: an offset beyond the file", _change(two, central, 42, struct.pack("<I", 2**31), last=False), refused="bad.html")
    yield BadArchive("zip: two entries at one place", _change(two, central, 42, struct.pack("<I", 0)), pages=("bad.html",), refused=GOOD)
    yield BadArchive(
        "zip: a directory of four gigabytes", _change(two, b"PK\x05\x06", 12, struct.pack("<I", 2**32 - 2)), pages=(), error="directory"
    )
    yield BadArchive("zip: a count that lies", _change(two, b"PK\x05\x06", 8, struct.pack("<HH", 60_000, 60_000)), pages=("bad.html", GOOD))
    yield BadArchive(
        "zip: a long comment",
        two[:-2] + struct.pack("<H", 60_000) + b"PK\x05\x06" * 15_000,
        pages=("bad.html", GOOD),
        refused="it was cut off; the part before that was read",
    )
    yield BadArchive("zip: after a page", PAGE + two, pages=(), error="it is not a zip, tar or WARC file")
    for at, left in {
        10: (),
        40: (),
        len(two) // 2: ("bad.html",),
        len(two) - 60: ("bad.html", GOOD),
        len(two) - 5: ("bad.html", GOOD),
    }.items():
        yield BadArchive(f"zip: cut off at {at}", two[:at], pages=left, refused="it was cut off; the part before that was read")
    bomb = _zip(("bomb.html", b"\0" * 70_000_000), (GOOD, PAGE))
    yield BadArchive("zip: a bomb", bomb, refused="bomb.html")
    yield BadArchive(
        "zip: many bombs",
        _zip(*((f"{n}.html", b" " * 900_000) for n in range(120))),
        pages=tuple(f"{n}.html" for n in range(74)),
        refused="200 times its size; the rest was not read",
    )
    yield BadArchive("zip: an empty one", make_zip({}), pages=(), error="")
    yield BadArchive("zip: only folders", _zip(("a/", b"")), pages=(), error="")
    yield BadArchive("zip: a folder with content", _zip(("a/", b"<html>"), (GOOD, PAGE)))
    for name, (manifest, reason) in {
        "addresses of files": (b"file,url\ngood.html,file:///etc/passwd\n", "is not an http or https address"),
        "addresses of scripts": (b"file,url\ngood.html,javascript:alert(1)\n", "is not an http or https address"),
        "formulae": (b"file,url\n=1+1,@SUM(A1)\n", "but it is missing"),
        "columns of nobody": (b"a,b,c\n1,2\n", "does not name the columns"),
        "no text": (b"\xff\xfe\0\xd8" * 50, "does not name the columns"),
        "zero bytes": (b"\0" * 50, "does not name the columns"),
        "one long line": (b"file,url\n" + b"x" * 200_000, "field larger than field limit"),
        "open quotes": (b'file,url\n"good.html,http://e.com/1\n' * 3, "but it is missing"),
    }.items():
        yield BadArchive(f"zip: a manifest with {name}", make_zip({"manifest.csv": manifest, GOOD: PAGE}), refused=reason)


def _tar(add: Callable[[tarfile.TarFile], object], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        info = tarfile.TarInfo(GOOD)
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
        add(archive)
    return buffer.getvalue()


def _special(kind: bytes, **values: object) -> Callable[[tarfile.TarFile], object]:
    info = tarfile.TarInfo("special.html")
    info.type = kind
    for name, value in values.items():
        setattr(info, name, value)
    return lambda archive: archive.addfile(info)


def _header(**fields: tuple[int, bytes]) -> bytes:
    """Return a tar header with fields written raw, as {name: (offset, bytes)}, and a valid checksum."""
    block = bytearray(tarfile.TarInfo("raw.html").tobuf(tarfile.USTAR_FORMAT))
    for at, value in fields.values():
        block[at : at + len(value)] = value
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def _tars() -> Iterator[BadArchive]:
    """Tar files with entries that are no files, and headers that lie."""
    for name, kind in {"a symbolic link": tarfile.SYMTYPE, "a hard link": tarfile.LNKTYPE}.items():
        yield BadArchive(f"tar: {name}", _tar(_special(kind, linkname="/etc/passwd")), refused="it is a link")
    for name, kind in {"a device": tarfile.CHRTYPE, "a disk": tarfile.BLKTYPE, "a pipe": tarfile.FIFOTYPE, "an unknown type": b"Z"}.items():
        yield BadArchive(
            f"tar: {name}",
            _tar(_special(kind)),
            refused="it is not a regular file" if kind == b"Z" else "it is a device" if kind != tarfile.FIFOTYPE else "it is",
        )
    plain = _tar(lambda archive: None)
    body = plain[: 512 + 512]
    yield BadArchive("tar: a negative size", body + _header(size=(124, b"\xff" * 12)) + b"x" * 1024, refused="negative size")
    yield BadArchive(
        "tar: a size of eight exabytes",
        body + _header(size=(124, b"\x80\0\0\0\x7f" + b"\xff" * 7)) + b"x" * 1024,
        refused="unexpected end of data",
    )
    yield BadArchive(
        "tar: a size of letters", body + _header(size=(124, b"zzzzzzzzzzz\0")) + b"x" * 1024, refused="it is damaged: invalid header"
    )
    yield BadArchive("tar: a wrong checksum", body + b"\1" * 1024, refused="it is damaged")
    yield BadArchive("tar: cut off in a page", plain[:540], pages=(), refused="unexpected end of data")
    yield BadArchive(
        "tar: long names of long names",
        body + _header(type=(156, b"L"), size=(124, b"00000001000\0")) * 200 + b"\0" * 1024,
        refused="it is damaged",
    )
    read = (GOOD, "raw.html")
    for name, (text, pages, reason) in {
        "digits": (b"9" * 40_000, (GOOD,), "a number of more than 400 digits"),
        "a length of zero": (b"0 a=b\n", (GOOD,), "it is damaged: invalid header"),
        "a length that lies": (b"999999 a=b\n", read, ""),
        "no length": (b"path=../../evil.html\n", read, ""),
        "a path out": (b"31 path=../../../../evil.html\n\n", (GOOD,), "its name leads out of the archive"),
        "a size": (b"30 size=99999999999999999999\n\n", (GOOD,), "unexpected end of data"),
        "no text": (b"12 a=\xff\xfe\xfd\0\n", read, ""),
    }.items():
        padded = text + b"\0" * (-len(text) % 512)
        data = (
            body
            + _header(type=(156, b"x"), size=(124, b"%011o\0" % len(text)))
            + padded
            + _header(size=(124, b"%011o\0" % 0))
            + b"\0" * 1024
        )
        yield BadArchive(f"tar: an extended header with {name}", data, pages=pages, refused=reason)
    yield BadArchive("tar: a bomb of gzip", gzip.compress(_tar(_large)), refused="large.html")
    yield BadArchive("tar: gzip cut off", gzip.compress(plain)[:-30], pages=(), refused="it was cut off")
    yield BadArchive("tar: gzip with a wrong checksum", gzip.compress(plain)[:-8] + b"\0" * 8)
    yield BadArchive("tar: gzip of gzip", gzip.compress(gzip.compress(plain)), pages=(), error="it is not a zip, tar or WARC file")


def _large(archive: tarfile.TarFile) -> None:
    info = tarfile.TarInfo("large.html")
    info.size = 20_000_000
    archive.addfile(info, io.BytesIO(b"\0" * info.size))


def _warcs() -> Iterator[BadArchive]:
    """WARC files whose records lie, and records that are no pages."""
    good = make_warc([{"url": "http://e.com/good"}], packed=False)
    url = ("http://e.com/good",)

    def record(headers: str, body: bytes = PAGE) -> bytes:
        return f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://e.com/bad\r\n{headers}\r\n\r\n".encode() + body + b"\r\n\r\n"

    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    for name, (data, reason) in {
        "a length of 20 digits": (record("Content-Length: 99999999999999999999"), "longer than any file"),
        "a negative length": (record("Content-Length: -5"), "it has no HTTP headers"),
        "a length of letters": (record("Content-Length: many"), "it has no HTTP headers"),
        "no length": (record("X: y"), "does not say how long it is"),
        "a length that is too large": (record("Content-Length: 500000"), ""),
        "a header of 100,000 characters": (record(f"X: {'y' * 100_000}\r\nContent-Length: 4", b"abcd"), ""),
        "10,000 headers": (record("\r\n".join(f"X-{n}: y" for n in range(10_000)) + "\r\nContent-Length: 4", b"abcd"), ""),
        "zero bytes": (b"\0" * 2_000, "Invalid WARC record"),
        "half a record": (good[: len(good) // 2], "does not say how long"),
    }.items():
        yield BadArchive(f"warc: {name}", good + data, pages=url, refused=reason)
    for name, address in {
        "a file": "file:///etc/passwd",
        "a script": "javascript:alert(1)",
        "no host": "http://",
        "a mail": "mailto:a@b.c",
    }.items():
        refused = "is not an http or https address" if address == "http://" else ""  # others are counted as no pages on the web
        yield BadArchive(f"warc: the address of {name}", good + make_warc([{"url": address}], packed=False), pages=url, refused=refused)
    for name, head, body, reason in (
        ("chunks that lie", http + b"Transfer-Encoding: chunked\r\n\r\n", b"fffffff\r\nabc\r\n0\r\n\r\n", "chunked body was cut off"),
        ("chunks of no number", http + b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\nabc\r\n", "contains no tags"),
        ("a body that is not packed", http + b"Content-Encoding: gzip\r\n\r\n", b"<html>not packed", ""),
        ("a body that is a bomb", http + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"\0" * 20_000_000), "more than 1,000,000 bytes"),
        (
            "a body packed with deflate and cut off",
            http + b"Content-Encoding: deflate\r\n\r\n",
            zlib.compress(PAGE * 50)[:-20],
            "compressed content was cut off",
        ),
        ("a body of an unknown coding", http + b"Content-Encoding: sdch\r\n\r\n", PAGE, ""),
        ("no status", b"nonsense\r\n\r\n", PAGE, ""),
        ("a status of letters", b"HTTP/1.1 OK fine\r\nContent-Type: text/html\r\n\r\n", PAGE, ""),
    ):
        data = head + body
        found = (*url, "http://e.com/bad") if name in {"a body that is not packed", "a body of an unknown coding"} else url
        yield BadArchive(
            f"warc: {name}",
            good + record(f"Content-Length: {len(data)}\r\nContent-Type: application/http", data),
            pages=found,
            refused=reason,
        )
    yield BadArchive("warc: a date that does not exist", make_warc([{"url": url[0], "date": "2024-99-99T99:99:99Z"}]), pages=url)
    yield BadArchive(
        "warc: gzip that ends early", make_warc([{"url": url[0]}, {"url": "http://e.com/2"}])[:-40], pages=url, refused="it was cut off"
    )
    yield BadArchive("warc: a version of the future", good.replace(b"WARC/1.0", b"WARC/9.9"), pages=(), refused="Invalid WARC record")


def _others() -> Iterator[BadArchive]:
    """Files that are no archive that Vertex reads."""
    unknown = "it is not a zip, tar or WARC file"
    for name, (content, reason) in {
        "nothing": (b"", "the file is empty"),
        "a byte": (b"P", unknown),
        "text": (b"hello", unknown),
        "a page": (PAGE, unknown),
        "rar": (b"Rar!\x1a\x07\0" + b"\0" * 99, "rar files cannot be read"),
        "7z": (b"7z\xbc\xaf\x27\x1c" + b"\0" * 99, "7z files cannot be read"),
        "xz": (b"\xfd7zXZ\0" + b"\0" * 99, "xz files cannot be read"),
        "bzip2": (b"BZh91AY&SY" + b"\0" * 99, "bzip2 files cannot be read"),
        "only gzip": (gzip.compress(b""), unknown),
        "a PDF": (b"%PDF-1.7\n" * 50, unknown),
        "a database": (b"SQLite format 3\0" + b"\0" * 999, unknown),
    }.items():
        yield BadArchive(f"other: {name}", content, pages=(), error=reason)
    # The end of a tar file is zero bytes, so these are tar files without entries.
    yield BadArchive("other: zero bytes", b"\0" * 5_000, pages=())
    yield BadArchive("other: a gzip bomb", gzip.compress(b"\0" * 30_000_000), pages=())
