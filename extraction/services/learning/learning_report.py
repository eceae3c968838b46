"""The report of a learning run, as JSON values, kept with the rule that it wrote."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extraction.algorithms.learning.apriori import Learned, LearnedXPath
from extraction.services.learning.lessons import AttributeLesson, LessonProblem, ListLesson


def build_report(
    lessons: Iterable[AttributeLesson],
    lists: Sequence[ListLesson],
    failed: Sequence[LessonProblem],
    effect: Mapping[str, Any],
    urls: Mapping[int, str],
) -> dict[str, Any]:
    """What was learned and what the rule gives.

    effect: of `effects.effect_report`.
    urls: {snapshot id: URL} of the pages that were learned from.

    {"pages", "checked", "unreadable", "learning_pages",
    "attributes": [{"name", "alternatives": [{"xpath", "precision", "distance", "support", "several", "features"}], and its figures}],
    "lists": [{"name", "alternatives", and its figures, "attributes": [{"name", "alternatives"}]}],
    "failed": [{"name", "reason", "snapshot", "url", "places": [{"snapshot", "location"}]}]}
    """
    return {
        "pages": effect["pages"],
        "checked": effect["checked"],
        "unreadable": effect["unreadable"],
        "learning_pages": len(urls),
        "attributes": [_attribute_entry(lesson, effect) for lesson in lessons],
        "lists": [_list_entry(lesson, effect) for lesson in lists],
        "failed": [_problem_entry(each, urls) for each in failed],
    }


def _attribute_entry(lesson: AttributeLesson, effect: Mapping[str, Any]) -> dict[str, Any]:
    figures = effect["attributes"][lesson.rule.name]
    alternatives = _xpath_entries(lesson.learned.alternatives)
    return {"name": lesson.rule.name, "alternatives": alternatives, "checked": effect["checked"], **figures}


def _list_entry(lesson: ListLesson, effect: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: field for name, field in lesson.learned.fields.items() if isinstance(field, Learned)}
    attributes = [{"name": each.name, "alternatives": _xpath_entries(fields[each.name].alternatives)} for each in lesson.rule.attributes]
    figures = effect["lists"][lesson.rule.name]
    return {
        "name": lesson.rule.name,
        "alternatives": _xpath_entries([lesson.learned.rows]),
        "checked": effect["checked"],
        **figures,
        "attributes": attributes,
    }


def _xpath_entries(xpaths: Sequence[LearnedXPath]) -> list[dict[str, Any]]:
    """What the learner said of each XPath."""
    return [
        {
            "xpath": each.xpath,
            "precision": each.precision,
            "distance": each.distance,
            "support": each.support,
            "several": each.several,
            "features": list(each.features),
        }
        for each in xpaths
    ]


def _problem_entry(problem: LessonProblem, urls: Mapping[int, str]) -> dict[str, Any]:
    url = urls.get(problem.snapshot_id, "") if problem.snapshot_id else ""
    places = [{"snapshot": pk, "location": at.as_json()} for pk, at in problem.places]
    return {"name": problem.name, "reason": problem.message, "snapshot": problem.snapshot_id, "url": url, "places": places}
