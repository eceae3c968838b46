"""The command that prints the structure of a template's pages."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils.text import Truncator

from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.alignment.schema import Repeated, SchemaField, Tuple
from extraction.management import template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.services.lab import structures

EXAMPLES, WIDTH = 3, 40


class Command(VertexCommand):
    help = "Print the structure that a method finds on a template's sample pages, without marked values; change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        parser.add_argument("--method", choices=[*METHODS, *structures.DESCRIPTIONS], default="exalg", help="the method (default: exalg)")

    def handle(self, *, site: str, template: str, method: str, **_: Any) -> None:
        cluster = template_arguments.find_template(site, template)
        if method in structures.DESCRIPTIONS:
            self.stdout.writelines(f"{line}\n" for line in structures.DESCRIPTIONS[method](cluster))
            return
        found = structures.find_structure(cluster, method)
        self.stdout.write(f"{method} on {len(found.urls)} pages in {found.seconds:.2f} s")
        for page, notice in found.structure.notices.items():
            self.stdout.write(f"# {found.urls[page]}: {notice}")
        self.stdout.writelines(f"{line}\n" for line in _Schema(found).lines(found.structure.schema))


class _Schema:
    """A schema as indented lines: each field with its path and examples, and each set with its fields below it."""

    def __init__(self, found: structures.FoundStructure) -> None:
        self._columns, self._tables, self._paths = found.structure.columns(), found.structure.tables(), found.paths

    def lines(self, schema: Tuple, depth: int = 0) -> Iterator[str]:
        """Yield the lines of a sequence of parts, or a line that says that there are none."""
        if not schema.parts:
            yield "no field varies"
        indent = "  " * depth
        for part in schema.parts:
            if isinstance(part, SchemaField):
                yield f"{indent}{self._field(part.name)}"
                continue
            if isinstance(part, Repeated):
                tables = self._tables[part.name]
                yield f"{indent}{part.name:3} set of {sum(map(len, tables.values())):,} rows on {_pages(len(tables))}, each:"
            else:
                yield f"{indent}(optional)"
            yield from self.lines(part.part, depth + 1)

    def _field(self, name: str) -> str:
        pages = self._columns[name]
        values = [value.text for row in pages.values() for value in row]
        return f"{name:3} {self._paths.get(name, ''):32}  {_examples(values)}  ({len(values):,} on {_pages(len(pages))})"


def _pages(number: int) -> str:
    return f"{number} page{'' if number == 1 else 's'}"


def _examples(values: Iterable[str]) -> str:
    return " | ".join(Truncator(text).chars(WIDTH) for text in list(dict.fromkeys(values))[:EXAMPLES])
