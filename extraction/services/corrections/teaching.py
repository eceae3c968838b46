"""A corrected value teaches the learner: where it stands on the page, it becomes a mark."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, elements
from extraction.algorithms.dom.rows import Rows, select_rows
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.places import STAGES, SoughtValue, Stage, ValueFinder
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import ListRule, RuleDefinition
from extraction.models import Attribute, Cluster, Correction, Label, Record, Snapshot
from extraction.models.marked_places import MarkedPlaces, places_as_json
from extraction.services.core import stored_pages
from extraction.services.labels import labelling
from extraction.services.labels.labelling import MAX_ROWS, LabelError

MARKED_STAGES: tuple[Stage, ...] = tuple(stage for stage in STAGES if stage != "loose")
"""How a corrected value may stand on the page: as it is, as the same number or date, or inside a longer text. A text with other letters or
signs would teach something else than the person wrote."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a correction taught.

    places: the marks; () if there are none.
    label_row: the row that was marked, 0 for the page itself.
    reason: why nothing was marked, in words; "" if something was.
    """

    places: MarkedPlaces = ()
    label_row: int = 0
    reason: str = ""


def teach_correction(correction: Correction, record: Record, rule: RuleDefinition, *, row: int | None) -> Lesson:
    """Mark a corrected value where it stands on the page, if there is one such place. A rejected value is marked as not on the page.

    The caller holds the transaction.

    row: the place of the row in the record, from 0; None for an attribute of the page itself.
    """
    cluster, snapshot, attribute = record.cluster, record.snapshot, correction.attribute
    if snapshot.cluster_id != cluster.pk or not snapshot.kept:
        return Lesson(reason=gettext("the page is not kept, so nothing can be marked on it"))
    try:
        root = stored_pages.read_root(snapshot)
        if row is not None and attribute.list is not None:
            return _teach_row(correction, cluster, snapshot, _find_list(rule, attribute.list.name), root, row)
        if correction.kind == Correction.Kind.REJECTED:
            labelling.set_labels(cluster, snapshot, attribute, None, correction.by)
            return Lesson(None)
        places = _find_places(root, correction, within=None)
        labelling.set_labels(cluster, snapshot, attribute, places, correction.by)
        return Lesson(places)
    except _NotMarkedError as reason:
        return Lesson(reason=str(reason))
    except (PageError, RuleError, XPathError, LabelError) as error:
        return Lesson(reason=gettext("nothing was marked on the page: %(error)s") % {"error": error})


def forget_lesson(correction: Correction, cluster: Cluster) -> None:
    """Take the marks of a correction back, unless somebody has changed them since."""
    taught = correction.read_taught()
    if taught == ():
        return
    for snapshot in Snapshot.objects.filter(page=correction.page_id, cluster=cluster, labels__attribute=correction.attribute_id).distinct():
        if labelling.get_labels(cluster, snapshot, correction.attribute, correction.label_row) == taught:
            labelling.set_labels(cluster, snapshot, correction.attribute, (), correction.by, row=correction.label_row)


class _NotMarkedError(Exception):
    """A value cannot be marked. The message says why."""


def _find_places(root: etree._Element, correction: Correction, *, within: etree._Element | None) -> tuple[Location, ...]:
    """Return the one place of each text of a correction. Raises _NotMarkedError if there is none or if there are several."""
    page = read_page_table(root)
    finder, found = ValueFinder(page), list[Location]()
    index = {node: n for n, node in enumerate(page.nodes)}
    inside = None if within is None else {index[node] for node in within.iter(etree.Element)}
    for text in correction.texts:
        places = list[Location]()
        for stage in MARKED_STAGES:
            sought = SoughtValue(clean(text), correction.attribute.type)  # type: ignore[arg-type]
            places = [place for place in finder.find(sought, stage) if inside is None or place.node in inside]
            if places:
                break
        if not places:
            raise _NotMarkedError(gettext("“%(text)s” is not on the page, so the rule learns nothing from it") % {"text": text[:60]})
        if len(places) > 1:
            raise _NotMarkedError(
                gettext("“%(text)s” stands in %(places)s places, so you have to mark the right one yourself")
                % {"text": text[:60], "places": len(places)}
            )
        found += places
    return tuple(dict.fromkeys(found))


def _find_list(rule: RuleDefinition, name: str) -> ListRule:
    found = next((each for each in rule.lists if each.name == name), None)
    if found is None:
        raise _NotMarkedError(gettext("the rule has no list %(name)s") % {"name": name})
    return found


def _teach_row(correction: Correction, cluster: Cluster, snapshot: Snapshot, rule: ListRule, root: etree._Element, row: int) -> Lesson:
    """Mark the corrected value in its row, together with the other values of the row, which say which row it is."""
    index = {element: n for n, element in enumerate(elements(root))}
    given = apply.find_row_places(rule, root, index)
    rows = Rows(list(select_rows([selector.xpath for selector in rule.rows], root)))
    filled = [n for n in range(len(rows.elements)) if _has_values(rule, rows, n)]
    if len(filled) != len(given) or row >= len(given):
        raise _NotMarkedError(gettext("the row is not found on the page"))
    others = {name: [place for place, _ in places] for name, places in given[row].items() if places and name != correction.attribute.name}
    rejected = correction.kind == Correction.Kind.REJECTED
    element = rows.elements[filled[row]]
    mine = () if rejected else _find_places(root, correction, within=element)
    nodes = {index[each] for each in element.iter(etree.Element)} | {place.node for places in others.values() for place in places}
    number = _choose_label_row(cluster, snapshot, correction.attribute, nodes)
    attributes = {each.name: each for each in Attribute.objects.filter(list=correction.attribute.list_id)}
    for name, places in others.items():
        known = attributes.get(name)
        if known and labelling.get_labels(cluster, snapshot, known, number) == () and (known.multiple or len(places) == 1):
            labelling.set_labels(cluster, snapshot, known, places, correction.by, row=number)
    labelling.set_labels(cluster, snapshot, correction.attribute, mine, correction.by, row=number)
    if rejected:
        return Lesson((), number, gettext("the row was marked without the value"))
    return Lesson(mine, number)


def _has_values(rule: ListRule, rows: Rows, place: int) -> bool:
    """Return whether a row of the page counts, as in `apply.find_row_places`."""
    return any(rows.select(place, selector.xpath) for each in rule.attributes for selector in each.alternatives)


def _choose_label_row(cluster: Cluster, snapshot: Snapshot, attribute: Attribute, nodes: Collection[int]) -> int:
    """Return the number of the row with a mark at one of these nodes, or the next free one. Raises _NotMarkedError if none is left."""
    marked = Label.objects.of_rows().filter(cluster=cluster, snapshot=snapshot, attribute__list=attribute.list_id)
    last = 0
    for label in marked.order_by("row"):
        last = max(last, label.row)
        place = label.read_location()
        if place is not None and place.node in nodes:
            return label.row
    if last >= MAX_ROWS:
        raise _NotMarkedError(gettext("%(max_rows)s rows of the page are marked already") % {"max_rows": MAX_ROWS})
    return last + 1


def write_taught(lesson: Lesson) -> Sequence[object]:
    """Return the places of a lesson as `Correction.taught` stores them."""
    return places_as_json(lesson.places)
