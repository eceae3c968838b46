"""Deliveries: targets, where records of a type are sent, and what was sent there."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Schema, Status

from extraction.algorithms.refresh.times import ScheduleError
from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.deliveries import PLACES, SECRETS, TargetForm
from extraction.models import (
    Delivery,
    DeliveryTarget,
    RecordType,
    Role,
)
from extraction.services.core.access import visible_to
from extraction.services.deliveries import connect, outbox, previews, targets
from extraction.services.records.exports.json_lines import to_json
from extraction.views.deliveries import target_view
from extraction.views.deliveries import targets as views

operations = Operations("Deliveries")

SHARED = "A delivery brings the records of all sites, so it needs a token for all sites."
TARGET = "/delivery-targets/{int:target_id}"


class ScheduleIn(RequestBody):
    """When a target gets deliveries.

    mode: runs (after each run), interval, times, cron or hand.
    every_hours: for interval. times: for times, such as 06:30 or Mon-Fri 18:00. cron: for cron. zone: the time zone of times and cron.
    """

    mode: Literal["runs", "interval", "times", "cron", "hand"] | None = None
    every_hours: int | None = None
    times: list[str] | None = None
    cron: str | None = None
    zone: str | None = None


class ContentIn(RequestBody):
    """What a target gets.

    format: of files: csv, jsonl, xlsx, parquet, sqlite or duckdb.
    selection: all (only files), new, new_changed, gone or changes (since the last delivery).
    keeps_files: each file has a name of its own, and does not replace the last one.
    described: a schema and a data dictionary are written beside the file.
    columns: attributes in their order; an empty list for all, also those that are added later.
    about: columns about the record, such as source_url.
    values: normalised, raw or both. split_prices: amount and currency in columns of their own.
    """

    format: str | None = None
    selection: str | None = None
    keeps_files: bool | None = None
    described: bool | None = None
    columns: list[str] | None = None
    about: list[str] | None = None
    values: str | None = None
    split_prices: bool | None = None


class TargetChange(RequestBody):
    """Changes of a target. What is left out stays as it is.

    place: where it leads. folder: folder. s3: endpoint, region, bucket, folder, user. sftp: host, port, user, folder, host_key. other: url.
        sql: url, table.
    secrets: they are stored encrypted and never given back. s3: secret_key. sftp: password or private_key. other: options. webhook:
        address, key. sql: password.
    from_now: of a target that gets what happens: the first delivery brings only what comes after now.
    """

    name: str | None = None
    place: dict[str, str | int] | None = None
    secrets: dict[str, str] | None = None
    content: ContentIn | None = None
    schedule: ScheduleIn | None = None
    enabled: bool | None = None
    from_now: bool = False


class TargetIn(TargetChange):
    """A new target. kind: folder, s3, sftp, other, webhook or sql. list_name: the list whose rows it gets; empty for the pages' own
    records."""

    record_type: str
    kind: Literal["folder", "s3", "sftp", "other", "webhook", "sql"]
    list_name: str = ""


class TargetOut(Schema):
    """A target. It has no secrets.

    place: its fields; leads_to, when, gets: where it leads, when it gets deliveries and what it gets, in words.
    next_due_at: when it is due by the clock.
    """

    id: int
    name: str
    record_type: str
    list_name: str
    kind: str
    place: dict[str, Any]
    content: dict[str, Any]
    mode: str
    every_hours: int
    times: list[str]
    cron: str
    zone: str
    enabled: bool
    next_due_at: datetime | None
    leads_to: str
    when: str
    gets: str


class SavedOut(TargetOut):
    """A target that was just saved.

    moved: it leads somewhere else than before, so the next delivery brings everything.
    noted: what is there now is noted, and deliveries bring what comes after it.
    """

    moved: bool
    noted: bool


class DeliveryOut(Schema):
    """One sending.

    cause: run, schedule, hand or start (nothing was sent, but what was there was noted).
    state: queued, sending, done or failed. next_at: the earliest time of the next attempt.
    lines: of the file, or changes. outcome: how it ended, in words.
    """

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


class PreviewOut(Schema):
    """What the next delivery would bring.

    problem: why it would fail; empty if it would not.
    changes: it would bring changes, not a file of all records. kinds: {what happened: number of records}.
    lines: of the file, or changes; complete: these are all, and not only the first ones.
    columns, rows: the first lines. losses: what is left out or shown elsewhere.
    """

    problem: str
    changes: bool
    kinds: dict[str, int]
    lines: int
    complete: bool
    columns: list[str]
    rows: list[list[Any]]
    losses: list[str]


class TestOut(Schema):
    """Whether a target was reached. error: why not; empty if it was."""

    reached: bool
    error: str


class DeliverIn(RequestBody):
    """What to deliver. everything: the receiver gets all records again."""

    everything: bool = False


def describe_target(target: DeliveryTarget) -> TargetOut:
    """Return what the API says about a target."""
    return TargetOut(**_describe(target))


def describe_delivery(delivery: Delivery) -> DeliveryOut:
    """Return what the API says about a delivery."""
    return DeliveryOut(
        id=delivery.pk,
        target=delivery.target_id,
        cause=delivery.cause,
        run=delivery.run_id,
        state=delivery.state,
        attempts=delivery.attempts,
        error=delivery.error,
        outcome=delivery.outcome,
        lines=delivery.lines,
        size_bytes=delivery.size_bytes,
        created_at=delivery.created_at,
        created_by=delivery.created_by.get_username() if delivery.created_by else None,
        next_at=delivery.next_at,
        finished_at=delivery.finished_at,
    )


@operations.get("/delivery-targets", like=views.list_targets, response=Paged[TargetOut])
def list_targets(request: ApiRequest, paging: Asked, record_type: str = "") -> dict[str, Any]:
    """List the targets to which records are delivered. `record_type` is the slug of a record type."""
    found = _select(request)
    return take_page(found.filter(record_type__slug=record_type) if record_type else found, paging, describe_target)


@operations.post("/delivery-targets", like=views.create_target, response=SavedOut, status=201)
def create_target(request: ApiRequest, body: TargetIn) -> Status[SavedOut]:
    """Create a target. Test it next: nothing is delivered by that."""
    request.access.refuse_site_limits(SHARED)
    record_type = visible_to(RecordType.objects.all(), request.access.user, least=Role.OPERATOR).filter(slug=body.record_type).first()
    if record_type is None:
        raise ProblemError(422, f"There is no record type {body.record_type}.")
    if body.list_name and not record_type.lists.filter(name=body.list_name).exists():
        raise ProblemError(422, f"{record_type.name} has no list {body.list_name}.")
    zone, user = timezone.get_default_timezone_name(), request.access.user
    target = DeliveryTarget(record_type=record_type, kind=body.kind, list_name=body.list_name, zone=zone, created_by=user)
    return Status(201, _save(target, body))


@operations.get(TARGET, like=views.show_target, response=TargetOut)
def show_target(request: ApiRequest, target_id: int) -> TargetOut:
    """Show a target."""
    return describe_target(_find(request, target_id))


@operations.change("PATCH", TARGET, like=views.edit_target, response=SavedOut)
def change_target(request: ApiRequest, target_id: int, body: TargetChange) -> SavedOut:
    """Change a target. Secrets that are left out stay, unless it leads to another server then."""
    return _save(_find(request, target_id), body)


@operations.change("DELETE", TARGET, like=views.delete_target)
def delete_target(request: ApiRequest, target_id: int, confirm: str) -> Status[None]:
    """Delete a target and the list of its deliveries. `confirm` must be its name. What was delivered stays where it is."""
    target = _find(request, target_id)
    if confirm != target.name:
        raise ProblemError(422, "Give the name of the target as `confirm`. Nothing was deleted.")
    targets.delete_target(target)
    return Status(204, None)


@operations.get(f"{TARGET}/preview", like=views.preview_target, response=PreviewOut)
def preview_target(request: ApiRequest, target_id: int) -> PreviewOut:
    """Show what the next delivery to a target would bring, without sending it."""
    preview = previews.preview_target(_find(request, target_id))
    return PreviewOut(
        problem=preview.problem,
        changes=preview.changes,
        kinds=dict(preview.kinds),
        lines=preview.lines,
        complete=preview.complete,
        columns=[each.name for each in preview.columns],
        rows=[[_write_cell(cell) for cell in row] for row in preview.rows],
        losses=list(preview.losses),
    )


@operations.post(f"{TARGET}/test", like=views.test_target, response=TestOut)
def test_target(request: ApiRequest, target_id: int) -> TestOut:
    """Reach a target without delivering anything."""
    error = connect.send_test(_find(request, target_id))
    return TestOut(reached=not error, error=error)


@operations.post(f"{TARGET}/deliver", like=views.deliver_now, response=DeliveryOut, status=202)
def deliver_now(request: ApiRequest, target_id: int, body: DeliverIn) -> Status[DeliveryOut]:
    """Queue a delivery to a target. If one that was asked for waits already, that one is returned."""
    target = _find(request, target_id)
    if body.everything:
        targets.forget_all(target)
    return Status(202, describe_delivery(outbox.queue_by_hand(target, request.access.user)))


@operations.get("/deliveries", like=views.show_target, response=Paged[DeliveryOut])
def list_deliveries(
    request: ApiRequest,
    paging: Asked,
    target: int | None = None,
    run: int | None = None,
    state: Literal["", "queued", "sending", "done", "failed"] = "",
) -> dict[str, Any]:
    """List deliveries, newest first. Filter by the id of a target or of a run, and by state: queued, sending, done or failed."""
    found = _select_deliveries(request)
    found = found.filter(target=target) if target is not None else found
    found = found.filter(run=run) if run is not None else found
    return take_page(found.filter(state=state) if state else found, paging, describe_delivery, newest_first=True)


@operations.get("/deliveries/{int:delivery_id}", like=views.show_target, response=DeliveryOut)
def show_delivery(request: ApiRequest, delivery_id: int) -> DeliveryOut:
    """Show a delivery and how far it is."""
    return describe_delivery(get_object_or_404(_select_deliveries(request), pk=delivery_id))


@operations.post("/deliveries/{int:delivery_id}/retry", like=views.retry_delivery, response=DeliveryOut, status=202)
def retry_delivery(request: ApiRequest, delivery_id: int) -> Status[DeliveryOut]:
    """Send a delivery again that failed, or one that waits at once."""
    delivery = get_object_or_404(_select_deliveries(request), pk=delivery_id)
    if not outbox.retry_delivery(delivery, timezone.now()):
        raise ProblemError(409, "The delivery is being sent, or has been sent.")
    return Status(202, describe_delivery(_select_deliveries(request).get(pk=delivery_id)))


def _select(request: ApiRequest) -> "QuerySet[DeliveryTarget]":
    request.access.refuse_site_limits(SHARED)
    return visible_to(DeliveryTarget.objects.select_related("record_type"), request.access.user)


def _select_deliveries(request: ApiRequest) -> "QuerySet[Delivery]":
    request.access.refuse_site_limits(SHARED)
    return visible_to(Delivery.objects.select_related("target", "created_by"), request.access.user)


def _find(request: ApiRequest, target_id: int) -> DeliveryTarget:
    return get_object_or_404(_select(request), pk=target_id)


def _save(target: DeliveryTarget, body: TargetChange) -> SavedOut:
    """Save a target as the dashboard's form accepts it. Raises ProblemError."""
    form = TargetForm(_write_form(target, body), target=target, known=targets.list_columns(target))
    if not form.is_valid():
        raise refuse_form(form)
    try:
        saved = targets.save_target(target, form.read_draft())
    except ScheduleError as error:
        raise ProblemError(422, str(error)) from error
    target = DeliveryTarget.objects.select_related("record_type").get(pk=target.pk)
    return SavedOut(**_describe(target), moved=saved.moved, noted=saved.noted)


def _write_form(target: DeliveryTarget, body: TargetChange) -> QueryDict:
    """Return the fields of the dashboard's form: those of the target as it is, with the changes."""
    fields = dict(TargetForm(None, target=target, known=targets.list_columns(target)).initial)
    place, secrets = body.place or {}, body.secrets or {}
    _refuse_strange(place, PLACES[target.kind], f"A target of the kind {target.kind} has no place")
    _refuse_strange(secrets, SECRETS[target.kind], f"A target of the kind {target.kind} has no secret")
    content = body.content.model_dump(exclude_none=True) if body.content else {}
    if "keeps_files" in content:
        content["keeps"] = "keep" if content.pop("keeps_files") else "replace"
    if "split_prices" in content:
        content["split"] = content.pop("split_prices")
    schedule = body.schedule.model_dump(exclude_none=True) if body.schedule else {}
    if "times" in schedule:
        schedule["times"] = ", ".join(schedule["times"])
    own = {name: value for name, value in (("name", body.name), ("enabled", body.enabled)) if value is not None}
    fields |= {"first": "later" if body.from_now else "all"} | place | secrets | content | schedule | own
    if not fields.get("columns"):
        fields["columns"] = targets.list_columns(target)
    data = QueryDict(mutable=True)
    for name, value in fields.items():
        if isinstance(value, list | tuple):
            data.setlist(name, [str(each) for each in value])
        elif value not in (None, False):
            data[name] = str(value)
    return data


def _refuse_strange(given: Mapping[str, Any], known: tuple[str, ...], words: str) -> None:
    if strange := sorted(given.keys() - set(known)):
        raise ProblemError(422, f"{words} {strange[0]}. It has: {', '.join(known) or 'none'}.")


def _describe(target: DeliveryTarget) -> dict[str, Any]:
    place = target.read_place()
    return {
        "id": target.pk,
        "name": target.name,
        "record_type": target.record_type.slug,
        "list_name": target.list_name,
        "kind": target.kind,
        "place": {name: getattr(place, name) for name in PLACES[target.kind]},
        "content": target.read_content().as_json(),
        "mode": target.mode,
        "every_hours": target.every_hours,
        "times": list(target.times),
        "cron": target.cron,
        "zone": target.zone,
        "enabled": target.enabled,
        "next_due_at": target.next_due_at,
        "leads_to": target_view.describe_place(target),
        "when": target_view.describe_when(target),
        "gets": target_view.describe_content(target),
    }


def _write_cell(cell: Any) -> Any:
    return [to_json(each) for each in cell] if isinstance(cell, list) else None if cell is None else to_json(cell)
