"""The client's part for deliveries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where records of a type are delivered. moved, noted: what saving it led to; False otherwise."""

    id: int
    name: str
    record_type: str
    list_name: str
    kind: str
    place: Mapping[str, Any]
    content: Mapping[str, Any]
    mode: str
    every_hours: int
    times: Sequence[str]
    cron: str
    zone: str
    enabled: bool
    next_due_at: datetime | None
    leads_to: str
    when: str
    gets: str
    moved: bool = False
    noted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One sending to a target."""

    id: int
    target: int
    cause: str
    run: int | None
    state: str
    attempts: int
    error: str
    outcome: str
    lines: int
    size_bytes: int
    created_at: datetime
    created_by: str | None
    next_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPreview:
    """What the next delivery would bring. complete: it is all, and not only the first lines."""

    problem: str
    changes: bool
    kinds: Mapping[str, int]
    lines: int
    complete: bool
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    losses: Sequence[str]


class DeliveryCalls(Connection):
    """Targets and deliveries. They need a token for all sites."""

    def list_targets(self, *, record_type: str = "") -> Iterator[Target]:
        """Yield the targets."""
        return self.list_all("/delivery-targets", Target, {"record_type": record_type})

    def get_target(self, target_id: int) -> Target:
        """Return a target."""
        return read_row(Target, self.request("GET", join_path("delivery-targets", target_id)))

    def create_target(self, name: str, record_type: str, kind: str, **fields: Any) -> Target:
        """Create a target. fields: list_name, place, secrets, content, schedule, enabled and from_now, as in docs/deliveries.md."""
        body = {"name": name, "record_type": record_type, "kind": kind, **fields}
        return read_row(Target, self.request("POST", "/delivery-targets", body=body))

    def change_target(self, target_id: int, **fields: Any) -> Target:
        """Change a target. What is left out stays as it is."""
        return read_row(Target, self.request("PATCH", join_path("delivery-targets", target_id), body=fields))

    def delete_target(self, target_id: int, *, confirm: str) -> None:
        """Delete a target. confirm: its name."""
        self.request("DELETE", join_path("delivery-targets", target_id), query={"confirm": confirm})

    def preview_target(self, target_id: int) -> DeliveryPreview:
        """Return what the next delivery would bring, without sending it."""
        return read_row(DeliveryPreview, self.request("GET", join_path("delivery-targets", target_id, "preview")))

    def test_target(self, target_id: int) -> str:
        """Reach a target without delivering anything. Return why that failed, "" if it worked."""
        return str(self.request("POST", join_path("delivery-targets", target_id, "test"))["error"])

    def deliver(self, target_id: int, *, everything: bool = False) -> Delivery:
        """Queue a delivery. everything: the receiver gets all records again."""
        path = join_path("delivery-targets", target_id, "deliver")
        return read_row(Delivery, self.request("POST", path, body={"everything": everything}))

    def list_deliveries(self, *, target: int | None = None, run: int | None = None, state: str = "") -> Iterator[Delivery]:
        """Yield deliveries, newest first. state: queued, sending, done or failed."""
        return self.list_all("/deliveries", Delivery, {"target": target, "run": run, "state": state})

    def get_delivery(self, delivery_id: int) -> Delivery:
        """Return a delivery and how far it is."""
        return read_row(Delivery, self.request("GET", join_path("deliveries", delivery_id)))

    def retry_delivery(self, delivery_id: int) -> Delivery:
        """Send a delivery again that failed, or one that waits at once."""
        return read_row(Delivery, self.request("POST", join_path("deliveries", delivery_id, "retry")))
