"""The client's part for alert channels and the audit log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChannel:
    """Where alerts are sent. service: the kind of service; the rest of the address is secret. sites: empty for all sites of the team."""

    id: int
    name: str
    team: str
    service: str
    events: Sequence[str]
    sites: Sequence[str]
    enabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change. person: the name at that time; empty for what happened by itself. times: how often in a row."""

    id: int
    at: datetime
    kind: str
    what: str
    text: str
    person: str
    source: str
    token: str
    site: str
    address: str
    times: int


class AdministrationCalls(Connection):
    """What administrators of a team set up and look up."""

    def list_alert_channels(self) -> Iterator[AlertChannel]:
        """Yield the channels of the teams of which the person is an administrator."""
        return self.list_all(join_path("alert-channels"), AlertChannel)

    def create_alert_channel(self, name: str, url: str, events: Sequence[str], **fields: Any) -> AlertChannel:
        """Create a channel. url: an address of Apprise. fields: sites, enabled and team."""
        body = {"name": name, "url": url, "events": list(events), **fields}
        return read_row(AlertChannel, self.request("POST", join_path("alert-channels"), body=body))

    def get_alert_channel(self, channel_id: int) -> AlertChannel:
        """Return a channel."""
        return read_row(AlertChannel, self.request("GET", join_path("alert-channels", channel_id)))

    def change_alert_channel(self, channel_id: int, **fields: Any) -> AlertChannel:
        """Change a channel. fields: name, url, events, sites and enabled."""
        return read_row(AlertChannel, self.request("PATCH", join_path("alert-channels", channel_id), body=fields))

    def delete_alert_channel(self, channel_id: int) -> None:
        """Delete a channel and the list of its alerts."""
        self.request("DELETE", join_path("alert-channels", channel_id))

    def test_alert_channel(self, channel_id: int) -> str:
        """Send a test. Return why it failed, or an empty text."""
        return str(self.request("POST", join_path("alert-channels", channel_id, "test"))["error"])

    def list_audit_entries(self, **filters: Any) -> Iterator[AuditEntry]:
        """Yield who changed what, newest first. filters: q, person, site, kind, source, since and until."""
        return self.list_all(join_path("audit-log"), AuditEntry, filters)
