"""Try a rule on a few pages of its cluster before it is saved, and count over many pages what it gives, for its report."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.learning.page_groups import PageFacts, group_pages
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Cluster, SamplePage, Snapshot
from extraction.models.rule_report import AttributeReport, ListReport, RuleReport
from extraction.services.core import stored_pages
from extraction.services.core.coverage import MAX_LISTED
from extraction.services.core.runs import Progress
from extraction.services.core.stored_pages import StoredPage
from extraction.services.labels import designs
from extraction.services.rules import doubts, xpath_trial

PREVIEW_PAGES = 20
"""The number of pages that a change is tried on before it is saved: as many as a person looks at. It takes a second."""

PREVIEW_BYTES = 40_000_000
"""The largest number of bytes of the pages that a change is tried on. A single page may have 32 MB."""

REPORT_PAGES = 2_000
"""The number of pages that a report counts over. Shares of 2,000 pages are known to within two per cent; more pages would only take
longer."""


@dataclass(frozen=True, slots=True)
class RuleEffectRow:
    """The attribute's values on one page by the old rule and by the new one. error: why the page could not be tried."""

    snapshot_id: int
    url: str
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    error: str = ""

    @property
    def changed(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """A changed rule compared with the old one.

    error: what is wrong with the change, in words; empty if it can be saved.
    rows: the pages that it was tried on.
    checked, total: numbers of pages tried and of pages of the cluster.
    gained, lost, changed, same: numbers of pages by what happened to the value.
    hits: the number of pages on which the new rule gives a value.
    """

    error: str = ""
    rows: tuple[RuleEffectRow, ...] = ()
    checked: int = 0
    total: int = 0
    gained: int = 0
    lost: int = 0
    changed: int = 0
    same: int = 0
    hits: int = 0


@dataclass(slots=True)
class _AttributeTally:
    hits: int = 0
    several: int = 0
    without: list[int] = field(default_factory=list)
    several_on: list[int] = field(default_factory=list)

    def count(self, snapshot_id: int, values: Sequence[str]) -> None:
        different = len(set(values))
        self.hits += different > 0
        if not different:
            self.without.append(snapshot_id)
        if different > 1:
            self.several += 1
            self.several_on.append(snapshot_id)

    def report(self, name: str, checked: int) -> AttributeReport:
        without, several_on = tuple(self.without[:MAX_LISTED]), tuple(self.several_on[:MAX_LISTED])
        return AttributeReport(name=name, checked=checked, hits=self.hits, several=self.several, without=without, several_on=several_on)


@dataclass(slots=True)
class _ListTally:
    hits: int = 0
    rows: int = 0
    without: list[int] = field(default_factory=list)
    filled: Counter[str] = field(default_factory=Counter)

    def count(self, snapshot_id: int, rows: Sequence[Mapping[str, Sequence[str]]]) -> None:
        self.hits += bool(rows)
        self.rows += len(rows)
        if not rows:
            self.without.append(snapshot_id)
        for row in rows:
            self.filled.update(name for name, values in row.items() if values)

    def report(self, name: str, checked: int) -> ListReport:
        without = tuple(self.without[:MAX_LISTED])
        return ListReport(name=name, checked=checked, hits=self.hits, rows=self.rows, without=without, filled=dict(self.filled))


def compare_rules(cluster: Cluster, old: RuleDefinition, new: RuleDefinition, attribute: str, *, on: Sequence[int] = ()) -> RuleEffect:
    """Compare an attribute's values by two rules on up to PREVIEW_PAGES pages, within the trial's time limit.

    on: the snapshots to try; by default pages of the cluster, samples first.
    """
    pages = list(_within(stored_pages.find_stored_pages(on[:PREVIEW_PAGES]), PREVIEW_BYTES)) if on else choose_preview_pages(cluster)
    contents = [(stored_pages.find_bytes(source), source.content_type) for source in pages]
    tried = xpath_trial.try_rules([old, new], contents, limit_s=xpath_trial.LIMIT_S)
    if len(tried.values) + len(tried.errors) < len(pages):
        stuck = pages[len(tried.values) + len(tried.errors)]
        advice = gettext(" Start the XPath at an element with an id or a class.") if tried.too_much else ""
        return RuleEffect(
            error=gettext("It could not be tried on %(url)s: %(reason)s.%(advice)s")
            % {"url": stuck.url, "reason": tried.reason, "advice": advice}
        )
    rows = []
    for number, source in enumerate(pages):
        failed = [each[attribute] for each in tried.failed.get(number, ())[1:] if attribute in each]
        if failed:
            return RuleEffect(error=f"{source.url}: {failed[0]}")
        before, after = tried.values.get(number, ({}, {}))
        found = before.get(attribute, ()), after.get(attribute, ())
        rows.append(RuleEffectRow(source.snapshot_id, source.url, *found, error=tried.errors.get(number, "")))
    good = [row for row in rows if not row.error]
    if rows and not good:
        return RuleEffect(
            error=gettext("It could not be tried on any of %(rows)s pages. %(url)s: %(error)s")
            % {"rows": len(rows), "url": rows[0].url, "error": rows[0].error}
        )
    return RuleEffect(
        rows=tuple(rows),
        checked=len(good),
        total=len(on) or Snapshot.objects.learnable().filter(cluster=cluster.pk).count(),
        gained=sum(bool(row.new and not row.old) for row in good),
        lost=sum(bool(row.old and not row.new) for row in good),
        changed=sum(bool(row.old and row.new and row.changed) for row in good),
        same=sum(not row.changed for row in good),
        hits=sum(bool(row.new) for row in good),
    )


def choose_preview_pages(cluster: Cluster) -> list[StoredPage]:
    """Return the samples in order, then other pages chosen as for the learning set, up to PREVIEW_PAGES and PREVIEW_BYTES."""
    samples = list(SamplePage.objects.filter(cluster=cluster).order_by("position").values_list("snapshot_id", flat=True)[:PREVIEW_PAGES])
    chosen = stored_pages.choose_pages(
        samples, designs.find_learnable_pages(cluster.pk), max_bytes=stored_pages.PAGE_FACTOR * PREVIEW_BYTES
    )
    return list(_within(chosen[:PREVIEW_PAGES], PREVIEW_BYTES))


@dataclass(slots=True)
class _Columns:
    """The values of each attribute, also of lists, by page, and what tells the groups of the pages."""

    rule: RuleDefinition
    facts: dict[int, PageFacts] = field(default_factory=dict)
    values: dict[str, dict[int, tuple[str, ...]]] = field(default_factory=dict)

    def add(self, source: StoredPage, root: etree._Element, given: apply.Extraction) -> None:
        page = source.snapshot_id
        self.facts[page] = PageFacts(source.url, detect_language(root, source.url))
        for each in self.rule.attributes:
            self._add(each.name, page, given.values.get(each.name, ()))
        for one in self.rule.lists:
            rows = given.rows.get(one.name, ())
            for each in one.attributes:
                self._add(each.name, page, [value for row in rows for value in row.get(each.name, ())])

    def _add(self, name: str, page: int, values: Sequence[str]) -> None:
        self.values.setdefault(name, {})[page] = doubts.shorten_values(values)


def count_effects(
    cluster: Cluster,
    rule: RuleDefinition,
    *,
    progress: Progress | None = None,
    done: int = 0,
    also: Callable[[int, etree._Element], None] | None = None,
) -> RuleReport:
    """Count what each attribute and list of a rule gives on the cluster's pages (at most REPORT_PAGES, spread evenly).

    The result holds figures only, and nothing about how the rule was made. It names at most MAX_LISTED snapshots of each kind.

    also: called with the snapshot id and the root of each page that is counted, so that what else is counted does not read it again.
    """
    sources = designs.find_learnable_pages(cluster.pk)
    chosen = sources[:: max(1, -(-len(sources) // REPORT_PAGES))]
    sheet = xslt.Stylesheet.compile(xslt.write_stylesheet(rule))
    tallies = {attribute.name: _AttributeTally() for attribute in rule.attributes}
    lists = {each.name: _ListTally() for each in rule.lists}
    columns = _Columns(rule)
    unreadable, started = 0, time.monotonic()
    for number, source in enumerate(chosen, 1):
        try:
            root = stored_pages.read_root(source)
            given = apply.extract_values(sheet, root)
        except (PageError, RuleError, XPathError):
            unreadable += 1
            continue
        for name, tally in tallies.items():
            tally.count(source.snapshot_id, given.values.get(name, ()))
        for name, list_tally in lists.items():
            list_tally.count(source.snapshot_id, given.rows.get(name, ()))
        columns.add(source, root, given)
        if also is not None:
            also(source.snapshot_id, root)
        if progress and number % 20 == 0:
            rate = number / (time.monotonic() - started)
            progress(done + number, total=done + len(chosen), message=f"Checking the rule on {len(chosen):,} pages, {rate:.0f} per second")
    checked = len(chosen) - unreadable
    groups = group_pages(columns.facts)
    return RuleReport(
        pages=len(sources),
        checked=checked,
        unreadable=unreadable,
        attributes=tuple(tally.report(name, checked) for name, tally in tallies.items()),
        lists=tuple(tally.report(name, checked) for name, tally in lists.items()),
        doubts=doubts.find_doubts(cluster, rule, columns.values, groups),
        groups=doubts.count_in_groups(columns.values, groups),
    )


def _within(sources: Iterable[StoredPage], size_bytes: int) -> Iterable[StoredPage]:
    for source in sources:
        size_bytes -= source.size_bytes
        if size_bytes < 0:
            return
        yield source
