"""The command that writes records as CSV."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.algorithms.records import csv_text
from extraction.algorithms.records.choice import URL_COLUMN
from extraction.management import template_arguments
from extraction.models import Cluster, Record, RecordCount, RecordFigures, RecordPart
from extraction.services.records import export_csv
from extraction.services.records.exports.export_records import write_text
from extraction.services.records.exports.scopes import find_template_scope


class Command(BaseCommand):
    help = "Write a template's records as CSV to a file or to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        parser.add_argument("--output", type=Path, help="the file (default: standard output)")
        parser.add_argument("--columns", help=f"columns in the wanted order, separated by commas; {URL_COLUMN} is the page's address")
        parser.add_argument(
            "--list",
            help="write a list of the pages, one line per row, with the page's own values repeated on each "
            "(default: the first list where pages have no values of their own)",
        )
        parser.add_argument(
            "--of",
            choices=RecordPart.values,
            default=RecordPart.NOW,
            help="the record of each of its pages (default), only those that are outdated, or those of pages now in another template or in "
            "none, or of pages that are gone",
        )
        parser.add_argument("--several", choices=["join", "json"], default="join", help="join several values, or write them as a JSON list")
        parser.add_argument("--separator", default="; ", help="the text between joined values")
        parser.add_argument("--raw", action="store_true", help="write values as they appear on the page, not normalised")
        parser.add_argument(
            "--no-guard",
            action="store_false",
            dest="guarded",
            help="do not protect spreadsheets (otherwise, cells such as =1+1 get an apostrophe in front)",
        )
        parser.add_argument("--bom", action="store_true", help="begin the file with a byte-order mark, for Excel")

    def handle(self, *, site: str, template: str, output: Path | None, columns: str | None, raw: bool, **options: Any) -> None:
        cluster = template_arguments.find_template(site, template)
        known = export_csv.find_list_names(cluster)
        if options["list"] is None:
            options["list"] = export_csv.find_usual_list(cluster)
        if options["list"] and options["list"] not in known:
            raise CommandError(
                f"There is no list {options['list']!r}. " + (f"Lists: {', '.join(known)}" if known else "The pages have none.")
            )
        layout = export_csv.get_default_layout(
            cluster,
            several=options["several"],
            separator=options["separator"],
            normalised=not raw,
            guarded=options["guarded"],
            bom=options["bom"],
            list=options["list"],
        )
        if columns:
            layout = _with_columns(layout, columns)
        found = Record.objects.filter(cluster=cluster).in_part(options["of"])
        if not found.given().exists():
            raise CommandError(_nothing(cluster, RecordPart(options["of"])))
        self._write(export_csv.write_rows(found.order_by("pk"), layout), output)
        scope = find_template_scope(cluster, part=options["of"])
        for each in (*scope.notices, *(f"Left out: {each}." for each in scope.left_out)):
            self.stderr.write(each)

    def _write(self, lines: Iterator[str], output: Path | None) -> None:
        if output is None:
            for line in lines:
                self.stdout.write(line, ending="")
            return
        try:
            write_text(output, csv_text.join_lines(lines))
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{output}: {output.stat().st_size:,} bytes")


def _nothing(cluster: Cluster, part: RecordPart) -> str:
    figures = RecordCount.objects.filter(cluster=cluster).figures().get(cluster.pk, RecordFigures())
    there = {RecordPart.NOW: figures.given, RecordPart.ELSEWHERE: figures.elsewhere, RecordPart.GONE: figures.gone}
    others = [f"{count:,} {each.label} with --of {each.value}" for each, count in there.items() if count]
    if others:
        return f"{cluster.label} has no records {part.label}; it has {' and '.join(others)}."
    return f"{cluster.label} has no records. Run its rule with the command extract first."


def _with_columns(layout: csv_text.Layout, columns: str) -> csv_text.Layout:
    wanted = tuple(name.strip() for name in columns.split(","))
    unknown = [name for name in wanted if name not in layout.columns]
    if unknown:
        raise CommandError(f"There is no column {unknown[0]!r}. Columns: {', '.join(layout.columns)}")
    return replace(layout, columns=wanted)
