"""The command that exports a template's rule."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.exports import FORMS
from extraction.management import template_arguments
from extraction.services.rules import export_rule


class Command(BaseCommand):
    help = "Write a template's live rule in a form that runs without Vertex, to a file or to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        parser.add_argument("--as", choices=FORMS, default="xslt", dest="form", help="a stylesheet, a Scrapy spider or a page object")
        parser.add_argument("--rule", type=int, help="the version to write (default: the live one)")
        parser.add_argument("--output", type=Path, help="the file (default: standard output)")

    def handle(self, *, site: str, template: str, form: Any, rule: int | None, output: Path | None, **options: Any) -> None:
        del options
        cluster = template_arguments.find_template(site, template)
        found = (cluster.rules.serving() if rule is None else cluster.rules.filter(version=rule)).first()
        if found is None:
            raise CommandError(f"{cluster.label} has no {'live rule' if rule is None else f'version {rule} of its rule'}.")
        try:
            exported = export_rule.export_rule(found, form)
        except (RuleError, XPathError) as error:
            raise CommandError(f"Version {found.version} cannot be exported: {error}") from error
        if output is None:
            self.stdout.write(exported.text, ending="")
        else:
            output.write_text(exported.text, encoding="utf-8")
            self.stdout.write(f"{output}: {output.stat().st_size:,} bytes")
