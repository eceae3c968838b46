"""Write a template's records as CSV, streamed, so memory holds one chunk of records at a time. The text is made by `csv_text`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.records.csv_text import BOM, Layout, guard_text, write_cell, write_line
from extraction.models import Attribute, Cluster, Record, RecordList
from extraction.models.record import RecordQuerySet
from extraction.services.records.exports.lines import read_lines
from extraction.services.records.exports.scopes import find_attributes


def get_default_layout(cluster: Cluster, **changes: Any) -> Layout:
    """Return a layout with the attributes of the cluster's record type in their order, then the URL.

    A cluster without such attributes gets those of its newest rule.

    changes: fields of `Layout` and their values. With `list`, the attributes of that list's rows come first.
    """
    attributes = find_attributes(cluster)
    chosen = attributes.get(changes.get("list", ""), attributes[""])
    layout = Layout((*(each.name for each in chosen), URL_COLUMN), multiple=frozenset(each.name for each in chosen if each.multiple))
    return replace(layout, **changes)


def find_list_names(cluster: Cluster) -> list[str]:
    """Return the names of the lists whose rows can be exported, in the order of the record type."""
    return list(
        RecordList.objects.filter(record_type_id=cluster.record_type_id, attributes__isnull=False).distinct().values_list("name", flat=True)
    )


def find_usual_list(cluster: Cluster) -> str:
    """Return the list to export by default: the first one if the record type has lists only, otherwise ""."""
    of_pages = Attribute.objects.of_cluster(cluster).of_page().exists()
    names = [] if of_pages else find_list_names(cluster)
    return names[0] if names else ""


def write_rows(source: Cluster | RecordQuerySet, layout: Layout | None = None) -> Iterator[str]:
    """Return the lines of the file, each with its CRLF: the header, then the records. Failed records are left out.

    source: records in the order of the file, or a cluster for the records of its pages as they are now.
    layout: required for records; for a cluster the default is `get_default_layout`.
    """
    if isinstance(source, Cluster):
        layout = layout or get_default_layout(source)
        source = Record.objects.filter(cluster=source).now().order_by("pk")
    if layout is None:
        raise TypeError("records need a layout; a cluster has a default one")
    return _write_lines(source, layout)


def _write_lines(records: RecordQuerySet, layout: Layout) -> Iterator[str]:
    yield (BOM if layout.bom else "") + write_line(guard_text(name, layout) for name in layout.columns)
    for line in read_lines(records, layout.list):
        # A page from an archive without addresses has its file's name as its URL, which may begin with any character.
        url = guard_text(str(line.page[URL_COLUMN]), layout)
        yield write_line(url if name == URL_COLUMN else write_cell(name, line.values.get(name, ()), layout) for name in layout.columns)
