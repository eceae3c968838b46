"""The demo site as a zip file."""

import csv
import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from extraction.demo.site import files, pages


def write_zip(path: Path, *, design: int = 1, day: int = 0) -> int:
    """Write the site as a zip file and return the number of pages.

    ``manifest.csv`` (file, url) comes first, then the pages, then the files that they load. The same arguments give the same bytes.
    """
    found = list(pages(design=design, day=day))
    manifest = io.StringIO()
    csv.writer(manifest).writerows([("file", "url"), *((page.file, page.url) for page in found)])
    with ZipFile(path, "w") as archive:
        _put(archive, "manifest.csv", manifest.getvalue().encode())
        for page in found:
            _put(archive, page.file, page.content)
        for file in files():
            _put(archive, file.path.lstrip("/"), file.content)
    return len(found)


def _put(archive: ZipFile, name: str, body: bytes) -> None:
    entry = ZipInfo(name, date_time=(2025, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, body)
