"""When sites are refreshed and checked."""

from typing import Any

import click

from vertex.command_line.arguments import template_option
from vertex.command_line.deliveries import at_option, cron_option, every_option, read_schedule, zone_option
from vertex.command_line.main import Context, main
from vertex.command_line.output import print_row, print_rows

REFRESH_COLUMNS = ["id", "template", "cause", "state", "due_at", "run", "known", "due", "left_out", "note"]


@main.group()
def schedule() -> None:
    """When the records of sites are refreshed, and their rules checked."""


@schedule.command("show")
@click.argument("slug")
@template_option
@click.pass_obj
def show_schedule(context: Context, slug: str, template: int | None) -> None:
    """Show when the records of a site or template are refreshed."""
    print_row(context.vertex.get_schedule(slug, template=template), as_json=context.as_json)


@schedule.command("set")
@click.argument("slug")
@template_option
@every_option
@at_option
@cron_option
@click.option("--after-checks", is_flag=True, help="After each check of the rules.")
@zone_option
@click.option("--pages", "max_pages", type=int, help="The most pages that a refresh asks for. Without it, only politeness limits it.")
@click.pass_obj
def set_schedule(
    context: Context,
    slug: str,
    template: int | None,
    every: int | None,
    times: tuple[str, ...],
    cron: str | None,
    after_checks: bool,
    zone: str | None,
    max_pages: int | None,
) -> None:
    """Set when the records of a site or template are refreshed."""
    fields: dict[str, Any] = read_schedule(every=every, times=times, cron=cron, zone=zone)
    if after_checks == ("mode" in fields):
        raise click.UsageError("Give one of --every, --at, --cron and --after-checks.")
    mode = "checks" if after_checks else fields.pop("mode")
    found = context.vertex.change_schedule(slug, mode, template=template, max_pages=max_pages, **fields)
    print_row(found, as_json=context.as_json)


@schedule.command("control")
@click.argument("slug")
@click.argument("action", type=click.Choice(["pause", "resume", "skip", "remove"]))
@template_option
@click.pass_obj
def control_schedule(context: Context, slug: str, action: str, template: int | None) -> None:
    """Pause, resume or remove a schedule, or skip the next refresh."""
    if action == "remove":
        context.vertex.remove_schedule(slug, template=template)
        click.echo("The schedule was removed.", err=True)
        return
    print_row(context.vertex.control_schedule(slug, action, template=template), as_json=context.as_json)


@schedule.command("refreshes")
@click.argument("slug")
@template_option
@click.pass_obj
def list_refreshes(context: Context, slug: str, template: int | None) -> None:
    """List the refreshes of a site, newest first."""
    print_rows(context.vertex.list_refreshes(slug, template=template), REFRESH_COLUMNS, as_json=context.as_json)


@schedule.command("checks")
@click.argument("slug")
@click.option("--every", type=int, metavar="HOURS", help="Hours between checks.")
@click.option("--on/--off", "enabled", default=None, help="Check automatically, or not.")
@click.option("--auto-repair/--no-auto-repair", default=None, help="Publish repairs that pass every test without a person.")
@click.pass_obj
def change_checks(context: Context, slug: str, every: int | None, enabled: bool | None, auto_repair: bool | None) -> None:
    """Show how often the rules of a site are checked, or change it."""
    chosen = {"every_hours": every, "enabled": enabled, "auto_repair": auto_repair}
    fields = {name: value for name, value in chosen.items() if value is not None}
    vertex = context.vertex
    print_row(vertex.change_monitor(slug, **fields) if fields else vertex.get_monitor(slug), as_json=context.as_json)
