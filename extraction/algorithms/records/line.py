"""A line of an export, before it is written in a format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from extraction.algorithms.records.record_values import RecordValue

PageCell = str | int | datetime | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the values of a page, or of a row of a list together with those of its page.

    page: {name of PAGE_COLUMNS: its cell}.
    """

    values: Mapping[str, Sequence[RecordValue]]
    page: Mapping[str, PageCell]
