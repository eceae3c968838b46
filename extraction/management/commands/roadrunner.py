"""The command that prints the wrapper that RoadRunner infers, of one template or of each group that a clustering finds."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count

from extraction.algorithms.alignment.roadrunner.infer import PAGES
from extraction.algorithms.methods import METHODS
from extraction.management import template_arguments
from extraction.management.following import find_site
from extraction.management.vertex_command import VertexCommand
from extraction.models import Cluster
from extraction.services.lab import group_templates, wrappers
from extraction.services.lab.group_templates import TEMPLATES, GroupWrapper

WRITERS = {"json": wrappers.write_json, "tsv": wrappers.write_tsv}


class Command(VertexCommand):
    help = "Print the wrapper that RoadRunner infers from a template's sample pages, and their data; change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="the template with the most pages")
        parser.add_argument("--pages", type=int, default=PAGES, help=f"how many sample pages to infer the wrapper from (default: {PAGES})")
        parser.add_argument("--as", choices=tuple(WRITERS), default="tsv", dest="form", help="the format of the data (default: tsv)")
        parser.add_argument(
            "--clusters",
            choices=(TEMPLATES, *METHODS),
            help="cluster the site's pages by this method, or take its templates, and infer a wrapper for each group",
        )
        parser.add_argument(
            "--output",
            type=Path,
            metavar="FOLDER",
            help="with --clusters: write the wrapper, the data, the addresses and the template paths of each group to files",
        )

    def handle(
        self, *, site: str, template: str | None, pages: int, form: str, clusters: str | None, output: Path | None, **_: Any
    ) -> None:
        if pages < 2:
            raise CommandError("--pages: at least two pages are needed.")
        if clusters:
            if template:
                raise CommandError("--clusters takes all pages of the site; leave the template out.")
            for number, group in enumerate(group_templates.find_wrappers(find_site(site), clusters, pages=pages), 1):
                self._print_group(number, group, form, output)
            return
        if output:
            raise CommandError("--output needs --clusters.")
        self._print_template(template_arguments.find_template(site, template) if template else _find_largest(site), pages, form)

    def _print_template(self, cluster: Cluster, pages: int, form: str) -> None:
        seen = wrappers.infer_wrapper(cluster, pages=pages)
        urls = [snapshot.page.url for snapshot in seen.snapshots]
        resorts = seen.found.resorts
        self.stdout.write(f"# from {len(seen.found.aligned)} pages, matches {seen.read} of {len(urls)}; last resort at {resorts} places")
        for number, reason in seen.found.unread.items():
            self.stdout.write(f"# {urls[number]}: {reason}")
        self.stdout.write(seen.found.wrapper.printed())
        self.stdout.write("")
        self.stdout.write(WRITERS[form](seen.found.structure, urls))

    def _print_group(self, number: int, group: GroupWrapper, form: str, output: Path | None) -> None:
        """Print one line for a group, and its wrapper if no files are written."""
        head = f"# group {number}: {len(group.urls):,} pages, {len(group.paths):,} template paths"
        if group.found is None:
            self.stdout.write(f"{head}; RoadRunner gives up: {group.reason}")
        else:
            read = len(group.read) - len(group.found.unread)
            fields = sum(1 for _ in group.found.structure.schema.fields())
            self.stdout.write(f"{head}; the wrapper has {fields:,} fields and matches {read} of {len(group.read)} pages")
        urls = [group.urls[place] for place in group.read]
        for place, reason in group.found.unread.items() if group.found else ():
            self.stdout.write(f"# {urls[place]}: {reason}")
        if output:
            _write_files(output, number, group, form)
        elif group.found:
            self.stdout.write(group.found.wrapper.printed())
            self.stdout.write("")


def _write_files(folder: Path, number: int, group: GroupWrapper, form: str) -> None:
    """Write a group's files. Raises CommandError if the folder cannot be written."""
    texts = {"pages.txt": "\n".join(group.urls), "paths.txt": "\n".join(group.paths)}
    if group.found:
        texts["wrapper.txt"] = group.found.wrapper.printed()
        texts[f"data.{form}"] = WRITERS[form](group.found.structure, [group.urls[place] for place in group.read])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / f"{number:03}-{name}").write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from error


def _find_largest(site: str) -> Cluster:
    found = Cluster.objects.filter(site=find_site(site)).annotate(held=Count("snapshots")).order_by("-held", "number").first()
    if found is None:
        raise CommandError(f"{site} has no templates yet.")
    return found
