"""The command that prints how much of a template's pages is template and not content."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.text import Truncator

from extraction.algorithms.boilerplate import text_windows
from extraction.algorithms.boilerplate.template_regions import GAP_BYTES
from extraction.algorithms.errors import PageError
from extraction.management import following, template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.models import Cluster, Snapshot
from extraction.services.core.percent import write_percent
from extraction.services.core.stored_pages import Stored
from extraction.services.templates import boilerplate_parts
from extraction.services.templates.boilerplate import Shares
from extraction.services.templates.boilerplate_detectors import METHODS, DetectorOptions

SHOWN_CHARS = 72

_OPTIONS = {"window": "gibson-text", "frequency": "gibson-text", "divisor": "gibson-text", "low": "gibson-elements"}
_OPTIONS |= {"high": "gibson-elements", "gap": "gibson-elements"}
"""{option: the detector that it belongs to}."""


class Command(VertexCommand):
    help = "Print which parts of a site's pages are template, and their shares of bytes, words and links; or mark them on a page."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="all, without their parts")
        parser.add_argument("--method", choices=METHODS, default="gibson-elements", help="the detector (default: gibson-elements)")
        parser.add_argument("--parts", type=int, default=20, metavar="N", help="how many parts to print, the largest first (default: 20)")
        parser.add_argument(
            "--mark",
            action="append",
            metavar="PAGE",
            help="mark this page, by what the template's other pages have in common: the address of a page of the site, or a file with a "
            "new one; may be repeated",
        )
        parser.add_argument(
            "--pages", type=_least(2), metavar="P", help="how many pages to learn from (default: 200 for gibson-text, else 30)"
        )
        text = parser.add_argument_group("options of gibson-text")
        text.add_argument("--window", type=_least(1), metavar="W", help=f"characters of a fragment (default: {text_windows.WINDOW_CHARS})")
        text.add_argument("--frequency", type=_least(2), metavar="F", help="pages that must have a fragment (default: half of the pages)")
        text.add_argument("--divisor", type=_least(0), metavar="D", help="keep one fragment in so many; 0 keeps all (default: 0)")
        nodes = parser.add_argument_group("options of gibson-elements")
        nodes.add_argument("--low", type=_least(2), help="least number of equal elements or texts (default: half of the pages)")
        nodes.add_argument("--high", type=_least(2), help="largest number of equal elements or texts (default: 20 times the pages)")
        nodes.add_argument("--gap", type=_least(0), metavar="BYTES", help=f"HTML between parts that are joined (default: {GAP_BYTES})")

    def handle(self, *, site: str, template: str | None, method: str, parts: int, mark: list[str] | None, **given: Any) -> None:
        options = _read_options(method, given)
        if template is None:
            if mark:
                raise CommandError("--mark needs a template")
            for cluster in following.find_site(site).clusters.order_by("number"):
                report = boilerplate_parts.report(cluster, method, options)
                self.stdout.write(f"{cluster.label}: {_report_shares(report.shares) if report else _TOO_FEW}")
            return
        cluster = template_arguments.find_template(site, template)
        for page in mark or ():
            self._print_marked(cluster, method, page, options)
        if not mark:
            self._print_parts(cluster, method, parts, options)

    def _print_parts(self, cluster: Cluster, method: str, most: int, options: DetectorOptions) -> None:
        report = boilerplate_parts.report(cluster, method, options)
        if report is None:
            raise CommandError(f"{cluster.label} has fewer than two pages, so the template cannot be told from the content.")
        self.stdout.write(f"{cluster.label}: {_report_shares(report.shares)}")
        for part in report.parts[: max(0, most)]:
            text = Truncator(part.text).chars(SHOWN_CHARS) or part.place
            self.stdout.write(f"{part.pages:5} pages {part.size_bytes:9,} bytes  {text}")
        if len(report.parts) > most:
            self.stdout.write(f"and {len(report.parts) - most:,} more")

    def _print_marked(self, cluster: Cluster, method: str, page: str, options: DetectorOptions) -> None:
        try:
            marked = boilerplate_parts.mark_page(cluster, method, _find_page(cluster, page), options)
        except PageError as error:
            raise CommandError(f"{page}: {error}") from error
        self.stdout.write(f"{page}: {_share_words(marked.shares)}, by {marked.shares.pages} other pages")
        for segment in marked.segments:
            self.stdout.write(f"{'template' if segment.template else 'content':9} {segment.text}")


_TOO_FEW = "telling template from content takes at least two pages"


def _read_options(method: str, given: dict[str, Any]) -> DetectorOptions:
    """Return the options that were given. Raises CommandError for one of another detector."""
    for name, owner in _OPTIONS.items():
        if given[name] is not None and method != owner:
            raise CommandError(f"--{name} is an option of --method {owner}")
    names = {"pages": "pages", "gap": "gap_bytes"} | {name: name for name in _OPTIONS if name != "gap"}
    return DetectorOptions(**{field: given[name] for name, field in names.items() if given[name] is not None})


def _find_page(cluster: Cluster, page: str) -> Stored | bytes:
    """Return a page of the site, or the content of a file. Raises CommandError if there is neither."""
    found = Snapshot.objects.current().filter(page__site=cluster.site, page__url=page).first()
    if found is not None:
        return found
    try:
        return Path(page).read_bytes()
    except OSError as error:
        raise CommandError(f"{page} is neither a page of {cluster.site} nor a file that can be read ({error.strerror or error})") from error


def _least(least: int) -> Any:
    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return read


def _report_shares(shares: Shares) -> str:
    size, words, links = map(write_percent, (shares.size, shares.words, shares.links))
    return f"{size} of the bytes, {words} of the words, {links} of the links of {shares.pages} pages are template"


def _share_words(shares: Shares) -> str:
    size, words, links = map(write_percent, (shares.size, shares.words, shares.links))
    return f"{size} of its bytes, {words} of its words, {links} of its links are template"
