"""The command that writes records in any of the formats."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.algorithms.records.choice import URL_COLUMN, ExportChoice
from extraction.algorithms.records.columns import PAGE_COLUMNS
from extraction.management import template_arguments
from extraction.models import RecordPart, RecordType
from extraction.services.records.exports import describe, export_records, scopes
from extraction.services.records.exports.export_records import Export, ExportError
from extraction.services.records.exports.formats import FORMATS
from extraction.services.records.exports.scopes import ExportScope


class Command(BaseCommand):
    help = (
        "Write the records of a template, or of a record type across all sites, as CSV, JSON Lines, Excel, Parquet, SQLite or DuckDB. "
        "What was left out or cut off is said on standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", nargs="?", help="the site's name or slug")
        parser.add_argument("template", nargs="?", help="the template's number or name")
        parser.add_argument("--type", dest="record_type", help="instead of a site and template: a record type, across all sites")
        parser.add_argument("--as", choices=FORMATS, default="csv", dest="form", help="the format (default: csv)")
        parser.add_argument("--output", type=Path, help="the file (default for csv and jsonl: standard output)")
        parser.add_argument("--describe", action="store_true", help="write a JSON Schema and a data dictionary beside the file")
        parser.add_argument("--columns", help=f"attributes in the wanted order, separated by commas; {URL_COLUMN} is the page's address")
        parser.add_argument("--about", default="", help=f"columns about the page, separated by commas: {', '.join(PAGE_COLUMNS)}")
        parser.add_argument(
            "--list", help="write a list of the pages, one line per row (default: the first list, if pages have no values of their own)"
        )
        parser.add_argument("--of", choices=RecordPart.values, default=RecordPart.NOW, help="which records of a template (default: now)")
        parser.add_argument(
            "--values", choices=["normalised", "raw", "both"], default="normalised", help="normalised values, as they appear, or both"
        )
        parser.add_argument("--split-prices", action="store_true", help="write a price as two columns: amount and currency")
        parser.add_argument("--several", choices=["join", "json"], default="join", help="csv and xlsx: join several values, or a JSON list")
        parser.add_argument("--separator", default="; ", help="csv and xlsx: the text between joined values")
        parser.add_argument("--no-guard", action="store_false", dest="guarded", help="csv: do not protect spreadsheets")
        parser.add_argument("--bom", action="store_true", help="csv: begin the file with a byte-order mark, for Excel")

    def handle(self, *, output: Path | None, form: str, **options: Any) -> None:
        scope = _find_scope(options)
        wanted = FORMATS[form]
        if output is None and (wanted.stream is None or options["describe"]):
            raise CommandError("Name a file with --output. " + ("" if wanted.stream else f"{wanted.label} is not text."))
        try:
            export = export_records.plan_export(scope, _read_choice(scope, options), wanted)
        except ExportError as error:
            raise CommandError(str(error)) from error
        if not scope.records.given().exists():
            raise CommandError("There are no records. " + " ".join(f"Left out: {each}." for each in scope.left_out))
        if output is None:
            for piece in export_records.stream_export(export):
                self.stdout.write(piece, ending="")
        else:
            self._write_files(export, output, with_description=options["describe"])
        for sentence in describe.describe_losses(export):
            self.stderr.write(sentence)

    def _write_files(self, export: Export, output: Path, *, with_description: bool) -> None:
        try:
            export_records.write_export(export, output)
            if with_description:
                schema, dictionary = output.with_name(f"{output.name}.schema.json"), output.with_name(f"{output.name}.dictionary.md")
                export_records.write_text(schema, [describe.write_json_schema(export)])
                export_records.write_text(dictionary, [describe.write_dictionary(export)])
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{output}: {export.tally.lines:,} lines, {output.stat().st_size:,} bytes")


def _find_scope(options: dict[str, Any]) -> ExportScope:
    name, site, template = options["record_type"], options["site"], options["template"]
    if name and (site or template):
        raise CommandError("Name either a site and a template, or --type.")
    if name:
        found = RecordType.objects.filter(name=name).first() or RecordType.objects.filter(slug=name).first()
        if found is None:
            known = ", ".join(RecordType.objects.values_list("name", flat=True)[:20]) or "none"
            raise CommandError(f"There is no record type {name!r}. Record types: {known}")
        if options["of"] != RecordPart.NOW:
            raise CommandError("--of needs a site and a template.")
        return scopes.find_type_scope(found)
    if not site or not template:
        raise CommandError("Name a site and a template, or a record type with --type.")
    return scopes.find_template_scope(template_arguments.find_template(site, template), part=options["of"])


def _read_choice(scope: ExportScope, options: dict[str, Any]) -> ExportChoice:
    name = scope.usual_list if options["list"] is None else options["list"]
    if name and name not in scope.lists:
        raise CommandError(f"There is no list {name!r}. " + (f"Lists: {', '.join(scope.lists)}" if scope.lists else "The pages have none."))
    standard = export_records.make_default_choice(scope, name)
    columns = _split_names(options["columns"] or "", standard.columns) or standard.columns
    return replace(
        standard,
        columns=columns,
        about=_split_names(options["about"], tuple(PAGE_COLUMNS)) or standard.about,
        values=options["values"],
        split_prices=options["split_prices"],
        several=options["several"],
        separator=options["separator"],
        guarded=options["guarded"],
        bom=options["bom"],
    )


def _split_names(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    wanted = tuple(name.strip() for name in text.split(",")) if text.strip() else ()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise CommandError(f"There is no column {unknown[0]!r}. Columns: {', '.join(known)}")
    return wanted
