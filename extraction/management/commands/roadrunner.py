"""The command that prints the wrapper that RoadRunner infers."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count

from extraction.algorithms.alignment.roadrunner.infer import PAGES
from extraction.management import template_arguments
from extraction.management.following import site_named
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.lab import wrappers


class Command(BaseCommand):
    help = "Print the wrapper that RoadRunner infers from a template's sample pages, and their data; change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("template", nargs="?", help="the template's number or name (default: the template with the most pages)")
        parser.add_argument("--pages", type=int, default=PAGES, help=f"how many sample pages to infer the wrapper from (default: {PAGES})")
        parser.add_argument("--as", choices=("tsv", "json"), default="tsv", dest="form", help="the format of the data (default: tsv)")

    def handle(self, *, site: str, template: str | None, pages: int, form: str, **_: Any) -> None:
        if pages < 2:
            raise CommandError("--pages: at least two pages are needed.")
        try:
            seen = wrappers.infer_wrapper(template_arguments.template_named(site, template) if template else _largest(site), pages=pages)
        except JobError as error:
            raise CommandError(f"{error}.") from error
        urls = [snapshot.page.url for snapshot in seen.snapshots]
        resorts = seen.found.resorts
        self.stdout.write(f"# from {len(seen.found.aligned)} pages, matches {seen.read} of {len(urls)}; last resort at {resorts} places")
        for number, reason in seen.found.unread.items():
            self.stdout.write(f"# {urls[number]}: {reason}")
        self.stdout.write(seen.found.wrapper.printed())
        self.stdout.write("")
        self.stdout.write((wrappers.write_json if form == "json" else wrappers.write_tsv)(seen.found.structure, urls))


def _largest(site: str) -> Cluster:
    found = Cluster.objects.filter(site=site_named(site)).annotate(held=Count("snapshots")).order_by("-held", "number").first()
    if found is None:
        raise CommandError(f"{site} has no templates yet.")
    return found
