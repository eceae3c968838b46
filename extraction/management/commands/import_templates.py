"""The command that takes in the templates that vertex-spark found in a crawl."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.services.core.runs import JobError
from extraction.services.lab import crawl_templates
from extraction.services.templates import cluster_pages


class Command(VertexCommand):
    help = (
        "Take in the templates of a site that vertex-spark cluster found in a crawl. They appear in the structure lab beside the present "
        "ones. With --adopt they become the site's templates."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("file", type=Path, help="a file of the folder templates/ that vertex-spark cluster wrote")
        parser.add_argument("--name", help="the site's name in the file: its host without www. (default: that of its pages)")
        parser.add_argument("--adopt", action="store_true", help="make them the site's templates; needs --wait or --here to be followed")
        following.add_arguments(parser)

    def handle(self, *, site: str, file: Path, name: str | None, adopt: bool, wait: bool, here: bool, **_: Any) -> None:
        found = following.find_site(site)
        try:
            line = crawl_templates.find_site_line(file, {name} if name else crawl_templates.find_site_names(found))
            taken = crawl_templates.take_templates(found, line)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
        except JobError as error:
            raise CommandError(f"{file}: {error}") from error
        groups = sum(len(group) > 1 for group in taken.clustering.groups)
        self.stdout.write(f"{line.site}: {len(line.templates):,} templates of {line.pages:,} pages in the crawl.")
        self.stdout.write(f"Of the pages here, {taken.pages:,} are in {groups:,} groups, and {taken.left:,} fit none.")
        if adopt:
            following.follow(self, cluster_pages.start_adopting(taken.clustering), wait=wait, here=here)
        else:
            self.stdout.write(f"Compare and adopt them in the structure lab: {taken.clustering.get_absolute_url()}")
