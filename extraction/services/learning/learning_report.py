"""The report of a learning run, kept with the rule that it wrote."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from extraction.algorithms.learning.apriori import Learned, LearnedXPath
from extraction.models.rule_report import ColumnReport, FailedAttribute, ListReport, MarkedPlace, OfferDifference, RuleReport, XPathReport
from extraction.services.learning.lessons import AttributeLesson, LessonProblem, ListLesson


def build_report(
    lessons: Iterable[AttributeLesson],
    lists: Iterable[ListLesson],
    failed: Sequence[LessonProblem],
    effect: RuleReport,
    urls: Mapping[int, str],
    offered: Mapping[str, OfferDifference | None],
) -> RuleReport:
    """What was learned and what the rule gives.

    effect: of `effects.count_effects`.
    urls: {snapshot id: URL} of the pages that were learned from.
    offered: {list: where its rule gives clearly more or fewer rows than the list was offered with}.
    """
    attributes = {each.name: each for each in effect.attributes}
    counted = {each.name: each for each in effect.lists}
    return replace(
        effect,
        learning_pages=len(urls),
        attributes=tuple(replace(attributes[each.rule.name], alternatives=_report_xpaths(each.learned.alternatives)) for each in lessons),
        lists=tuple(_report_list(each, counted[each.rule.name], offered[each.rule.name]) for each in lists),
        failed=tuple(_report_problem(each, urls) for each in failed),
    )


def _report_list(lesson: ListLesson, counted: ListReport, offered: OfferDifference | None) -> ListReport:
    fields = {name: field for name, field in lesson.learned.fields.items() if isinstance(field, Learned)}
    columns = (ColumnReport(name=each.name, alternatives=_report_xpaths(fields[each.name].alternatives)) for each in lesson.rule.attributes)
    return replace(counted, alternatives=_report_xpaths([lesson.learned.rows]), attributes=tuple(columns), offered=offered)


def _report_xpaths(xpaths: Sequence[LearnedXPath]) -> tuple[XPathReport, ...]:
    """What the learner said of each XPath."""
    return tuple(
        XPathReport(
            xpath=each.xpath,
            precision=each.precision,
            distance=each.distance,
            support=each.support,
            several=each.several,
            features=each.features,
        )
        for each in xpaths
    )


def _report_problem(problem: LessonProblem, urls: Mapping[int, str]) -> FailedAttribute:
    url = urls.get(problem.snapshot_id, "") if problem.snapshot_id else ""
    places = tuple(MarkedPlace(snapshot=pk, location=at) for pk, at in problem.places)
    return FailedAttribute(name=problem.name, reason=problem.message, snapshot=problem.snapshot_id, url=url, places=places)
