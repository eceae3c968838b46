"""The lines of deliveries: the records over time of a record type or template, at the last run of each template that is released."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Q
from django.utils.translation import gettext

from extraction.algorithms.records.choice import URL_COLUMN
from extraction.algorithms.records.columns import PAGE_COLUMNS, RECORD_COLUMNS
from extraction.algorithms.records.line import Line, PageCell
from extraction.models import Cluster, Record, RecordType, Run
from extraction.models.record_values import read_values
from extraction.services.quality.releases import find_released_runs
from extraction.services.records.exports.lines import LineCounts
from extraction.services.records.exports.scopes import ExportScope, LineReader, find_attributes, find_type_attributes
from extraction.services.records.key_schema import read_key_schemas
from extraction.services.records.states import CHUNK, RecordState, read_states

ABOUT = {name: PAGE_COLUMNS[name][1] for name in ("site", "template", "page_id", "fetched_at", "rule_version")} | {
    name: meaning for name, (_, meaning) in RECORD_COLUMNS.items() if name != "change"
}
"""Columns about a record that a delivery can have: {name: meaning}. The change is added where changes are delivered."""

KEY_SEPARATOR = " · "


class NotDelivered(Exception):  # noqa: N818
    """These records cannot be delivered. The message is for users and gives the reason."""


@dataclass(frozen=True, slots=True)
class ReleasedTemplate:
    """A template and the run whose records of it are delivered."""

    cluster: Cluster
    run: Run


@dataclass(frozen=True, slots=True)
class ReleasedRecords:
    """The records of a record type or of one template that may be delivered.

    title: what they are, in words.
    templates: those with a released run, by site and number.
    waiting: templates of which nothing was ever released.
    list_name: the list whose rows they are, "" for the pages' own records.
    """

    title: str
    record_type: RecordType | None
    templates: Sequence[ReleasedTemplate]
    waiting: Sequence[Cluster]
    list_name: str = ""
    across_sites: bool = True

    @property
    def cluster(self) -> Cluster | None:
        """The template, if these are the records of one."""
        if self.across_sites:
            return None
        return self.templates[0].cluster if self.templates else self.waiting[0]

    def read_states(self, chunk: int | None = None) -> Iterator[RecordState]:
        """Yield the states of the records, also of those that are gone. chunk: records per database read."""
        for each in self.templates:
            yield from read_states(each.cluster, after=each.run, list_name=self.list_name, chunk=chunk)

    def name_state(self) -> str:
        """Return a text that is the same as long as the same runs are released."""
        return " ".join(f"{each.cluster.pk}:{each.run.pk}" for each in self.templates)


def find_type_records(record_type: RecordType, list_name: str = "") -> ReleasedRecords:
    """Return the records of a record type on all sites. Templates that are ignored are left out.

    Raises NotDelivered if the rows of the list have no key, so that nothing tells them apart over time.
    """
    if list_name and not record_type.attributes.filter(list__name=list_name, is_key=True).exists():
        raise NotDelivered(
            gettext(
                "The rows of %(name)s have no key, so their changes are not tracked. Choose a key for them: open the record type "
                "%(record_type)s, then Key."
            )
            % {"name": list_name, "record_type": record_type}
        )
    clusters = record_type.clusters.filter(ignored=False).order_by("site__name", "site_id", "number")
    clusters = clusters.defer("masks", "url_patterns").prefetch_related("site")  # of which there are fewer than templates
    return _find_released(record_type.name, record_type, list(clusters), list_name, across_sites=True)


def find_template_records(cluster: Cluster, list_name: str = "") -> ReleasedRecords:
    """Return the records of one template. Raises NotDelivered like `find_type_records`."""
    if list_name and list_name not in read_key_schemas([cluster.pk])[cluster.pk].lists:
        raise NotDelivered(gettext("The rows of %(name)s have no key, so their changes are not tracked.") % {"name": list_name})
    return _find_released(f"{cluster.site.name}: {cluster.label}", cluster.record_type, [cluster], list_name, across_sites=False)


def _find_released(
    title: str, record_type: RecordType | None, clusters: Sequence[Cluster], list_name: str, *, across_sites: bool
) -> ReleasedRecords:
    runs = find_released_runs(clusters)
    released = [ReleasedTemplate(cluster, runs[cluster.pk]) for cluster in clusters if cluster.pk in runs]
    waiting = [cluster for cluster in clusters if cluster.pk not in runs]
    return ReleasedRecords(title, record_type, released, waiting, list_name, across_sites)


def make_scope(records: ReleasedRecords, read: LineReader | None = None) -> ExportScope:
    """Return the records as the scope of an export.

    read: gives the lines; by default one for each record that is present.
    """
    if records.record_type is not None:
        attributes = find_type_attributes(records.record_type)
    else:
        attributes = find_attributes(records.templates[0].cluster) if records.templates else {"": ()}
    left_out = [
        gettext("the records of %(site)s: %(cluster)s, of which no run has been released yet")
        % {"site": cluster.site.name, "cluster": cluster.label}
        for cluster in records.waiting
    ]
    return ExportScope(
        records.title,
        Record.objects.none(),
        attributes,
        frozenset(each.name for many in attributes.values() for each in many),
        tuple(left_out),
        records.record_type.description if records.record_type else "",
        across_sites=records.across_sites,
        read=read or (lambda counts: _read_present(records, counts)),
        record_type=records.record_type,
    )


def _read_present(records: ReleasedRecords, counts: LineCounts) -> Iterator[Line]:
    maker = LineMaker(records)
    for state in records.read_states(counts.choose_chunk(CHUNK)):
        if state.present:
            counts.records += 1
            yield maker.make_line(state)


class LineMaker:
    """Makes the lines of record states. Rows of a list get the values of their page's own record, too."""

    def __init__(self, records: ReleasedRecords) -> None:
        self._templates = {each.cluster.pk: each for each in records.templates}
        self._pages: dict[int, tuple[int | None, Mapping[str, object]]] = {}

    def make_line(self, state: RecordState, change: str = "") -> Line:
        """Return the line of a state. change: what happened to the record, if the file has a column for it."""
        cluster = self._templates[state.cluster_id].cluster
        values = read_values(dict(state.values))
        if state.list_name:
            values = {**read_values(self._find_page_values(state)), **values}
        page: dict[str, PageCell] = {
            URL_COLUMN: state.url,
            "site": cluster.site.name,
            "template": cluster.stored_label,
            "page_id": state.page_id,
            "fetched_at": _in_utc(state.fetched_at),
            "rule_version": state.rule_version,
            "record_id": state.record_id,
            "record_key": KEY_SEPARATOR.join(state.key),
            "record_state": "present" if state.present else "gone",
            "change": change,
            "change_number": state.number,
            "first_seen_at": _in_utc(state.first_seen_at),
            "changed_at": _in_utc(state.changed_at),
        }
        return Line(values, page)

    def _find_page_values(self, state: RecordState) -> dict[str, list[dict[str, str]]]:
        """Return the values of the page's own record. The rows of a page come one after another, so the last page is kept."""
        page_id = state.page_id
        if page_id is None:
            return {}
        kept = self._pages.get(state.cluster_id)
        if kept is None or kept[0] != page_id:
            template = self._templates[state.cluster_id]
            found = read_states(template.cluster, after=template.run, among=Q(sources__page=page_id))
            own = next((each for each in found if each.page_id == page_id and each.present), None)
            self._pages[state.cluster_id] = kept = (page_id, dict(own.values) if own else {})
        return kept[1]  # type: ignore[return-value]


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None
