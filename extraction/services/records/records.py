"""Search records, and find the place on the page that a value came from."""

import json
from collections.abc import Sequence
from typing import Any

from django.db.models import F, FloatField, Func, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.values.cleanup.chain import trace_cleanup
from extraction.models import Attribute, Cluster, Record
from extraction.models.kept.searching import match_records
from extraction.models.record import RecordQuerySet
from extraction.services.core import stored_pages

SORTS = ("url", "state", "extracted")
"""What records can be sorted by, besides attributes."""

_NUMERIC = frozenset({Attribute.Type.NUMBER, Attribute.Type.PRICE})


class PlaceError(Exception):
    """The place of a value cannot be shown. The message is for users and gives the reason."""


def search_records(
    cluster: Cluster,
    *,
    query: str = "",
    state: str = "",
    attribute: str = "",
    missing: str = "",
    sort: str = "",
    part: str = "",
) -> RecordQuerySet:
    """Return the cluster's records that match all conditions, with their snapshots and pages.

    An unknown state or sort order is ignored.

    query: words; each must occur in the values or in the address or title of the page, in upper or lower case.
    state: a Record.State.
    attribute: the name of an attribute that must have a value.
    missing: the name of an attribute that must have no value.
    sort: one of SORTS or the name of an attribute, with "-" in front for descending order. Records without a value for
        the attribute come last.
    part: a RecordPart; empty for the records of the pages as they are now.
    """
    records = Record.objects.filter(cluster=cluster).in_part(part).select_related("snapshot__page", "rule")
    records = records.defer("rule__definition", "rule__stylesheet", "rule__report")
    for word in query.split():
        records = records.filter(match_records(word))
    if state in Record.State.values:
        records = records.filter(state=state)
    if attribute:
        records = records.alias(asked=select_first_raw(attribute)).filter(asked__isnull=False)
    if missing:
        records = records.alias(lacking=select_first_raw(missing)).filter(lacking__isnull=True)
    return _sort_records(records, cluster, sort)


def find_place(record: Record, attribute: str, position: int = 0) -> Location:
    """Return the place on the page of the value at `position` of an attribute, found with the rule that extracted it.

    Raises PlaceError when the page cannot be read or no longer gives that value.
    """
    snapshot = record.snapshot
    try:
        rule = record.rule.read_definition()
        root = stored_pages.read_root(snapshot)
        found: Sequence[tuple[Location, str]] = apply.find_places(rule, root).get(attribute, ())
    except (PageError, RuleError, XPathError) as error:
        raise PlaceError(gettext("The place cannot be shown: %(error)s") % {"error": error}) from error
    values = record.read_values().get(attribute, [])
    if not 0 <= position < len(values):
        raise PlaceError(
            gettext("The record has no value %(position)s of %(attribute)s.") % {"position": position + 1, "attribute": attribute}
        )
    origin = record.read_origins().by_place().get((attribute, "", None))
    if origin is not None and origin.correction is not None:
        raise PlaceError(gettext("%(by)s wrote this value; it does not come from a place on the page.") % {"by": origin.correction.by})
    raw = values[position].raw
    before = sum(each.raw == raw for each in values[:position])
    places = _list_origins(rule, attribute, found, raw)
    if len(places) <= before:
        raise PlaceError(gettext("“%(raw)s” is no longer found on the page.") % {"raw": raw[:60]})
    return places[before]


def _list_origins(rule: RuleDefinition, attribute: str, found: Sequence[tuple[Location, str]], raw: str) -> list[Location]:
    """Return the places on the page from which the clean-up makes this text, once for each time that it does."""
    steps = next((each.cleanup for each in rule.attributes if each.name == attribute), ())
    cleaned = trace_cleanup([value for _, value in found], steps)
    made = zip(cleaned.values, cleaned.origins, strict=True)
    return [found[origins[0]][0] for value, origins in made if value == raw]


def _sort_records(records: RecordQuerySet, cluster: Cluster, sort: str) -> RecordQuerySet:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    expression: F | Func | None = None
    if name in SORTS:
        expression = F({"url": "snapshot__page__url", "state": "state", "extracted": "extracted_at"}[name])
    else:
        attribute = Attribute.objects.of_cluster(cluster).filter(name=name).first()
        if attribute:
            expression = select_first_value(attribute.name, attribute.type)
    if expression is None:
        return records.order_by("pk")
    order = expression.desc(nulls_last=True) if descending else expression.asc(nulls_last=True)
    return records.order_by(order, "pk")


def select_first_value(name: str, type_: str) -> Func:
    """Return an expression for the first value of an attribute in the column `values`. type_: an AttributeType.

    Numbers and prices become numbers, texts stay as on the page, and other types are in their normal form.
    """
    if type_ == Attribute.Type.TEXT:
        return _FirstText(name, "raw")
    text = _FirstText(name, "value")
    return Cast(_Amount(text), FloatField()) if type_ in _NUMERIC else text


def select_first_raw(name: str) -> Func:
    """Return an expression for the first text of an attribute as it is on the page, NULL for records without a value."""
    return _FirstText(name, "raw")


class _FirstText(Func):
    """A text of the first value of an attribute in the column `values`, NULL if there is none.

    On SQLite, Django's lookups take the name of an attribute such as "2020" for the number of an element, and names with quotes for others.
    """

    def __init__(self, name: str, part: str) -> None:
        super().__init__(F("values"), output_field=TextField())
        self.path = (name, "0", part)

    def as_sqlite(self, compiler: Any, connection: Any, **extra_context: Any) -> Any:
        del connection, extra_context
        sql, params = compiler.compile(self.source_expressions[0])
        name, number, part = self.path
        quoted = json.dumps(name)
        if quoted == f'"{name}"':
            return f"JSON_EXTRACT({sql}, %s)", (*params, f"$.{quoted}[{number}].{part}")
        # SQLite's paths cannot name what JSON writes with a backslash.
        each = f"(SELECT JSON_EXTRACT(value, %s) FROM JSON_EACH({sql}) WHERE key = %s)"  # noqa: S608
        return each, (f"$[{number}].{part}", *params, name)

    def as_postgresql(self, compiler: Any, connection: Any, **extra_context: Any) -> Any:
        del connection, extra_context
        sql, params = compiler.compile(self.source_expressions[0])
        return f"({sql} #>> %s)", (*params, list(self.path))


class _Amount(Func):
    """The number at the start of a text such as "12.90 EUR". SQLite's CAST ignores the rest; PostgreSQL's raises an error."""

    template = "%(expressions)s"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        pattern = r"substring(%(expressions)s from '^-?[0-9]+(?:\.[0-9]+)?')"
        return self.as_sql(compiler, connection, template=pattern, **context)
