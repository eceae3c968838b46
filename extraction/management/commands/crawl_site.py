"""The command that crawls a site."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.models import Site, Source
from extraction.services.core.runs import JobError
from extraction.services.intake import crawl_site, search_terms
from extraction.services.sites import sources
from extraction.views.core import crawl_view


class Command(VertexCommand):
    help = "Fetch a site's pages from its address, then find its templates; or crawl and extract the whole site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug; it is created if it does not exist")
        parser.add_argument("address", nargs="?", default="", help="the start address (default: that of the site's settings)")
        parser.add_argument("--pages", type=int, help=f"maximum pages (default: {Source.DEFAULT_PAGES})")
        parser.add_argument("--whole", action="store_true", default=None, help="fetch every page up to the limit, not a sample")
        parser.add_argument("--delay", type=float, dest="delay_s", help="seconds between requests to one host (default: 0.5)")
        parser.add_argument(
            "--records", action="store_true", help="crawl the whole site and keep the records, not the pages; needs live rules"
        )
        following.add_arguments(parser)

    def handle(self, *, site: str, address: str, records: bool, wait: bool, here: bool, **options: Any) -> None:
        given = {"page_limit": options["pages"], "whole": options["whole"], "delay_s": options["delay_s"]}
        known = Site.objects.count()
        into = following.find_site(site, create=bool(address))
        try:
            self._set(into, address, {name: value for name, value in given.items() if value is not None})
            run = (crawl_site.start_extracting_crawl if records else crawl_site.start_crawl)(into)
        except (JobError, sources.AddressError) as error:
            if Site.objects.count() > known:
                into.delete()
            raise CommandError(str(error)) from error
        following.follow(self, run, wait=wait, here=here)
        if wait or here:
            for row in crawl_view.list_outcomes(run):
                self.stdout.write(f"  {row.count:,} {row.word.lower()}")
            for line in search_terms.write_lines(run):
                self.stdout.write(f"  {line}")
            following.follow_renewal(self, run, wait=wait, here=here)

    def _set(self, site: Site, address: str, given: dict[str, Any]) -> None:
        """Save the given options in the site's settings. Raises AddressError."""
        source = sources.get_source(site)
        if address:
            source.addresses = [sources.complete_address(address)]
            site.address = site.address or source.addresses[0]
            site.save(update_fields=["address"])
        for name, value in given.items():
            setattr(source, name, value)
        source.save()
