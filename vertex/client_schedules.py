"""The client's part for schedules of refreshes and checks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When the records of a site, or of one of its templates, are refreshed. set: there is a schedule."""

    set: bool
    template: int | None
    mode: str
    every_hours: int
    times: Sequence[str]
    cron: str
    zone: str
    max_pages: int | None
    paused_at: datetime | None
    next_due_at: datetime | None
    skip_next: bool
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """One refresh, or one that was skipped or could not start."""

    id: int
    template: int | None
    cause: str
    state: str
    due_at: datetime
    created_at: datetime
    created_by: str | None
    run: int | None
    missed: int
    known: int
    due: int
    left_out: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """How often a site's rules are checked. auto_repair: repairs that pass every test go live without a person."""

    enabled: bool
    every_hours: int
    auto_repair: bool
    next_due_at: datetime
    last_checked_at: datetime | None


class ScheduleCalls(Connection):
    """When sites are refreshed and checked. template: the schedule of one template, not of the site."""

    def get_schedule(self, site: str, *, template: int | None = None) -> Schedule:
        """Return when records are refreshed."""
        return read_row(Schedule, self.request("GET", join_path("sites", site, "schedule"), query={"template": template}))

    def change_schedule(self, site: str, mode: str, *, template: int | None = None, **fields: Any) -> Schedule:
        """Set when records are refreshed. mode: interval, times, cron or checks. fields: every_hours, times, cron, zone, max_pages."""
        body, query = {"mode": mode, **fields}, {"template": template}
        return read_row(Schedule, self.request("PUT", join_path("sites", site, "schedule"), query=query, body=body))

    def control_schedule(self, site: str, action: str, *, template: int | None = None) -> Schedule:
        """Pause or resume a schedule, or skip the next refresh. action: pause, resume or skip."""
        return read_row(Schedule, self.request("POST", join_path("sites", site, "schedule", action), query={"template": template}))

    def remove_schedule(self, site: str, *, template: int | None = None) -> None:
        """Remove a schedule."""
        self.request("DELETE", join_path("sites", site, "schedule"), query={"template": template})

    def list_refreshes(self, site: str, *, template: int | None = None) -> Iterator[Refresh]:
        """Yield the refreshes of a site and its templates, newest first."""
        return self.list_all(join_path("sites", site, "refreshes"), Refresh, {"template": template})

    def get_monitor(self, site: str) -> Monitor:
        """Return how often the rules of a site are checked."""
        return read_row(Monitor, self.request("GET", join_path("sites", site, "monitor")))

    def change_monitor(self, site: str, **fields: Any) -> Monitor:
        """Change enabled, every_hours or auto_repair."""
        return read_row(Monitor, self.request("PATCH", join_path("sites", site, "monitor"), body=fields))
