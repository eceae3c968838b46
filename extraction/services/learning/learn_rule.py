"""Learns a cluster's rule from its labels and writes it down as a draft (docs/algorithms.md#rule-learning).

Each attribute is learned separately, so contradictory labels of one attribute do not affect others. What counts is what will run: the
compiled stylesheet has to give exactly the marked values on each labelled page. An attribute that fails this is left out, and the report
names it and the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Attribute, Cluster, RecordList, Rule, Run
from extraction.models.rule_report import Explanation, OfferDifference
from extraction.models.run_values import RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import JobError, Progress
from extraction.services.labels import carried_values, designs, list_offers
from extraction.services.learning import explanations, rule_checks
from extraction.services.learning.learning_report import build_report
from extraction.services.learning.learning_set import RowLabels, read_labels, read_row_labels
from extraction.services.learning.lessons import AttributeLabels, AttributeLesson, LessonProblem, ListLesson, list_row_attributes
from extraction.services.learning.unmarked_finds import UnmarkedFinds
from extraction.services.learning.workspaces import Workspace, open_workspace
from extraction.services.rules import rules
from extraction.services.rules.effects import count_effects
from extraction.services.suggestions import page_data

FILL_S = 2.0
"""Pages are loaded for so long between two signs of life."""


def start_learning(cluster: Cluster, user: User | None = None) -> Run:
    """Starts a run that learns the cluster's rule. Raises JobError when nothing is marked that it could learn from."""
    _find_marked(cluster, read_labels(cluster), read_row_labels(cluster))
    return runs.start_run(Run.Kind.LEARN, cluster.site, cluster=cluster, unit="steps", user=user)


def run_learning(run: Run, progress: Progress) -> RunSummary:
    """Learns all attributes and lists that have labels, checks each against its labels, and writes a draft with its report."""
    cluster = run.cluster
    if cluster is None:
        raise JobError(gettext("The template no longer exists."))
    labels, row_labels = read_labels(cluster), read_row_labels(cluster)
    attributes, marked_lists = _find_marked(cluster, labels, row_labels)
    space = open_workspace(cluster)
    _fill(space, progress)
    lessons, failed = _learn_attributes(space, attributes, labels, progress)
    lists, without_rows = _learn_lists(space, marked_lists, row_labels, progress)
    failed += without_rows
    for problem in failed:
        progress.problem(problem.name, problem.message)
    if not lessons and not lists:
        raise JobError(" ".join(f"{problem.message}." for problem in failed))
    learned = RuleDefinition(tuple(lesson.rule for lesson in lessons), tuple(lesson.rule for lesson in lists))
    value = carried_values.add_carried_values(cluster, learned, {problem.name for problem in failed})
    finds = UnmarkedFinds(lessons, {each.name: labels[each.pk] for each in attributes})
    effect = count_effects(cluster, value, progress=progress, done=progress.run.done, also=finds.count)
    lessons = [finds.correct(lesson) for lesson in lessons]
    offers = {lesson.rule.name: _compare_with_offer(cluster, space, marked_lists, lesson) for lesson in lists}
    report = build_report(lessons, lists, failed, effect, offers=offers, urls={pk: page.url for pk, page in space.pages.items()})
    report = carried_values.report_carried_values(cluster, value, report, effect)
    report = replace(report, explained=_explain(cluster, space, value, attributes, labels, progress))
    rule = rules.add_draft(cluster, value, report=report, origin=Rule.Origin.LEARNED, user=run.created_by)
    return RunSummary(rule=rule.pk, version=rule.version, attributes=len(value.every), failed=len(failed))


def _find_marked(
    cluster: Cluster, labels: Mapping[int, AttributeLabels], row_labels: Mapping[int, RowLabels]
) -> tuple[list[Attribute], list[RecordList]]:
    """The pages' own attributes with a place marked on some page, and the lists with a marked row. Raises JobError without any."""
    if cluster.record_type_id is None:
        raise JobError(gettext("%(cluster)s has no record type yet. Choose one first.") % {"cluster": cluster.label})
    schema = Attribute.objects.of_cluster(cluster).of_page()
    marked = [attribute for attribute in schema if any(labels.get(attribute.pk, {}).values())]
    lists = [each for each in RecordList.objects.filter(record_type_id=cluster.record_type_id) if row_labels.get(each.pk)]
    if not marked and not lists:
        if designs.find_breaks(cluster.pk):
            raise JobError(
                gettext("No values are marked on the pages of %(cluster)s in their new design yet.") % {"cluster": cluster.label}
            )
        raise JobError(gettext("No values are marked on the pages of %(cluster)s yet.") % {"cluster": cluster.label})
    return marked, lists


def _fill(space: Workspace, progress: Progress) -> None:
    filling = space.filling
    while not filling.complete:
        filling = space.fill(FILL_S)
        progress(filling.loaded, total=filling.wanted, message="Reading sample pages")


def _learn_attributes(
    space: Workspace, attributes: Sequence[Attribute], labels: Mapping[int, AttributeLabels], progress: Progress
) -> tuple[list[AttributeLesson], list[LessonProblem]]:
    """Return the lessons whose stylesheet gives the labelled values, and the problems of the others: first what could not be learned."""
    learned: list[AttributeLesson] = []
    failed, unfaithful = [], []
    for attribute in attributes:
        progress(progress.run.done, message=f"Learning {attribute.name}")
        lesson = space.learn_attribute(attribute, labels[attribute.pk])
        if isinstance(lesson, LessonProblem):
            failed.append(lesson)
            continue
        wrong = rule_checks.check_attribute(lesson.rule, labels[attribute.pk], space.pages)
        if wrong is None:
            learned.append(lesson)
        else:
            unfaithful.append(wrong)
    return learned, [*failed, *unfaithful]


def _learn_lists(
    space: Workspace, lists: Sequence[RecordList], labels: Mapping[int, RowLabels], progress: Progress
) -> tuple[list[ListLesson], list[LessonProblem]]:
    """Return the lists' lessons whose stylesheet gives exactly the marked rows, and what is wrong with the others."""
    learned: list[ListLesson] = []
    failed: list[LessonProblem] = []
    for record_list in lists:
        progress(progress.run.done, message=f"Learning {record_list.name}")
        lesson = space.learn_list(record_list, labels[record_list.pk])
        if isinstance(lesson, LessonProblem):
            failed.append(lesson)
            continue
        failed += lesson.failed
        names = {attribute.pk: attribute.name for attribute in list_row_attributes(record_list)}
        wrong = rule_checks.check_list(lesson.rule, labels[record_list.pk], names, space.pages)
        if wrong is None:
            learned.append(lesson)
        else:
            failed.append(wrong)
    return learned, failed


def _compare_with_offer(cluster: Cluster, space: Workspace, lists: Sequence[RecordList], lesson: ListLesson) -> OfferDifference | None:
    """Finds where a list's rule gives clearly more or fewer rows than the list was offered with."""
    (record_list,) = (each for each in lists if each.name == lesson.rule.name)
    offered = list_offers.count_offered_rows(cluster, record_list)
    given = {snapshot: len(rows) for snapshot, rows in space.read_rows(lesson.rule, only=list(offered)).items()} if offered else {}
    return list_offers.compare_with_offer(offered, given)


def _explain(
    cluster: Cluster,
    space: Workspace,
    value: RuleDefinition,
    attributes: Sequence[Attribute],
    labels: Mapping[int, AttributeLabels],
    progress: Progress,
) -> dict[str, Explanation]:
    """Return {attribute: why its rule was chosen} for the rule's attributes that have labels."""
    progress(progress.run.done, message="Looking for values that stand out")
    names, voted = {each.name for each in value.attributes}, list(space.pages)
    snapshots = page_data.choose_checked_pages(cluster)
    given = rule_checks.extract_values(value, {snapshot.pk: snapshot for snapshot in snapshots})
    data = page_data.read_embedded_data(snapshots)
    for snapshot in snapshots:
        if data[snapshot.pk].problem:
            progress.problem(snapshot.page.url, f"embedded data: {data[snapshot.pk].problem}")
    items = {pk: each.items for pk, each in data.items()}
    explained = {}
    for attribute in attributes:
        if attribute.name in names:
            values = {pk: list(dict.fromkeys(each.get(attribute.name, ()))) for pk, each in given.items()}
            committee = space.train_committee(attribute, labels[attribute.pk])
            agreement = page_data.measure_agreement(attribute, values, items)
            explained[attribute.name] = explanations.explain_attribute(attribute, committee, values, agreement, voted)
    return explained
