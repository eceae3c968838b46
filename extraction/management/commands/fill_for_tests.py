"""The command that fills the database with very many pages."""

import time
from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.demo.many.fill import fill_database
from extraction.management.vertex_command import VertexCommand


class Command(VertexCommand):
    help = "Add many sites with made-up pages and records to the database, to see how quick Vertex is at that size. Use an empty database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pages", type=int, default=1_000_000, help="pages in all (default: 1000000)")
        parser.add_argument("--sites", type=int, default=200, help="sites; the first has two fifths of the pages (default: 200)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same rows (default: 1)")

    def handle(self, *, pages: int, sites: int, seed: int, verbosity: int, **_: Any) -> None:
        started = time.monotonic()
        try:
            found = fill_database(pages=pages, sites=sites, seed=seed, say=self.stdout.write if verbosity > 1 else lambda _: None)
        except ValueError as error:
            raise CommandError(str(error)) from error
        for name, count in found.rows.items():
            self.stdout.write(f"{count:>10,} {name}")
        self.stdout.write(f"in {time.monotonic() - started:.0f} s")
