"""The command that prints how much of a template's pages is template and not content."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import Truncator

from extraction.management import following, template_arguments
from extraction.models import Cluster
from extraction.services.templates import boilerplate_parts
from extraction.services.templates.boilerplate_parts import METHODS, Report

SHOWN_CHARS = 72


class Command(BaseCommand):
    help = "Print which parts of a site's pages are template, and their shares of bytes, words and links."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="all, without their parts")
        parser.add_argument("--method", choices=METHODS, default="gibson-elements", help="the detector (default: gibson-elements)")
        parser.add_argument("--parts", type=int, default=20, metavar="N", help="how many parts to print, the largest first (default: 20)")

    def handle(self, *, site: str, template: str | None, method: str, parts: int, **_: Any) -> None:
        if template is not None:
            cluster = template_arguments.find_template(site, template)
            self._print_parts(cluster, method, parts)
            return
        for cluster in following.find_site(site).clusters.order_by("number"):
            report = boilerplate_parts.report(cluster, method)
            self.stdout.write(f"{cluster.label}: {_shares(report) if report else 'telling template from content takes at least two pages'}")

    def _print_parts(self, cluster: Cluster, method: str, most: int) -> None:
        report = boilerplate_parts.report(cluster, method)
        if report is None:
            raise CommandError(f"{cluster.label} has fewer than two pages, so template cannot be told from content.")
        self.stdout.write(f"{cluster.label}: {_shares(report)}")
        for part in report.parts[: max(0, most)]:
            text = Truncator(part.text).chars(SHOWN_CHARS) or part.place
            self.stdout.write(f"{part.pages:5} pages {part.size_bytes:9,} bytes  {text}")
        if len(report.parts) > most:
            self.stdout.write(f"and {len(report.parts) - most:,} more")


def _shares(report: Report) -> str:
    shares = report.shares
    figures = f"{shares.size:.0%} of the bytes, {shares.words:.0%} of the words, {shares.links:.0%} of the links"
    return f"{figures} of {shares.pages} pages are template"
