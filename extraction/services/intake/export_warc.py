"""Export a site as a WARC file (ISO 28500). The file is streamed, so memory holds one page at a time.

A page with a web address becomes a `response` with its stored headers. A page that a browser rendered, or that is known
only by a file's name, becomes a `resource`. Importing the file gives the same pages and snapshots again.
"""

import io
from collections.abc import Iterator
from datetime import UTC
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.algorithms.dom import xml
from extraction.algorithms.errors import PageError
from extraction.models import Site, Snapshot
from extraction.services.core.stored_pages import read_bytes

CHUNK = 200
"""The number of snapshots per database read. Their bytes are read one at a time."""

FILE = "file:///"
"""The start of the address of a page that is known only by a file's name."""

_HEADERS = {"content-language": "Content-Language", "etag": "ETag", "last-modified": "Last-Modified"}


def write_records(site: Site) -> Iterator[bytes]:
    """Yield the file in pieces: all versions of all pages whose bytes are kept.

    Each piece is one record, compressed by itself as WARC readers expect.
    """
    piece = io.BytesIO()
    writer = WARCWriter(piece, gzip=True, warc_version="WARC/1.1")
    writer.write_record(writer.create_warcinfo_record(f"{site.slug}.warc.gz", {"software": "Vertex", "isPartOf": site.name}))
    yield _take_piece(piece)
    kept = Snapshot.objects.of_site(site).kept().select_related("page").order_by("pk")
    for snapshot in kept.iterator(chunk_size=CHUNK):
        try:
            content = read_bytes(snapshot)
        except PageError:  # somebody deleted the file from the storage; export the rest
            continue
        writer.write_record(_make_record(writer, snapshot, content))
        yield _take_piece(piece)


def _make_record(writer: Any, snapshot: Snapshot, content: bytes) -> Any:
    url = snapshot.page.url
    date = {"WARC-Date": snapshot.fetched_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    on_the_web = url.startswith(("http://", "https://"))
    if snapshot.received or not on_the_web:
        address = url if on_the_web else FILE + quote(url)
        kind = snapshot.content_type or ("application/xml" if xml.what(content) in ("xml", "feed") else "text/html")  # a resource needs one
        return writer.create_warc_record(address, "resource", payload=io.BytesIO(content), warc_content_type=kind, warc_headers_dict=date)
    return writer.create_warc_record(
        url, "response", payload=io.BytesIO(content), http_headers=_make_headers(snapshot), warc_headers_dict=date
    )


def _make_headers(snapshot: Snapshot) -> StatusAndHeaders:
    """Return the stored headers of the answer. There is no Content-Encoding, because the body is stored decoded."""
    headers = [("Content-Type", snapshot.content_type)] if snapshot.content_type else []
    headers += [(shown, snapshot.headers[name]) for name, shown in _HEADERS.items() if snapshot.headers.get(name)]
    headers.append(("Content-Length", str(snapshot.size_bytes)))
    status = snapshot.status or HTTPStatus.OK
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    return StatusAndHeaders(f"{int(status)} {phrase}".strip(), headers, protocol="HTTP/1.1")


def _take_piece(piece: io.BytesIO) -> bytes:
    data = piece.getvalue()
    piece.seek(0)
    piece.truncate()
    return data
