"""Pages from the command line."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following
from extraction.models import Run
from extraction.services import import_pages
from extraction.services.runs import JobError


class Command(BaseCommand):
    help = "Import a site's pages from a zip, tar.gz or WARC file or a folder, then find its templates."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug; it is made when there is none")
        parser.add_argument("path", help="a zip, tar, tar.gz, WARC or WARC.gz file, or a folder; manifest.csv in it gives addresses")
        following.add_arguments(parser)

    def handle(self, *, site: str, path: str, wait: bool, here: bool, **_: Any) -> None:
        source = following.existing(path)
        into = following.site_named(site, create=True)
        try:
            run = import_pages.start_folder(into, source) if source.is_dir() else import_pages.start(into, source, name=source.name)
        except (JobError, OSError) as error:
            raise CommandError(str(error)) from error
        following.follow(self, run, wait=wait, here=here)
        if wait or here:
            for clustering in Run.objects.filter(kind=Run.Kind.CLUSTER, site=into, parameters__after=run.pk):
                following.follow(self, clustering, wait=wait, here=here)
