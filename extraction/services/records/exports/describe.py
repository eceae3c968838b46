"""What stands beside an exported file: what was left out, a JSON Schema and a data dictionary."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils import translation
from django.utils.translation import gettext

from extraction.algorithms.records.columns import Column, Kind
from extraction.models import SchemaVersion
from extraction.services.core.percent import write_number
from extraction.services.records.exports.export_records import Export
from extraction.services.records.exports.json_lines import to_json

MANY = 5
"""Attributes named in a sentence; of more, the number is given."""

_JSON_TYPES: Mapping[Kind, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "date": {"type": "string", "format": "date"},
    "boolean": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time"},
    "integer": {"type": "integer"},
}
_WORDS: Mapping[Kind, str] = {
    "text": "text",
    "number": "number",
    "date": "date",
    "boolean": "yes or no",
    "time": "date and time",
    "integer": "whole number",
}


def describe_losses(export: Export) -> list[str]:
    """Return a sentence for everything that the written file leaves out, cuts off or shows elsewhere. Read it after writing."""
    tally, counts = export.tally, export.counts
    places = [gettext("in the columns of raw texts")] if any(each.part in ("raw", "unread") for each in export.columns) else []
    where = gettext(" or ").join([*places, *([] if export.format.typed else [gettext("as they appear on the page")])])
    found = [*export.scope.notices, *(gettext("Left out: %(each)s.") % {"each": each} for each in export.scope.left_out)]
    if counts.without_rows:
        found.append(
            gettext("Pages without a row of %(list)s, which give no line: %(without_rows)s.")
            % {"list": export.choice.list, "without_rows": write_number(counts.without_rows)}
        )
    if tally.unknown:
        found.append(
            gettext("Left out: values of attributes that the record type does not have: %(counts)s.")
            % {"counts": _name_counts(tally.unknown)}
        )
    if tally.unread and export.choice.values != "raw":
        found.append(
            gettext("Values that could not be read are written %(where)s: %(counts)s.")
            % {"where": where, "counts": _name_counts(tally.unread)}
        )
    if tally.misfits:
        found.append(
            gettext("Values that the type of their column cannot hold are written %(where)s: %(counts)s.")
            % {"where": where, "counts": _name_counts(tally.misfits)}
        )
    if tally.joined:
        found.append(gettext("Lines with several values where one is expected: %(counts)s.") % {"counts": _name_counts(tally.joined)})
    if tally.cut:
        found.append(gettext("Texts that are too long for a cell were cut off: %(counts)s.") % {"counts": _name_counts(tally.cut)})
    if tally.replaced:
        found.append(
            gettext("Texts in which a character that no file can hold was replaced: %(replaced)s.")
            % {"replaced": write_number(tally.replaced)}
        )
    renamed = [f"{each.source} is {each.name}" for each in export.columns if each.part in ("value", "page") and each.name != each.source]
    if renamed:
        found.append(
            gettext("Columns with another name, because names must differ: %(renamed)s%(more)s.")
            % {"renamed": ", ".join(renamed[:MANY]), "more": _more(len(renamed))}
        )
    return found


def write_json_schema(export: Export, version: SchemaVersion | None = None) -> str:
    """Return a JSON Schema (2020-12) of a line as a JSON object: the lines of JSON Lines, and the same columns and types in other formats.

    In CSV all columns are texts.

    version: of the record type's attributes. The schema says its number and what changed in it.
    """
    with translation.override("en"):
        return _write_schema(export, version)


def _write_schema(export: Export, version: SchemaVersion | None) -> str:
    numbered = {"$id": f"urn:vertex:{version.record_type.slug}:{version.number}", **describe_version(version)} if version else {}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **numbered,
        "title": export.scope.title,
        "description": _describe_line(export),
        "type": "object",
        "properties": {column.name: _describe_property(export, column) for column in export.columns},
        "required": [column.name for column in export.columns],
        "additionalProperties": False,
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def describe_version(version: SchemaVersion) -> dict[str, Any]:
    """Return the number of a version, and what changed in it, as programs get them."""
    notes = [str(each["text"]) for each in version.changes if not each["breaking"]]
    return {"version": version.number, "breaking_changes": version.breaking, "changes": notes}


def write_dictionary(export: Export, version: SchemaVersion | None = None) -> str:
    """Return the data dictionary as Markdown: meaning, type, share filled and examples of each column. Read it after writing.

    version: of the record type's attributes.
    """
    with translation.override("en"):
        return _write_dictionary(export, version)


def _write_dictionary(export: Export, version: SchemaVersion | None) -> str:
    noted = (
        [f"- {_cell(text)} This breaks programs that read version {version.number - 1}." for text in version.breaking] if version else []
    )
    head = [
        f"# {_cell(export.scope.title)}",
        "",
        *([f"Version {version.number} of the schema, of {version.created_at:%Y-%m-%d}.", "", *noted, ""] if version else []),
        *([_cell(export.scope.description), ""] if export.scope.description else []),
        f"{_describe_line(export)} {export.tally.lines:,} lines from {export.counts.records:,} records.",
        "",
        *(f"- {_cell(each)}" for each in describe_losses(export)),
        "",
        "| column | attribute | meaning | type | filled | examples |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(_describe_column(export, each) for each in export.columns)]) + "\n"


def _describe_line(export: Export) -> str:
    if export.scope.line:
        return f"Each line is {export.scope.line}."
    return f"Each line is a row of {export.choice.list}, with its page's own values." if export.choice.list else "Each line is a page."


def _describe_property(export: Export, column: Column) -> dict[str, Any]:
    single = dict(_JSON_TYPES[column.kind if export.format.typed else "text"])
    if export.format.typed and not (column.several and column.part != "currency"):
        single["type"] = [single["type"], "null"]
    nested = column.several and export.format.typed
    found = {"type": "array", "items": single} if nested else single
    kept = [to_json(each) if export.format.typed else str(to_json(each)) for each in export.tally.examples.get(column.name, [])]
    examples = [[each] for each in kept] if nested else kept
    about = {"title": column.source, "description": column.meaning}
    return {**found, **about, **({"examples": examples} if examples else {})}


def _describe_column(export: Export, column: Column) -> str:
    filled, lines = export.tally.filled[column.name], export.tally.lines
    share = f"{filled:,} of {lines:,} ({filled / lines:.1%})" if lines else "–"
    examples = "; ".join(str(to_json(each)) for each in export.tally.examples.get(column.name, []))
    words = _WORDS[column.kind] + (", several" if column.several else "")
    source = column.source if column.part != "page" else "–"
    return f"| {' | '.join(map(_cell, (column.name, source, column.meaning, words, share, examples)))} |"


def _cell(text: str) -> str:
    """Return a text on one line that does not end a cell of a Markdown table or begin markup."""
    flat = " ".join(text.split())
    for mark in "\\`|<>*[]_":
        flat = flat.replace(mark, f"\\{mark}")
    return flat


def _name_counts(counts: Mapping[str, int]) -> str:
    largest = sorted(((count, name) for name, count in counts.items() if count), key=lambda each: (-each[0], each[1]))
    return ", ".join(f"{name} ({count:,})" for count, name in largest[:MANY]) + _more(len(largest))


def _more(count: int) -> str:
    return f" and {count - MANY:,} more" if count > MANY else ""
