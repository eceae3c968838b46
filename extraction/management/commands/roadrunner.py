"""The command that prints the wrapper that RoadRunner infers."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count

from extraction.algorithms.alignment.roadrunner.infer import PAGES
from extraction.management import template_arguments
from extraction.management.following import find_site
from extraction.management.vertex_command import VertexCommand
from extraction.models import Cluster
from extraction.services.lab import wrappers


class Command(VertexCommand):
    help = "Print the wrapper that RoadRunner infers from a template's sample pages, and their data; change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="the template with the most pages")
        parser.add_argument("--pages", type=int, default=PAGES, help=f"how many sample pages to infer the wrapper from (default: {PAGES})")
        parser.add_argument("--as", choices=("tsv", "json"), default="tsv", dest="form", help="the format of the data (default: tsv)")

    def handle(self, *, site: str, template: str | None, pages: int, form: str, **_: Any) -> None:
        if pages < 2:
            raise CommandError("--pages: at least two pages are needed.")
        cluster = template_arguments.find_template(site, template) if template else _find_largest(site)
        seen = wrappers.infer_wrapper(cluster, pages=pages)
        urls = [snapshot.page.url for snapshot in seen.snapshots]
        resorts = seen.found.resorts
        self.stdout.write(f"# from {len(seen.found.aligned)} pages, matches {seen.read} of {len(urls)}; last resort at {resorts} places")
        for number, reason in seen.found.unread.items():
            self.stdout.write(f"# {urls[number]}: {reason}")
        self.stdout.write(seen.found.wrapper.printed())
        self.stdout.write("")
        self.stdout.write((wrappers.write_json if form == "json" else wrappers.write_tsv)(seen.found.structure, urls))


def _find_largest(site: str) -> Cluster:
    found = Cluster.objects.filter(site=find_site(site)).annotate(held=Count("snapshots")).order_by("-held", "number").first()
    if found is None:
        raise CommandError(f"{site} has no templates yet.")
    return found
