"""Joins, and their records."""

from pathlib import Path
from typing import Any

import click

from vertex.command_line.main import NEW_FILE, Context, main
from vertex.command_line.output import Failure, print_json, print_row, print_rows

JOIN_COLUMNS = ["id", "name", "template", "winner", "made_at", "figures", "problems"]


@main.group()
def join() -> None:
    """Joined records: rows of listings and the pages that they lead to, as one record."""


@join.command("list")
@click.argument("slug")
@click.pass_obj
def list_joins(context: Context, slug: str) -> None:
    """List the joins of a site."""
    print_rows(context.vertex.list_joins(slug), JOIN_COLUMNS, as_json=context.as_json)


@join.command("propose")
@click.argument("slug")
@click.pass_obj
def propose_joins(context: Context, slug: str) -> None:
    """List joins that the records of a site suggest."""
    print_rows(context.vertex.propose_joins(slug), ["shares", "join"], as_json=context.as_json)


@join.command("add")
@click.argument("slug")
@click.argument("template", type=int)
@click.argument("listings", nargs=-1, required=True)
@click.option("--name", default="", help="Its name. Without it, one is made.")
@click.option("--winner", type=click.Choice(["page", "listing"]), default="page", help="The side that counts where both have an attribute.")
@click.option("--turned", multiple=True, metavar="ATTRIBUTE", help="An attribute for which the other side counts. May be repeated.")
@click.option("--with-page", is_flag=True, help="The listing page's own values go with each row.")
@click.pass_obj
def add_join(
    context: Context, slug: str, template: int, listings: tuple[str, ...], name: str, winner: str, turned: tuple[str, ...], with_page: bool
) -> None:
    """Join the pages of a TEMPLATE with LISTINGS, and make the records.

    Each listing is N:LIST:LINK, the number of the template of the listing pages, a list and its attribute with the page's address; or
    N:LIST:ATTRIBUTE=ATTRIBUTE, one of the rows and one of the page that are equal: 1:books:url or 1:books:isbn=isbn.
    """
    plans = [{**read_listing(each), "with_page": with_page} for each in listings]
    made = context.vertex.create_join(slug, template, plans, name=name, winner=winner, turned=list(turned))
    print_row(made, as_json=context.as_json)


@join.command("show")
@click.argument("slug")
@click.argument("join", type=int)
@click.pass_obj
def show_join(context: Context, slug: str, join: int) -> None:
    """Show a JOIN and what it found."""
    print_row(context.vertex.get_join(slug, join), as_json=context.as_json)


@join.command("make")
@click.argument("slug")
@click.argument("join", type=int)
@click.pass_obj
def make_join(context: Context, slug: str, join: int) -> None:
    """Bring the records of a JOIN up to date."""
    context.follow(context.vertex.make_join(slug, join))


@join.command("records")
@click.argument("slug")
@click.argument("join", type=int)
@click.option("--part", default="", help="joined, row, page, conflicts, several, disagreeing or incomplete.")
@click.pass_obj
def list_records(context: Context, slug: str, join: int, part: str) -> None:
    """Print the records of a JOIN as JSON Lines."""
    for each in context.vertex.list_joined_records(slug, join, part=part):
        print_json(each)


@join.command("export")
@click.argument("slug")
@click.argument("join", type=int)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The file. It is replaced when the new one is complete.")
@click.option("--format", "form", default="csv", help="csv, jsonl, xlsx, parquet, sqlite or duckdb.")
@click.pass_obj
def export_join(context: Context, slug: str, join: int, output: Path, form: str) -> None:
    """Write the records of a JOIN to a file."""
    size_bytes = context.vertex.export_joined(slug, join, output, format=form)
    if context.as_json:
        print_json({"file": str(output), "size_bytes": size_bytes})
    else:
        click.echo(f"{output}: {size_bytes:,} bytes", err=True)


@join.command("delete")
@click.argument("slug")
@click.argument("join", type=int)
@click.pass_obj
def delete_join(context: Context, slug: str, join: int) -> None:
    """Delete a JOIN with its records. The records of both sides stay."""
    context.vertex.delete_join(slug, join)
    click.echo(f"Join {join} was deleted.", err=True)


def read_listing(text: str) -> dict[str, Any]:
    """Return a listing as `create_join` takes it. Raises Failure."""
    number, _, rest = text.partition(":")
    list_name, _, by = rest.rpartition(":")
    if not (number.isdecimal() and list_name and by):
        raise Failure(f"A listing has the form 1:books:url or 1:books:isbn=isbn, unlike {text!r}.")
    in_list, sign, on_page = by.partition("=")
    return {"template": int(number), "list_name": list_name, **({"keys": [[in_list, on_page]]} if sign else {"link": by})}
