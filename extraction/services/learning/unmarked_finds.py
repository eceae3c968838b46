"""Check on all pages of a template what the learner saw on a few: XPaths that find nothing but the marked values.

The learner reads the marked pages and some others. If a few pages of a large template have an attribute, none of them may be among these.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from lxml import etree

from extraction.algorithms.learning.learned import LearnedXPath
from extraction.algorithms.rules.apply import read_attribute
from extraction.algorithms.rules.rule import Selector
from extraction.services.learning.lessons import AttributeLesson


class UnmarkedFinds:
    """Counts the pages on which XPaths find something and the attribute is not marked.

    Only XPaths are counted that are doubtful because they found nothing on the unmarked pages that were learned from.
    """

    def __init__(self, lessons: Iterable[AttributeLesson], marked: Mapping[str, Collection[int]]) -> None:
        """marked: {attribute: the snapshots on which a person said what its value is}."""
        self._marked = marked
        self._alone = {
            (lesson.rule.name, each.xpath): replace(lesson.rule, alternatives=(Selector(each.xpath, each.part),))
            for lesson in lessons
            for each in lesson.learned.alternatives
            if _found_nothing(each)
        }
        self._pages = dict.fromkeys(self._alone, 0)
        self._hits = dict.fromkeys(self._alone, 0)

    def count(self, snapshot_id: int, root: etree._Element) -> None:
        """Count a page."""
        for key, rule in self._alone.items():
            if snapshot_id not in self._marked.get(key[0], ()):
                self._pages[key] += 1
                self._hits[key] += bool(read_attribute(rule, root))

    def correct(self, lesson: AttributeLesson) -> AttributeLesson:
        """Return the lesson without the doubts that the counted pages refute, with the support that they showed."""
        alternatives = tuple(self._correct(lesson.rule.name, each) for each in lesson.learned.alternatives)
        return replace(lesson, learned=replace(lesson.learned, alternatives=alternatives))

    def _correct(self, name: str, found: LearnedXPath) -> LearnedXPath:
        hits = self._hits.get((name, found.xpath), 0)
        return replace(found, support=hits / self._pages[name, found.xpath], doubt="") if hits else found


def _found_nothing(found: LearnedXPath) -> bool:
    return bool(found.doubt) and not found.support
