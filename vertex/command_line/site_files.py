"""Sites as files: `vertex site export` and `vertex site import`."""

import tempfile
from pathlib import Path

import click

from vertex.client import Vertex, VertexError
from vertex.client_rows import FolderImport
from vertex.command_line.life import site
from vertex.command_line.main import Context
from vertex.command_line.output import CONFLICT, Failure, print_json, print_row

SIGNS = {"added": "+", "changed": "~", "removed": "-", "only here": "=", "newer here": "=", "conflict": "!"}


@site.command("export")
@click.argument("slug")
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--pages", type=click.Choice(["marked", "all"]), default="marked", help="The pages that people worked on (the default), or all."
)
@click.pass_obj
def export_site(context: Context, slug: str, target: Path, pages: str) -> None:
    """Write a site as YAML files into the folder TARGET, for git; or into TARGET.zip.

    The files of the site in the folder are replaced, others stay.
    """
    if target.suffix == ".zip":
        size_bytes = context.vertex.download_site_files(slug, target, pages=pages)
        _print_written(context, target, 1, size_bytes)
        return
    from extraction.services.folders import layout, storing
    from extraction.services.folders.errors import FolderError

    vertex = _connect(context)
    with tempfile.TemporaryDirectory(prefix="vertex-") as aside:
        archive = Path(aside) / "site.zip"
        vertex.download_site_files(slug, archive, pages=pages)
        try:
            with storing.open_folder(archive) as folder:
                own = layout.read_site_slug(folder.read(layout.SITE))
                written = storing.write_folder(target, ((path, folder.read(path)) for path in folder.paths), slug=own)
        except FolderError as error:
            raise Failure(f"{error}.") from error
    _print_written(context, target, written.files, written.size_bytes)


@site.command("import")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only print what would change.")
@click.option("--into", default="", metavar="SLUG", help="Another site than the one that the files name.")
@click.option(
    "--prefer",
    type=click.Choice(["stop", "folder", "installation"]),
    default="stop",
    help="What counts where both sides have changed. The default imports nothing.",
)
@click.option("--team", default="", help="The slug of the team of a new site. Without it, your oldest team.")
@click.option("--delete", is_flag=True, help="Remove what is only here; templates, record types and deliveries stay.")
@click.pass_obj
def import_site(context: Context, source: Path, dry_run: bool, into: str, prefer: str, team: str, delete: bool) -> None:
    """Import a site from the folder or zip file SOURCE, or merge it into the one that is here.

    The exit code is 7 if parts were changed on both sides. Nothing is imported then.
    """
    vertex = _connect(context)
    with tempfile.TemporaryDirectory(prefix="vertex-") as aside:
        archive = _pack(source, Path(aside) / "site.zip") if source.is_dir() else source
        try:
            done = vertex.import_site_files(archive, into=into, prefer=prefer, delete=delete, dry_run=dry_run, team=team)
        except VertexError as error:
            if error.status != 409:
                raise
            lines = "".join(f"\n! {message}{f' ({place})' if place != 'file' else ''}" for place, message in error.errors)
            raise Failure(f"{error.detail.replace('`prefer`', '--prefer')}{lines}", CONFLICT) from error
    _print_import(context, done)
    if dry_run and any(each["kind"] == "conflict" for each in done.changes):
        raise Failure("Parts that are marked with “!” were changed in the files and here. Choose with --prefer.", CONFLICT)


def _connect(context: Context) -> Vertex:
    """Return the client, and let the code of the files make its messages: without an installation's settings, in English."""
    from django.conf import settings

    vertex = context.vertex  # in this process, it reads the settings
    if not settings.configured:
        settings.configure(USE_I18N=False)
    return vertex


def _pack(folder: Path, archive: Path) -> Path:
    """Write a folder as a zip file and return its path."""
    from extraction.services.folders import layout, storing
    from extraction.services.folders.errors import FolderError

    try:
        found = storing.DiskFolder(folder)
        wanted = [path for path in found.paths if layout.is_ours(path) or path.lower().endswith((".yaml", ".yml"))]
        with archive.open("wb") as file:
            storing.write_zip(file, ((path, found.read(path)) for path in wanted))
    except FolderError as error:
        raise Failure(f"{error}.") from error
    return archive


def _print_written(context: Context, target: Path, files: int, size_bytes: int) -> None:
    if context.as_json:
        print_json({"path": str(target), "files": files, "size_bytes": size_bytes})
    else:
        click.echo(f"{target}: {files:,} file{'' if files == 1 else 's'}, {size_bytes:,} bytes", err=True)


def _print_import(context: Context, done: FolderImport) -> None:
    if context.as_json:
        print_row(done, as_json=True)
        return
    for each in done.changes:
        click.echo(f"{SIGNS[each['kind']]} {each['subject']} ({each['kind']})")
        for detail in each["details"]:
            click.echo(f"    {detail}")
    for note in done.notes:
        click.echo(note, err=True)
    click.echo(done.summary)
    if done.imported:
        click.echo(f"Imported into {done.site}.", err=True)
