"""Bad values come back from every format as they were, no spreadsheet runs them, and bad names of attributes give files that can be read."""

import ast
import csv
import io
from pathlib import Path

import pytest
from django.utils import timezone
from lxml import etree

from extraction.algorithms.records.csv_text import Layout, write_cell, write_line
from extraction.algorithms.records.record_values import RecordValue
from extraction.algorithms.rules import exports
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Attribute, Cluster, Record
from extraction.services.records.exports import export_records, formats, scopes
from tests.hostile.bad_texts import ATTRIBUTE_NAMES, BREAKERS, FORMULAE
from tests.services import factory
from tests.services.records.exports.readers import READERS

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NUMBERS = {"-0"}


@pytest.mark.parametrize("text", [*FORMULAE, *BREAKERS], ids=lambda text: repr(text[:20]))
def test_a_cell_is_one_cell_that_no_spreadsheet_runs(text: str) -> None:
    layout = Layout(columns=("a", "b"))
    line = write_line([write_cell("a", [RecordValue(text, None, None)], layout), "end"])
    rows = list(csv.reader(io.StringIO(line, newline="")))
    assert len(rows) == 1 and len(rows[0]) == 2 and rows[0][1] == "end"
    cell = rows[0][0]
    assert cell in {text, f"'{text}"}
    assert not cell.startswith(DANGEROUS) or text in NUMBERS
    for separator in ("; ", "\t"):
        assert separator not in line.replace(f'"{cell.replace(chr(34), chr(34) * 2)}"', ""), "it would begin a cell of its own"


@pytest.fixture
def cluster(db: None, sent: list[int]) -> Cluster:
    """A template with a record for each bad text that a database can hold."""
    kind = factory.record_type({"value": "text"}, mandatory=(), multiple=())
    cluster = factory.cluster(factory.site("Texts"), kind=kind)
    rule = factory.rule(cluster, state="live")
    run = factory.released_run(cluster)
    for number, text in enumerate(storable()):
        page = factory.snapshot(cluster.site, f"https://t.example/{number}", f"<p>{number}".encode(), cluster=cluster)
        values = {"value": [{"raw": text}]}
        Record.objects.create(
            cluster=cluster, rule=rule, run=run, snapshot=page, state="complete", values=values, extracted_at=timezone.now()
        )
    return cluster


def storable() -> list[str]:
    return [text for text in dict.fromkeys([*FORMULAE, *BREAKERS]) if "\x00" not in text and "\ud800" not in text]


def test_every_format_gives_the_bad_texts_back(cluster: Cluster, tmp_path: Path) -> None:
    scope = scopes.find_template_scope(cluster)
    for name, form in formats.FORMATS.items():
        path = tmp_path / f"out.{form.suffix}"
        export_records.write_export(export_records.plan_export(scope, export_records.make_default_choice(scope), form), path)
        found = READERS[name](path)
        # A cell of Excel holds 32,767 characters; the export says so (`describe_losses`).
        most = 32_700 if name == "xlsx" else None
        assert [_bare(str(cell))[:most] for cell in found["value"]] == [_bare(text)[:most] for text in storable()], name


def _bare(text: str) -> str:
    return text.removeprefix("'")


def test_exported_rules_with_bad_names_are_programs_and_documents() -> None:
    rule = RuleDefinition(tuple(AttributeRule(name, alternatives=(Selector("//h1"),)) for name in ATTRIBUTE_NAMES))
    for form in exports.FORMS:
        written = exports.write_export(rule, form, name="a'b\"c\\ = \u2028-->")
        if form == "xslt":
            etree.fromstring(written.encode())
        else:
            ast.parse(written)


def test_files_with_all_bad_names_can_be_read(db: None, sent: list[int], tmp_path: Path) -> None:
    kind = factory.record_type(dict.fromkeys(ATTRIBUTE_NAMES, Attribute.Type.TEXT), mandatory=(), multiple=())
    cluster = factory.cluster(factory.site("Names"), kind=kind)
    page = factory.snapshot(cluster.site, "https://t.example/1", b"<p>1", cluster=cluster)
    values = {name: [{"raw": f"value of {name}"}] for name in ATTRIBUTE_NAMES}
    rule, run = factory.rule(cluster, state="live"), factory.released_run(cluster)
    Record.objects.create(cluster=cluster, rule=rule, run=run, snapshot=page, state="complete", values=values, extracted_at=timezone.now())
    scope = scopes.find_template_scope(cluster)
    for name, form in formats.FORMATS.items():
        path = tmp_path / f"out.{form.suffix}"
        export_records.write_export(export_records.plan_export(scope, export_records.make_default_choice(scope), form), path)
        found = READERS[name](path)
        assert {f"value of {each}" for each in ATTRIBUTE_NAMES} <= {str(cell) for column in found.values() for cell in column}, name
