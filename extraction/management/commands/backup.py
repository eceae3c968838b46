"""The command that makes a backup."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from extraction.management.vertex_command import VertexCommand
from extraction.services.core.backup.back_up import back_up


class Command(VertexCommand):
    help = "Write the database and the stored bytes into one archive, while Vertex runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="the archive; of a folder, a new file in it that is named after the time")

    def handle(self, *, target: Path, **_: Any) -> None:
        path, manifest = back_up(target)
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{path} has {rows:,} rows of {len(manifest.rows)} tables and {manifest.files:,} files with {manifest.file_bytes:,} bytes."
        )
        self.stdout.write("It contains passwords' digests and addresses of alerts. The secret key is not in it: keep that apart from it.")
