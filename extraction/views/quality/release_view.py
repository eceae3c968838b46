"""The verdict on a run as screens show it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from extraction.algorithms.records.quality.judging import MAX_FAULTS
from extraction.models import Attribute, RuleFailure, RuleResult, RunRelease

_LEVELS = {"block": "rule_block", "warn": "rule_warn", "note": "rule_note"}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What one rule found.

    attribute: the attribute it is about, None if there is none or it was deleted.
    level: the state for a badge.
    fraction: share of the judged records that fail.
    cut: more records failed than are listed.
    """

    result: RuleResult
    attribute: Attribute | None
    level: str
    fraction: float
    cut: bool


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """The verdict on a run. results: the broken rules first, those that block before all others."""

    release: RunRelease
    results: Sequence[ResultRow]

    @property
    def broken(self) -> int:
        """The number of broken rules."""
        return sum(each.result.broken for each in self.results)

    def choose_result(self, wanted: str) -> ResultRow | None:
        """Return the result with this id, else the first with failing records, None if nothing failed."""
        chosen = [each for each in self.results if str(each.result.pk) == wanted]
        return next(iter([*chosen, *(each for each in self.results if each.result.failing)]), None)


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A record that failed, with the addresses of its place on the page and of its history; "" if they are no longer known."""

    failure: RuleFailure
    name: str
    page_url: str
    record_url: str


def describe_release(release: RunRelease) -> ReleaseView:
    """Return a verdict for display."""
    order = {"block": 0, "warn": 1, "note": 2}
    results = sorted(
        release.results.select_related("rule__attribute"),
        key=lambda each: (not each.broken, order[each.weight] if each.broken else 0, each.pk),
    )
    return ReleaseView(release, [_describe_result(each) for each in results])


def _describe_result(result: RuleResult) -> ResultRow:
    level = _LEVELS[result.weight] if result.broken else "kept"
    fraction = result.failing / result.checked if result.checked else 0.0
    attribute = result.rule.attribute if result.rule else None
    return ResultRow(result, attribute, level, fraction, cut=result.failing > MAX_FAULTS)


def describe_failure(release: RunRelease, result: RuleResult, failure: RuleFailure) -> FailureRow:
    """Return a failing record for display."""
    page_url = ""
    if failure.page and failure.snapshot_id:
        place = f"&value={result.attribute}.0" if result.attribute and failure.value and not failure.list_name else ""
        page_url = f"{reverse('page', args=[release.cluster.site.slug, failure.page_id])}?snapshot={failure.snapshot_id}{place}"
    name = str(failure.record) if failure.record else failure.page.url if failure.page else gettext("no longer known")
    return FailureRow(failure, name, page_url, failure.record.get_absolute_url() if failure.record else "")
