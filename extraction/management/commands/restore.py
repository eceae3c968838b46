"""The command that restores a backup."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from extraction.management.vertex_command import VertexCommand
from extraction.services.core.backup.restore import check_archive, restore


class Command(VertexCommand):
    help = "Restore a backup into an empty installation. Stop web, worker and beat first. If anything fails, the database is as before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("archive", type=Path)
        parser.add_argument("--check", action="store_true", help="only verify the archive; restore nothing")
        parser.add_argument(
            "--replace", action="store_true", help="delete the rows that the database has; add files to those of the storage"
        )

    def handle(self, *, archive: Path, check: bool, replace: bool, **_: Any) -> None:
        manifest = check_archive(archive)
        rows = sum(manifest.rows.values())
        self.stdout.write(f"The archive of {manifest.made_at} is whole: {rows:,} rows, {manifest.files:,} files.")
        if check:
            return
        call_command("migrate", verbosity=0)
        restored = restore(archive, replace=replace, checked=manifest)
        self.stdout.write("Restored. The number of rows of each table is that of the archive.")
        if restored.repaired:
            self.stdout.write(f"Kept counts that were wrong in the archive were repaired: {', '.join(restored.repaired)}.")
        if not restored.same_key:
            self.stderr.write(
                "The secret key is not the one with which the backup was made: people must sign in again, and the passwords of delivery "
                "targets must be entered again. Set VERTEX_SECRET_KEY to the earlier key to keep them."
            )
