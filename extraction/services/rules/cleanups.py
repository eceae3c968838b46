"""The clean-up of an attribute's values: tried on the values that are known, and saved as a new version of the rule."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.rules.readings import read_attribute_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.values.cleanup.chain import Cleaned, CleanupStep, trace_cleanup
from extraction.algorithms.values.column import learn_evidence
from extraction.algorithms.values.reading import TypedValue
from extraction.models import Cluster, Record, Rule
from extraction.models.rule_report import DoubtReport
from extraction.services.core.percent import write_number
from extraction.services.rules import rules
from extraction.services.rules.cleanup_chains import find_attribute, replace_cleanup
from extraction.services.rules.columns import read_preview_rows

MAX_GROUPS = 1_000
"""The largest number of pages or rows whose values a chain is tried on. A preview should take less than a second."""

LIMIT_S = 3.0
"""A preview stops after this time and says on how many values the chain was tried. Only patterns on very long texts take so long."""

MAX_SHOWN = 100
"""The largest number of rows of a preview. They are the odd ones first."""

MAX_CHARACTERS = 300
"""Characters of a value that the preview shows."""

Outcome = Literal["failed", "empty", "unread", "changed", "unchanged"]

ORDER: tuple[Outcome, ...] = ("failed", "empty", "unread", "changed", "unchanged")
"""The outcomes, the odd ones first."""

Column = Mapping[tuple[str, ...], int]
"""{the values that an attribute has on a page or in a row, as on the page: on how many}."""


@dataclass(frozen=True, slots=True)
class CleanupPreviewRow:
    """What a chain makes of the values that some pages or rows have.

    raw: the values on the page.
    stages: the values after each step.
    read: the values after the last step, read as the type of the attribute.
    count: how many pages or rows have these values.
    outcome: failed: a step could not work on a value; empty: nothing is left; unread: a value cannot be read as its type.
    reason: why, in words, for the first three.
    """

    raw: tuple[str, ...]
    stages: tuple[tuple[str, ...], ...]
    read: tuple[TypedValue, ...]
    count: int
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CleanupPreview:
    """A chain tried on a column.

    rows: the odd ones first, at most MAX_SHOWN.
    counts: {outcome: how many pages or rows}, in the order of ORDER.
    total: how many pages or rows it was tried on; known: of how many the values are known.
    distinct: how many of them differ.
    by_records: the values come from records; otherwise from sample pages.
    """

    rows: tuple[CleanupPreviewRow, ...]
    counts: Mapping[str, int]
    total: int
    known: int
    distinct: int
    by_records: bool


def preview_cleanup(rule: Rule, name: str, steps: Sequence[CleanupStep]) -> CleanupPreview:
    """Try a chain on the values of an attribute. Nothing is saved. Raises RuleError or XPathError if the version cannot be run.

    The values are those of the template's records, or those of sample pages if no record has any. The types are read with what the cleaned
    values show together, as they will be when the chain is saved.
    """
    definition = rule.read_definition()
    attribute = find_attribute(definition, name)
    column, by_records = read_column(rule, definition, name)
    known = sum(column.values())
    groups, cleaned = _limit(column), dict[tuple[str, ...], Cleaned]()
    until = time.monotonic() + LIMIT_S
    for raw in groups:
        cleaned[raw] = trace_cleanup(raw, steps)
        if time.monotonic() > until:
            break
    groups = {raw: groups[raw] for raw in cleaned}
    evidence = learn_evidence((text for each in cleaned.values() for text in each.values), attribute.type)
    changed = replace(attribute, cleanup=tuple(steps), column=evidence)
    rows = [_make_row(changed, raw, cleaned[raw], count) for raw, count in groups.items()]
    counts = Counter[str]()
    for row in rows:
        counts[row.outcome] += row.count
    shown = [_shorten(row) for row in _sort_rows(rows)[:MAX_SHOWN]]
    return CleanupPreview(
        tuple(shown), {each: counts[each] for each in ORDER}, sum(groups.values()), known, len(rows), by_records=by_records
    )


def save_cleanup(rule: Rule, name: str, steps: Sequence[CleanupStep], user: User | None = None) -> Rule:
    """Save a new draft: the version with another chain for one attribute.

    Raises RuleError or XPathError if the version cannot be run or lacks the attribute.
    """
    definition = rule.read_definition()
    find_attribute(definition, name)
    value = replace_cleanup(definition, name, tuple(steps))
    old = rule.read_report()
    tried = preview_cleanup(rule, name, steps)
    left = [each for each in old.doubts if each.attribute != name or each.kind not in ("unread", "unlike")]
    left += _describe_unread(tried, name)
    report = replace(old, edited_from=rule.version, doubts=tuple(left))
    return rules.add_draft(rule.cluster, value, report=report, origin=Rule.Origin.EDITED, user=user)


def _describe_unread(tried: CleanupPreview, name: str) -> list[DoubtReport]:
    """Return the doubt about values that the chain leaves unread, if there are any."""
    wrong = tried.counts["failed"] + tried.counts["unread"]
    if not wrong:
        return []
    row = next(each for each in tried.rows if each.outcome in ("failed", "unread"))
    words = gettext("%(wrong)s of %(total)s values cannot be read after the clean-up, such as “%(raw)s” (%(reason)s)") % {
        "wrong": write_number(wrong),
        "total": write_number(tried.total),
        "raw": "; ".join(row.raw)[:80],
        "reason": row.reason,
    }
    return [DoubtReport(attribute=name, kind="unread", words=words, count=wrong)]


def read_column(rule: Rule, definition: RuleDefinition, name: str) -> tuple[Column, bool]:
    """Return (the values of an attribute as on the pages, whether they come from records)."""
    found = Counter(_read_records(rule.cluster, name))
    if found:
        return found, True
    return Counter(row[name] for row in read_preview_rows(rule.cluster, definition) if row.get(name)), False


def _read_records(cluster: Cluster, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the values on the page of each record and row. Corrections and earlier clean-up are left out."""
    for record in Record.objects.filter(cluster=cluster).now().given().order_by("pk")[:MAX_GROUPS].iterator(chunk_size=200):
        pages = {place[1:]: each.page for place, each in record.read_origins().by_place().items() if place[0] == name}
        own = pages.get(("", None)) or tuple(each.raw for each in record.read_values().get(name, ()))
        if own:
            yield own
        for list_name, rows in record.read_rows().items():
            for number, row in enumerate(rows):
                texts = pages.get((list_name, number)) or tuple(each.raw for each in row.get(name, ()))
                if texts:
                    yield texts


def _limit(column: Column) -> dict[tuple[str, ...], int]:
    left, found = MAX_GROUPS, dict[tuple[str, ...], int]()
    for raw, count in column.items():
        if left <= 0:
            break
        found[raw] = min(count, left)
        left -= count
    return found


def _make_row(attribute: AttributeRule, raw: tuple[str, ...], cleaned: Cleaned, count: int) -> CleanupPreviewRow:
    read = read_attribute_values(attribute, raw).values
    failures = [f"step {loss.step + 1}: {loss.reason}" for loss in cleaned.losses if loss.reason]
    unread = [each.problem or "" for each in read if each.value is None]
    outcome: Outcome = "unchanged" if cleaned.values == raw else "changed"
    reason = ""
    if failures:
        outcome, reason = "failed", failures[0]
    elif not cleaned.values:
        outcome, reason = "empty", gettext("nothing is left")
    elif unread:
        outcome, reason = "unread", unread[0]
    return CleanupPreviewRow(raw, cleaned.stages, read, count, outcome, reason)


def _sort_rows(rows: Sequence[CleanupPreviewRow]) -> list[CleanupPreviewRow]:
    """Return the rows with the odd ones first: by outcome, then those whose result has a shape that few others have."""
    shapes = Counter[str]()
    by_shape: dict[int, str] = defaultdict(str)
    for number, row in enumerate(rows):
        by_shape[number] = _find_shape(row.stages[-1] if row.stages else row.raw)
        shapes[by_shape[number]] += row.count
    order = sorted(range(len(rows)), key=lambda n: (ORDER.index(rows[n].outcome), shapes[by_shape[n]], n))
    return [rows[n] for n in order]


def _find_shape(values: Sequence[str]) -> str:
    """Return the kinds of characters of the values, runs of one kind as one: “Aa 12,50” becomes “A 0,0”."""
    kinds = ["0" if each.isdigit() else "A" if each.isalpha() else each for value in values[:5] for each in (*value[:MAX_CHARACTERS], "\n")]
    return "".join(each for n, each in enumerate(kinds) if n == 0 or each != kinds[n - 1] or each not in "0A")


def _shorten(row: CleanupPreviewRow) -> CleanupPreviewRow:
    def cut(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…" for text in texts[:20])

    return replace(row, raw=cut(row.raw), stages=tuple(map(cut, row.stages)), read=row.read[:20])
