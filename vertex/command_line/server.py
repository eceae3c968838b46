"""What belongs to an installation and not to a site: doctor, demo, backup, restore, manage, mcp, completion."""

import os
import sys
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from vertex.command_line.main import FILE, Context, main
from vertex.command_line.output import FAILED, print_rows


@main.command()
@click.pass_obj
def doctor(context: Context) -> None:
    """Say what of this installation works, and how to mend the rest. The exit code is 1 if something is wrong."""
    from vertex.command_line.doctor import examine

    signs = {"ok": "ok   ", "warn": "note ", "wrong": "WRONG"}
    found = []
    for each in examine():
        found.append(each)
        if not context.as_json:
            click.echo(f"{signs[each.state]}  {each.part:10} {each.detail}" + (f"\n       {'':10} → {each.mend}" if each.mend else ""))
    if context.as_json:
        print_rows(found, [], as_json=True)
    if any(each.state == "wrong" for each in found):
        sys.exit(FAILED)


@main.command()
@click.option("--no-serve", is_flag=True, help="Stop after the CSV file.")
@click.option("--by-hand", is_flag=True, help="Only serve the site and the dashboard: you do the steps.")
def demo(no_serve: bool, by_hand: bool) -> None:
    """Take a demo site from its pages to a CSV file, then serve the dashboard."""
    if no_serve and by_hand:
        raise click.UsageError("--by-hand serves the dashboard, so it does not go with --no-serve.")
    _prepare_database()
    _manage(["demo", *(["--no-serve"] if no_serve else []), *(["--by-hand"] if by_hand else [])])


@main.command()
def serve() -> None:
    """Serve the dashboard with a worker and the clock on this machine until Ctrl-C, as `make run` does in a checkout."""
    _prepare_database()
    _manage(["serve"])


def _prepare_database() -> None:
    """Bring the database up to date. The first time takes a minute, so it is said."""
    click.echo("Preparing the database …", err=True)
    _manage(["migrate", "--verbosity", "0"])


@main.command()
@click.argument("target", type=click.Path(path_type=Path))
def backup(target: Path) -> None:
    """Write the database and the stored bytes into the archive TARGET, or into a new one in the folder TARGET."""
    _manage(["backup", str(target)])


@main.command()
@click.argument("archive", type=FILE)
@click.option("--check", is_flag=True, help="Only verify the archive; restore nothing.")
@click.option("--replace", is_flag=True, help="Delete all rows that the database has; add files to those of the storage.")
def restore(archive: Path, check: bool, replace: bool) -> None:
    """Restore a backup into an empty installation. Stop web, worker and beat first."""
    _manage(["restore", str(archive), *(["--check"] if check else []), *(["--replace"] if replace else [])])


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def manage(arguments: tuple[str, ...]) -> None:
    """Run a management command, such as migrate or create_user. Without one: list them."""
    _manage(list(arguments) or ["help"])


@main.command()
@click.option("--allow-changes", is_flag=True, help="Also offer tools that change something. Otherwise they only read.")
@click.pass_obj
def mcp(context: Context, allow_changes: bool) -> None:
    """Serve the Model Context Protocol on standard input and output, so that assistants can ask for records and breakages."""
    from vertex.command_line.mcp_server import serve

    serve(context.vertex, sys.stdin, sys.stdout, allow_changes=allow_changes)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands in a SHELL."""
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - the choice has only shells that click knows
    click.echo(kind(main, {}, "vertex", "_VERTEX_COMPLETE").source())


def _manage(arguments: list[str]) -> None:
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
    execute_from_command_line(["vertex manage", *arguments])
