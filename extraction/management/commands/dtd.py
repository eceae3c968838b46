"""The document types of a site of XML pages, from the command line."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management.following import site_named
from extraction.management.templates import template_named
from extraction.models import Cluster
from extraction.services import document_types
from extraction.services.runs import JobError


class Command(BaseCommand):
    help = "Write the DTD that XTRACT infers from a template's XML pages, or those of all templates of a site that hold XML."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("template", nargs="?", help="the template's number or name (default: all)")
        parser.add_argument("--output", type=Path, help="the file (default: standard output)")

    def handle(self, *, site: str, template: str | None, output: Path | None, **options: Any) -> None:
        del options
        chosen = [template_named(site, template)] if template else Cluster.objects.filter(site=site_named(site)).order_by("number")
        texts = {}
        for cluster in chosen:
            try:
                found = document_types.of(cluster)
            except JobError as error:
                raise CommandError(f"{cluster.label}: {error}.") from error
            if found is not None:
                texts[f"Template {cluster.number}, {found.pages} pages"] = found.text()
        if not texts:
            raise CommandError(f"{template or site} has no pages of XML.")
        whole = "\n".join(f"<!-- {title} -->\n{text}" for title, text in texts.items())
        if output is None:
            self.stdout.write(whole, ending="")
        else:
            output.write_text(whole, encoding="utf-8")
            self.stdout.write(f"{output}: {output.stat().st_size:,} bytes")
