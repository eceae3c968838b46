"""Whose records an export holds: those of a template, or those of a record type across all sites."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.records.line import Line
from extraction.models import Attribute, Cluster, Record, RecordCount, RecordFigures, RecordList, RecordPart, RecordType, Rule, RunRelease
from extraction.models.record import RecordQuerySet
from extraction.services.core.percent import write_number
from extraction.services.records.exports.lines import LineCounts

LineReader = Callable[[LineCounts], Iterator[Line]]
"""(counts to count up) → the lines of an export."""


@dataclass(frozen=True, slots=True)
class ExportScope:
    """The records of an export and what their lines may have.

    title: what the records are, in words.
    records: in the order of the file. Failed ones may be among them; they give no line.
    attributes: {list name, "" for pages: the attributes of its lines in their order}.
    known: the names of all attributes, whatever list they are of.
    left_out: what `records` leaves out, a sentence each.
    read: gives the lines of an export without lists, where they are more than `records` say.
    line: what a line is, in words, where it is not a page or a row.
    notices: what a reader must know of all of them, a sentence each.
    record_type: of the records; its schema has a version.
    released: gives the scope of the same records as they were last released, None if that is not offered. Its argument is the list.
    """

    title: str
    records: RecordQuerySet
    attributes: dict[str, tuple[ExportAttribute, ...]]
    known: frozenset[str]
    left_out: tuple[str, ...] = ()
    description: str = ""
    across_sites: bool = False
    read: LineReader | None = None
    line: str = ""
    notices: tuple[str, ...] = ()
    record_type: RecordType | None = None
    released: "Callable[[str], ExportScope] | None" = None

    @property
    def knows_corrections(self) -> bool:
        """Whether lines say who corrected their values. Lines that are not read from the records themselves do not."""
        return self.read is None

    @property
    def lists(self) -> list[str]:
        """The names of the lists whose rows can be exported, in the order of the record type."""
        return [name for name in self.attributes if name]

    @property
    def usual_list(self) -> str:
        """The list to export by default: the first one if pages have no values of their own, otherwise ""."""
        return self.lists[0] if self.lists and not self.attributes.get("") else ""


def find_template_scope(cluster: Cluster, records: RecordQuerySet | None = None, part: str = RecordPart.NOW) -> ExportScope:
    """Return the records of a template.

    records: some of its records in their order; by default all of `part`.
    part: a RecordPart, which `records` are of; anything else is NOW.
    """
    part = part if part in RecordPart.values else RecordPart.NOW
    attributes = find_attributes(cluster)
    found = Record.objects.filter(cluster=cluster).in_part(part).order_by("pk") if records is None else records
    figures = RecordCount.objects.filter(cluster=cluster).figures().get(cluster.pk, RecordFigures())
    return ExportScope(
        f"{cluster.site.name}: {cluster.label}",
        found,
        attributes,
        _name_attributes(attributes),
        tuple(_describe_left_out(figures, part)),
        cluster.record_type.description if cluster.record_type else "",
        notices=(*_list_withheld(cluster.pk), *_describe_state(figures, part)),
        record_type=cluster.record_type,
    )


def find_type_scope(record_type: RecordType) -> ExportScope:
    """Return the records of a record type's templates on all sites, by site and template."""
    attributes = find_type_attributes(record_type)
    everything = Record.objects.filter(cluster__record_type=record_type)
    counts = RecordCount.objects.filter(cluster__record_type=record_type)
    figures = _add_figures(counts.filter(cluster__ignored=False).figures().values())
    ignored = counts.filter(cluster__ignored=True).now().given().total()
    left_out = [
        *_describe_left_out(figures, RecordPart.NOW),
        *([gettext("%(count)s of ignored templates") % {"count": _count(ignored, "record")}] if ignored else []),
    ]
    records = everything.filter(cluster__ignored=False).now().order_by("cluster__site__name", "cluster__site_id", "cluster__number", "pk")
    return ExportScope(
        record_type.name,
        records,
        attributes,
        _name_attributes(attributes),
        tuple(left_out),
        record_type.description,
        across_sites=True,
        notices=(
            *_list_withheld(*record_type.clusters.filter(ignored=False).values_list("pk", flat=True)),
            *_describe_state(figures, RecordPart.NOW),
        ),
        record_type=record_type,
    )


def _list_withheld(*clusters: int) -> tuple[str, ...]:
    """Return a sentence for each template whose newest run is held back or was rejected. Its records are exported nevertheless."""
    found = RunRelease.objects.withheld().filter(cluster__in=clusters).select_related("cluster__site").order_by("pk")
    return tuple(f"{each.cluster.site.name}, {each.cluster.label}: {each.describe_state()}" for each in found)


def find_attributes(cluster: Cluster) -> dict[str, tuple[ExportAttribute, ...]]:
    """Return {list, "" for pages: the attributes of its lines}: those of the list's rows first, then the page's own.

    A template without a record type, or with one that has no attributes, gets those of its newest rule.
    """
    if cluster.record_type_id:
        found = _list_type_attributes(cluster.record_type_id)
        if any(found.values()):
            return found
    rule = Rule.objects.filter(cluster=cluster).order_by("-version").first()
    return _list_rule_attributes(rule) if rule else {"": ()}


def find_type_attributes(record_type: RecordType) -> dict[str, tuple[ExportAttribute, ...]]:
    """Return {list, "" for pages: the attributes of its lines} of a record type: those of the list's rows first, then the page's own."""
    return _list_type_attributes(record_type.pk)


def _list_type_attributes(record_type_id: int) -> dict[str, tuple[ExportAttribute, ...]]:
    schema = list(Attribute.objects.filter(record_type=record_type_id).select_related("list"))
    names = RecordList.objects.filter(record_type=record_type_id, attributes__isnull=False).distinct().values_list("name", flat=True)
    of_page = [ExportAttribute(each.name, each.type, each.multiple) for each in schema if each.list is None]
    of_rows = {
        name: [ExportAttribute(each.name, each.type, each.multiple) for each in schema if each.list and each.list.name == name]
        for name in names
    }
    return {"": tuple(of_page), **{name: (*rows, *of_page) for name, rows in of_rows.items()}}


def _list_rule_attributes(rule: Rule) -> dict[str, tuple[ExportAttribute, ...]]:
    definition = rule.read_definition()
    of_page = [ExportAttribute(each.name, each.type, each.multiple) for each in definition.attributes]
    of_rows = {
        each.name: [ExportAttribute(attribute.name, attribute.type, attribute.multiple) for attribute in each.attributes]
        for each in definition.lists
    }
    return {"": tuple(of_page), **{name: (*rows, *of_page) for name, rows in of_rows.items()}}


def _name_attributes(attributes: dict[str, tuple[ExportAttribute, ...]]) -> frozenset[str]:
    return frozenset(each.name for many in attributes.values() for each in many)


def _describe_left_out(figures: RecordFigures, part: str) -> Sequence[str]:
    outdated = part == RecordPart.OUTDATED
    shown = gettext("that are up to date") if outdated else RecordPart.NOW.label
    counts = {
        shown: figures.given - (figures.outdated if outdated else 0) if part != RecordPart.NOW else 0,
        RecordPart.ELSEWHERE.label: figures.elsewhere if part != RecordPart.ELSEWHERE else 0,
        RecordPart.GONE.label: figures.gone if part != RecordPart.GONE else 0,
    }
    others = [f"{_count(count, 'record')} {label}" for label, count in counts.items() if count]
    failed = figures.failed if part == RecordPart.NOW else 0
    return [*([gettext("%(count)s that gave no record (failed)") % {"count": _count(failed, "page")}] if failed else []), *others]


def _describe_state(figures: RecordFigures, part: str) -> list[str]:
    """Return sentences about exported records that are not what the live rule gives for the current content of their pages."""
    if part not in (RecordPart.NOW, RecordPart.OUTDATED):
        return []
    found = []
    if figures.earlier:
        whose = gettext("whose page has changed since") if figures.earlier == 1 else gettext("whose pages have changed since")
        found.append(
            gettext("%(count)s outdated: from earlier content %(whose)s") % {"count": _count(figures.earlier, "record"), "whose": whose}
        )
    if figures.older:
        found.append(gettext("%(count)s outdated: made by an earlier version of the rule") % {"count": _count(figures.older, "record")})
    if figures.held and part == RecordPart.NOW:
        found.append(
            gettext("%(count)s with values that are held back, because a part of the rule is broken")
            % {"count": _count(figures.held, "record")}
        )
    return found


def _count(number: int, thing: str) -> str:
    if thing == "page":
        return ngettext("%(number)s page", "%(number)s pages", number) % {"number": write_number(number)}
    return ngettext("%(number)s record", "%(number)s records", number) % {"number": write_number(number)}


def _add_figures(many: Iterable[RecordFigures]) -> RecordFigures:
    found = list(many)
    return RecordFigures(
        complete=sum(each.complete for each in found),
        incomplete=sum(each.incomplete for each in found),
        failed=sum(each.failed for each in found),
        earlier=sum(each.earlier for each in found),
        older=sum(each.older for each in found),
        sorting=sum(each.sorting for each in found),
        held=sum(each.held for each in found),
        elsewhere=sum(each.elsewhere for each in found),
        gone=sum(each.gone for each in found),
    )
