"""Bodies of HTTP answers without their chunks and their Content-Encoding: gzip, deflate, br and zstd, one after the other.

Archives hold bodies as they were sent, or already unpacked under the header that they came with. Every step is bounded, because a few
bytes may unpack to gigabytes.
"""

import io
import re
import zlib

import brotli
import zstandard

from extraction.algorithms.dom.media import looks_like_html
from extraction.fetching.items import EntryError
from extraction.fetching.names import make_printable
from extraction.fetching.streams import GZIP_MAGIC, ZSTD_WINDOW_BYTES

MAX_CODINGS = 5
"""The largest number of codings of one body. Real bodies have one, and by mistake two."""

_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")


def join_chunks(packed: bytes) -> bytes:
    """Return a body without its chunks. A body that does not begin with the length of a chunk was unpacked before and stays as it is.

    Raises EntryError for a body that ends within a chunk or before the last one.
    """
    parts, at = list[bytes](), 0
    while chunk := _CHUNK.match(packed, at):
        length, start = int(chunk[1], 16), chunk.end()
        if not length:
            return b"".join(parts)
        parts.append(packed[start : start + length])
        at = start + length
        if at > len(packed):
            break
        at += 2 if packed.startswith(b"\r\n", at) else 1 if packed.startswith(b"\n", at) else 0
    if not parts:
        return packed
    raise EntryError("its chunked body was cut off")


def unpack(packed: bytes, encoding: str, *, limit: int) -> bytes:
    """Return at most `limit` bytes of a body, unpacked by its Content-Encoding.

    HTML that is not compressed although it claims to be is returned unchanged. So is a body without an encoding, whatever its length. HTML
    that was packed with gzip twice under a header that says so once is unpacked twice.

    Raises EntryError for other encodings, and for a body that is damaged or cut off.
    """
    names = [name for each in encoding.lower().split(",") if (name := each.strip()) and name != "identity"]
    if len(names) > MAX_CODINGS:
        raise EntryError(f"it was packed {len(names)} times; at most {MAX_CODINGS} times are read")
    content = packed
    for name in reversed(names):
        if not content:
            return content
        try:
            content = _unpack_one(content, name, limit=limit)
        except EntryError:
            if not _is_bare_html(content):
                raise
            return content
    if names and content.startswith(GZIP_MAGIC) and len(content) < limit:
        content = _unpack_one(content, "gzip", limit=limit)
    return content


def _is_bare_html(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and looks_like_html(content)


def _unpack_one(packed: bytes, name: str, *, limit: int) -> bytes:
    if name in {"gzip", "x-gzip"}:
        return _inflate(packed, name, [16 + zlib.MAX_WBITS], limit=limit)
    if name == "deflate":
        # Some servers send deflate with zlib's header and some without.
        return _inflate(packed, name, [zlib.MAX_WBITS, -zlib.MAX_WBITS], limit=limit)
    if name == "br":
        return _unpack_brotli(packed, limit=limit)
    if name == "zstd":
        return _unpack_zstd(packed, limit=limit)
    raise EntryError(f"its content encoding {make_printable(name)[:40]!r} is not known here")


def _inflate(packed: bytes, name: str, windows: list[int], *, limit: int) -> bytes:
    for window in windows:
        unpacker = zlib.decompressobj(window)
        try:
            content = unpacker.decompress(packed, limit)
        except zlib.error:
            continue
        if len(content) < limit and not unpacker.eof:
            raise EntryError("its compressed content was cut off")
        return content
    raise EntryError(f"its content is not {name} as it says")


def _unpack_brotli(packed: bytes, *, limit: int) -> bytes:
    unpacker = brotli.Decompressor()
    try:
        parts = [unpacker.process(packed, output_buffer_limit=limit)]
        while sum(map(len, parts)) < limit and (more := unpacker.process(b"", output_buffer_limit=limit)):
            parts.append(more)
    except brotli.error as error:
        raise EntryError("its content is not br as it says") from error
    content = b"".join(parts)[:limit]
    if len(content) < limit and not unpacker.is_finished():
        raise EntryError("its compressed content was cut off")
    return content


def _unpack_zstd(packed: bytes, *, limit: int) -> bytes:
    try:
        unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj(read_across_frames=False)
        reader = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).stream_reader(io.BytesIO(packed))
        content = reader.read(limit)
        if len(content) < limit:
            unpacker.decompress(packed)
    except zstandard.ZstdError as error:
        raise EntryError("its content is not zstd as it says") from error
    if len(content) < limit and not unpacker.eof:
        raise EntryError("its compressed content was cut off")
    return bytes(content)
