"""The record that a rule makes of a page: its values as the types of their attributes, and whether anything is missing.

The dashboard and `vertex_spark` both make their records here, so they are the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lxml import etree

from extraction.algorithms.dom.urls import find_base_address, find_canonical_address
from extraction.algorithms.errors import PageError, RuleError
from extraction.algorithms.records.record_values import RecordValue
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.apply import Extraction
from extraction.algorithms.rules.language import detect_language
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.algorithms.values.read import read_value

MAX_VALUES = 1_000
"""The largest number of values kept per attribute and page. Without a limit, an XPath that selects all texts of a page would fill the
table."""

MAX_ROWS = 5_000
"""The largest number of rows kept per list and page. Real listings are shorter; an XPath that selects every element of a page is not."""

MAX_REASON = 500

PageState = Literal["complete", "incomplete", "failed"]
"""The values of `Record.State`."""

RowValues = dict[str, list[RecordValue]]


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What a rule gave on a page.

    reason: why the record is incomplete or failed, at most MAX_REASON characters; empty for a complete one.
    values: {attribute: its values}. Attributes without a value are missing.
    rows: {list: the values of each of its rows}.
    canonical: the address that the page gives as its own; empty if it gives none.
    """

    state: PageState
    reason: str = ""
    values: RowValues = field(default_factory=dict)
    rows: dict[str, list[RowValues]] = field(default_factory=dict)
    canonical: str = ""


def make_record(
    definition: RuleDefinition, sheet: Stylesheet, read: Callable[[], etree._Element], *, url: str, error: str = ""
) -> PageRecord:
    """Return the record that the rule makes of the page; a failed one has the reason.

    sheet: the rule's stylesheet.
    read: returns the page's tree; raises PageError.
    url: the page's address.
    error: why the page cannot be read, if that is known already. It is not read then.
    """
    try:
        if error:
            raise PageError(error)
        return _make_readable(definition, sheet, read(), url)
    except PageError as reason:
        return PageRecord("failed", _cut(f"The page cannot be read: {reason}"))
    except RuleError as reason:
        return PageRecord("failed", _cut(f"The rule cannot be run on this page: {reason}"))


def _make_readable(definition: RuleDefinition, sheet: Stylesheet, root: etree._Element, url: str) -> PageRecord:
    extraction = apply.extract_values(sheet, root)
    raw = extraction.values
    base, language = find_base_address(root, url), detect_language(root, url)
    given = [each for each in definition.attributes if raw.get(each.name)]
    found = {each.name: _typed(each, raw[each.name], base_url=base, language=language) for each in given}
    rows = {
        each.name: [_typed_row(each, row, base_url=base, language=language) for row in extraction.rows.get(each.name, ())]
        for each in definition.lists
    }
    counts = {name: len(many) for name, many in found.items()}
    state, reason = _judge_record(definition, counts, {name: many for name, many in rows.items() if many}, extraction)
    return PageRecord(
        state,
        _cut(reason),
        {name: many[:MAX_VALUES] for name, many in found.items()},
        {name: many[:MAX_ROWS] for name, many in rows.items()},
        find_canonical_address(root, url),
    )


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…"


def _typed(attribute: AttributeRule, raw: Sequence[str], *, base_url: str, language: str | None) -> list[RecordValue]:
    """Read the values as the type of the attribute. Equal values of a single-valued attribute become one."""
    kept = raw if attribute.multiple else list(dict.fromkeys(raw))
    read = (read_value(each, attribute.type, base_url=base_url, language=language, column=attribute.column) for each in kept)
    return [RecordValue(each.raw, each.value, each.problem) for each in read]


def _typed_row(each: ListRule, row: Mapping[str, tuple[str, ...]], *, base_url: str, language: str | None) -> RowValues:
    """Read the values of a row as the types of their attributes; leave out attributes without a value."""
    given = [attribute for attribute in each.attributes if row.get(attribute.name)]
    return {one.name: _typed(one, row[one.name], base_url=base_url, language=language)[:MAX_VALUES] for one in given}


def _judge_record(
    rule: RuleDefinition, counts: Mapping[str, int], rows: Mapping[str, Sequence[Any]], extraction: Extraction
) -> tuple[PageState, str]:
    failed = extraction.failed
    if not counts and not rows:
        return "failed", "; ".join(failed.values()) or "Nothing was found on the page"
    wrong = list(failed.values())
    for attribute in rule.attributes:
        if attribute.name in failed:
            continue
        count = counts.get(attribute.name, 0)
        if attribute.mandatory and not count:
            wrong.append(f"{attribute.name} is missing")
        if not attribute.multiple and count > 1:
            wrong.append(f"{attribute.name} has {count:,} values, but only one is allowed")
        if count > MAX_VALUES:
            wrong.append(f"{attribute.name} has {count:,} values, of which {MAX_VALUES:,} are kept")
    for each in rule.lists:
        if each.name not in failed:
            wrong += [
                f"{problem.attribute} {problem.reason}" for problem in apply.find_list_problems(each, extraction.rows.get(each.name, ()))
            ]
        if len(rows.get(each.name, ())) > MAX_ROWS:
            wrong.append(f"{each.name} has {len(rows[each.name]):,} rows, of which {MAX_ROWS:,} are kept")
    return ("incomplete", "; ".join(wrong)) if wrong else ("complete", "")
