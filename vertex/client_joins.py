"""The client's part for joined records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import Run, Value, read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A join: how rows of listings and the pages of a template become one record each."""

    id: int
    site: str
    name: str
    template: int | None
    winner: str
    turned: Sequence[str]
    listings: Sequence[Mapping[str, Any]]
    figures: Mapping[str, Any]
    columns: Sequence[str]
    made_at: datetime | None
    problems: Sequence[str]
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinProposal:
    """A join that the records suggest. join: the arguments of `create_join`; shares: of the rows of each list, how many find a page."""

    join: Mapping[str, Any]
    shares: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedRecord:
    """A joined record. state: joined, row (without a page) or page (without a row)."""

    id: int
    state: str
    page: int | None
    url: str | None
    values: Mapping[str, Sequence[Value]]
    rows: int
    conflicts: Sequence[str]
    disagreeing: bool
    complete: bool
    why: str


class JoinCalls(Connection):
    """Joins and their records."""

    def list_joins(self, site: str) -> list[Join]:
        """Return the joins of a site."""
        return [read_row(Join, each) for each in self.request("GET", join_path("sites", site, "joins"))]

    def propose_joins(self, site: str) -> list[JoinProposal]:
        """Return joins that the records suggest, the best first."""
        found = self.request("GET", join_path("sites", site, "joins", "proposals"))
        return [read_row(JoinProposal, each) for each in found["proposals"]]

    def create_join(self, site: str, template: int, listings: Sequence[Mapping[str, Any]], **fields: Any) -> Join:
        """Create a join with the pages of a template. listings: {template, list_name, link or keys, with_page} each.

        fields: name, winner and turned.
        """
        body = {"template": template, "listings": [dict(each) for each in listings], **fields}
        return read_row(Join, self.request("POST", join_path("sites", site, "joins"), body=body))

    def get_join(self, site: str, join_id: int) -> Join:
        """Return a join and what it found."""
        return read_row(Join, self.request("GET", join_path("sites", site, "joins", join_id)))

    def change_join(self, site: str, join_id: int, template: int, listings: Sequence[Mapping[str, Any]], **fields: Any) -> Join:
        """Change all settings of a join, with the arguments of `create_join`."""
        body = {"template": template, "listings": [dict(each) for each in listings], **fields}
        return read_row(Join, self.request("PUT", join_path("sites", site, "joins", join_id), body=body))

    def make_join(self, site: str, join_id: int) -> Run:
        """Start to bring the records of a join up to date."""
        return read_row(Run, self.request("POST", join_path("sites", site, "joins", join_id, "make")))

    def delete_join(self, site: str, join_id: int) -> None:
        """Delete a join with its records."""
        self.request("DELETE", join_path("sites", site, "joins", join_id))

    def list_joined_records(self, site: str, join_id: int, **filters: Any) -> Iterator[JoinedRecord]:
        """Yield joined records. filters: q, part and missing."""
        return self.list_all(join_path("sites", site, "joins", join_id, "records"), JoinedRecord, filters)

    def export_joined(self, site: str, join_id: int, target: Path, *, format: str = "csv", **options: Any) -> int:
        """Write joined records to a file and return its size in bytes."""
        path = join_path("sites", site, "joins", join_id, "export")
        return self.download(path, target, query={"format": format, **options})
