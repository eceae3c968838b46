"""The client's part for corrections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from vertex.client_connection import Connection, join_path
from vertex.client_rows import Value, read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The values of one attribute at one place of a record, beside what the page says.

    list_name, row: the list, and the number of its row from 1; "" and 0 for an attribute of the page itself.
    given: what the rule gave, if a person corrected it.
    """

    attribute: str
    list_name: str
    row: int
    values: Sequence[Value]
    page: Sequence[str]
    given: Sequence[Value] | None
    correction: int | None
    corrected_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A correction of a value. outcome: what it did, in words, if it was just made."""

    id: int
    page: int
    url: str
    attribute: str
    list_name: str
    row: int
    kind: str
    state: str
    values: Sequence[str]
    basis: Sequence[str]
    found: Sequence[str] | None
    reason: str
    by: str
    at: datetime
    ended_at: datetime | None
    outcome: str = ""


class CorrectionCalls(Connection):
    """Corrections: values that people put in the place of what a rule gives."""

    def list_values(self, site: str, template: int, page_id: int, *, list_name: str = "") -> Iterator[Place]:
        """Yield the values of a page's record beside what the page says; of a list, if one is named."""
        path = join_path("sites", site, "templates", template, "pages", page_id, "values")
        return self.list_all(path, Place, {"list_name": list_name})

    def correct(
        self,
        site: str,
        template: int,
        page_id: int,
        attribute: str,
        values: Sequence[str],
        *,
        list_name: str = "",
        row: int = 0,
        seen: Sequence[str] | None = None,
        replaces: int | None = None,
    ) -> Correction:
        """Say which values are right; none rejects what is there.

        row: the row of the list, from 1.
        seen: the texts of the page that were there when the value was looked at; if it says something else now, that is an error.
        replaces: the id of a correction under review that this one takes the place of.
        """
        body = {
            "attribute": attribute,
            "values": list(values),
            "list_name": list_name,
            "row": row,
            "seen": None if seen is None else list(seen),
            "replaces": replaces,
        }
        path = join_path("sites", site, "templates", template, "pages", page_id, "corrections")
        return read_row(Correction, self.request("POST", path, body=body))

    def list_corrections(self, site: str, template: int, *, state: str = "") -> Iterator[Correction]:
        """Yield the corrections of a template. state: active, review or ended; without it, those that are not ended."""
        return self.list_all(join_path("sites", site, "templates", template, "corrections"), Correction, {"state": state})

    def keep_correction(self, site: str, template: int, correction_id: int) -> Correction:
        """Keep a correction under review for what the page says now."""
        path = join_path("sites", site, "templates", template, "corrections", correction_id, "keep")
        return read_row(Correction, self.request("POST", path))

    def end_correction(self, site: str, template: int, correction_id: int) -> Correction:
        """End a correction, so that the record has what the rule gives."""
        path = join_path("sites", site, "templates", template, "corrections", correction_id, "end")
        return read_row(Correction, self.request("POST", path))
