"""Learns a cluster's rule from its labels and writes it down as a draft (ALGORITHMS 4).

Each attribute is learned by itself, so labels of one that do not fit together do not lose the others. What counts is
what will be run: the compiled stylesheet has to give exactly the marked values on each labelled page; an attribute
that does not is left out, and the report names it and the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.apriori import Learned, LearnedXPath
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Attribute, Cluster, RecordList, Rule, Run
from extraction.models.rule_report import ColumnReport, FailedAttribute, ListReport, MarkedPlace, OfferDifference, RuleReport, XPathReport
from extraction.models.run_values import RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import JobError, Progress
from extraction.services.labels import carried_values, designs, list_offers
from extraction.services.learning import explanations, list_lessons
from extraction.services.learning.learning_set import RowLabels, row_labels_of
from extraction.services.learning.list_lessons import ListLesson
from extraction.services.learning.workspaces import Labels, Lesson, LoadedPage, NotLearned, Workspace, labels_of, open_workspace
from extraction.services.rules import rules
from extraction.services.rules.effects import effect_report

FILL_S = 2.0
"""Pages are loaded for so long between two signs of life."""


def start(cluster: Cluster, user: User | None = None) -> Run:
    """A run that learns the cluster's rule. Raises JobError when nothing is marked that it could learn from."""
    _marked(cluster, labels_of(cluster), row_labels_of(cluster))
    return runs.start(Run.Kind.LEARN, cluster.site, cluster=cluster, unit="steps", user=user)


def run(run: Run, progress: Progress) -> RunSummary:
    """Learns all attributes that have labels, checks each against its labels, writes a draft with its report."""
    cluster = run.cluster
    if cluster is None:
        raise JobError("The template no longer exists.")
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
    learned = RuleDefinition(tuple(lesson.rule for lesson in lessons.values()), tuple(lesson.rule for lesson in lists))
    value = carried_values.beside(cluster, learned, {failure.attribute for failure in failed})
    effect = effect_report(cluster, value, progress=progress, done=progress.run.done)
    entries = [_list_entry(lesson, effect, _unlike_offer(cluster, space, marked_lists, lesson)) for lesson in lists]
    report = _report(lessons, entries, failed, effect, learning_pages=len(space.pages))
    report = carried_values.report(cluster, value, report, effect)
    report = replace(report, explained=explanations.report(cluster, space, value, attributes, labels, progress))
    rule = rules.add_draft(cluster, value, report=report, origin=Rule.Origin.LEARNED, user=run.created_by)
    return RunSummary(rule=rule.pk, version=rule.version, attributes=len(value.every), failed=len(failed))


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
        raise JobError(f"{cluster.label} has no record type yet. Choose one first.")
    schema = Attribute.objects.of_cluster(cluster).of_page()
    marked = [attribute for attribute in schema if any(labels.get(attribute.pk, {}).values())]
    lists = [each for each in RecordList.objects.filter(record_type_id=cluster.record_type_id) if row_labels.get(each.pk)]
    if not marked and not lists:
        broke = " in their new design" if designs.breaks(cluster.pk) else ""
        raise JobError(f"No values are marked on the pages of {cluster.label}{broke} yet.")
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
        sheet = xslt.Stylesheet.compile(xslt.stylesheet(RuleDefinition((lesson.rule,))))
    except RuleError as error:
        return _Failure(name, f"{name}: {error}")
    for snapshot_id, places in sorted(labels.items()):
        page = space.pages.get(snapshot_id)
        if page is None:
            continue  # it cannot be read any more, so nothing can be said of it
        try:
            given = apply.extract(sheet, page.root).values.get(name, ())
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
        return "a marked place is no longer on the page"
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
    lessons: Mapping[int, Lesson], lists: Sequence[ListReport], failed: Sequence[_Failure], effect: RuleReport, *, learning_pages: int
) -> RuleReport:
    """The report of a rule, in the record type's order."""
    counted = {each.name: each for each in effect.attributes}
    names = {lesson.rule.name: lesson for lesson in lessons.values()}
    entries = [replace(counted[name], alternatives=_said(lesson.learned.alternatives)) for name, lesson in names.items()]
    return replace(effect, learning_pages=learning_pages, attributes=tuple(entries), lists=tuple(lists), failed=tuple(map(_failed, failed)))


def _unlike_offer(cluster: Cluster, space: Workspace, lists: Sequence[RecordList], lesson: ListLesson) -> OfferDifference | None:
    """Where the list's rule gives clearly more or fewer rows than the list was offered with."""
    (record_list,) = (each for each in lists if each.name == lesson.rule.name)
    offered = list_offers.offered(cluster, record_list)
    given = {snapshot: len(rows) for snapshot, rows in space.rows(lesson.rule, only=list(offered)).items()} if offered else {}
    return list_offers.difference(offered, given)


def _list_entry(lesson: ListLesson, effect: RuleReport, unlike: OfferDifference | None) -> ListReport:
    fields = {name: field for name, field in lesson.learned.fields.items() if isinstance(field, Learned)}
    columns = (ColumnReport(name=each.name, alternatives=_said(fields[each.name].alternatives)) for each in lesson.rule.attributes)
    counted = next(each for each in effect.lists if each.name == lesson.rule.name)
    return replace(counted, alternatives=_said([lesson.learned.rows]), attributes=tuple(columns), offered=unlike)


def _said(xpaths: Sequence[LearnedXPath]) -> tuple[XPathReport, ...]:
    """What the learner said of each XPath."""
    return tuple(
        XPathReport(xpath=x.xpath, precision=x.precision, distance=x.distance, support=x.support, several=x.several, features=x.features)
        for x in xpaths
    )


def _failed(failure: _Failure) -> FailedAttribute:
    places = tuple(MarkedPlace(snapshot=pk, location=at) for pk, at in failure.places)
    return FailedAttribute(name=failure.attribute, reason=failure.message, snapshot=failure.snapshot_id, url=failure.url, places=places)
