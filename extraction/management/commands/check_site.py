"""The command that checks the rules of a site."""

from typing import Any

from django.core.management.base import CommandParser

from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.models import Breakage
from extraction.services.monitoring import monitors


class Command(VertexCommand):
    help = "Check some pages of each template with a live rule to see whether the rules still work."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        following.add_arguments(parser)

    def handle(self, *, site: str, wait: bool, here: bool, **_: Any) -> None:
        found = following.find_site(site)
        following.follow(self, monitors.start_check(found), wait=wait, here=here)
        if wait or here:
            for each in Breakage.objects.open().of_site(found).select_related("cluster", "proposal"):
                repair = f"version {each.proposal.version} would repair it" if each.proposal else each.note or "no repair yet"
                self.stdout.write(f"  {each.cluster.label}: {each.subject} broke; {repair}")
