"""Where the values of a record come from if they are not what the page says: `Record.origins`.

A value differs from the page if a clean-up changed it or a person corrected it. Both keep the texts of the page beside the value, and a
corrected one keeps the values that the rule gave, so that a correction can be taken back without the page.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.record_values import RecordValue


@dataclass(frozen=True, slots=True)
class CorrectionMark:
    """Who corrected a value.

    id: of the `Correction`.
    kind: a `Correction.Kind`.
    by: the name of the person.
    at: when, as ISO 8601.
    """

    id: int
    kind: str
    by: str
    at: str

    @property
    def time(self) -> datetime:
        """When the value was corrected."""
        return datetime.fromisoformat(self.at)

    def as_json(self) -> dict[str, Any]:
        """Return the mark as JSON."""
        return {"id": self.id, "kind": self.kind, "by": self.by, "at": self.at}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the values of one attribute come from.

    list_name: the list of the attribute, "" for an attribute of the page itself.
    row: the place of the row in the record, from 0; None without a list.
    page: the texts on the page.
    given: the values that the rule gave, if a person put others in their place; else None.
    correction: who did, if `given` is not None.
    """

    attribute: str
    list_name: str
    row: int | None
    page: tuple[str, ...]
    given: tuple[RecordValue, ...] | None = None
    correction: CorrectionMark | None = None

    @property
    def place(self) -> tuple[str, str, int | None]:
        """What tells the values of a record apart: (attribute, list, row)."""
        return self.attribute, self.list_name, self.row

    def as_json(self) -> dict[str, Any]:
        """Return the origin as JSON."""
        row: dict[str, Any] = {"attribute": self.attribute, "page": list(self.page)}
        if self.list_name:
            row |= {"list": self.list_name, "row": self.row}
        if self.given is not None and self.correction is not None:
            row |= {"given": [each.as_json() for each in self.given], "correction": self.correction.as_json()}
        return row

    @classmethod
    def from_json(cls, row: Any) -> "Origin":
        """Return the origin that `as_json` wrote. Raises JsonShapeError for anything else."""
        try:
            given, mark = row.get("given"), row.get("correction")
            return cls(
                str(row["attribute"]),
                str(row.get("list", "")),
                row.get("row"),
                tuple(map(str, row["page"])),
                None if given is None else tuple(map(RecordValue.from_json, given)),
                None if mark is None else CorrectionMark(int(mark["id"]), str(mark["kind"]), str(mark["by"]), str(mark["at"])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JsonShapeError(f"an origin must name an attribute and the texts of its page, not {row!r:.200}") from error


@dataclass(frozen=True, slots=True)
class RecordOrigins:
    """What `Record.origins` holds.

    entries: the values that differ from the page.
    failed: {attribute or list: why its XPath could not be evaluated}.
    notes: what was cut off or dropped on the way from the page to the record, in words.
    """

    entries: tuple[Origin, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the origins as JSON; {} if there is nothing to say."""
        parts = {"entries": [each.as_json() for each in self.entries], "failed": dict(self.failed), "notes": list(self.notes)}
        return {name: value for name, value in parts.items() if value}

    @classmethod
    def from_json(cls, data: Any) -> "RecordOrigins":
        """Return what `as_json` wrote. Raises JsonShapeError for anything else."""
        if not isinstance(data, dict):
            raise JsonShapeError(f"the origins of a record must be an object, not {data!r:.200}")
        entries = tuple(map(Origin.from_json, data.get("entries", [])))
        return cls(entries, dict(data.get("failed", {})), tuple(map(str, data.get("notes", []))))

    def by_place(self) -> dict[tuple[str, str, int | None], Origin]:
        """Return {(attribute, list, row): its origin}."""
        return {each.place: each for each in self.entries}

    def list_corrected(self) -> Iterator[Origin]:
        """Yield the origins of values that a person corrected."""
        return (each for each in self.entries if each.correction is not None)
