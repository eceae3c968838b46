"""What the labels so far teach: for an attribute the values its draft rule gives on the samples, and its hit rate."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extraction.algorithms.dom.nodes import Location, value
from extraction.display.tree import PREVIEW_CHARS
from extraction.models import Attribute, Cluster
from extraction.services.learning import workspaces
from extraction.services.learning.list_lessons import Problem, attributes_of

FIRST_SLICE_S = 0.05
"""Time for counting hits within the answer to a click, so that the whole answer stays under half a second."""

SLICE_S = 0.1
"""Time for one slice of the counting that goes on in the background: a click in between waits for it, for both need the pages."""

MAX_VALUES = 300
"""Values of one attribute on one page sent to the workbench."""

MAX_ROWS = 500
"""Rows of a list on one page sent to the workbench."""

Labels = Mapping[int, Sequence[Location]]


def draft(cluster: Cluster, attribute: Attribute, labels: Labels, samples: Iterable[int]) -> dict[str, Any]:
    """The draft as JSON values. labels: {snapshot id: places} of the attribute. samples: pages whose values are wanted.

    state: `empty` (nothing marked yet), `failed` (message says why, in words), `learned` (values, coverage).
    """
    if not any(labels.values()):
        return {"attribute": attribute.pk, "state": "empty"}
    workspace = workspaces.open_workspace(cluster)
    rule = workspace.learn(attribute, labels)
    if isinstance(rule, workspaces.NotLearned):
        places = [{"page": pk, "location": at.as_json(), "value": _at(workspace, pk, at)} for pk, at in rule.places]
        return {"attribute": attribute.pk, "state": "failed", "message": rule.message, "page": rule.snapshot_id, "places": places}
    found = workspace.values(rule, only=[*samples])
    return {
        "attribute": attribute.pk,
        "state": "learned",
        "values": {page: [_row(place, text) for place, text in values[:MAX_VALUES]] for page, values in found.items()},
        "coverage": _coverage(workspace.coverage(rule, budget_s=FIRST_SLICE_S)),
    }


def list_draft(cluster: Cluster, attribute: Attribute, samples: Iterable[int]) -> dict[str, Any]:
    """The draft of the list that an attribute is of. As `draft`, with `rows` instead of values: {page: [{attribute id: values}, …]}.

    It is `empty` until two rows have a value: one row does not tell where the next begins.
    """
    record_list = attribute.list
    assert record_list is not None  # noqa: S101 - callers ask for attributes of lists only
    labels = workspaces.row_labels_of(cluster).get(record_list.pk, {})
    begun = sum(any(row.values()) for rows in labels.values() for row in rows.values())
    said = {"attribute": attribute.pk, "list": record_list.pk}
    if begun < 2:
        return {**said, "state": "empty"}
    workspace = workspaces.open_workspace(cluster)
    lesson = workspace.list_lesson(record_list, labels)
    if isinstance(lesson, Problem):
        return {**said, "state": "failed", "message": lesson.message, "page": lesson.snapshot_id}
    ids = {each.name: each.pk for each in attributes_of(record_list)}
    failed = {ids[problem.name]: problem.message for problem in lesson.failed}
    found = {page: [_list_row(row, ids) for row in rows[:MAX_ROWS]] for page, rows in workspace.rows(lesson.rule, only=[*samples]).items()}
    return {**said, "state": "learned", "values": {page: [] for page in found}, "rows": found, "failed": failed}


def _list_row(row: Mapping[str, Sequence[tuple[Location, str]]], ids: Mapping[str, int]) -> dict[int, list[dict[str, Any]]]:
    return {ids[name]: [_row(place, text) for place, text in values[:MAX_VALUES]] for name, values in row.items() if name in ids}


def coverage(cluster: Cluster, attribute: Attribute, labels: Labels) -> dict[str, Any] | None:
    """The next slice of the hit rate; None while there is no rule."""
    workspace = workspaces.open_workspace(cluster)
    rule = workspace.learn(attribute, labels) if any(labels.values()) else None
    if rule is None or isinstance(rule, workspaces.NotLearned):
        return None
    return _coverage(workspace.coverage(rule, budget_s=SLICE_S))


def _at(workspace: workspaces.Workspace, page: int, place: Location) -> str:
    loaded = workspace.pages.get(page)
    return (value(loaded.nodes, place) or "")[:PREVIEW_CHARS] if loaded else ""


def _row(place: Location, text: str) -> dict[str, Any]:
    return {"location": place.as_json(), "value": text[: 2 * PREVIEW_CHARS]}


def _coverage(found: workspaces.Coverage) -> dict[str, Any]:
    return {
        "checked": found.checked,
        "total": found.total,
        "hits": found.hits,
        "several": found.several,
        "without": list(found.without),
        "complete": found.complete,
    }
