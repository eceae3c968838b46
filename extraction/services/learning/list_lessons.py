"""What is learned of a list from its marked rows, and what its rule gives (ALGORITHMS 4, repeating records)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.apriori import Learned
from extraction.algorithms.learning.apriori import NotLearned as NoRule
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.records import Field, LearnedRecords, MarkedRow, learn_records
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Attribute, RecordList
from extraction.services.learning.learning_set import LoadedPage, RowLabels

Rows = list[dict[str, list[tuple[Location, str]]]]
"""The rows of a list on a page: {attribute: places and values} of each."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why nothing could be learned of a list or of one of its attributes; the message names it, and the page by its URL."""

    name: str
    message: str
    snapshot_id: int | None = None


@dataclass(frozen=True, slots=True)
class ListLesson:
    """The rule of a list, what the learner said of it, and the attributes that it could not learn."""

    rule: ListRule
    learned: LearnedRecords
    failed: tuple[Problem, ...] = ()


def attributes_of(record_list: RecordList) -> list[Attribute]:
    """The attributes of a list's rows, in their order."""
    return list(Attribute.objects.filter(list=record_list))


def learn(
    record_list: RecordList,
    attributes: Sequence[Attribute],
    labels: RowLabels,
    pages: Sequence[LoadedPage],
    corpus: Corpus,
    *,
    whole: Collection[int] = (),
) -> ListLesson | Problem:
    """The rule of a list. pages: those of the corpus, in its order; labels of other pages are left out.

    whole: snapshots of which all rows are marked.
    """
    place = {page.snapshot_id: number for number, page in enumerate(pages)}
    names = {attribute.pk: attribute.name for attribute in attributes}
    rows = [
        MarkedRow(place[page], {names[pk]: said for pk, said in row.items() if pk in names})
        for page, many in sorted(labels.items())
        if page in place
        for _, row in sorted(many.items())
    ]
    marked = [each for each in attributes if any(row.fields.get(each.name) for row in rows)]
    found = learn_records(
        corpus, rows, [Field(each.name, each.multiple, each.mandatory) for each in marked], whole=[place[pk] for pk in whole if pk in place]
    )
    if isinstance(found, NoRule):
        return _problem(record_list.name, found, pages)
    rules, failed = [], []
    for attribute in marked:
        field = found.fields[attribute.name]
        if isinstance(field, Learned):
            rules.append(_rule(attribute, tuple(Selector(each.xpath, each.part) for each in field.alternatives)))
        else:
            failed.append(_problem(attribute.name, field, pages))
    return ListLesson(ListRule(record_list.name, (Selector(found.rows.xpath),), tuple(rules)), found, tuple(failed))


def rows_on(rule: ListRule, page: LoadedPage) -> Rows:
    """The rows that a rule gives on a page."""
    return [{name: list(places) for name, places in row.items()} for row in apply.row_places(rule, page.root, page.index)]


def unfaithful(rule: ListRule, labels: RowLabels, names: Mapping[int, str], pages: Mapping[int, LoadedPage]) -> Problem | None:
    """What is wrong with a list's stylesheet on the labelled pages: a marked row that it does not give just so; None if nothing is."""
    sheet = xslt.Stylesheet.compile(xslt.stylesheet(RuleDefinition((), (rule,))))
    kept = {attribute.name for attribute in rule.attributes}
    for snapshot_id, rows in sorted(labels.items()):
        page = pages.get(snapshot_id)
        if page is None:
            continue  # it cannot be read any more, so nothing can be said of it
        try:
            given = apply.extract(sheet, page.root).rows.get(rule.name, ())
        except RuleError as error:
            return Problem(rule.name, f"{rule.name}: {error} ({page.url})", snapshot_id)
        for number, row in sorted(rows.items()):
            wanted = {names[pk]: _values(page, places) for pk, places in row.items() if names.get(pk) in kept}
            if any(wanted.values()) and not any(all(set(each[n]) == set(v) for n, v in wanted.items()) for each in given):
                return Problem(rule.name, f"{rule.name}: the rule does not give row {number} as it was marked ({page.url})", snapshot_id)
    return None


def _values(page: LoadedPage, places: Sequence[Location]) -> list[str]:
    return [value(page.nodes, place) or "" for place in places]


def _problem(name: str, found: NoRule, pages: Sequence[LoadedPage]) -> Problem:
    page = None if found.page is None else pages[found.page]
    where = f" ({page.url})" if page else ""
    return Problem(name, f"{name}: {found.reason}{where}", page.snapshot_id if page else None)


def _rule(attribute: Attribute, alternatives: tuple[Selector, ...]) -> AttributeRule:
    return AttributeRule(attribute.name, attribute.type, attribute.multiple, attribute.mandatory, alternatives)  # type: ignore[arg-type]
