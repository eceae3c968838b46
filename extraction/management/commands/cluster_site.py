"""The command that clusters the pages of a site."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.algorithms.methods import METHODS
from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.models import Site
from extraction.services.lab import compare_clusterings, comparisons
from extraction.services.templates import cluster_pages

SHOWN_SIZES = 12


class Command(VertexCommand):
    help = "Find a site's templates again. Templates that remain keep their names, marked values and rules."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the site's name or slug")
        parser.add_argument("--threshold", type=int, help="minimum pages per template (default: depends on the number of pages)")
        parser.add_argument("--compare", action="store_true", help="only print what each method finds; change nothing")
        parser.add_argument("--method", action="append", choices=METHODS, help="with --compare: only this method; may be repeated")
        parser.add_argument("--adopt", choices=METHODS, help="cluster with this method and make its groups the site's templates")
        parser.add_argument("--usual", action="store_true", help="find the templates as usual, whatever was adopted before")
        following.add_arguments(parser)

    def handle(
        self,
        *,
        site: str,
        threshold: int | None,
        compare: bool,
        method: list[str] | None,
        adopt: str | None,
        usual: bool,
        wait: bool,
        here: bool,
        **_: Any,
    ) -> None:
        if method and not compare:
            raise CommandError("--method requires --compare; to use another method for the site's templates, use --adopt")
        if usual and (adopt or threshold):
            raise CommandError("--usual goes with neither --adopt nor --threshold")
        if adopt and not (wait or here):
            raise CommandError("--adopt requires --wait or --here, because groups can only be adopted once they are found")
        found = following.find_site(site)
        if compare:
            self._compare(found, method or list(METHODS))
            return
        if adopt:
            tried = following.follow(self, comparisons.start_comparison(found, [adopt]), wait=wait, here=here)
            run = cluster_pages.start_adopting(tried.clusterings.get(method=adopt))
        elif usual:
            run = cluster_pages.start_as_usual(found)
        else:
            run = cluster_pages.start_clustering(found, threshold=threshold)
        following.follow(self, run, wait=wait, here=here)

    def _compare(self, site: Site, methods: list[str]) -> None:
        for place, row in enumerate(compare_clusterings.compare_methods(site, methods)):
            if not place:
                self.stdout.write(f"{'method':17}{'groups':>7}{'alone':>7}{'MDL kbit':>10}{'seconds':>9}{'MB':>7}  sizes")
            sizes = " ".join(map(str, row.sizes[:SHOWN_SIZES])) + (" …" if len(row.sizes) > SHOWN_SIZES else "")
            figures = f"{len(row.sizes):7}{row.alone:7}{row.kbit:10.1f}{row.seconds:9.2f}{row.peak_bytes / 1e6:7.0f}"
            cost = f"; no MDL cost: {row.kbit_reason}" if row.kbit_reason else ""
            notice = f"; {row.notice}" if row.notice else ""
            self.stdout.write(f"{row.method:17}{figures}  {row.reason or sizes}{cost}{notice}")
