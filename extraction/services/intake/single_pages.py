"""One page as an archive of pages, so that it is imported like all others."""

from io import BytesIO

from django.core.files.base import ContentFile
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def make_archive(url: str, content: bytes, *, content_type: str = "") -> "ContentFile[bytes]":
    """Return a WARC file with one page, as a web server would have sent it."""
    written = BytesIO()
    writer = WARCWriter(written, gzip=True)
    headers = StatusAndHeaders("200 OK", [("Content-Type", content_type or "text/html")], protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=BytesIO(content), http_headers=headers))
    return ContentFile(written.getvalue(), name="page.warc.gz")
