"""The values of a record: `Record.values` and `Record.rows`.

An export reads a record for every line, so for speed the values are read by hand and not from their annotations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.algorithms.json_values import JsonShapeError


@dataclass(frozen=True, slots=True)
class RecordValue:
    """One value of a record.

    raw: the text that is read: that of the page, cleaned up if the rule says so, or what a person wrote (`Record.origins`).
    value: its normal form, None if it cannot be read.
    problem: why it cannot be read, else empty.
    """

    raw: str
    value: str | None = None
    problem: str = ""

    @classmethod
    def from_json(cls, row: Any) -> "RecordValue":
        """Return the value that `as_json` wrote. Raises JsonShapeError for anything else."""
        try:
            found = cls(row["raw"], row.get("value"), row.get("problem", ""))
        except (KeyError, TypeError, AttributeError) as error:
            raise JsonShapeError(f"a record's value must be an object with a raw text, not {row!r:.200}") from error
        if not isinstance(found.raw, str):
            raise JsonShapeError(f"a record's value must have a raw text, not {found.raw!r:.200}")
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the value as JSON."""
        return {"raw": self.raw, "value": self.value, "problem": self.problem}


Values = Mapping[str, Sequence[RecordValue]]
"""{attribute: its values}. An attribute without a value is missing."""


def read_values(data: Any) -> dict[str, list[RecordValue]]:
    """Return the values of a record itself or of one of its rows. Raises JsonShapeError."""
    if not isinstance(data, dict) or not all(isinstance(many, list) for many in data.values()):
        raise JsonShapeError(f"a record's values must be lists by attribute, not {data!r:.200}")
    return {name: [RecordValue.from_json(row) for row in many] for name, many in data.items()}


def read_rows(data: Any) -> dict[str, list[dict[str, list[RecordValue]]]]:
    """Return {list: the values of each of its rows}. Raises JsonShapeError."""
    if not isinstance(data, dict) or not all(isinstance(many, list) for many in data.values()):
        raise JsonShapeError(f"a record's rows must be lists by name, not {data!r:.200}")
    return {name: [read_values(row) for row in many] for name, many in data.items()}


def values_as_json(values: Values) -> dict[str, Any]:
    """Return values in the form that `read_values` reads."""
    return {name: [each.as_json() for each in many] for name, many in values.items()}


def rows_as_json(rows: Mapping[str, Sequence[Values]]) -> dict[str, Any]:
    """Return rows in the form that `read_rows` reads."""
    return {name: [values_as_json(row) for row in many] for name, many in rows.items()}
