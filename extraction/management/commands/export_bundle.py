"""The command that writes a site's live rules as a bundle."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.algorithms.errors import RuleError, XPathError
from extraction.management import following
from extraction.services.records import bundle


class Command(BaseCommand):
    help = "Write a site's live rules as one file, by which vertex-spark reads its pages as Vertex does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("--output", type=Path, help="the file (default: SITE.vertex-bundle.json)")
        parser.add_argument(
            "--most-placed",
            type=int,
            default=bundle.MAX_PLACED,
            help="how many pages at most are named with their template; others are recognised (default: %(default)s)",
        )

    def handle(self, *, site: str, output: Path | None, most_placed: int, **_: Any) -> None:
        if most_placed < 0:
            raise CommandError("--most-placed cannot be negative.")
        try:
            written = bundle.write_site_bundle(following.find_site(site), most_placed=most_placed)
        except (RuleError, XPathError) as error:
            raise CommandError(str(error)) from error
        path = output or Path(written.name)
        try:
            path.write_bytes(written.data)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error
        rules = f"{written.rules:,} live rule{'' if written.rules == 1 else 's'}"
        self.stdout.write(f"{path}: {rules}, the templates of {written.placed:,} pages, {len(written.data):,} bytes")
        if written.left:
            self.stderr.write(f"{written.left:,} more pages are in templates. They are recognised like unknown pages.")
