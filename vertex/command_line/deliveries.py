"""Targets, and what is delivered there."""

import os
from collections.abc import Sequence
from typing import Any

import click

from vertex.command_line.main import Context, main
from vertex.command_line.output import FAILED, Failure, print_json, print_row, print_rows, print_table

TARGET_COLUMNS = ["id", "name", "record_type", "enabled", "leads_to", "when", "gets"]
DELIVERY_COLUMNS = ["id", "target", "cause", "run", "state", "attempts", "lines", "outcome", "error", "created_at"]
NUMBERS = frozenset({"port"})
FLAGS = {"keeps_files", "described", "split_prices"}
LISTS = {"columns", "about"}
CONTENTS = FLAGS | LISTS | {"format", "selection", "values"}

place_option = click.option("--place", "places", multiple=True, metavar="NAME=VALUE", help="Where it leads, such as folder=/srv/books.")
secret_option = click.option(
    "--secret",
    "secrets",
    multiple=True,
    metavar="NAME=VARIABLE",
    help="A secret, from an environment variable, since others on the machine can see commands: --secret key=HOOK_KEY",
)
content_option = click.option(
    "--content",
    "contents",
    multiple=True,
    metavar="NAME=VALUE",
    help="format, selection, keeps_files, described, columns, about, values, split_prices. columns and about may be repeated.",
)
every_option = click.option("--every", type=int, metavar="HOURS", help="Deliver every so many hours.")
at_option = click.option("--at", "times", multiple=True, metavar="TIME", help="Deliver at these times, such as 06:30 or 'Mon 08:00'.")
cron_option = click.option("--cron", help="Deliver by a cron expression.")
zone_option = click.option("--zone", help="The time zone of --at and --cron.")
mode_option = click.option("--after-runs/--by-hand", "after_runs", default=None, help="Deliver after each run, or only by hand.")


@main.group()
def delivery() -> None:
    """Deliveries: targets, and what was sent there."""


@delivery.command("targets")
@click.pass_obj
def list_targets(context: Context) -> None:
    """List the targets."""
    print_rows(context.vertex.list_targets(), TARGET_COLUMNS, as_json=context.as_json)


@delivery.command("add")
@click.argument("name")
@click.argument("record_type")
@click.argument("kind", type=click.Choice(["folder", "s3", "sftp", "other", "webhook", "sql"]))
@click.option("--list", "list_name", default="", help="The list whose rows it gets.")
@place_option
@secret_option
@content_option
@every_option
@at_option
@cron_option
@zone_option
@mode_option
@click.option("--from-now", is_flag=True, help="Leave out what is there now.")
@click.pass_obj
def add_target(context: Context, /, name: str, record_type: str, kind: str, list_name: str, from_now: bool, **given: Any) -> None:
    """Add a target with a NAME that gets the records of a RECORD_TYPE (its slug). docs/deliveries.md explains the kinds."""
    made = context.vertex.create_target(name, record_type, kind, list_name=list_name, from_now=from_now, **read_fields(**given))
    print_row(made, as_json=context.as_json)


@delivery.command("change")
@click.argument("target", type=int)
@click.option("--name", help="A new name.")
@click.option("--on/--off", "enabled", default=None, help="Switch it on or off.")
@place_option
@secret_option
@content_option
@every_option
@at_option
@cron_option
@zone_option
@mode_option
@click.pass_obj
def change_target(context: Context, /, target: int, name: str | None, enabled: bool | None, **given: Any) -> None:
    """Change a TARGET. What is left out stays as it is."""
    chosen = {"name": name, "enabled": enabled}
    fields = {key: value for key, value in chosen.items() if value is not None} | read_fields(**given)
    if not fields:
        raise click.UsageError("Say what to change.")
    print_row(context.vertex.change_target(target, **fields), as_json=context.as_json)


@delivery.command("delete")
@click.argument("target", type=int)
@click.option("--confirm", required=True, metavar="NAME", help="The name of the target.")
@click.pass_obj
def delete_target(context: Context, target: int, confirm: str) -> None:
    """Delete a TARGET. What was delivered stays where it is."""
    context.vertex.delete_target(target, confirm=confirm)
    click.echo(f"{confirm} was deleted.", err=True)


@delivery.command("test")
@click.argument("target", type=int)
@click.pass_obj
def test_target(context: Context, target: int) -> None:
    """Reach a TARGET without delivering anything. The exit code is 1 if it is not reached."""
    error = context.vertex.test_target(target)
    if context.as_json:
        print_json({"reached": not error, "error": error})
    else:
        click.echo(error or "The target is reached. Nothing was delivered.")
    if error:
        raise SystemExit(FAILED)


@delivery.command("preview")
@click.argument("target", type=int)
@click.pass_obj
def preview_target(context: Context, target: int) -> None:
    """Show what the next delivery to a TARGET would bring, without sending it. The exit code is 1 if it would fail."""
    found = context.vertex.preview_target(target)
    if context.as_json:
        print_json(found)
    elif found.problem:
        click.echo(found.problem)
    else:
        what = "changes" if found.changes else "lines"
        click.echo(f"{found.lines:,}{'' if found.complete else ' or more'} {what}" + (f": {dict(found.kinds)}" if found.kinds else ""))
        print_table(found.columns, found.rows)
        for each in found.losses:
            click.echo(each, err=True)
    if found.problem:
        raise SystemExit(FAILED)


@delivery.command("now")
@click.argument("target", type=int)
@click.option("--everything", is_flag=True, help="Send all records again.")
@click.pass_obj
def deliver_now(context: Context, target: int, everything: bool) -> None:
    """Queue a delivery to a TARGET. A worker sends it; `vertex delivery list` shows how it went."""
    print_rows([context.vertex.deliver(target, everything=everything)], DELIVERY_COLUMNS, as_json=context.as_json)


@delivery.command("list")
@click.option("--target", type=int, help="The id of a target.")
@click.option("--state", default="", help="queued, sending, done or failed.")
@click.pass_obj
def list_deliveries(context: Context, target: int | None, state: str) -> None:
    """List deliveries, newest first."""
    print_rows(context.vertex.list_deliveries(target=target, state=state), DELIVERY_COLUMNS, as_json=context.as_json)


@delivery.command("retry")
@click.argument("delivery", type=int)
@click.pass_obj
def retry_delivery(context: Context, delivery: int) -> None:
    """Send a DELIVERY again that failed, or one that waits at once."""
    print_rows([context.vertex.retry_delivery(delivery)], DELIVERY_COLUMNS, as_json=context.as_json)


def read_fields(
    places: Sequence[str],
    secrets: Sequence[str],
    contents: Sequence[str],
    every: int | None,
    times: Sequence[str],
    cron: str | None,
    zone: str | None,
    after_runs: bool | None,
) -> dict[str, Any]:
    """Return the fields of a target that options give. Raises Failure."""
    place = {name: _read_number(name, value) if name in NUMBERS else value for name, value in _split(places)}
    found: dict[str, Any] = {"place": place, "secrets": {name: _read_variable(value) for name, value in _split(secrets)}}
    found["content"] = _read_content(contents)
    found["schedule"] = read_schedule(every=every, times=times, cron=cron, zone=zone)
    if after_runs is not None:
        if "mode" in found["schedule"]:
            raise click.UsageError("Give one of --every, --at, --cron, --after-runs and --by-hand.")
        found["schedule"]["mode"] = "runs" if after_runs else "hand"
    return {name: value for name, value in found.items() if value}


def read_schedule(*, every: int | None, times: Sequence[str], cron: str | None, zone: str | None) -> dict[str, Any]:
    """Return the fields of a schedule that options give; none if there are none. Raises click.UsageError if they contradict each other."""
    if sum((every is not None, bool(times), bool(cron))) > 1:
        raise click.UsageError("Give one of --every, --at and --cron.")
    found: dict[str, Any] = {"zone": zone} if zone else {}
    if every is not None:
        found |= {"mode": "interval", "every_hours": every}
    if times:
        found |= {"mode": "times", "times": list(times)}
    if cron:
        found |= {"mode": "cron", "cron": cron}
    return found


def _read_content(texts: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in _split(texts):
        if name not in CONTENTS:
            raise Failure(f"There is no content {name}. There are: {', '.join(sorted(CONTENTS))}.")
        if name in LISTS:
            found.setdefault(name, []).append(value)
        elif name in FLAGS:
            if value not in ("yes", "no"):
                raise Failure(f"{name} is yes or no, unlike {value!r}.")
            found[name] = value == "yes"
        else:
            found[name] = value
    return found


def _split(texts: Sequence[str]) -> list[tuple[str, str]]:
    found = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise Failure(f"An option has the form NAME=VALUE, unlike {text!r}.")
        found.append((name, value))
    return found


def _read_number(name: str, text: str) -> int:
    if not text.isdecimal():
        raise Failure(f"{name} is a whole number, unlike {text!r}.")
    return int(text)


def _read_variable(name: str) -> str:
    if name not in os.environ:
        raise Failure(f"There is no environment variable {name}. A secret is read from one.")
    return os.environ[name]
