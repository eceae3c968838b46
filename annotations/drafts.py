"""What the labels so far teach: the values that an attribute's draft rule gives on the pages shown, and the rule's hit rate."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotations.readings import describe_readings
from annotations.similar import MAX_BESIDE, find_beside, find_similar
from extraction.algorithms.dom.nodes import Location
from extraction.display.tree import PREVIEW_CHARS, PageTree, describe_option
from extraction.models import Attribute, Cluster, RecordList
from extraction.services.core.coverage import Coverage
from extraction.services.learning.lessons import LessonProblem, list_row_attributes
from extraction.services.learning.rule_results import Rows
from extraction.services.learning.workspaces import Workspace, open_workspace, read_labels, read_row_labels

FIRST_SLICE_S = 0.05
"""Time for counting hits within the answer to a click, so that the whole answer stays under half a second."""

SLICE_S = 0.1
"""Time for one slice of the counting that goes on in the background. A click in between waits for it, because both need the pages."""

MAX_VALUES = 300
"""The largest number of values of one attribute on one page sent to the workbench."""

MAX_ROWS = 500
"""The largest number of rows of a list on one page sent to the workbench."""

MIN_ROWS = 2
"""The smallest number of rows with a value from which a list is learned: one row does not tell where the next begins."""


def describe_draft(cluster: Cluster, attribute: Attribute, shown: Iterable[int], page: int | None = None) -> dict[str, Any]:
    """Describe what the present labels teach about an attribute, as JSON values.

    shown: pages whose values are wanted.
    page: a page with marked places. The places that are like these are returned as `similar`.

    Its `state` is `empty` if nothing is marked yet, `failed` with a message that says why, or `learned` with values and coverage or,
    for an attribute of a list, with rows.
    """
    if attribute.list:
        return _describe_list_draft(cluster, attribute, attribute.list, shown)
    labels = read_labels(cluster).get(attribute.pk, {})
    if not any(labels.values()):
        found = {"attribute": attribute.pk, "state": "empty"}
    else:
        found = _describe_lesson(open_workspace(cluster), attribute, labels, shown)
    if page is not None and attribute.multiple:
        found["similar"] = _describe_similar(cluster, page, labels.get(page, ()))
    return found


def describe_coverage(cluster: Cluster, attribute: Attribute) -> dict[str, Any] | None:
    """Return the hit rate after counting some more pages, or None while there is no rule."""
    labels = read_labels(cluster).get(attribute.pk, {})
    if not any(labels.values()):
        return None
    workspace = open_workspace(cluster)
    rule = workspace.learn_rule(attribute, labels)
    return None if isinstance(rule, LessonProblem) else _coverage_json(workspace.count_hits(rule, budget_s=SLICE_S))


def _describe_lesson(
    workspace: Workspace, attribute: Attribute, labels: Mapping[int, Sequence[Location]], shown: Iterable[int]
) -> dict[str, Any]:
    rule = workspace.learn_rule(attribute, labels)
    if isinstance(rule, LessonProblem):
        places = [{"page": pk, "location": at.as_json(), "value": _read_value(workspace, pk, at)} for pk, at in rule.places]
        return {"attribute": attribute.pk, "state": "failed", "message": rule.message, "page": rule.snapshot_id, "places": places}
    found = workspace.read_values(rule, only=[*shown])
    beside = _describe_beside(workspace, labels, found) if attribute.multiple else {}
    return {
        "attribute": attribute.pk,
        "state": "learned",
        "beside": beside,
        "unheard": _find_unheard(workspace, labels, found),
        "values": {page: [_value_json(place, text) for place, text in values[:MAX_VALUES]] for page, values in found.items()},
        "coverage": _coverage_json(workspace.count_hits(rule, budget_s=FIRST_SLICE_S)),
        **describe_readings(workspace, attribute, found, workspace.read_values(rule)),
    }


def _describe_list_draft(cluster: Cluster, attribute: Attribute, record_list: RecordList, shown: Iterable[int]) -> dict[str, Any]:
    """Describe the draft of the list that an attribute belongs to, with `rows` instead of values: {page: [{attribute id: values}, …]}."""
    labels = read_row_labels(cluster).get(record_list.pk, {})
    begun = sum(any(row.values()) for rows in labels.values() for row in rows.values())
    head = {"attribute": attribute.pk, "list": record_list.pk}
    if begun < MIN_ROWS:
        return {**head, "state": "empty"}
    workspace = open_workspace(cluster)
    lesson = workspace.learn_list(record_list, labels)
    if isinstance(lesson, LessonProblem):
        return {**head, "state": "failed", "message": lesson.message, "page": lesson.snapshot_id}
    ids = {each.name: each.pk for each in list_row_attributes(record_list)}
    failed = {ids[problem.name]: problem.message for problem in lesson.failed}
    given = workspace.read_rows(lesson.rule, only=[*shown])
    found = {page: [_row_json(row, ids) for row in rows[:MAX_ROWS]] for page, rows in given.items()}
    columns = (_list_column(attribute.name, pages) for pages in (given, workspace.read_rows(lesson.rule)))
    readings = describe_readings(workspace, attribute, *columns)
    return {**head, "state": "learned", "values": {page: [] for page in found}, "rows": found, "failed": failed, **readings}


def _list_column(name: str, pages: Mapping[int, Rows]) -> dict[int, list[tuple[Location, str]]]:
    """Return {snapshot id: the values of one attribute in all rows}."""
    return {page: [value for row in rows[:MAX_ROWS] for value in row.get(name, ())] for page, rows in pages.items()}


def _describe_similar(cluster: Cluster, snapshot_id: int, marked: Sequence[Location]) -> list[Mapping[str, Any]]:
    """Return the places that are like those marked on a page, without the marked ones."""
    page = open_workspace(cluster).load_page(snapshot_id) if len(marked) > 1 else None
    if page is None:
        return []
    tree = PageTree(page.nodes, page.index)
    return [describe_option(tree, place) for place in find_similar(tree, marked) if place not in marked]


def _describe_beside(
    workspace: Workspace, labels: Mapping[int, Sequence[Location]], found: Mapping[int, Sequence[tuple[Location, str]]]
) -> dict[int, list[dict[str, Any]]]:
    """Return {page: places that seem to be further values}. A draft from pages with one value each may find one where a page has two."""
    beside = {}
    for pk, values in found.items():
        page = workspace.pages.get(pk)
        places = labels.get(pk) or [place for place, _ in values]
        if page is None or not 1 <= len(places) <= MAX_BESIDE:
            continue
        tree = PageTree(page.nodes, page.index)
        if further := [describe_option(tree, place) for place in find_beside(tree, places)]:
            beside[pk] = further
    return beside


def _find_unheard(
    workspace: Workspace, labels: Mapping[int, Sequence[Location]], found: Mapping[int, Sequence[tuple[Location, str]]]
) -> list[int]:
    """Return the pages without a value that are in a language in which none is marked. That nothing is found there says nothing yet."""
    empty = [pk for pk, values in found.items() if not values and pk not in labels]
    spoken = {workspace.read_language(pk) for pk, places in labels.items() if places} if empty else set()
    return [pk for pk in empty if workspace.read_language(pk) not in spoken]


def _read_value(workspace: Workspace, page: int, place: Location) -> str:
    loaded = workspace.pages.get(page)
    return (loaded.find_value(place) or "")[:PREVIEW_CHARS] if loaded else ""


def _row_json(row: Mapping[str, Sequence[tuple[Location, str]]], ids: Mapping[str, int]) -> dict[int, list[dict[str, Any]]]:
    return {ids[name]: [_value_json(place, text) for place, text in values[:MAX_VALUES]] for name, values in row.items() if name in ids}


def _value_json(place: Location, text: str) -> dict[str, Any]:
    return {"location": place.as_json(), "value": text[: 2 * PREVIEW_CHARS]}


def _coverage_json(found: Coverage) -> dict[str, Any]:
    return {
        "checked": found.checked,
        "total": found.total,
        "hits": found.hits,
        "several": found.several,
        "without": list(found.without),
        "complete": found.complete,
    }
