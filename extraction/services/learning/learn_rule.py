"""Learns a cluster's rule from its labels and writes it down as a draft (ALGORITHMS 4).

Each attribute is learned by itself, so labels of one that do not fit together do not lose the others. What counts is
what will be run: the compiled stylesheet has to give exactly the marked values on each labelled page; an attribute
that does not is left out, and the report names it and the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.apriori import Learned, LearnedXPath
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import Rule as RuleValue
from extraction.models import Attribute, Cluster, RecordList, Rule, Run
from extraction.services.core import runs
from extraction.services.core.runs import JobError, Progress
from extraction.services.labels import carried_values, designs, list_offers
from extraction.services.learning import explanations, list_lessons
from extraction.services.learning.learning_set import RowLabels, row_labels_of
from extraction.services.learning.list_lessons import ListLesson
from extraction.services.learning.workspaces import Labels, Lesson, LoadedPage, NotLearned, Workspace, labels_of, open_workspace
from extraction.services.rules import rules
from extraction.services.rules.effects import count_effects

FILL_S = 2.0
"""Pages are loaded for so long between two signs of life."""


def start(cluster: Cluster, user: Any = None) -> Run:
    """A run that learns the cluster's rule. Raises JobError when nothing is marked that it could learn from."""
    _marked(cluster, labels_of(cluster), row_labels_of(cluster))
    return runs.start(Run.Kind.LEARN, cluster.site, cluster=cluster, unit="steps", user=user)


def run(run: Run, progress: Progress) -> dict[str, Any]:
    """Learns all attributes that have labels, checks each against its labels, writes a draft with its report."""
    cluster = run.cluster
    if cluster is None:
        raise JobError("The template is gone.")
    labels, row_labels = labels_of(cluster), row_labels_of(cluster)
    attributes, marked_lists = _marked(cluster, labels, row_labels)
    space = open_workspace(cluster)
    _fill(space, progress)
    lessons, failed = _learn_all(space, attributes, labels, progress)
    lessons, unfaithful = _faithful(space, attributes, lessons, labels)
    failed += unfaithful
    lists, without_rows = _learn_lists(space, marked_lists, row_labels, progress)
    failed += without_rows
    for failure in failed:
        progress.problem(failure.attribute, failure.message)
    if not lessons and not lists:
        raise JobError(" ".join(f"{failure.message}." for failure in failed))
    learned = RuleValue(tuple(lesson.rule for lesson in lessons.values()), tuple(lesson.rule for lesson in lists))
    value = carried_values.beside(cluster, learned, {failure.attribute for failure in failed})
    effect = count_effects(cluster, value, progress=progress, done=progress.run.done)
    report = _report(lessons, lists, failed, effect, learning_pages=len(space.pages))
    _tell_offers(cluster, space, marked_lists, lists, report)
    report = carried_values.report(cluster, value, report, effect)
    report["explained"] = explanations.report(cluster, space, value, attributes, labels, progress)
    rule = rules.add_draft(cluster, value, report=report, origin=Rule.Origin.LEARNED, user=run.created_by)
    return {"rule": rule.pk, "version": rule.version, "attributes": len(value.every), "failed": len(failed)}


@dataclass(frozen=True, slots=True)
class _Failure:
    """message: names the attribute and, where one page is to blame, its URL."""

    attribute: str
    message: str
    snapshot_id: int | None = None
    url: str = ""
    places: tuple[tuple[int, Location], ...] = ()


def _marked(
    cluster: Cluster, labels: Mapping[int, Labels], row_labels: Mapping[int, RowLabels]
) -> tuple[list[Attribute], list[RecordList]]:
    """The pages' own attributes that have a place marked on some page, and the lists that have a marked row."""
    if cluster.record_type_id is None:
        raise JobError(f"{cluster.label} has no record type yet; choose what is to be extracted first.")
    schema = Attribute.objects.filter(record_type_id=cluster.record_type_id, list=None)
    marked = [attribute for attribute in schema if any(labels.get(attribute.pk, {}).values())]
    lists = [each for each in RecordList.objects.filter(record_type_id=cluster.record_type_id) if row_labels.get(each.pk)]
    if not marked and not lists:
        broke = " as they are since its rule broke" if designs.breaks(cluster.pk) else ""
        raise JobError(f"Nothing is marked on the pages of {cluster.label}{broke} yet.")
    return marked, lists


def _fill(space: Workspace, progress: Progress) -> None:
    filling = space.filling
    while not filling.complete:
        filling = space.fill(FILL_S)
        progress(filling.loaded, total=filling.wanted, message="Reading sample pages")


def _learn_all(
    space: Workspace, attributes: Sequence[Attribute], labels: Mapping[int, Labels], progress: Progress
) -> tuple[dict[int, Lesson], list[_Failure]]:
    lessons: dict[int, Lesson] = {}
    failed = []
    for attribute in attributes:
        progress(progress.run.done, message=f"Learning {attribute.name}")
        lesson = space.lesson(attribute, labels[attribute.pk])
        if isinstance(lesson, NotLearned):
            failed.append(_Failure(attribute.name, lesson.message, lesson.snapshot_id, _url(space, lesson.snapshot_id), lesson.places))
        else:
            lessons[attribute.pk] = lesson
    return lessons, failed


def _learn_lists(
    space: Workspace, lists: Sequence[RecordList], labels: Mapping[int, RowLabels], progress: Progress
) -> tuple[list[ListLesson], list[_Failure]]:
    """The lists' lessons whose stylesheet gives the marked rows just so, and what is wrong with the others."""
    lessons, failed = [], []
    for record_list in lists:
        progress(progress.run.done, message=f"Learning {record_list.name}")
        lesson = space.list_lesson(record_list, labels[record_list.pk])
        problems = [lesson] if isinstance(lesson, list_lessons.Problem) else list(lesson.failed)
        if isinstance(lesson, ListLesson):
            names = {attribute.pk: attribute.name for attribute in list_lessons.attributes_of(record_list)}
            wrong = list_lessons.unfaithful(lesson.rule, labels[record_list.pk], names, space.pages)
            if wrong:
                problems.append(wrong)
            else:
                lessons.append(lesson)
        failed += [_Failure(each.name, each.message, each.snapshot_id, _url(space, each.snapshot_id)) for each in problems]
    return lessons, failed


def _url(space: Workspace, snapshot_id: int | None) -> str:
    page = space.pages.get(snapshot_id) if snapshot_id else None
    return page.url if page else ""


def _faithful(
    space: Workspace, attributes: Sequence[Attribute], lessons: Mapping[int, Lesson], labels: Mapping[int, Labels]
) -> tuple[dict[int, Lesson], list[_Failure]]:
    """The lessons whose stylesheet gives exactly the labelled values on every labelled page, and what is wrong with the others."""
    kept: dict[int, Lesson] = {}
    failed = []
    for attribute in attributes:
        lesson = lessons.get(attribute.pk)
        if lesson is None:
            continue
        failure = _unfaithful(space, lesson, labels[attribute.pk])
        if failure is None:
            kept[attribute.pk] = lesson
        else:
            failed.append(failure)
    return kept, failed


def _unfaithful(space: Workspace, lesson: Lesson, labels: Labels) -> _Failure | None:
    name = lesson.rule.name
    try:
        sheet = xslt.Stylesheet.compile(xslt.write_stylesheet(RuleValue((lesson.rule,))))
    except RuleError as error:
        return _Failure(name, f"{name}: {error}")
    for snapshot_id, places in sorted(labels.items()):
        page = space.pages.get(snapshot_id)
        if page is None:
            continue  # it cannot be read any more, so nothing can be said of it
        try:
            given = apply.extract_values(sheet, page.root).values.get(name, ())
        except RuleError as error:
            return _Failure(name, f"{name}: {error} ({page.url})", snapshot_id, page.url)
        wrong = _difference(page, places, given)
        if wrong:
            return _Failure(name, f"{name}: {wrong} ({page.url})", snapshot_id, page.url)
    return None


def _difference(page: LoadedPage, places: Sequence[Location], given: Sequence[str]) -> str:
    """What differs between the marked values and those given, in words; empty when nothing does."""
    marked = [value(page.nodes, place) for place in places]
    if None in marked:
        return "a marked place is not on the page any more"
    missing = [each for each in marked if each and each not in given]
    if missing:
        return f"“{_short(missing[0])}” is marked, but the rule gives {_shown(given)}"
    extra = [each for each in given if each not in marked]
    if extra and not places:
        return f"it is marked as not on this page, but the rule gives {_shown(extra)}"
    return f"the rule also gives {_shown(extra)}, which is not marked" if extra else ""


def _shown(values: Sequence[str]) -> str:
    more = f" and {len(values) - 1} more" if len(values) > 1 else ""
    return f"“{_short(values[0])}”{more}" if values else "nothing"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _report(
    lessons: Mapping[int, Lesson], lists: Sequence[ListLesson], failed: Sequence[_Failure], effect: dict[str, Any], *, learning_pages: int
) -> dict[str, Any]:
    """The report of a rule, in the record type's order.

    {"pages", "checked", "unreadable", "learning_pages", "attributes": [{"name", "alternatives": [{"xpath", "precision",
    "distance", "support", "several", "features"}], "checked", "hits", "several", "without", "several_on"}], "lists": [{"name",
    "alternatives", "checked", "hits", "rows", "without", "filled", "attributes": [{"name", "alternatives"}], "offered": where the rule
    gives other rows than the list was offered with, see `list_offers.difference`}],
    "failed": [{"name", "reason", "snapshot", "url", "places": [{"snapshot", "location"}]}]}
    """
    entries = []
    for lesson in lessons.values():
        figures = effect["attributes"][lesson.rule.name]
        said = _said(lesson.learned.alternatives)
        entries.append({"name": lesson.rule.name, "alternatives": said, "checked": effect["checked"], **figures})
    return {
        "pages": effect["pages"],
        "checked": effect["checked"],
        "unreadable": effect["unreadable"],
        "learning_pages": learning_pages,
        "attributes": entries,
        "lists": [_list_entry(lesson, effect) for lesson in lists],
        "failed": [_failed(each) for each in failed],
    }


def _tell_offers(
    cluster: Cluster, space: Workspace, lists: Sequence[RecordList], lessons: Sequence[ListLesson], report: Mapping[str, Any]
) -> None:
    """Writes into a list's entry where its rule gives clearly more or fewer rows than it was offered with."""
    by_name = {each.name: each for each in lists}
    for lesson, entry in zip(lessons, report["lists"], strict=True):
        offered = list_offers.offered(cluster, by_name[lesson.rule.name])
        given = {snapshot: len(rows) for snapshot, rows in space.rows(lesson.rule, only=list(offered)).items()} if offered else {}
        if unlike := list_offers.difference(offered, given):
            entry["offered"] = unlike


def _list_entry(lesson: ListLesson, effect: dict[str, Any]) -> dict[str, Any]:
    fields = {name: field for name, field in lesson.learned.fields.items() if isinstance(field, Learned)}
    attributes = [{"name": each.name, "alternatives": _said(fields[each.name].alternatives)} for each in lesson.rule.attributes]
    figures = effect["lists"][lesson.rule.name]
    return {
        "name": lesson.rule.name,
        "alternatives": _said([lesson.learned.rows]),
        "checked": effect["checked"],
        **figures,
        "attributes": attributes,
    }


def _said(xpaths: Sequence[LearnedXPath]) -> list[dict[str, Any]]:
    """What the learner said of each XPath."""
    return [
        {
            "xpath": x.xpath,
            "precision": x.precision,
            "distance": x.distance,
            "support": x.support,
            "several": x.several,
            "features": list(x.features),
        }
        for x in xpaths
    ]


def _failed(failure: _Failure) -> dict[str, Any]:
    places = [{"snapshot": pk, "location": at.as_json()} for pk, at in failure.places]
    return {"name": failure.attribute, "reason": failure.message, "snapshot": failure.snapshot_id, "url": failure.url, "places": places}
