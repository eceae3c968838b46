"""Alert channels and the audit log."""

import click

from vertex.command_line.main import Context, main
from vertex.command_line.output import Failure, print_row, print_rows


@main.group()
def alert() -> None:
    """Channels in which people hear of breakages, runs and drifting values."""


@alert.command("list")
@click.pass_obj
def list_channels(context: Context) -> None:
    """List the channels. Their addresses are secret."""
    columns = ["id", "name", "team", "service", "events", "sites", "enabled"]
    print_rows(context.vertex.list_alert_channels(), columns, as_json=context.as_json)


@alert.command("add")
@click.argument("name")
@click.argument("events", nargs=-1, required=True)
@click.option("--address", envvar="VERTEX_ALERT_ADDRESS", prompt=True, hide_input=True, help="For Apprise. [VERTEX_ALERT_ADDRESS]")
@click.option("--site", "sites", multiple=True, metavar="SLUG", help="Only about this site. May be repeated.")
@click.option("--team", default="", help="The slug of a team. Without it: your oldest one.")
@click.pass_obj
def add_channel(context: Context, name: str, events: tuple[str, ...], address: str, sites: tuple[str, ...], team: str) -> None:
    """Add a channel that hears of EVENTS, such as break, repair or run_failed. The address is asked for, as others can see commands."""
    made = context.vertex.create_alert_channel(name, address, events, sites=list(sites), team=team)
    print_row(made, as_json=context.as_json)


@alert.command("test")
@click.argument("channel", type=int)
@click.pass_obj
def test_channel(context: Context, channel: int) -> None:
    """Send a test to a CHANNEL."""
    if error := context.vertex.test_alert_channel(channel):
        raise Failure(f"The test was not sent: {error}")
    click.echo("The test was sent. Check whether it arrived.")


@alert.command("delete")
@click.argument("channel", type=int)
@click.pass_obj
def delete_channel(context: Context, channel: int) -> None:
    """Delete a CHANNEL and the list of its alerts."""
    context.vertex.delete_alert_channel(channel)


@main.command("log")
@click.option("--find", "q", default="", help="Words that occur in the entry.")
@click.option("--person", default="", help="Who did it.")
@click.option("--site", default="", help="The slug of a site.")
@click.option("--since", default="", metavar="DAY", help="Such as 2026-11-29.")
@click.option("--until", default="", metavar="DAY", help="The last day.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="How many entries, the newest.")
@click.pass_obj
def list_log(context: Context, /, limit: int, **filters: str) -> None:
    """List who changed what, newest first."""
    entries = context.vertex.list_audit_entries(**filters)
    rows = [each for each, _ in zip(entries, range(limit), strict=False)]
    print_rows(rows, ["at", "person", "source", "site", "kind", "what", "text"], as_json=context.as_json)
