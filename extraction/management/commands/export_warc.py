"""The command that writes the pages of a site to a WARC file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following
from extraction.services.intake import export_warc


class Command(BaseCommand):
    help = "Write all stored pages of a site to a WARC file (.warc.gz), which import_pages can read."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("file", help="the file to write, such as site.warc.gz")

    def handle(self, *, site: str, file: str, **_: Any) -> None:
        found, path = following.find_site(site), Path(file).expanduser()
        pages = -1  # the first record describes the file
        try:
            with path.open("wb") as out:
                for record in export_warc.write_records(found):
                    out.write(record)
                    pages += 1
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        self.stdout.write(f"{pages:,} page{'' if pages == 1 else 's'} in {path}")
