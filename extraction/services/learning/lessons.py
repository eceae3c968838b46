"""What labels teach: an attribute's rule, a list's rule, and the rules that fit about as well (docs/algorithms.md#rule-learning).

Lessons are kept, so asking again costs nothing.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from cachetools import LRUCache

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning import apriori
from extraction.algorithms.learning.committee import Committee, train_committee
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.records import LearnedRecords, MarkedRow, RowField, learn_records
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from extraction.algorithms.values.column import fits_type
from extraction.models import Attribute, RecordList
from extraction.services.learning.learning_set import LoadedPage, RowLabels
from extraction.services.learning.refused_rows import find_refused_rows
from extraction.services.rules.definitions import build_attribute_rule

AttributeLabels = Mapping[int, Sequence[Location]]
"""{snapshot id: places of one attribute}; () says that it is not on that page."""

MAX_LESSONS, MAX_COMMITTEES = 500, 100
"""The largest numbers of lessons (of attributes and of lists) and of committees that are kept for a cluster."""


@dataclass(frozen=True, slots=True)
class AttributeLesson:
    """What was learned about an attribute: its rule and, for the report, what the learner said about each XPath."""

    rule: AttributeRule
    learned: apriori.Learned


@dataclass(frozen=True, slots=True)
class LessonProblem:
    """Why no rule could be learned for an attribute or a list.

    name: the name of the attribute or list.
    message: names the attribute or list and, if one page is to blame, that page's URL.
    snapshot_id: that page.
    places: (snapshot id, place) of the labels that do not fit together.
    """

    name: str
    message: str
    snapshot_id: int | None = None
    places: tuple[tuple[int, Location], ...] = ()


@dataclass(frozen=True, slots=True)
class ListLesson:
    """The rule of a list, what the learner said about it, and the attributes that could not be learned."""

    rule: ListRule
    learned: LearnedRecords
    failed: tuple[LessonProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeTask:
    """An attribute to be learned from its labels and the pages in memory. Tasks with equal keys have equal lessons."""

    attribute: Attribute
    labels: AttributeLabels
    pages: Mapping[int, LoadedPage]
    key: Hashable

    @classmethod
    def make(cls, attribute: Attribute, labels: AttributeLabels, pages: Mapping[int, LoadedPage]) -> "AttributeTask":
        """The task with its key."""
        said = tuple(sorted((pk, tuple(places)) for pk, places in labels.items()))
        kind = (attribute.pk, attribute.name, attribute.type, attribute.multiple, attribute.mandatory)
        return cls(attribute, dict(said), pages, (kind, said, tuple(pages)))


@dataclass(frozen=True, slots=True)
class ListTask:
    """A list to be learned from its marked rows and the pages in memory. whole: snapshots of which all rows are marked."""

    record_list: RecordList
    attributes: Sequence[Attribute]
    labels: RowLabels
    pages: Mapping[int, LoadedPage]
    whole: tuple[int, ...]
    key: Hashable

    @classmethod
    def make(
        cls,
        record_list: RecordList,
        attributes: Sequence[Attribute],
        labels: RowLabels,
        pages: Mapping[int, LoadedPage],
        whole: tuple[int, ...],
    ) -> "ListTask":
        """The task with its key."""
        kinds = tuple((each.pk, each.name, each.type, each.multiple, each.mandatory) for each in attributes)
        return cls(record_list, attributes, labels, pages, whole, (record_list.name, kinds, repr(labels), whole, tuple(pages)))


class Lessons:
    """The lessons of one cluster. Each `learn_…` stores its answer, and each `find_…` returns it while it is stored."""

    def __init__(self) -> None:
        self._attributes: LRUCache[Hashable, AttributeLesson | LessonProblem] = LRUCache(MAX_LESSONS)
        self._lists: LRUCache[Hashable, ListLesson | LessonProblem] = LRUCache(MAX_LESSONS)
        self._committees: LRUCache[Hashable, Committee] = LRUCache(MAX_COMMITTEES)

    def find_attribute(self, task: AttributeTask) -> AttributeLesson | LessonProblem | None:
        """Return what was learned about an attribute before."""
        return self._attributes.get(task.key)

    def learn_attribute(self, task: AttributeTask, corpus: Corpus) -> AttributeLesson | LessonProblem:
        """Learns an attribute's rule. corpus: the corpus of the task's pages."""
        lesson = self._attributes[task.key] = _learn_attribute(task, corpus)
        return lesson

    def find_list(self, task: ListTask) -> ListLesson | LessonProblem | None:
        """Return what was learned about a list before."""
        return self._lists.get(task.key)

    def learn_list(self, task: ListTask, corpus: Corpus) -> ListLesson | LessonProblem:
        """Learns a list's rule. corpus: the corpus of the task's pages."""
        lesson = self._lists[task.key] = _learn_list(task, corpus)
        return lesson

    def find_committee(self, task: AttributeTask) -> Committee | None:
        """Return the committee that was trained before."""
        return self._committees.get(task.key)

    def train_committee(self, task: AttributeTask, corpus: Corpus) -> Committee:
        """Return the rules that fit about as well, none if nothing can be learned. Votes are in the order of the task's pages."""
        committee = self._committees[task.key] = _train_committee(task, corpus)
        return committee


def list_row_attributes(record_list: RecordList) -> list[Attribute]:
    """The attributes of a list's rows, in their order."""
    return list(Attribute.objects.filter(list=record_list))


def find_reader(attribute: Attribute) -> Callable[[str], bool] | None:
    """A test whether a text can be read as the attribute's type; None where any text can."""
    kind = attribute.type
    if kind in (Attribute.Type.TEXT, Attribute.Type.URL, Attribute.Type.IMAGE):
        return None
    return lambda text: fits_type(text, kind)  # type: ignore[arg-type]


def _learn_attribute(task: AttributeTask, corpus: Corpus) -> AttributeLesson | LessonProblem:
    attribute, examples = task.attribute, _make_examples(task)
    if not any(example.locations for example in examples):
        return LessonProblem(attribute.name, f"{attribute.name}: no value is marked on a readable page")
    reads = find_reader(attribute)
    found = apriori.learn_attribute(corpus, examples, multiple=attribute.multiple, mandatory=attribute.mandatory, reads=reads)
    if isinstance(found, apriori.NotLearned):
        ids = list(task.pages)
        places = tuple((ids[number], location) for number, location in found.places)
        return replace(_make_problem(attribute.name, found, list(task.pages.values())), places=places)
    return AttributeLesson(_make_rule(attribute, found), found)


def _learn_list(task: ListTask, corpus: Corpus) -> ListLesson | LessonProblem:
    """The rule of a list. Labels of pages that are not loaded are left out."""
    pages, name = list(task.pages.values()), task.record_list.name
    place = {page.snapshot_id: number for number, page in enumerate(pages)}
    names = {attribute.pk: attribute.name for attribute in task.attributes}
    rows = [
        MarkedRow(place[page], {names[pk]: said for pk, said in row.items() if pk in names})
        for page, many in sorted(task.labels.items())
        if page in place
        for _, row in sorted(many.items())
    ]
    marked = [each for each in task.attributes if any(row.fields.get(each.name) for row in rows)]
    fields = [RowField(each.name, each.multiple, each.mandatory, find_reader(each)) for each in marked]
    whole = [place[pk] for pk in task.whole if pk in place]
    found = learn_records(corpus, rows, fields, whole=whole)
    refused = {} if isinstance(found, apriori.NotLearned) else _find_refused(task, place, found.rows.xpath)
    if refused:
        found = learn_records(corpus, rows, fields, whole=whole, refused=refused)
    if isinstance(found, apriori.NotLearned):
        return _make_problem(name, found, pages)
    rules, failed = [], []
    for attribute in marked:
        field = found.fields[attribute.name]
        if isinstance(field, apriori.Learned):
            rules.append(_make_rule(attribute, field))
        else:
            failed.append(_make_problem(attribute.name, field, pages))
    return ListLesson(ListRule(name, (Selector(found.rows.xpath),), tuple(rules)), found, tuple(failed))


def _find_refused(task: ListTask, place: Mapping[int, int], xpath: str) -> dict[int, list[int]]:
    """Return {number of a page: elements that are said to be no rows}.

    place: {snapshot id: number of the page}.
    xpath: that of the rows.
    """
    found = {
        place[pk]: find_refused_rows(task.pages[pk], rows, len(task.attributes), xpath) for pk, rows in task.labels.items() if pk in place
    }
    return {page: nodes for page, nodes in found.items() if nodes}


def _make_rule(attribute: Attribute, learned: apriori.Learned) -> AttributeRule:
    return build_attribute_rule(attribute, tuple(Selector(each.xpath, each.part) for each in learned.alternatives))


def _make_problem(name: str, found: apriori.NotLearned, pages: Sequence[LoadedPage]) -> LessonProblem:
    page = None if found.page is None else pages[found.page]
    where = f" ({page.url})" if page else ""
    return LessonProblem(name, f"{name}: {found.reason}{where}", page.snapshot_id if page else None)


def _train_committee(task: AttributeTask, corpus: Corpus) -> Committee:
    attribute, examples = task.attribute, _make_examples(task)
    if not any(example.locations for example in examples):
        return Committee(())
    reads = find_reader(attribute)
    found = train_committee(corpus, examples, multiple=attribute.multiple, mandatory=attribute.mandatory, reads=reads)
    return found if isinstance(found, Committee) else Committee(())


def _make_examples(task: AttributeTask) -> list[apriori.Example]:
    ids = list(task.pages)
    return [apriori.Example(ids.index(pk), tuple(places)) for pk, places in task.labels.items() if pk in task.pages]
