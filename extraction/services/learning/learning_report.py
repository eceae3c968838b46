"""The report of a learning run, kept with the rule that it wrote."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from extraction.algorithms.learning.apriori import Learned, LearnedXPath
from extraction.models.rule_report import (
    AttributeReport,
    ColumnReport,
    FailedAttribute,
    ListReport,
    MarkedPlace,
    OfferDifference,
    RuleReport,
    XPathReport,
)
from extraction.services.learning.lessons import AttributeLesson, LessonProblem, ListLesson


def build_report(
    lessons: Iterable[AttributeLesson],
    lists: Sequence[ListLesson],
    failed: Sequence[LessonProblem],
    effect: RuleReport,
    *,
    offers: Mapping[str, OfferDifference | None],
    urls: Mapping[int, str],
) -> RuleReport:
    """Return the report of what was learned and what the rule gives.

    effect: the figures of `effects.count_effects`.
    offers: {list: how the rows that its rule gives differ from those that the list was offered with}.
    urls: {snapshot id: URL} of the pages that were learned from.
    """
    return replace(
        effect,
        learning_pages=len(urls),
        attributes=tuple(_report_attribute(lesson, effect) for lesson in lessons),
        lists=tuple(_report_list(lesson, effect, offers.get(lesson.rule.name)) for lesson in lists),
        failed=tuple(_report_problem(each, urls) for each in failed),
    )


def _report_attribute(lesson: AttributeLesson, effect: RuleReport) -> AttributeReport:
    counted = next(each for each in effect.attributes if each.name == lesson.rule.name)
    return replace(counted, alternatives=_report_xpaths(lesson.learned.alternatives))


def _report_list(lesson: ListLesson, effect: RuleReport, offered: OfferDifference | None) -> ListReport:
    fields = {name: field for name, field in lesson.learned.fields.items() if isinstance(field, Learned)}
    columns = (ColumnReport(name=each.name, alternatives=_report_xpaths(fields[each.name].alternatives)) for each in lesson.rule.attributes)
    counted = next(each for each in effect.lists if each.name == lesson.rule.name)
    return replace(counted, alternatives=_report_xpaths([lesson.learned.rows]), attributes=tuple(columns), offered=offered)


def _report_xpaths(xpaths: Sequence[LearnedXPath]) -> tuple[XPathReport, ...]:
    """Return what the learner said about each XPath."""
    return tuple(
        XPathReport(
            xpath=each.xpath,
            precision=each.precision,
            distance=each.distance,
            support=each.support,
            several=each.several,
            features=each.features,
            doubt=each.doubt or None,
        )
        for each in xpaths
    )


def _report_problem(problem: LessonProblem, urls: Mapping[int, str]) -> FailedAttribute:
    url = urls.get(problem.snapshot_id, "") if problem.snapshot_id else ""
    places = tuple(MarkedPlace(snapshot=pk, location=at) for pk, at in problem.places)
    return FailedAttribute(name=problem.name, reason=problem.message, snapshot=problem.snapshot_id, url=url, places=places)
