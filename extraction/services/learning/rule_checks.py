"""What a learned rule gives when it runs as it will run later: as a compiled stylesheet."""

from collections.abc import Mapping, Sequence

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.services.core import stored_pages
from extraction.services.core.stored_pages import Stored
from extraction.services.learning.learning_set import LoadedPage, RowLabels
from extraction.services.learning.lessons import AttributeLabels, LessonProblem

SHOWN_CHARS = 60
"""The number of characters of a value that a message quotes."""


def check_attribute(rule: AttributeRule, labels: AttributeLabels, pages: Mapping[int, LoadedPage]) -> LessonProblem | None:
    """Return what is wrong if the rule does not give exactly the labelled values on every labelled page, else None.

    pages: the pages in memory. A page that can no longer be read is not among them and is not checked.
    """
    name = rule.name
    try:
        sheet = _compile(RuleDefinition((rule,)))
    except RuleError as error:
        return LessonProblem(name, f"{name}: {error}")
    for snapshot_id, places in sorted(labels.items()):
        page = pages.get(snapshot_id)
        if page is None:
            continue
        try:
            wrong = _compare(page, places, apply.extract_values(sheet, page.root).values.get(name, ()))
        except RuleError as error:
            wrong = str(error)
        if wrong:
            return LessonProblem(name, f"{name}: {wrong} ({page.url})", snapshot_id)
    return None


def check_list(rule: ListRule, labels: RowLabels, names: Mapping[int, str], pages: Mapping[int, LoadedPage]) -> LessonProblem | None:
    """Return a labelled row that the list's rule does not give exactly, or None. names: the attributes' names by id."""
    sheet = _compile(RuleDefinition((), (rule,)))
    kept = {attribute.name for attribute in rule.attributes}
    for snapshot_id, rows in sorted(labels.items()):
        page = pages.get(snapshot_id)
        if page is None:
            continue
        try:
            given = apply.extract_values(sheet, page.root).rows.get(rule.name, ())
        except RuleError as error:
            return LessonProblem(rule.name, f"{rule.name}: {error} ({page.url})", snapshot_id)
        for number, row in sorted(rows.items()):
            wanted = {names[pk]: [page.find_value(at) or "" for at in places] for pk, places in row.items() if names.get(pk) in kept}
            if any(wanted.values()) and not any(all(set(each[n]) == set(v) for n, v in wanted.items()) for each in given):
                message = f"{rule.name}: the rule does not give row {number} as it was marked ({page.url})"
                return LessonProblem(rule.name, message, snapshot_id)
    return None


def extract_values(rule: RuleDefinition, pages: Mapping[int, Stored]) -> dict[int, Mapping[str, Sequence[str]]]:
    """Return {snapshot id: {attribute: values}} that a rule gives on stored pages. Pages that cannot be read are left out."""
    sheet = _compile(rule)
    found: dict[int, Mapping[str, Sequence[str]]] = {}
    for pk, page in pages.items():
        try:
            found[pk] = apply.extract_values(sheet, stored_pages.read_root(page)).values
        except (PageError, RuleError, XPathError):
            continue
    return found


def _compile(rule: RuleDefinition) -> xslt.Stylesheet:
    return xslt.Stylesheet.compile(xslt.write_stylesheet(rule))


def _compare(page: LoadedPage, places: Sequence[Location], given: Sequence[str]) -> str:
    """Says in words how the given values differ from the marked ones; empty if they are the same."""
    marked = [page.find_value(place) for place in places]
    if None in marked:
        return "a marked place is no longer on the page"
    missing = [each for each in marked if each and each not in given]
    if missing:
        return f"“{_shorten(missing[0])}” is marked, but the rule gives {_show(given)}"
    extra = [each for each in given if each not in marked]
    if extra and not places:
        return f"it is marked as not on this page, but the rule gives {_show(extra)}"
    return f"the rule also gives {_show(extra)}, which is not marked" if extra else ""


def _show(values: Sequence[str]) -> str:
    more = f" and {len(values) - 1} more" if len(values) > 1 else ""
    return f"“{_shorten(values[0])}”{more}" if values else "nothing"


def _shorten(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
