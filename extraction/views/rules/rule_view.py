"""A rule as people read it: what each attribute selects, how certain it is, and where it gives nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.cleanup_xslt import explain_missing
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from extraction.algorithms.values.cleanup.chain import clean_values
from extraction.models import Attribute, Rule, Snapshot
from extraction.models.rule_report import AttributeReport, GroupReport, ListReport, OfferDifference, XPathReport
from extraction.services.core.stored_pages import read_root
from extraction.services.labels import designs
from extraction.services.rules import doubts as doubt_service
from extraction.services.rules import rule_xpaths
from extraction.views.rules import cleanup_words, explained
from extraction.views.rules.explained import Explained, Place
from extraction.views.sites import site_pages

SEEN_PAGES = 4
"""Sample pages whose values are shown: enough to see what an attribute holds, and quick to read."""

SEEN_ROWS = 5
"""The number of rows of a list that are shown for each of these pages."""

SEEN_BYTES = 8_000_000
"""The largest number of bytes of pages that are read for that."""

UNLIKE_PAGES = 10
"""If the rows of a list differ from those that were offered, this many of the pages are listed."""

DOUBT_PAGES = 5
"""How many pages are shown for each doubt. They are enough to see whether it is right."""

LISTED = 50
"""How many of the pages without a value are listed. The rest is counted."""


@dataclass(frozen=True, slots=True)
class SelectorRow:
    """One way to the values.

    part: which part of the text, in words.
    doubt: why it may be wrong on other pages, in words.
    The figures are None where a person wrote the XPath.
    """

    xpath: str
    part: str = ""
    precision: float | None = None
    distance: float | None = None
    support: float | None = None
    features: tuple[str, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """An attribute of the record type with what the rule has for it; without `selectors` it has nothing.

    seen: the values on some pages, after clean-up.
    cleanup: the steps of the clean-up, in words; uncleaned: which of them the exported stylesheet lacks.
    """

    attribute: Attribute
    selectors: list[SelectorRow]
    hits: int = 0
    checked: int = 0
    without: list[Snapshot] = field(default_factory=list)
    several: list[Snapshot] = field(default_factory=list)
    several_count: int = 0
    seen: list[tuple[Snapshot, tuple[str, ...]]] = field(default_factory=list)
    failure: str = ""
    edited_by: str = ""
    conflict: tuple[Place, ...] = ()
    explained: Explained | None = None
    cleanup: tuple[str, ...] = ()
    uncleaned: str = ""

    @property
    def share(self) -> float | None:
        """Share of the checked pages with a value, None where no page was checked."""
        return self.hits / self.checked if self.checked else None

    @property
    def colour(self) -> str:
        """The state whose colour the hit rate has: suspect if a mandatory value is missing, broken if there is never a value."""
        if not self.checked or (self.hits < self.checked and not self.attribute.mandatory and self.hits):
            return "ok" if self.hits else ""
        return "ok" if self.hits == self.checked else "suspect" if self.hits else "broken"

    @property
    def missing(self) -> int:
        """Pages that gave no value."""
        return self.checked - self.hits

    @property
    def unlisted(self) -> int:
        """Pages without a value beyond those listed."""
        return self.missing - len(self.without)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """An attribute of a list's rows. filled: rows with a value, of all rows counted."""

    attribute: Attribute
    selectors: list[SelectorRow]
    filled: int
    failure: str = ""
    cleanup: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRow:
    """A list of the rule: what its rows are, and its attributes within them. rows: how many on the pages checked.

    seen: the first rows on the first sample pages, as texts in the order of the columns.
    unlike: the difference to what the list was
    offered with, None where there is none to speak of; unlike_on: pages that differ, with the rows offered and given.
    """

    name: str
    selectors: list[SelectorRow]
    columns: list[ListColumn]
    rows: int
    hits: int
    checked: int
    seen: list[tuple[Snapshot, int, list[list[str]]]]
    failure: str = ""
    unlike: OfferDifference | None = None
    unlike_on: list[tuple[Snapshot, int, int]] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        """Share of the pages checked that have rows, None where none was."""
        return self.hits / self.checked if self.checked else None


def list_attributes(rule: Rule) -> list[AttributeRow]:
    """Return the rule's attributes in the record type's order, then those that the record type no longer has."""
    report = rule.read_report()
    entries = {entry.name: entry for entry in report.attributes}
    failures = report.failures
    defined = {each.name: each for each in rule_xpaths.read_definition_or_empty(rule).attributes}
    pages = _read_pages(entries.values())
    seen = _list_page_values(rule)
    why = explained.explain_attributes(report)
    conflicts = explained.find_conflicts(report)
    edited = {name for name, entry in entries.items() if entry.edited_by is not None}
    found = [
        _build_attribute_row(
            attribute,
            defined.get(attribute.name),
            entries.get(attribute.name) or AttributeReport(name=attribute.name),
            pages,
            seen,
            failures.get(attribute.name, ""),
        )
        for attribute in _find_attributes(rule, defined)
    ]
    return [
        replace(row, explained=None if name in edited else why.get(name), conflict=conflicts.get(name, ()))
        for row in found
        for name in (row.attribute.name,)
    ]


def list_lists(rule: Rule) -> list[ListRow]:
    """Return the lists of the record type and what the rule has for them. If it has nothing for a list, the reason is given where known."""
    report = rule.read_report()
    defined = {each.name: each for each in rule_xpaths.read_definition_or_empty(rule).lists}
    reports = {entry.name: entry for entry in report.lists}
    schema = site_pages.list_schema(rule.cluster.record_type)
    for name, one in defined.items():
        schema.setdefault(name, [Attribute(name=each.name, type=each.type) for each in one.attributes])
    extractions = _extract_shown(rule) if defined else []
    return [
        _build_list_row(attributes, defined.get(name), reports.get(name) or ListReport(name=name), report.failures, extractions)
        for name, attributes in schema.items()
    ]


@dataclass(frozen=True, slots=True)
class ShownDoubt:
    """A reason to look at values of an attribute. pages: some of the pages; more: how many others there are."""

    attribute: Attribute
    words: str
    pages: list[Snapshot]
    more: int


def list_doubts(rule: Rule) -> list[ShownDoubt]:
    """Return what to look at before a version is published."""
    doubts = doubt_service.list_doubts(rule)
    attributes = {each.name: each for each in Attribute.objects.of_cluster(rule.cluster)}
    pages = Snapshot.objects.select_related("page").in_bulk({pk for each in doubts for pk in each.pages[:DOUBT_PAGES]})
    found = []
    for each in doubts:
        shown = [pages[pk] for pk in each.pages[:DOUBT_PAGES] if pk in pages]
        attribute = attributes.get(each.attribute) or Attribute(name=each.attribute)
        found.append(ShownDoubt(attribute, each.words, shown, max(0, each.count - len(shown))))
    return found


@dataclass(frozen=True, slots=True)
class GroupShare:
    """On which share of a group's pages a version finds an attribute, None if it was not looked for.

    page: one of the pages without a value, if these are so many that a person should look; None if it no longer exists.
    """

    attribute: Attribute
    share: float | None
    suspect: bool
    page: Snapshot | None


@dataclass(frozen=True, slots=True)
class GroupTable:
    """How much a version finds in groups of the pages. rows: (which pages, how many, the share of each attribute)."""

    attributes: list[Attribute]
    rows: list[tuple[str, int, list[GroupShare]]]


def build_group_table(rule: Rule) -> GroupTable | None:
    """Return the table of groups, attributes with a suspect share first; None if the pages have no groups."""
    groups = [each for each in rule.read_report().groups if each.hits and each.checked]
    if not groups:
        return None
    names = {name for each in groups for name in each.hits}
    attributes = [each for each in Attribute.objects.of_cluster(rule.cluster).order_by("list", "position") if each.name in names]
    pages = Snapshot.objects.select_related("page").in_bulk({pk for each in groups for pk in each.without.values()})
    shares = {attribute.name: [_build_share(group, groups, attribute, pages) for group in groups] for attribute in attributes}
    attributes.sort(key=lambda attribute: not any(each.suspect for each in shares[attribute.name]))
    rows = [(group.name, group.checked, [shares[attribute.name][n] for attribute in attributes]) for n, group in enumerate(groups)]
    return GroupTable(attributes, rows)


def _build_share(group: GroupReport, groups: Sequence[GroupReport], attribute: Attribute, pages: Mapping[int, Snapshot]) -> GroupShare:
    """Return the share of a group, which is suspect if it is low and not half of that of some other group."""
    share = group.hits[attribute.name] / group.checked if attribute.name in group.hits else None
    others = [each.hits.get(attribute.name, 0) / each.checked for each in groups if each is not group]
    suspect = share is not None and share < 0.5 and share < 0.5 * max(others, default=1.0)
    return GroupShare(attribute, share, suspect, pages.get(group.without.get(attribute.name, 0)) if suspect else None)


def _build_list_row(
    attributes: list[Attribute],
    defined: ListRule | None,
    report: ListReport,
    failures: Mapping[str, str],
    extractions: list[tuple[Snapshot, apply.Extraction]],
) -> ListRow:
    fields = {each.name: each.alternatives for each in defined.attributes} if defined else {}
    chains = {each.name: each.cleanup for each in defined.attributes} if defined else {}
    reported = {each.name: each.alternatives for each in report.attributes}
    columns = [
        ListColumn(
            each,
            _list_selectors(fields.get(each.name, ()), reported.get(each.name, ())),
            report.filled.get(each.name, 0),
            failures.get(each.name, ""),
            cleanup_words.describe_chain(chains.get(each.name, ())),
        )
        for each in attributes
    ]
    seen = []
    for snapshot, extraction in extractions if defined else []:
        rows = extraction.rows.get(report.name, ())
        texts = [
            ["; ".join(clean_values(row.get(each.name, ()), chains.get(each.name, ()))) for each in attributes] for row in rows[:SEEN_ROWS]
        ]
        seen.append((snapshot, len(rows), texts))
    rows_of = _list_selectors(defined.rows if defined else (), report.alternatives)
    on = report.offered.on if report.offered else ()
    pages = Snapshot.objects.select_related("page").in_bulk([each.snapshot for each in on[:UNLIKE_PAGES]])
    unlike_on = [(pages[each.snapshot], each.rows, each.given) for each in on if each.snapshot in pages]
    figures = (report.rows, report.hits, report.checked)
    return ListRow(report.name, rows_of, columns, *figures, seen, failures.get(report.name, ""), report.offered, unlike_on)


def _find_attributes(rule: Rule, defined: Mapping[str, AttributeRule]) -> list[Attribute]:
    record_type = rule.cluster.record_type
    known = list(record_type.attributes.of_page()) if record_type else []
    gone = [name for name in defined if name not in {attribute.name for attribute in known}]
    more = [
        Attribute(name=name, type=defined[name].type, multiple=defined[name].multiple, position=len(known) + n)
        for n, name in enumerate(gone)
    ]
    return [*known, *more]


def _build_attribute_row(
    attribute: Attribute,
    defined: AttributeRule | None,
    entry: AttributeReport,
    pages: dict[int, Snapshot],
    seen: list[tuple[Snapshot, dict[str, tuple[str, ...]]]],
    failure: str,
) -> AttributeRow:
    selectors = _list_selectors(defined.alternatives if defined else (), entry.alternatives)
    steps = defined.cleanup if defined else ()
    return AttributeRow(
        attribute,
        selectors,
        hits=entry.hits,
        checked=entry.checked,
        without=[pages[pk] for pk in entry.without[:LISTED] if pk in pages],
        several=[pages[pk] for pk in entry.several_on[:LISTED] if pk in pages],
        several_count=0 if attribute.multiple else entry.several,
        seen=[(snapshot, clean_values(values.get(attribute.name, ()), steps)) for snapshot, values in seen] if selectors else [],
        failure=failure,
        edited_by=entry.edited_by or "",
        cleanup=cleanup_words.describe_chain(steps),
        uncleaned=explain_missing(defined) if defined else "",
    )


def _list_selectors(defined: Sequence[Selector], reports: Sequence[XPathReport]) -> list[SelectorRow]:
    """Return the XPaths that are run, with the learner's figures for them."""
    by_xpath = {entry.xpath: entry for entry in reports}
    rows = []
    for selector in defined:
        entry = by_xpath.get(selector.xpath) or XPathReport(xpath=selector.xpath)
        figures = (entry.precision, entry.distance, entry.support)
        rows.append(SelectorRow(selector.xpath, _describe_part(selector.part), *figures, entry.features or (), entry.doubt or ""))
    return rows


def _describe_part(part: TextPart | None) -> str:
    if not part:
        return ""
    ends = [
        gettext("after “%(prefix)s”") % {"prefix": part.prefix} if part.prefix else "",
        gettext("before “%(suffix)s”") % {"suffix": part.suffix} if part.suffix else "",
    ]
    shown = " and ".join(end for end in ends if end)
    return (
        gettext("the part %(shown)s") % {"shown": shown}
        if shown
        else gettext("the part that matches %(pattern)s") % {"pattern": part.pattern}
    )


def _read_pages(entries: Iterable[AttributeReport]) -> dict[int, Snapshot]:
    wanted = {pk for entry in entries for listed in (entry.without, entry.several_on) for pk in listed[:LISTED]}
    return Snapshot.objects.select_related("page").in_bulk(wanted)


def _list_page_values(rule: Rule) -> list[tuple[Snapshot, dict[str, tuple[str, ...]]]]:
    """Return the values of the page's own attributes on the pages that are shown."""
    return [(snapshot, dict(extraction.values)) for snapshot, extraction in _extract_shown(rule)]


def _extract_shown(rule: Rule) -> list[tuple[Snapshot, apply.Extraction]]:
    """Return what the rule gives on the pages of `_choose_shown`. Pages and rules that cannot be read are left out."""
    try:
        sheet = xslt.Stylesheet.compile(rule.stylesheet)
    except (RuleError, XPathError):
        return []
    extractions, size_bytes = [], 0
    for snapshot in _choose_shown(rule):
        size_bytes += snapshot.size_bytes
        if size_bytes > SEEN_BYTES:
            break
        try:
            extractions.append((snapshot, apply.extract_values(sheet, read_root(snapshot))))
        except (PageError, RuleError, XPathError):
            continue
    return extractions


def _choose_shown(rule: Rule) -> list[Snapshot]:
    """Return the pages of the breakage that a version was made for: samples may be of the design before it. Otherwise return samples,
    current ones first."""
    made_for = designs.find_check_pages(rule) or designs.find_repaired_pages(rule)
    checked = Snapshot.objects.select_related("page").in_bulk(made_for[:SEEN_PAGES])
    if checked:
        return list(checked.values())
    samples = [each.snapshot for each in rule.cluster.samples.select_related("snapshot__page").order_by("position")]
    return sorted(samples, key=lambda snapshot: snapshot.page.current_id != snapshot.pk)[:SEEN_PAGES]
