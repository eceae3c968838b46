"""Marked values from a file, for `vertex annotate`."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

COLUMNS = ("url", "attribute", "value", "occurrence", "xpath", "row")


class FileError(ValueError):
    """The file cannot be read. The message says why and where."""


@dataclass(frozen=True, slots=True)
class PageMarks:
    """The values of an attribute on a page. values: None if it is not there; as for `Vertex.mark`."""

    url: str
    attribute: str
    row: int
    values: Sequence[Mapping[str, Any]] | None


def read_marks(path: Path) -> list[PageMarks]:
    """Return the marks of a CSV, JSON or JSON Lines file, those of an attribute on a page together.

    A line has url, attribute and value; it may have occurrence, xpath and row. A line with neither value nor xpath says that the
    attribute is not on the page. Raises FileError.
    """
    try:
        lines = list(_read_csv(path) if path.suffix.lower() == ".csv" else _read_json(path))
    except (OSError, UnicodeDecodeError, csv.Error, json.JSONDecodeError) as error:
        raise FileError(f"{path.name}: {error}") from error
    if not lines:
        raise FileError(f"{path.name} has no marks.")
    keyed = sorted(lines, key=lambda line: (line[0].url, line[0].attribute, line[0].row))  # stable: values keep their order
    found = []
    for (url, attribute, row), many in groupby(keyed, key=lambda line: (line[0].url, line[0].attribute, line[0].row)):
        values = [mark for _, mark in many]
        if None in values and len(values) > 1:
            raise FileError(f"{path.name}: {attribute} of {url} has an empty value beside others.")
        found.append(PageMarks(url, attribute, row, None if values == [None] else [each for each in values if each is not None]))
    return found


def _read_csv(path: Path) -> Iterator[tuple[PageMarks, Mapping[str, Any] | None]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(csv.DictReader(file), 2):
            yield _read_line(line, f"{path.name}, line {number}")


def _read_json(path: Path) -> Iterator[tuple[PageMarks, Mapping[str, Any] | None]]:
    text = path.read_text(encoding="utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise FileError(f"{path.name}, entry {number}: it must be an object with url, attribute and value.")
        yield _read_line(row, f"{path.name}, entry {number}")


def _read_line(line: Mapping[str | Any, Any], where: str) -> tuple[PageMarks, Mapping[str, Any] | None]:
    if unknown := [name for name in line if name not in COLUMNS]:
        raise FileError(f"{where}: there is no column {unknown[0]!r}. Columns: {', '.join(COLUMNS)}.")
    url, attribute = str(line.get("url") or ""), str(line.get("attribute") or "")
    if not (url and attribute):
        raise FileError(f"{where}: url and attribute are needed.")
    try:
        row, occurrence = (int(line.get(name) or 0) for name in ("row", "occurrence"))
    except ValueError as error:
        raise FileError(f"{where}: row and occurrence are whole numbers.") from error
    text, xpath = str(line.get("value") or ""), str(line.get("xpath") or "")
    mark = {"text": text, "occurrence": occurrence or None, "xpath": xpath} if text or xpath else None
    return PageMarks(url, attribute, row, None), mark
