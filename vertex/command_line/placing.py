"""Pages in the wrong template, templates that are the same, and other clusterings."""

import click

from vertex.command_line.main import Context, main
from vertex.command_line.output import Failure, print_row, print_rows

PAGE_COLUMNS = ["id", "template", "status", "title", "url", "error"]


@main.group()
def page() -> None:
    """Pages of a site, and the template that they belong to."""


@page.command("list")
@click.argument("slug")
@click.option("--find", "text", default="", help="Only pages with this text in their address or title.")
@click.option("--part", default="", help="The number of a template, unreadable, partly, unclustered or gone.")
@click.pass_obj
def list_pages(context: Context, slug: str, text: str, part: str) -> None:
    """List the pages of a site."""
    print_rows(context.vertex.list_pages(slug, query=text, part=part), PAGE_COLUMNS, as_json=context.as_json)


@page.command("move")
@click.argument("slug")
@click.argument("into", metavar="TEMPLATE|new|none")
@click.argument("pages", type=int, nargs=-1)
@click.option("--find", "text", default="", help="Move all pages with this text in their address or title.")
@click.option("--dry-run", is_flag=True, help="List the pages that would be moved.")
@click.pass_obj
def move_pages(context: Context, slug: str, into: str, pages: tuple[int, ...], text: str, dry_run: bool) -> None:
    """Move PAGES, by their ids, into a template, into a new one, or out of their template."""
    if bool(pages) == bool(text):
        raise click.UsageError("Give the ids of pages, or --find with a text.")
    if into not in ("new", "none") and not into.isdecimal():
        raise click.UsageError(f"Give the number of a template, new or none, not {into}.")
    found = [each for each in context.vertex.list_pages(slug, query=text) if not pages or each.id in pages]
    if missing := sorted(set(pages) - {each.id for each in found}):
        raise Failure(f"{slug} has no page {missing[0]}.")
    if not found:
        raise Failure(f"No page of {slug} matches “{text}”.")
    if dry_run:
        print_rows(found, PAGE_COLUMNS, as_json=context.as_json)
        return
    target = None if into == "none" else "new" if into == "new" else int(into)
    print_row(context.vertex.move_pages(slug, [each.id for each in found], target), as_json=context.as_json)


@main.command("merge")
@click.argument("slug")
@click.argument("into", type=int)
@click.argument("others", type=int, nargs=-1, required=True)
@click.pass_obj
def merge_templates(context: Context, slug: str, into: int, others: tuple[int, ...]) -> None:
    """Merge the templates OTHERS into the template INTO."""
    print_row(context.vertex.merge_templates(slug, into, others), as_json=context.as_json)


@main.command("merge-proposals")
@click.argument("slug")
@click.option("--accept", type=int, metavar="ID", help="Merge the two templates of a proposal.")
@click.option("--refuse", type=int, metavar="ID", help="Say that they are not the same.")
@click.pass_obj
def list_merge_proposals(context: Context, slug: str, accept: int | None, refuse: int | None) -> None:
    """List templates that seem to be the same, or decide about one proposal."""
    if accept is not None and refuse is not None:
        raise click.UsageError("Accept a proposal or refuse it, not both.")
    if accept is not None:
        print_row(context.vertex.accept_merge_proposal(slug, accept), as_json=context.as_json)
    elif refuse is not None:
        print_row(context.vertex.refuse_merge_proposal(slug, refuse), as_json=context.as_json)
    else:
        columns = ["id", "into", "other", "kind", "evidence"]
        print_rows(context.vertex.list_merge_proposals(slug), columns, as_json=context.as_json)


@main.group()
def lab() -> None:
    """Other ways to find the templates of a site."""


@lab.command("compare")
@click.argument("slug")
@click.argument("methods", nargs=-1, required=True)
@click.pass_obj
def compare(context: Context, slug: str, methods: tuple[str, ...]) -> None:
    """Cluster the pages of a site with other METHODS. A wrong name is answered with those that there are."""
    context.follow(context.vertex.start_comparison(slug, methods))


@lab.command("list")
@click.argument("slug")
@click.pass_obj
def list_clusterings(context: Context, slug: str) -> None:
    """List what methods have found, newest first."""
    columns = ["id", "method", "groups", "pages", "bits", "seconds", "reason"]
    print_rows(context.vertex.list_clusterings(slug), columns, as_json=context.as_json)


@lab.command("adopt")
@click.argument("slug")
@click.argument("clustering", type=int)
@click.pass_obj
def adopt(context: Context, slug: str, clustering: int) -> None:
    """Make the groups of a CLUSTERING the templates of the site."""
    context.follow(context.vertex.adopt_clustering(slug, clustering))
