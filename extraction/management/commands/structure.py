"""The structure of a template's pages, from the command line."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.alignment.schema import Field, Optional, Repeated, Structure, Tuple
from extraction.management import templates
from extraction.services import structures
from extraction.services.runs import JobError

EXAMPLES, WIDTH = 3, 40


class Command(BaseCommand):
    help = "Print the structure that a method finds on a template's sample pages, where nothing needs to be annotated; nothing is changed."

    def add_arguments(self, parser: CommandParser) -> None:
        templates.add_arguments(parser)
        parser.add_argument(
            "--method", choices=[*METHODS, *structures.DESCRIPTIONS], default="exalg", help="how it is found (default: exalg)"
        )

    def handle(self, *, site: str, template: str, method: str, **_: Any) -> None:
        cluster = templates.template_named(site, template)
        try:
            if method in structures.DESCRIPTIONS:
                self.stdout.writelines(f"{line}\n" for line in structures.DESCRIPTIONS[method](cluster))
                return
            found = structures.find(cluster, method)
        except JobError as error:
            raise CommandError(f"{error}.") from error
        self.stdout.write(f"{method} on {len(found.urls)} pages in {found.seconds:.2f} s")
        self.stdout.write(schema_text(found.structure.schema) or "no field varies")
        for line in _columns(found.structure):
            self.stdout.write(line)


def schema_text(schema: Tuple) -> str:
    """A schema as a regular expression of its fields: ``A (B)? C:(D E)+``."""
    return " ".join(_part(part) for part in schema.parts)


def _part(part: Field | Optional | Repeated) -> str:
    if isinstance(part, Field):
        return part.name
    inner = schema_text(part.part)
    return f"({inner})?" if isinstance(part, Optional) else f"{part.name}:({inner})+"


def _columns(found: Structure) -> Iterator[str]:
    """A line for each set and each field: on how many pages, how often, and what stands there."""
    for name, tables in found.tables().items():
        yield f"  {name:4} set     {len(tables):4} pages {sum(map(len, tables.values())):6} rows"
    for name, pages in found.columns().items():
        values = [value.text for row in pages.values() for value in row]
        yield f"  {name:4} field   {len(pages):4} pages {len(values):6} values  {_examples(values)}"


def _examples(values: Iterable[str]) -> str:
    shown = list(dict.fromkeys(values))[:EXAMPLES]
    return " | ".join(text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…" for text in shown)
