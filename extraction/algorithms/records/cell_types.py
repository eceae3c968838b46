"""The types of cells, and the limits that a format sets to them."""

from dataclasses import dataclass
from datetime import date, datetime

Scalar = str | int | float | bool | date | datetime | None

Cell = Scalar | list[Scalar]
"""A cell as a writer gets it. Columns with several values, and all columns of attributes in CSV, have lists."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a format cannot hold.

    first_date: the earliest date of the format's date type.
    """

    first_date: date = date.min
