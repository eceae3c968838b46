"""Send a stored file, as a whole or from where a download broke off (RFC 9110, section 14)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.files import File
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from extraction.models import StoredFile
from extraction.services.records import stored_files

PIECE = 64 * 1024

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file. first, last: places of its bytes from 0."""

    first: int
    last: int


def find_started(request: HttpRequest, place: str) -> StoredFile | None:
    """Return the stored file with which a download wants to go on; None if it is a new download."""
    if "Range" not in request.headers:
        return None
    said = request.headers.get("If-Range", "")
    etag = said.removeprefix('"').removesuffix('"') if said.startswith('"') else ""
    return None if said and not etag else stored_files.find_to_go_on(place, etag)


def send_stored(request: HttpRequest, file: StoredFile, *, same: bool) -> HttpResponseBase:
    """Send a stored file or the part of it that is asked for.

    same: a program that asks for a part and does not say of which file (If-Range) can only mean this one. Otherwise it gets the whole
        file: a part of another one would spoil what it has.
    """
    etag = f'"{file.etag}"'
    headers = {"ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
    if etag in [each.strip().removeprefix("W/") for each in request.headers.get("If-None-Match", "").split(",")]:
        return HttpResponse(status=304, headers=headers)
    part = _read_range(request, file, etag, same=same)
    if part is None:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{file.size_bytes}"})
    whole = part == Part(0, file.size_bytes - 1)
    headers["Content-Length"] = str(part.last - part.first + 1)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    if not whole or _wants_part(request, etag, same=same):
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{file.size_bytes}"
    status = 206 if "Content-Range" in headers else 200
    try:
        opened = stored_files.open_file(file)
    except OSError:
        return HttpResponse("The file is no longer kept. Download it again.", status=410, content_type="text/plain")
    return StreamingHttpResponse(_read_part(opened, part), status=status, content_type=file.content_type, headers=headers)


def _wants_part(request: HttpRequest, etag: str, *, same: bool) -> bool:
    """Return whether a part is asked for that can be given: one range of bytes, of these very bytes."""
    said = request.headers.get("If-Range", etag if same else "")
    return said == etag and bool(_RANGE.fullmatch(request.headers.get("Range", "").strip()))


def _read_range(request: HttpRequest, file: StoredFile, etag: str, *, same: bool) -> Part | None:
    """Return the part to send: all of it for anything but a single range. None if the range begins behind the end."""
    size = file.size_bytes
    found = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if not found or not _wants_part(request, etag, same=same) or found[0] == "bytes=-" or not size:
        return Part(0, size - 1)
    if not found[1]:
        length = min(int(found[2]), size)
        return Part(size - length, size - 1) if length else None
    first, last = int(found[1]), min(int(found[2]), size - 1) if found[2] else size - 1
    if found[2] and int(found[2]) < first:
        return Part(0, size - 1)
    return Part(first, last) if first < size else None


def _read_part(file: "File[bytes]", part: Part) -> Iterator[bytes]:
    left = part.last - part.first + 1
    with file:
        file.seek(part.first)
        while left > 0 and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
