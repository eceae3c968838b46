"""The command that extracts records."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following, template_arguments
from extraction.services.core.runs import JobError
from extraction.services.records import extract_records


class Command(BaseCommand):
    help = "Run the live rule of a template, or all live rules of a site, on all their pages."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("template", nargs="?", help="the template's number or name (default: all templates with a live rule)")
        following.add_arguments(parser)

    def handle(self, *, site: str, template: str | None, wait: bool, here: bool, **_: Any) -> None:
        try:
            if template is None:
                run = extract_records.start_site_extraction(following.site_named(site))
            else:
                run = extract_records.start_extraction(template_arguments.template_named(site, template))
        except JobError as error:
            raise CommandError(str(error)) from error
        following.follow(self, run, wait=wait, here=here)
