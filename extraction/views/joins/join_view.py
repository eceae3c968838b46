"""What the screens of joins show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.records.join import Side, Way
from extraction.forms.joins import MAX_KEYS, MAX_LISTINGS
from extraction.models import Attribute, Cluster, Join, JoinedRecord, RecordList, Site
from extraction.models.join import JoinColumn, JoinFigures, NoPageReason
from extraction.models.record_origins import Origin
from extraction.services.joins import plans
from extraction.services.joins.corrected import Corrected
from extraction.services.joins.figures import JoinPreview, preview_join
from extraction.services.joins.pairing import JoinedDraft
from extraction.services.joins.plans import JoinPlan, ListingPlan, Problems, ReadyJoin

WAYS = {
    Way.KEY: gettext_lazy("by equal values"),
    Way.ADDRESS: gettext_lazy("by address"),
    Way.REDIRECT: gettext_lazy("by a redirect"),
    Way.CANONICAL: gettext_lazy("by the address that the page gives as its own"),
    Way.LOOSE: gettext_lazy("by an address that differs only in tracking keys, scheme, “www.” or a slash"),
}

Choice = tuple[str, str]
"""(value, words)."""


@dataclass(frozen=True, slots=True)
class KeyFields:
    """A pair of attributes with equal values in the form. number: its place; row, page: the chosen ids as texts."""

    number: int
    row: str
    page: str


@dataclass(frozen=True, slots=True)
class ListingFields:
    """A listing in the form. number: its place. list: what is chosen, "" for nothing.

    links, rows: attributes to choose from. own: names of the page's own values that can go with the rows.
    """

    number: int
    list: str
    by_key: bool = False
    link: str = ""
    with_page: bool = False
    links: Sequence[Choice] = ()
    rows: Sequence[Choice] = ()
    own: Sequence[str] = ()
    key_fields: Sequence[KeyFields] = ()


@dataclass(frozen=True, slots=True)
class SharedField:
    """An attribute that both sides have. attribute: the page's. side: whose values count, "" for the side chosen for all."""

    attribute: Attribute
    side: str


@dataclass(frozen=True, slots=True)
class JoinFields:
    """The form of a join with what its settings would give."""

    plan: JoinPlan
    details: Sequence[Choice]
    lists: Sequence[Choice]
    pages: Sequence[Choice]
    listings: Sequence[ListingFields]
    shared: Sequence[SharedField]
    problems: Sequence[str]
    preview: JoinPreview | None
    counts: "JoinCounts | None"
    columns: Sequence[JoinColumn]
    examples: "Sequence[JoinedLine]"
    name: str

    @property
    def detail(self) -> str:
        """The chosen template."""
        return str(self.plan.detail or "")


@dataclass(frozen=True, slots=True)
class JoinCounts:
    """Figures in words. ways, reasons: (words, count), the largest first."""

    figures: JoinFigures
    ways: Sequence[tuple[str, int]]
    reasons: Sequence[tuple[str, int]]


def describe_counts(figures: JoinFigures) -> JoinCounts:
    """Return the figures of a join with their words."""
    ways = {str(WAYS[Way[name.upper()]]): count for name, count in figures.ways.items()}
    reasons = {str(NoPageReason(name).label): count for name, count in figures.reasons.items()}
    return JoinCounts(figures, _sort_counts(ways), _sort_counts(reasons))


def _sort_counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def complete_plan(site: Site, plan: JoinPlan) -> JoinPlan:
    """Return a plan that is being edited with what follows from the choices so far: a name, and the only way to join each list."""
    attributes = _read_attributes(site)
    listings = []
    for each in plan.listings:
        links = [one for one in attributes if one.list_id == each.list and one.type == Attribute.Type.URL]
        here = {one.pk for one in links}
        listings.append(replace(each, link=each.link if each.link in here else links[0].pk if len(links) == 1 else None))
    detail = site.clusters.filter(pk=plan.detail or 0).first()
    names = RecordList.objects.in_bulk([each.list for each in plan.listings if each.list])
    name = plan.name or (plans.name_join(detail, [names[each.list].name for each in listings if each.list in names]) if detail else "")
    return replace(plan, listings=tuple(listings), name=name)


def build_fields(site: Site, plan: JoinPlan) -> JoinFields:
    """Return the form with a preview, or with why there is none. Each listing that is chosen makes room for another one."""
    clusters = {each.pk: each for each in site.clusters.shown().exclude(record_type=None).select_related("record_type")}
    attributes = _read_attributes(site)
    types = {each.record_type_id for each in clusters.values()}
    used = list(RecordList.objects.filter(record_type__in=types - {None}, attributes__isnull=False).distinct())
    lists = [
        (f"{cluster.pk}:{listed.pk}", f"{cluster.label}: {listed.name}")
        for cluster in clusters.values()
        for listed in used
        if listed.record_type_id == cluster.record_type_id
    ]
    of_page = {each.record_type_id for each in attributes if each.list_id is None}
    detail = clusters.get(plan.detail or 0)
    found = plans.check_plan(site, plan)
    listings = [_build_listing(number, each, clusters, attributes) for number, each in enumerate(plan.listings)]
    room = [ListingFields(len(listings), "")] if len(listings) < MAX_LISTINGS else []
    preview = preview_join(found) if isinstance(found, ReadyJoin) else None
    return JoinFields(
        plan,
        [(str(each.pk), each.label) for each in clusters.values() if each.record_type_id in of_page],
        lists,
        [(str(each.pk), each.name) for each in attributes if detail and each.record_type_id == detail.record_type_id and not each.list_id],
        [*listings, *room],
        _list_shared(found, plan, attributes) if isinstance(found, ReadyJoin) else (),
        found.sentences if isinstance(found, Problems) else (),
        preview,
        describe_counts(preview.figures) if preview else None,
        list_shown_columns(found.columns) if isinstance(found, ReadyJoin) else (),
        [show_record(each, found.columns) for each in _list_examples(preview)] if isinstance(found, ReadyJoin) and preview else (),
        plan.name,
    )


def _list_examples(preview: JoinPreview) -> list[JoinedDraft]:
    return [*preview.joined, *preview.conflicts, *preview.row_alone, *preview.page_alone]


def _read_attributes(site: Site) -> list[Attribute]:
    types = site.clusters.exclude(record_type=None).values("record_type")
    return list(Attribute.objects.filter(record_type__in=types).order_by("position", "id"))


def _build_listing(number: int, plan: ListingPlan, clusters: Mapping[int, Cluster], attributes: Sequence[Attribute]) -> ListingFields:
    rows = [each for each in attributes if each.list_id == plan.list]
    links = [(str(each.pk), each.name) for each in rows if each.type == Attribute.Type.URL]
    cluster = clusters.get(plan.cluster or 0)
    own = [each.name for each in attributes if cluster and each.record_type_id == cluster.record_type_id and each.list_id is None]
    pairs = [*plan.keys, (None, None)][:MAX_KEYS]
    return ListingFields(
        number,
        f"{plan.cluster}:{plan.list}",
        by_key=plan.by_key or not links,
        link=str(plan.link or ""),
        with_page=plan.with_page,
        links=links,
        rows=[(str(each.pk), each.name) for each in rows],
        own=own,
        key_fields=[KeyFields(place, str(row or ""), str(page or "")) for place, (row, page) in enumerate(pairs)],
    )


def _list_shared(join: ReadyJoin, plan: JoinPlan, attributes: Sequence[Attribute]) -> list[SharedField]:
    of_page = {each.name: each for each in attributes if each.record_type_id == join.detail.record_type_id and each.list_id is None}
    return [SharedField(of_page[each.name], each.winner if each.winner != plan.winner else "") for each in join.shared]


@dataclass(frozen=True, slots=True)
class JoinedCell:
    """The values of a column.

    other: the other side's text, if it differs. side: which side that is.
    origin: who corrected or rejected the values, if somebody did.
    """

    column: JoinColumn
    text: str
    title: str
    other: str = ""
    side: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class JoinedLine:
    """A joined record for display."""

    record: JoinedRecord | JoinedDraft
    values: Sequence[JoinedCell]


def list_shown_columns(columns: Sequence[JoinColumn]) -> list[JoinColumn]:
    """Return the columns of the table. What the losing side says is shown beside the value that counts, where it differs."""
    shared = {each.name for each in columns if each.side == "both"}
    return [each for each in columns if each.side == "both" or each.source not in shared]


def show_record(record: JoinedRecord | JoinedDraft, columns: Sequence[JoinColumn], corrected: Corrected | None = None) -> JoinedLine:
    """Return a joined record with the texts of its columns. corrected: its corrected values."""
    losing = {each.source: each for each in columns if each not in list_shown_columns(columns)}
    shown = []
    for column in list_shown_columns(columns):
        other = losing.get(column.source) if column.source in record.conflicts and column.side == "both" else None
        shown.append(
            JoinedCell(
                column,
                _write_values(record, column.name),
                " · ".join(str(each["raw"]) for each in record.values.get(column.name, ())),
                _write_values(record, other.name) if other else "",
                other.side if other else "",
                _find_origin(column, losing.get(column.source), corrected or {}),
            )
        )
    return JoinedLine(record, shown)


def _find_origin(column: JoinColumn, losing: JoinColumn | None, corrected: Corrected) -> Origin | None:
    """Return who corrected the values of a column. Of a column of both sides, the side whose values are used is asked first."""
    sides: tuple[Side, ...] = ("listing", "page") if column.side == "listing" or (losing and losing.side == "page") else ("page", "listing")
    found = (corrected.get((column.source, side)) for side in (sides if column.side == "both" else sides[:1]))
    return next((each for each in found if each), None)


def _write_values(record: JoinedRecord | JoinedDraft, name: str) -> str:
    return " · ".join(str(each.get("value") or each["raw"]) for each in record.values.get(name, ()))


def describe_join(join: Join) -> list[str]:
    """Return what a join joins, a sentence for each listing."""
    found = []
    for each in join.listings.select_related("cluster", "list", "link").prefetch_related("keys__in_list", "keys__on_page"):
        where = gettext("%(list)s of %(cluster)s") % {
            "list": each.list.name if each.list else gettext("a removed list"),
            "cluster": each.cluster.label if each.cluster else gettext("a deleted template"),
        }
        removed = gettext("a removed attribute")
        pairs = gettext(" and ").join(f"{key.in_list or removed} = {key.on_page or removed}" for key in each.keys.all())
        found.append(
            gettext("%(where)s, by %(pairs)s") % {"where": where, "pairs": pairs}
            if each.by_key
            else gettext("%(where)s, by the link %(link)s") % {"where": where, "link": each.link or gettext("(removed)")}
        )
    return found
