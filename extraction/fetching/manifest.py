"""manifest.csv: which file of an archive had which address. Its columns are file, url and optionally content_type."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from extraction.fetching.items import MEBIBYTE, Refused
from extraction.fetching.names import make_printable, make_safe_name, make_safe_url

NAME = "manifest.csv"
MAX_BYTES = 256 * MEBIBYTE
"""Enough for two million rows. A larger manifest would fill the memory of a worker."""

MAX_LINES = 2_000_000
"""Twice as many as an import may have pages by default. Short lines would otherwise fill the memory: 256 MB hold sixty million of them."""

MAX_PROBLEMS = 1_000
"""How many problems of a manifest are listed. The others are counted."""


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """What the manifest says about one file. url: None if the manifest gives no usable address."""

    url: str | None
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The rows by file name as in the archive, and the problems found in the manifest."""

    rows: dict[str, ManifestRow] = field(default_factory=dict)
    problems: tuple[Refused, ...] = ()


def find_manifest(name: str) -> int | None:
    """Return the depth of a manifest: 0 at the top, 1 in a folder at the top, since many archives contain one folder.

    Returns None for any other file, and for a manifest that is deeper.
    """
    *folders, last = name.split("/")
    return len(folders) if last.lower() == NAME and len(folders) <= 1 else None


def too_large(name: str) -> Manifest:
    """Return an empty manifest that reports that the real one has more than MAX_BYTES."""
    return Manifest(problems=(Refused(name, f"it has more than {MAX_BYTES:,} bytes and was not read; file names are used as addresses"),))


def parse_manifest(content: bytes, *, name: str = NAME) -> Manifest:
    """Return the rows of a manifest. Never raises; problems are listed in the result.

    name: the name of the manifest. File names in it are relative to its folder.
    """
    folder = name.rpartition("/")[0]
    rows: dict[str, ManifestRow] = {}
    problems: list[Refused] = []
    unlisted = 0
    try:
        for line, file, url, content_type in _cells(content):
            problem = _add(rows, f"{name}, line {line}", f"{folder}/{file}" if folder else file, url, content_type)
            if problem and len(problems) < MAX_PROBLEMS:
                problems.append(problem)
            elif problem:
                unlisted += 1
    except (csv.Error, ValueError) as error:
        problems.append(Refused(name, f"{error}; its other lines were not read"))
    if unlisted:
        problems.append(Refused(name, f"{unlisted:,} more of its lines have problems, which are not listed"))
    return Manifest(rows, tuple(problems))


def _cells(content: bytes) -> Iterator[tuple[int, str, str, str]]:
    """Yield (line, file, url, content type) for each row.

    Raises ValueError if the header does not name file and url, or if there are more than MAX_LINES.
    """
    head = content.partition(b"\n")[0]
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", errors="backslashreplace", newline="")
    # In many European locales, spreadsheets separate columns with semicolons.
    reader = csv.reader(text, delimiter=";" if b";" in head and b"," not in head else ",")
    header = [cell.strip().lower() for cell in next(reader, [])]
    if "file" not in header or "url" not in header:
        raise ValueError("its first line does not name the columns file and url")
    columns = [header.index("file"), header.index("url"), header.index("content_type") if "content_type" in header else len(header)]
    for number, cells in enumerate(reader):
        if number >= MAX_LINES:
            raise ValueError(f"it has more than {MAX_LINES:,} lines")
        if not any(cell.strip() for cell in cells):
            continue
        file, url, content_type = (cells[column].strip() if column < len(cells) else "" for column in columns)
        yield reader.line_num, file, url, content_type


def _add(rows: dict[str, ManifestRow], line: str, file: str, url: str, content_type: str) -> Refused | None:
    """Enter one line. Return what is wrong with it, or None."""
    try:
        name = make_safe_name(file)
    except ValueError as error:
        return Refused(line, f"the file {make_printable(file[:100])!r}: {error}")
    if name in rows:
        return Refused(line, f"the file {name} is in an earlier line too, which counts")
    rows[name] = ManifestRow(None, make_printable(content_type)[:200])
    try:
        rows[name] = ManifestRow(make_safe_url(url) if url else None, rows[name].content_type)
    except ValueError as error:
        return Refused(name, f"{error}; its file name is used")
    return None
