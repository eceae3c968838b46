"""What the values of one column tell about reading each of them.

A column is what one attribute gives on all pages. `1.234` and `03/04/2024` mean two things each; another value of the same column,
`12,50` or `25/12/2024`, can mean only one, and the whole column is written in one way.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

DecimalMark = Literal["", ".", ",", "mixed"]
DateOrder = Literal["", "DMY", "MDY", "YMD", "mixed"]


@dataclass(frozen=True, slots=True)
class ColumnEvidence:
    """What a column's clear values show.

    decimal: its decimal mark. "mixed": its values contradict each other; "": none is clear.
    date_order: the order of day, month and year in dates of numbers, likewise.
    last_year: the latest year that is written with four digits, 0 if there is none. Years of two digits are read as near to it.
    """

    decimal: DecimalMark = ""
    date_order: DateOrder = ""
    last_year: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return what is known as JSON; {} if nothing is."""
        known = {"decimal": self.decimal, "date_order": self.date_order, "last_year": self.last_year}
        return {name: value for name, value in known.items() if value}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "ColumnEvidence":
        """Return the evidence that `as_json` wrote. Raises TypeError for anything else."""
        found = cls(**row)
        known = found.decimal in get_args(DecimalMark) and found.date_order in get_args(DateOrder)
        if not known or not isinstance(found.last_year, int):
            raise TypeError(f"not the evidence of a column: {str(row)[:100]}")
        return found


NO_EVIDENCE = ColumnEvidence()
