"""The command that exports everything that a person entered."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from extraction.management.vertex_command import VertexCommand
from extraction.services.core.entered import write_entered


class Command(VertexCommand):
    help = "Write everything that a person entered into a zip file, without secrets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name with which the person signs in")
        parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="the zip file; an existing one is replaced")

    def handle(self, *, name: str, to: Path, **_: Any) -> None:
        person = User.objects.filter(username=name).first()
        if person is None:
            raise CommandError(f"There is nobody called {name}.")
        part = to.with_name(f"{to.name}.part")
        try:
            with part.open("wb") as file:
                counts = write_entered(person, file)
            part.replace(to)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise CommandError(f"{to} cannot be written: {error.strerror or error}.") from error
        self.stdout.write(f"{to} has {sum(counts.values()):,} entries of {name}.")
