"""Teams: who sees which sites, with which role."""

import click

from vertex.command_line.main import Context, main
from vertex.command_line.output import print_row, print_rows

ROLES = ("viewer", "editor", "operator", "admin")


@main.group()
def team() -> None:
    """Teams, their members, and which sites belong to them."""


@team.command("list")
@click.pass_obj
def list_teams(context: Context) -> None:
    """List the teams that you are in."""
    print_rows(context.vertex.list_teams(), ["slug", "name", "role"], as_json=context.as_json)


@team.command("add")
@click.argument("name")
@click.pass_obj
def add_team(context: Context, name: str) -> None:
    """Create a team."""
    print_row(context.vertex.create_team(name), as_json=context.as_json)


@team.command("rename")
@click.argument("team")
@click.argument("name")
@click.pass_obj
def rename_team(context: Context, team: str, name: str) -> None:
    """Change the name of a team."""
    print_row(context.vertex.rename_team(team, name), as_json=context.as_json)


@team.command("delete")
@click.argument("team")
@click.pass_obj
def delete_team(context: Context, team: str) -> None:
    """Delete a team that has no sites left."""
    context.vertex.delete_team(team)
    click.echo(f"{team} was deleted.", err=True)


@team.command("members")
@click.argument("team")
@click.pass_obj
def list_members(context: Context, team: str) -> None:
    """List the members of a team."""
    print_rows(context.vertex.list_members(team), ["name", "role"], as_json=context.as_json)


@team.command("member")
@click.argument("team")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@click.pass_obj
def change_member(context: Context, team: str, name: str, role: str) -> None:
    """Add the person called NAME to a team, or change their role."""
    print_row(context.vertex.change_member(team, name, role), as_json=context.as_json)


@team.command("remove")
@click.argument("team")
@click.argument("name")
@click.pass_obj
def remove_member(context: Context, team: str, name: str) -> None:
    """Take the person called NAME out of a team."""
    context.vertex.remove_member(team, name)
    click.echo(f"{name} is no longer in {team}.", err=True)


@team.command("move-site")
@click.argument("site")
@click.argument("team")
@click.option("--together", is_flag=True, help="Also move the sites that share record types with it.")
@click.pass_obj
def move_site(context: Context, site: str, team: str, together: bool) -> None:
    """Move a site with its record types to a team."""
    print_row(context.vertex.move_site(site, team, together=together), as_json=context.as_json)
