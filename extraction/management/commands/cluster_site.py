"""Clustering from the command line."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following
from extraction.services import cluster_pages
from extraction.services.runs import JobError


class Command(BaseCommand):
    help = "Find the templates of a site's pages again; names, labels and rules stay where templates are the same."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("--threshold", type=int, help="fewest pages of a template (default: by the number of pages)")
        following.add_arguments(parser)

    def handle(self, *, site: str, threshold: int | None, wait: bool, here: bool, **_: Any) -> None:
        try:
            run = cluster_pages.start(following.site_named(site), threshold=threshold)
        except JobError as error:
            raise CommandError(str(error)) from error
        following.follow(self, run, wait=wait, here=here)
