"""The command that writes a site as a folder of files."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following
from extraction.services.folders import exporting, storing
from extraction.services.folders.errors import FolderError


class Command(BaseCommand):
    help = "Write a site as a folder of YAML files with its settings, record types, marks and live rules, for git and for import_site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("folder", type=Path, help="the folder; its files of the site are replaced, others stay")
        parser.add_argument(
            "--pages", choices=["marked", "all"], default="marked", help="the pages that people worked on, or all (default: %(default)s)"
        )

    def handle(self, *, site: str, folder: Path, pages: Any, **_: Any) -> None:
        found = following.find_site(site)
        export = exporting.collect_site(found, pages)
        try:
            written = storing.write_folder(folder, exporting.list_files(export), slug=found.slug)
        except FolderError as error:
            raise CommandError(f"{error}.") from error
        except FileNotFoundError as error:
            raise CommandError(f"The storage has lost the content of a page: {error}. The folder is not complete.") from error
        removed = f"; {written.removed:,} that it no longer has were removed" if written.removed else ""
        self.stdout.write(f"{folder}: {written.files:,} files, {written.size_bytes:,} bytes{removed}")
        for note in export.notes:
            self.stderr.write(note)
