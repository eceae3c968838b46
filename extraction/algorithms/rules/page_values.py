"""What a rule gives on a page becomes the values of a record: cleaned up, read as types, limited, judged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from extraction.algorithms.records.record_origins import Origin, RecordOrigins
from extraction.algorithms.records.record_values import RecordValue, Values
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.apply import Extraction
from extraction.algorithms.rules.readings import AttributeReading, read_attribute_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.values.cleanup.patterns import PatternBudget

MAX_VALUES = 1_000
"""The largest number of values kept per attribute and page. Without a limit, an XPath that selects all texts of a page would fill the
table."""

MAX_READ = 20_000
"""The largest number of texts per attribute and page that are cleaned up and read. Reading a hundred thousand takes a minute."""

MAX_ROWS = 5_000
"""The largest number of rows kept per list and page. Real listings are shorter; an XPath that selects every element of a page is not."""

MAX_REASON = 500
"""Longest `Record.reason` in characters."""

MAX_NOTES = 50
"""The largest number of sentences about what a clean-up dropped on one page."""

PAGE_UNREAD, RULE_UNRUN = "The page cannot be read: ", "The rule cannot be run on this page: "
"""What the reason of a failed record begins with if nothing is known about the values of its page."""

PageState = Literal["complete", "incomplete", "failed"]
"""The values of `Record.State`."""

Rows = Mapping[str, Sequence[Values]]
"""{list: the values of each of its rows}."""


@dataclass(frozen=True, slots=True)
class PageValues:
    """What a record takes from a page. origins: the texts of the page where they differ, and what was cut off on the way."""

    values: Values = field(default_factory=dict)
    rows: Rows = field(default_factory=dict)
    origins: RecordOrigins = field(default_factory=RecordOrigins)


def read_page_values(rule: RuleDefinition, extraction: Extraction, *, base_url: str, language: str | None) -> PageValues:
    """Return the values of a page after clean-up and reading, with at most MAX_VALUES and MAX_ROWS of each kind.

    base_url: the address that relative addresses on the page refer to.
    language: the page's language as a tag, if known.
    """
    entries, notes, budget = list[Origin](), list[str](), PatternBudget()

    def read(each: AttributeRule, raw: Sequence[str], list_name: str = "", row: int | None = None) -> list[RecordValue]:
        if len(raw) > MAX_READ:
            notes.append(f"the page has {len(raw):,} texts for {each.name}, of which {MAX_READ:,} are read")
        reading = read_attribute_values(each, raw[:MAX_READ], base_url=base_url, language=language, budget=budget)
        values, kept = [RecordValue(one.raw, one.value, one.problem) for one in reading.values], reading.page[:MAX_VALUES]
        notes.extend(_list_notes(each.name, reading, len(values) if row is None else 0))
        if each.cleanup and kept != tuple(one.raw for one in values[:MAX_VALUES]):
            entries.append(Origin(each.name, list_name, row, kept))
        return values[:MAX_VALUES]

    given = {each.name: read(each, extraction.values[each.name]) for each in rule.attributes if extraction.values.get(each.name)}
    rows: dict[str, list[Values]] = {}
    for one in rule.lists:
        found = extraction.rows.get(one.name, ())
        if len(found) > MAX_ROWS:
            notes.append(f"{one.name} has {len(found):,} rows, of which {MAX_ROWS:,} are kept")
        rows[one.name] = [
            _without_empty({each.name: read(each, row[each.name], one.name, n) for each in one.attributes if row.get(each.name)})
            for n, row in enumerate(found[:MAX_ROWS])
        ]
    dropped = len(dict.fromkeys(notes)) - MAX_NOTES
    kept_notes = (*tuple(dict.fromkeys(notes))[:MAX_NOTES], *([f"{dropped:,} more notes are left out"] if dropped > 0 else []))
    return PageValues(_without_empty(given), rows, RecordOrigins(tuple(entries), dict(extraction.failed), kept_notes))


def _list_notes(name: str, reading: AttributeReading, count: int) -> Iterator[str]:
    yield from (f"{name}: {problem}" for problem in reading.problems)
    if count > MAX_VALUES:
        yield f"{name} has {count:,} values, of which {MAX_VALUES:,} are kept"


def _without_empty(values: Values) -> dict[str, Sequence[RecordValue]]:
    return {name: many for name, many in values.items() if many}


def judge_record(rule: RuleDefinition, values: Values, rows: Rows, origins: RecordOrigins) -> tuple[PageState, str]:
    """Return the state of a record and, unless it is complete, why in words."""
    if not values and not any(rows.values()):
        return "failed", _shorten("; ".join([*origins.failed.values(), *origins.notes]) or "Nothing was found on the page")
    wrong = list(origins.failed.values())
    for attribute in rule.attributes:
        if attribute.name in origins.failed:
            continue
        count = len(values.get(attribute.name, ()))
        if attribute.mandatory and not count:
            wrong.append(f"{attribute.name} is missing")
        if not attribute.multiple and count > 1:
            wrong.append(f"{attribute.name} has {count:,} values, but only one is allowed")
    for each in rule.lists:
        if each.name not in origins.failed:
            texts = [{name: tuple(one.raw for one in many) for name, many in row.items()} for row in rows.get(each.name, ())]
            wrong += [f"{problem.attribute} {problem.reason}" for problem in apply.find_list_problems(each, texts)]
    wrong += origins.notes
    return ("incomplete", _shorten("; ".join(wrong))) if wrong else ("complete", "")


def _shorten(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…"


def write_search_text(values: Values, rows: Rows) -> str:
    """Return all texts of a record, by which it is searched."""
    every = [values, *(row for many in rows.values() for row in many)]
    return "\n".join(filter(None, map(build_search_text, every)))


def build_search_text(found: Values) -> str:
    """Return all raw values as one text, case folded so that every database can search it without regard to case."""
    return "\n".join(each.raw for many in found.values() for each in many).casefold()
