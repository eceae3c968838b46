"""Zip, tar and WARC files as bytes, and what is read from them."""

import io
import tarfile
import zipfile
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.fetching.archives import Item, Limits, PageItem, Refused, Skipped, read_archive

LIMITS = Limits(pages=1000, page_bytes=1_000_000, total_bytes=200_000_000, expansion=200)


PAGE = b"<!doctype html><html><body><h1>A book</h1></body></html>"


def make_zip(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def make_warc(records: list[dict[str, Any]], *, packed: bool = True) -> bytes:
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


def read_items(data: bytes, limits: Limits = LIMITS, name: str = "upload") -> list[Item]:
    return list(read_archive(io.BytesIO(data), name=name, limits=limits))


def page_names(found: list[Item]) -> list[str]:
    return [item.name for item in found if isinstance(item, PageItem)]


def page_urls(found: list[Item]) -> list[str | None]:
    return [item.url for item in found if isinstance(item, PageItem)]


def refusals(found: list[Item]) -> dict[str, str]:
    return {item.name: item.reason for item in found if isinstance(item, Refused)}


def skipped_names(found: list[Item]) -> list[str]:
    return [item.kind for item in found if isinstance(item, Skipped)]
