"""The values of single records, and their corrections."""

import click

from vertex.command_line.arguments import find_page, split_name, template_argument
from vertex.command_line.main import Context, main
from vertex.command_line.output import print_json, print_row, print_rows, print_table

CORRECTION_COLUMNS = ["id", "state", "kind", "attribute", "row", "values", "basis", "found", "by", "url"]


@main.command("values")
@click.argument("slug")
@template_argument
@click.argument("url")
@click.option("--list", "list_name", default="", help="The list whose rows are wanted.")
@click.pass_obj
def list_values(context: Context, slug: str, template: int, url: str, list_name: str) -> None:
    """Show the values of the page at URL beside what the page says."""
    vertex = context.vertex
    found = vertex.list_values(slug, template, find_page(vertex, slug, url), list_name=list_name)
    if context.as_json:
        for each in found:
            print_json(each)
        return
    columns = ["attribute", "row", "value", "page", "correction"]
    print_table(
        columns,
        ([each.attribute, each.row, [one.raw for one in each.values], list(each.page), each.correction] for each in found),
    )


@main.group()
def correction() -> None:
    """Corrections of values: list, set, keep, end."""


@correction.command("list")
@click.argument("slug")
@template_argument
@click.option("--state", default="", help="active, review or ended; without it, those that are not ended.")
@click.pass_obj
def list_corrections(context: Context, slug: str, template: int, state: str) -> None:
    """List the corrections on the pages of a template."""
    print_rows(context.vertex.list_corrections(slug, template, state=state), CORRECTION_COLUMNS, as_json=context.as_json)


@correction.command("set")
@click.argument("slug")
@template_argument
@click.argument("url")
@click.argument("attribute")
@click.argument("values", nargs=-1)
@click.option("--reject", is_flag=True, help="There is no such value. Give no VALUES then.")
@click.option("--row", type=int, default=0, help="The row of the list, from 1.")
@click.option("--seen", multiple=True, help="What the page said when you looked; if it says something else now, nothing is done.")
@click.pass_obj
def set_correction(
    context: Context, slug: str, template: int, url: str, attribute: str, values: tuple[str, ...], reject: bool, row: int, seen: tuple[str]
) -> None:
    """Correct the ATTRIBUTE of the page at URL: VALUES are right.

    An attribute of a list has the list before its name: offers.price, with --row.
    """
    if reject == bool(values):
        raise click.UsageError("Give the right values, or --reject.")
    list_name, name = split_name(attribute)
    vertex = context.vertex
    page_id = find_page(vertex, slug, url)
    made = vertex.correct(slug, template, page_id, name, values, list_name=list_name, row=row, seen=seen or None)
    print_row(made, as_json=context.as_json)


@correction.command("keep")
@click.argument("slug")
@template_argument
@click.argument("correction", type=int)
@click.pass_obj
def keep_correction(context: Context, slug: str, template: int, correction: int) -> None:
    """Keep a CORRECTION under review for what the page says now."""
    print_row(context.vertex.keep_correction(slug, template, correction), as_json=context.as_json)


@correction.command("end")
@click.argument("slug")
@template_argument
@click.argument("correction", type=int)
@click.pass_obj
def end_correction(context: Context, slug: str, template: int, correction: int) -> None:
    """End a CORRECTION, so that the record has what the rule gives."""
    print_row(context.vertex.end_correction(slug, template, correction), as_json=context.as_json)
