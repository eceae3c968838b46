"""The pages of a WARC file, plain or compressed with gzip or zstd as a whole or record by record.

warcio reads the records. It does not limit the size of headers, chunks and compressed bodies, so this module and `codings` do.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO
from urllib.parse import unquote

from warcio.archiveiterator import WARCIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

from extraction.algorithms.dom.xml import HTML_TYPES, XML_TYPE
from extraction.fetching.codings import join_chunks, unpack
from extraction.fetching.items import MEBIBYTE, AssetItem, Budget, EntryError, Item, Limits, PageItem, Refused, Skipped, Wanted
from extraction.fetching.names import looks_like_page, make_printable, make_safe_name, make_safe_url
from extraction.fetching.streams import PIECE_BYTES, Stream

MAGIC = b"WARC/"

FILE = "file:///"

HEADER_BYTES = 4 * MEBIBYTE
"""The largest size of a record's headers. After a larger one, the rest of the file is not read. Real headers have a few kilobytes."""

MAX_RECORD_BYTES = 2**62
"""The length up to which libraries can count. No record is as long."""

_HTTP = StatusAndHeadersParser(["HTTP/1.0", "HTTP/1.1"], verify=False)


class WarcReader:
    """Reads the responses and resources of a WARC file that are HTML or XML, in the file's order.

    fraction: the share of the file that has been read.
    """

    ordered_by_time = True
    wanted: Wanted | None = None

    def __init__(self, file: BinaryIO, *, size_bytes: int, name: str, limits: Limits) -> None:
        self._name = name
        self._budget = Budget(limits, size_bytes)
        self._stream = Stream(file, budget=self._budget)

    @property
    def fraction(self) -> float:
        return self._stream.fraction

    def __iter__(self) -> Iterator[Item]:
        try:
            for record in self._records():
                item = self._item(record)
                if item is not None:
                    yield item
        except (EntryError, ArchiveLoadFailed, UnicodeError, ValueError, AttributeError) as error:
            yield Refused(self._name, f"{make_printable(str(error))[:300]}; the part before that was read")
        else:
            if self._stream.broken:
                yield Refused(self._name, f"{self._stream.broken}; the part before that was read")

    def _records(self) -> Iterator[Any]:
        """Yield the records. Each is read to its end here, so that the allowance for headers counts headers only."""
        records = iter(WARCIterator(self._stream, no_record_parse=True, block_size=PIECE_BYTES))
        while True:
            self._stream.allowance = HEADER_BYTES
            record = next(records, None)
            self._stream.allowance = None
            if record is None:
                return
            if getattr(record.raw_stream, "limit", 0) > MAX_RECORD_BYTES:
                raise EntryError("a record says that it is longer than any file")
            yield record
            while record.raw_stream.read(PIECE_BYTES):
                pass

    def _item(self, record: Any) -> Item | None:
        if record.rec_type not in {"response", "resource"}:
            return Skipped("", "revisit of a page") if record.rec_type == "revisit" else None
        raw_url = record.rec_headers.get_header("WARC-Target-URI") or ""
        name = make_printable(raw_url)[:2000] or "(record without address)"
        if record.rec_type == "response" and not raw_url.lower().startswith(("http:", "https:")):
            return Skipped(name, "not a page on the web")
        try:
            return self._page(record, name, raw_url)
        except EntryError as error:
            return Refused(name, str(error))
        except (ValueError, StatusAndHeadersParserException) as error:
            return Refused(name, make_printable(str(error))[:300])

    def _page(self, record: Any, name: str, raw_url: str) -> Item:
        if not hasattr(record.raw_stream, "limit"):
            raise EntryError("its record does not say how long it is")
        headers = self._http_headers(record) if record.rec_type == "response" else None
        status = headers.get_statuscode() if headers is not None else "200"
        if status != "200":
            return Skipped(name, f"HTTP {status}" if re.fullmatch(r"[1-5][0-9][0-9]", status) else "HTTP without status")
        content_type = (headers or record.rec_headers).get_header("Content-Type") or ""
        media_type = content_type.partition(";")[0].strip().lower()
        if self.wanted is not None:
            need = None if _is_file(record, raw_url) else self.wanted(make_safe_url(raw_url))
            return AssetItem(name, need, self._content(record, headers)) if need else Skipped(name, "not needed")
        if media_type and media_type not in HTML_TYPES and not XML_TYPE.fullmatch(media_type):
            return Skipped(name, "not HTML")
        # A page without an address that `export_warc` wrote: its name is restored.
        name, url = (make_safe_name(unquote(raw_url[len(FILE) :])), None) if _is_file(record, raw_url) else (name, make_safe_url(raw_url))
        content = self._content(record, headers)
        if media_type not in HTML_TYPES and not looks_like_page(content, content_type):
            return Skipped(name, "not HTML")
        return PageItem(name, url, content, make_printable(content_type)[:200], _parse_date(record.rec_headers.get_header("WARC-Date")))

    def _http_headers(self, record: Any) -> Any:
        self._stream.allowance = HEADER_BYTES
        try:
            return _HTTP.parse(record.raw_stream)
        except EOFError:
            raise EntryError(self._stream.broken or "it has no HTTP headers") from None
        finally:
            self._stream.allowance = None

    def _content(self, record: Any, headers: Any) -> bytes:
        """Return the body without chunks and compression. Raises EntryError if it is too large, cut off or cannot be unpacked."""
        limits = self._budget.limits
        stream = record.raw_stream
        # The library trusts the chunk sizes in the body, so the size of the whole record is checked first.
        if stream.limit > limits.page_bytes + MEBIBYTE:
            raise EntryError(self._budget.too_large(stream.limit))
        if headers is not None and (headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked":
            chunked = b"".join(iter(partial(stream.read, PIECE_BYTES), b""))
            packed = b"" if stream.limit else join_chunks(chunked)
        else:
            packed = stream.read(stream.limit)
        if stream.limit and not _read_rest(stream):
            raise EntryError(self._stream.broken or "it was cut off")
        encoding = (headers.get_header("Content-Encoding") or "") if headers is not None else ""
        content = unpack(packed, encoding.strip().lower(), limit=limits.page_bytes + 1)
        too_large = self._budget.too_large(len(content))
        if too_large:
            raise EntryError(too_large)
        self._budget.unpack(max(0, len(content) - len(packed)))
        return content


def _is_file(record: Any, raw_url: str) -> bool:
    return bool(record.rec_type == "resource" and raw_url.lower().startswith(FILE))


def _read_rest(stream: Any) -> bool:
    """Read the rest of a record and return whether it was complete. Bytes after the last chunk of a body are ignored."""
    while stream.limit and stream.read(PIECE_BYTES):
        pass
    return not stream.limit


def _parse_date(text: str | None) -> datetime | None:
    try:
        date = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
