"""The command that extracts records."""

from typing import Any

from django.core.management.base import CommandParser

from extraction.management import following, template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.services.records import extract_records


class Command(VertexCommand):
    help = "Run the live rule of a template, or all live rules of a site, on all their pages."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="all templates with a live rule")
        following.add_arguments(parser)

    def handle(self, *, site: str, template: str | None, wait: bool, here: bool, **_: Any) -> None:
        if template is None:
            run = extract_records.start_site_extraction(following.find_site(site))
        else:
            run = extract_records.start_extraction(template_arguments.find_template(site, template))
        following.follow(self, run, wait=wait, here=here)
