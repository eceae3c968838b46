"""The command that looks after the database and the stored contents."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import connection
from django.utils import timezone

from extraction.management.vertex_command import VertexCommand
from extraction.models.kept import checking
from extraction.services.monitoring import care


class Command(VertexCommand):
    help = (
        "Check the kept counts and repair them, delete old contents of pages, and move stored bytes that nothing has to the bin. "
        "Without options, counts are repaired and the database renews its statistics."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say what is wrong with the counts; exit with 1 if anything is")
        parser.add_argument(
            "--thin",
            type=int,
            metavar="DAYS",
            help="of contents of pages older than DAYS, keep the last of each page and month, and all that something refers to",
        )
        parser.add_argument("--collect", action="store_true", help="move stored bytes that nothing has to the bin; they are deleted later")
        parser.add_argument("--vacuum", action="store_true", help="give free space back; the database is locked meanwhile")

    def handle(self, *, check: bool, thin: int | None, collect: bool, vacuum: bool, **_: Any) -> None:
        found = checking.find_drift(connection) if check else care.repair_counts()
        for each in found:
            self.stdout.write(f"{each.table}: {each.wrong:,} {'wrong' if check else 'repaired'}")
        if not found:
            self.stdout.write("All counts are right.")
        if check:
            if found:
                raise SystemExit(1)
            return
        if thin is not None:
            self.stdout.write(f"Deleted {care.thin_snapshots(timezone.now(), after_days=thin):,} old contents of pages.")
        if collect:
            moved, size = care.collect_bytes(timezone.now())
            self.stdout.write(f"Moved {moved:,} stored contents with {size:,} bytes to the bin.")
        space = care.refresh_statistics(vacuum=vacuum)
        free = f", {space.free_bytes:,} of them free" if space.free_bytes is not None else ""
        hint = "; --vacuum gives them back" if space.free_bytes and not vacuum else ""
        self.stdout.write(f"The database has {space.size_bytes:,} bytes{free}{hint}.")
