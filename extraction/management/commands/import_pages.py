"""The command that imports pages."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.fetching.archives import Archive, ArchiveError
from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.models import Run, Site
from extraction.services.core.runs import JobError
from extraction.services.intake import absent_pages, import_pages

SHOWN = 10
"""How many problems are printed. The run's page has all of them."""

CUT_OFF = 2
"""The exit code if the archive ended too early. The pages before that point were imported."""


class Command(VertexCommand):
    help = "Import a site's pages from a zip, tar.gz or WARC file or a folder, then find its templates."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug; it is created if it does not exist")
        parser.add_argument("path", help="a zip, tar, tar.gz, WARC or WARC.gz file, or a folder; manifest.csv in it gives addresses")
        parser.add_argument(
            "--mark-gone",
            action="store_true",
            help="mark pages of earlier imports that it lacks as gone (with --wait or --here)",
        )
        following.add_arguments(parser)

    def handle(self, *, site: str, path: str, wait: bool, here: bool, mark_gone: bool, **_: Any) -> None:
        if mark_gone and not (wait or here):
            raise CommandError("--mark-gone needs --wait or --here, because the import must have ended.")
        source = following.find_path(path)
        before = set(Site.objects.values_list("pk", flat=True))
        into = following.find_site(site, create=True)
        try:
            _open(source)
            run = (
                import_pages.start_folder_import(into, source)
                if source.is_dir()
                else import_pages.start_import(into, source, name=source.name)
            )
            following.follow(self, run, wait=wait, here=here)
        except (JobError, OSError, CommandError) as error:
            if into.pk not in before and not into.pages.exists() and not into.runs.unfinished().exists():
                into.delete()
            raise error if isinstance(error, CommandError) else CommandError(str(error)) from error
        cut_off = self._problems(run)
        if wait or here:
            self._tell_absent(run, mark_gone=mark_gone)
            following.follow_renewal(self, run, wait=wait, here=here)
        if cut_off:
            raise CommandError(f"{source.name} was cut off. The pages before that point were imported.", returncode=CUT_OFF)

    def _tell_absent(self, run: Run, *, mark_gone: bool) -> None:
        """Say which pages of earlier imports are absent, and mark them as gone if that is wanted."""
        absent = absent_pages.count_absent(run)
        if absent and mark_gone:
            self.stdout.write(f"  {absent_pages.mark_gone(run):,} pages of earlier imports are not in it and are marked as gone")
        elif absent:
            self.stderr.write(f"  {absent:,} pages of earlier imports are not in it. If they are gone, import it again with --mark-gone")

    def _problems(self, run: Run) -> bool:
        """Print what could not be read, and return whether the archive was cut off."""
        found = list(run.problems.order_by("pk").values_list("name", "reason"))
        for name, reason in found[:SHOWN]:
            self.stderr.write(f"  {name}: {reason}")
        if len(found) > SHOWN:
            self.stderr.write(f"  and {len(found) - SHOWN:,} more")
        return any(reason.startswith("it was cut off") for _, reason in found)


def _open(source: Path) -> None:
    """Raise CommandError for a file that cannot be imported, before a run is created."""
    try:
        Archive(source, name=source.name, limits=import_pages.get_limits()).close()
    except (ArchiveError, OSError) as error:
        raise CommandError(f"{source.name}: {error}") from error
