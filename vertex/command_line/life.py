"""The life of a site: add, import, crawl, cluster, annotate, learn, publish, extract, export, check, refresh."""

import sys
from pathlib import Path

import click

from vertex.client_rows import RecordType, Template
from vertex.command_line.annotations import FileError, read_marks
from vertex.command_line.arguments import template_argument
from vertex.command_line.main import FILE, NEW_FILE, Context, main
from vertex.command_line.output import FOUND_BROKEN, Failure, print_json, print_row, print_rows, print_table

despite_doubts_option = click.option("--despite-doubts", is_flag=True, help="Although values look wrong on pages that nobody marked.")


SAMPLE_ONLY = (
    "A crawl of this site takes a sample of its pages. When a rule is live, “vertex crawl {slug} --mode extract” makes the records of all "
    "its pages."
)


@main.group()
def site() -> None:
    """Sites: list, add, show, delete."""


@site.command("list")
@click.argument("text", default="")
@click.pass_obj
def list_sites(context: Context, text: str) -> None:
    """List the sites whose name contains TEXT."""
    print_rows(context.vertex.list_sites(text), ["slug", "name", "team", "address"], as_json=context.as_json)


@site.command("add")
@click.argument("address", default="")
@click.option("--name", default="", help="Its name. Without it, that of the host.")
@click.option("--whole", is_flag=True, help="Fetch every page up to the limit, not a sample.")
@click.option("--pages", type=int, help="The largest number of pages.")
@click.option("--delay", type=float, help="Seconds between two requests.")
@click.option("--team", default="", help="The slug of its team. Without it, your oldest team.")
@click.pass_obj
def add_site(context: Context, address: str, name: str, whole: bool, pages: int | None, delay: float | None, team: str) -> None:
    """Add the site at ADDRESS; without one, a site whose pages are uploaded."""
    chosen = {"whole": whole or None, "page_limit": pages, "delay_s": delay}
    source = {field: value for field, value in chosen.items() if value is not None}
    print_row(context.vertex.create_site(name=name, address=address, source=source or None, team=team), as_json=context.as_json)


@site.command("show")
@click.argument("slug")
@click.pass_obj
def show_site(context: Context, slug: str) -> None:
    """Show a site and its figures."""
    print_row(context.vertex.get_site(slug), as_json=context.as_json)


@site.command("delete")
@click.argument("slug")
@click.option("--confirm", required=True, metavar="NAME", help="The name of the site.")
@click.pass_obj
def delete_site(context: Context, slug: str, confirm: str) -> None:
    """Delete a site with its pages, rules and records."""
    context.vertex.delete_site(slug, confirm=confirm)
    click.echo(f"{confirm} was deleted.", err=True)


@main.command("import")
@click.argument("slug")
@click.argument("path", type=FILE)
@click.option("--page", "url", default="", metavar="URL", help="The file is the one page at this address.")
@click.pass_obj
def import_pages(context: Context, slug: str, path: Path, url: str) -> None:
    """Import the pages of an archive (zip, tar, tar.gz, WARC) and find templates."""
    vertex = context.vertex
    context.follow(vertex.upload_page(slug, url, path) if url else vertex.upload_archive(slug, path))


@main.command()
@click.argument("slug")
@click.option(
    "--mode", type=click.Choice(["pages", "renew", "extract"]), default="pages", help="renew: then extract; extract: keep only records."
)
@click.pass_obj
def crawl(context: Context, slug: str, mode: str) -> None:
    """Fetch the pages of a site and find templates.

    Without --whole at “site add”, that is a sample of the pages. With a live rule, --mode extract then visits all pages.
    """
    context.follow(context.vertex.start_crawl(slug, mode))
    if mode != "extract" and not context.as_json and not context.vertex.get_source(slug)["whole"]:
        click.echo(SAMPLE_ONLY.format(slug=slug), err=True)


@main.command()
@click.argument("slug")
@click.option("--least", type=int, help="The least number of similar pages that make a template.")
@click.pass_obj
def cluster(context: Context, slug: str, least: int | None) -> None:
    """Find the templates of a site again."""
    context.follow(context.vertex.find_templates(slug, threshold=least))


@main.command("templates")
@click.argument("slug")
@click.pass_obj
def list_templates(context: Context, slug: str) -> None:
    """List the templates of a site."""
    columns = ["number", "label", "pages", "record_type", "live_version", "rule_state", "draft_version", "complete", "incomplete", "failed"]
    print_rows(context.vertex.list_templates(slug), columns, as_json=context.as_json)


@main.command("template")
@click.argument("slug")
@template_argument
@click.option("--name", help="A new name.")
@click.option("--type", "record_type", help="The slug of its record type; empty for none.")
@click.option("--ignore/--use", "ignored", default=None, help="Extract nothing from it, or do.")
@click.pass_obj
def show_template(context: Context, slug: str, template: int, name: str | None, record_type: str | None, ignored: bool | None) -> None:
    """Show a template, or change it."""
    chosen = {"name": name, "record_type": record_type, "ignored": ignored}
    fields = {field: value for field, value in chosen.items() if value is not None}
    vertex = context.vertex
    found = vertex.change_template(slug, template, **fields) if fields else vertex.get_template(slug, template)
    print_row(found, as_json=context.as_json)


@main.command("types")
@click.pass_obj
def list_types(context: Context) -> None:
    """List the record types."""
    found = context.vertex.list_record_types()
    if context.as_json:
        print_rows(found, [], as_json=True)
    else:
        print_table(["slug", "name", "team", "attributes"], ([each.slug, each.name, each.team, _write_attributes(each)] for each in found))


@main.command("add-type")
@click.argument("name")
@click.argument("attributes", nargs=-1, required=True)
@click.option("--team", default="", help="The slug of its team. Without it, your oldest team.")
@click.pass_obj
def add_type(context: Context, name: str, attributes: tuple[str, ...], team: str) -> None:
    """Add a record type.

    Each of ATTRIBUTES is a name, a type and signs: title!, authors:text*, price:price. Types are text, which may be left out, number,
    price, date, url, image and boolean. “!” says that a record needs it, “*” that it may have several values. An attribute of a list has
    the list before its name: offers.seller.
    """
    made = context.vertex.create_record_type(name, [_read_attribute(each) for each in attributes], team=team)
    if context.as_json:
        print_json(made)
        return
    click.echo(f"{made.slug}: {_write_attributes(made)}")


@main.command()
@click.argument("slug")
@template_argument
@click.argument("path", type=FILE)
@click.pass_obj
def annotate(context: Context, slug: str, template: int, path: Path) -> None:
    """Mark the values in a file (CSV, JSON or JSON Lines) on the pages of a template.

    Its columns are url, attribute and value; occurrence, xpath and row may follow. An empty value says that the attribute is not on the
    page.
    """
    try:
        marks = read_marks(path)
    except FileError as error:
        raise Failure(str(error)) from error
    vertex = context.vertex
    pages = {each.url: each.id for each in vertex.list_pages(slug, part=str(template))}
    if strange := [each.url for each in marks if each.url not in pages]:
        fetched = any(each.url == strange[0] for each in vertex.list_pages(slug, query=strange[0]))
        where = f"template {template}" if fetched else "this site: it was not fetched"
        raise Failure(f"{strange[0]} is not a page of {where}. Nothing was marked.")
    values = sum(len(vertex.mark(slug, template, pages[each.url], each.attribute, each.values, row=each.row)) for each in marks)
    if context.as_json:
        print_json({"pages": len({each.url for each in marks}), "values": values})
    else:
        on = len({each.url for each in marks})
        click.echo(f"Values marked: {values:,} on {on:,} {'page' if on == 1 else 'pages'}.")


@main.command()
@click.argument("slug")
@template_argument
@click.option("--publish", "then_publish", is_flag=True, help="Publish the rule that is learned.")
@despite_doubts_option
@click.pass_obj
def learn(context: Context, slug: str, template: int, then_publish: bool, despite_doubts: bool) -> None:
    """Learn the rule of a template from what is marked."""
    if then_publish and not (context.wait or context.here):
        raise click.UsageError("--publish waits for the rule, so it does not go with --no-wait.")
    run = context.follow(context.vertex.learn_rule(slug, template))
    version = run.summary.get("version")
    if then_publish and version:
        context.vertex.publish_rule(slug, template, int(version), despite_doubts=despite_doubts)
        click.echo(f"Version {version} is live.", err=True)


@main.command("rules")
@click.argument("slug")
@template_argument
@click.pass_obj
def list_rules(context: Context, slug: str, template: int) -> None:
    """List the versions of a template's rule."""
    columns = ["version", "state", "origin", "created_at", "created_by", "published_at"]
    print_rows(context.vertex.list_rules(slug, template), columns, as_json=context.as_json)


@main.command()
@click.argument("slug")
@template_argument
@click.argument("version", type=int, required=False)
@despite_doubts_option
@click.pass_obj
def publish(context: Context, slug: str, template: int, version: int | None, despite_doubts: bool) -> None:
    """Make a VERSION live; without one, the newest draft."""
    vertex = context.vertex
    chosen = version or _find_draft(vertex.get_template(slug, template))
    print_rows(
        [vertex.publish_rule(slug, template, chosen, despite_doubts=despite_doubts)],
        ["version", "state", "published_at"],
        as_json=context.as_json,
    )


@main.command()
@click.argument("slug")
@template_argument
@click.argument("version", type=int)
@click.pass_obj
def retire(context: Context, slug: str, template: int, version: int) -> None:
    """Take the live VERSION out of use."""
    print_rows([context.vertex.retire_rule(slug, template, version)], ["version", "state"], as_json=context.as_json)


@main.command()
@click.argument("slug")
@click.argument("template", type=int, required=False)
@click.pass_obj
def extract(context: Context, slug: str, template: int | None) -> None:
    """Extract the records of a template, or of all with a live rule."""
    context.follow(context.vertex.extract(slug, template))


@main.command()
@click.argument("slug")
@template_argument
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The file. It is replaced when the new one is complete.")
@click.option("--format", "form", default="csv", help="csv, jsonl, xlsx, parquet, sqlite or duckdb.")
@click.option("--columns", default="", help="Columns in the wanted order, separated by commas.")
@click.option("--list", "list_name", default="", help="The list whose rows are lines.")
@click.option("--raw", is_flag=True, help="Values as they appear on the pages.")
@click.option("--sort", default="", help="url, state, extracted or an attribute; -url: from the end. Without it: as they were first made.")
@click.pass_obj
def export(context: Context, slug: str, template: int, output: Path, form: str, columns: str, list_name: str, raw: bool, sort: str) -> None:
    """Write the records of a template to a file.

    With --sort url, two installations that have the same records write the same file.
    """
    options = {
        "sort": sort or None,
        "columns": [each.strip() for each in columns.split(",")] if columns else None,
        "list": list_name or None,
        "values": "raw" if raw else None,
    }
    size_bytes = context.vertex.export(slug, template, output, format=form, **options)
    if context.as_json:
        print_json({"file": str(output), "size_bytes": size_bytes})
    else:
        click.echo(f"{output}: {size_bytes:,} bytes", err=True)


@main.command("records")
@click.argument("slug")
@template_argument
@click.option("--changes", is_flag=True, help="What changed, not what is.")
@click.option("--since", default="", metavar="TIME", help="Only later ones, such as 2026-11-29T08:00:00Z.")
@click.pass_obj
def list_records(context: Context, slug: str, template: int, changes: bool, since: str) -> None:
    """Print the records of a template, or their changes, as JSON Lines."""
    found = (
        context.vertex.list_changes(slug, template, since=since)
        if changes
        else context.vertex.list_records(slug, template, extracted_after=since)
    )
    for each in found:
        print_json(each)


@main.command()
@click.argument("slug")
@click.pass_obj
def check(context: Context, slug: str) -> None:
    """Check the rules of a site. The exit code is 6 if one is broken."""
    run = context.follow(context.vertex.check(slug))
    if run.outcome == "found_broken":
        sys.exit(FOUND_BROKEN)


@main.command()
@click.argument("slug")
@click.argument("template", type=int, required=False)
@click.pass_obj
def refresh(context: Context, slug: str, template: int | None) -> None:
    """Fetch the pages that may have changed and renew their records."""
    context.follow(context.vertex.refresh(slug, template))


@main.command("breakages")
@click.option("--site", "slug", default="")
@click.option("--state", default="open", help="open, repaired, recovered, dismissed, or all.")
@click.pass_obj
def list_breakages(context: Context, slug: str, state: str) -> None:
    """List broken rules."""
    found = context.vertex.list_breakages(site=slug, state="" if state == "all" else state)
    print_rows(found, ["id", "site", "template", "state", "subject", "proposal", "opened_at"], as_json=context.as_json)


@main.command()
@click.argument("breakage", type=int)
@click.option("--doubtful", is_flag=True, help="Also what is not proven.")
@click.pass_obj
def accept(context: Context, breakage: int, doubtful: bool) -> None:
    """Publish the repair of a BREAKAGE."""
    print_row(context.vertex.accept_breakage(breakage, doubtful=doubtful), as_json=context.as_json)


@main.command()
@click.argument("breakage", type=int)
@click.pass_obj
def dismiss(context: Context, breakage: int) -> None:
    """Say that nothing is broken."""
    print_row(context.vertex.dismiss_breakage(breakage), as_json=context.as_json)


@main.command("runs")
@click.option("--site", "slug", default="")
@click.option("--state", default="", help="queued, running, paused, done, failed, cancelled or unfinished.")
@click.pass_obj
def list_runs(context: Context, slug: str, state: str) -> None:
    """List runs, newest first."""
    columns = ["id", "site", "template", "kind", "outcome", "done", "total", "unit", "created_at"]
    print_rows(context.vertex.list_runs(site=slug, state=state), columns, as_json=context.as_json)


@main.command("run")
@click.argument("run", type=int)
@click.option("--cancel", is_flag=True, help="Cancel it.")
@click.pass_obj
def show_run(context: Context, run: int, cancel: bool) -> None:
    """Wait for a RUN, or cancel it."""
    vertex = context.vertex
    if cancel:
        print_row(vertex.cancel_run(run), as_json=context.as_json)
    else:
        context.follow(vertex.get_run(run))


def _find_draft(template: Template) -> int:
    if template.draft_version is None:
        raise Failure(f"{template.label} has no draft. Learn a rule first, or name a version.")
    return template.draft_version


def _read_attribute(text: str) -> dict[str, object]:
    signs = {sign for sign in "!*" if sign in text}
    name, _, kind = text.rstrip("!*").partition(":")
    list_name, _, own = name.rstrip("!*").rpartition(".")
    return {"name": own, "type": kind or "text", "mandatory": "!" in signs, "multiple": "*" in signs, "list": list_name}


def _write_attributes(record_type: RecordType) -> str:
    """Return the attributes of a record type as `add-type` takes them."""
    return " ".join(
        f"{each['list'] and each['list'] + '.'}{each['name']}{'!' * each['mandatory']}{'*' * each['multiple']}"
        f"{'' if each['type'] == 'text' else ':' + each['type']}"
        for each in record_type.attributes
    )
