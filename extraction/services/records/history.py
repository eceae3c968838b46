"""Read what changed: the change feed of a template, the time line of a record, and the records as they were at any time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy

from extraction.algorithms.records.changes import undo_change
from extraction.algorithms.records.keys import Values
from extraction.models import ChangeCount, Cluster, CrawlAddress, Page, RecordChange, Run, TrackedCount, TrackedRecord
from extraction.models.kept.searching import match_changes

CAUSES = {
    "page": gettext_lazy("the page changed"),
    "rule": gettext_lazy("the rule changed"),
    "both": gettext_lazy("the page and the rule changed"),
    "reading": gettext_lazy("Vertex reads the page in another way"),
    "correction": gettext_lazy("a person corrected it"),
    "unknown": gettext_lazy("the page and the rule changed; the earlier page cannot be read any more"),
}

REPEAT_CRAWLS, MAX_REPEATS = 5, 50
"""The newest crawls whose repeated addresses are shown with a record, and how many of them at most."""

MAX_RUNS = 50
"""Newest runs that the feed offers to begin after."""

UNUSED = (
    *(f"record__{name}" for name in ("values", "text")),
    "record__page__search_text",
    *(f"{content}__{name}" for content in ("snapshot", "before") for name in ("headers", "vector", "title")),
    *(f"rule__{name}" for name in ("definition", "stylesheet", "report")),
)
"""Large columns of the other tables that nobody reads from a list of changes. The list would read those of a rule once for each change."""


def search_changes(
    cluster: Cluster, *, since: Run | None = None, kind: str = "", cause: str = "", query: str = "", list_name: str | None = None
) -> QuerySet[RecordChange]:
    """Return the changes of a template that match all conditions, newest first.

    since: only changes found after this run; all if it is None.
    kind: a RecordChange.Kind; another text is ignored.
    cause: a RecordChange.Cause; another text is ignored.
    query: words; each must occur in the key of the record, in upper or lower case.
    list_name: a list of the record type, "" for the pages' own records, None for all.
    """
    found = RecordChange.objects.filter(cluster=cluster).select_related("record__page", "snapshot", "before", "rule").defer(*UNUSED)
    if since is not None:
        found = found.filter(find_changes_after(since))
    if kind in RecordChange.Kind.values:
        found = found.filter(kind=kind)
    if cause in RecordChange.Cause.values:
        found = found.filter(cause=cause)
    if list_name is not None:
        found = found.filter(record__list_name=list_name)
    for word in query.split():
        found = found.filter(match_changes(word, cluster))
    return found.order_by("-pk")


def find_changes_after(run: Run) -> Q:
    """Return the condition that a change was stored after the last change of a run, or after it began if it found none."""
    last = run.changes.order_by("-pk").values_list("pk", flat=True).first()
    return Q(pk__gt=last) if last else Q(at__gt=run.finished_at or run.started_at or run.created_at)


def count_all_kinds(cluster: Cluster, *, cause: str = "") -> dict[str, int]:
    """Return {kind: number of changes} of a template, in the order of the kinds. cause: a RecordChange.Cause; another text is ignored."""
    kept = ChangeCount.objects.filter(cluster=cluster)
    counts = (kept.filter(cause=cause) if cause in RecordChange.Cause.values else kept).totals("kind")
    return {kind: counts.get(kind, 0) for kind in RecordChange.Kind.values}


def count_kinds(changes: QuerySet[RecordChange], most: int) -> dict[str, int] | None:
    """Return {kind: number of changes}, in the order of the kinds; None if there are more than `most`, because to count them takes long.

    The newest ones are read. If there are many, so few of them are found soonest in their own order.
    """
    found = list(changes.order_by("-pk").values_list("kind", flat=True)[: most + 1])
    if len(found) > most:
        return None
    return {kind: found.count(kind) for kind in RecordChange.Kind.values}


def list_runs(cluster: Cluster) -> list[Run]:
    """Return the newest runs that may have changed records of a template, newest first."""
    kinds = Q(kind=Run.Kind.EXTRACT) & (Q(cluster=cluster) | Q(cluster=None)) | Exists(
        RecordChange.objects.filter(run=OuterRef("pk"), cluster=cluster)
    )
    return list(Run.objects.filter(kinds, site=cluster.site, state=Run.State.DONE).order_by("-pk")[:MAX_RUNS])


def find_oldest(cluster: Cluster) -> datetime | None:
    """Return the time since when all changes are known, None if none was ever deleted.

    The changes of a record are numbered, so those that were deleted are missed.
    """
    made = TrackedCount.objects.filter(cluster=cluster).aggregate(n=Sum("number_sum"))["n"] or 0
    if made == ChangeCount.objects.filter(cluster=cluster).total():
        return None
    first = cluster.changes.order_by("pk").values_list("at", flat=True).first()
    return first or timezone.now()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A value of a record, and since when it has it.

    values: the values of one attribute as JSON.
    change: the change that brought it, None if it is as it was when the record was first seen, or that change is no longer kept.
    """

    attribute: str
    values: Sequence[Mapping[str, Any]]
    change: RecordChange | None


def list_present_values(record: TrackedRecord, changes: Sequence[RecordChange], *, without: Iterable[str] = ()) -> list[Stretch]:
    """Return the present values of a record with the change that brought each, by attribute.

    changes: those of the record, newest first.
    without: attributes that are listed although they have no value, because a person rejected it.
    """
    held = {**dict.fromkeys(without, ()), **record.values}
    return [Stretch(name, values, next((each for each in changes if name in each.values), None)) for name, values in sorted(held.items())]


def list_repeats(record: TrackedRecord) -> list[CrawlAddress]:
    """Return the addresses without a page of their own at which the newest crawls found exactly the page of a record."""
    site = record.cluster.site_id
    pages = dict(record.sources.values_list("page__url", "page"))
    crawls = Run.objects.filter(site=site, kind=Run.Kind.CRAWL, state=Run.State.DONE).order_by("-pk").values_list("pk", flat=True)
    rows = CrawlAddress.objects.filter(run__in=list(crawls[:REPEAT_CRAWLS]), outcome="duplicate", final_url__in=pages).order_by("-pk")
    found = {each.url: each for each in reversed(rows[:MAX_REPEATS])}
    own = set(Page.objects.filter(site=site, url__in=found).values_list("url", flat=True))
    return [found[url] for url in sorted(found) if url not in own]


def rebuild_records(cluster: Cluster, *, after: Run, list_name: str = "") -> dict[int, Values]:
    """Return {record: its values} for each record that was present when a run had ended.

    The changes since are undone one by one, newest first. Raises ReplayError if the history does not fit together.
    """
    things = TrackedRecord.objects.filter(cluster=cluster, list_name=list_name)
    states: dict[int, Values] = {}
    present: dict[int, bool] = {}
    for pk, state, values in things.values_list("pk", "state", "values"):
        states[pk], present[pk] = values, state == TrackedRecord.State.PRESENT
    later = RecordChange.objects.filter(find_changes_after(after), record__in=things).order_by("-pk")
    for pk, kind, values in later.values_list("record", "kind", "values").iterator():
        states[pk] = undo_change(states[pk], values)
        present[pk] = kind in (RecordChange.Kind.CHANGED, RecordChange.Kind.MOVED, RecordChange.Kind.GONE, RecordChange.Kind.JOINED)
    return {pk: states[pk] for pk in states if present[pk]}
