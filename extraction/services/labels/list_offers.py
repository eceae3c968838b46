"""Compare a list's rule with the rows that the list was offered with, to report clearly more or fewer rows."""

from collections.abc import Mapping, Sequence

from extraction.models import Cluster, OfferedRows, RecordList
from extraction.models.rule_report import OfferDifference, UnlikePage
from extraction.services.core.coverage import MAX_LISTED

UNLIKE = 0.1
"""Share of the offered rows by which a rule may differ on a page. On real pages, one row in ten is missed or looks different."""


def note_offer(cluster: Cluster, record_list: RecordList, rows: Mapping[int, int], whole: Sequence[int]) -> None:
    """Store how many rows were offered.

    rows: {snapshot: number of rows}.
    whole: the snapshots on which all rows are marked.
    """
    for snapshot, count in rows.items():
        figures = {"rows": count, "whole": snapshot in whole}
        OfferedRows.objects.update_or_create(cluster=cluster, list=record_list, snapshot_id=snapshot, defaults=figures)


def find_whole_pages(cluster_id: int, record_list: RecordList) -> tuple[int, ...]:
    """Return the snapshots of a template on which anything that is not marked is not a row of the list."""
    found = OfferedRows.objects.filter(cluster=cluster_id, list=record_list, whole=True)
    return tuple(found.order_by("snapshot").values_list("snapshot", flat=True))


def count_offered_rows(cluster: Cluster, record_list: RecordList) -> dict[int, int]:
    """Return {snapshot: number of rows} that the list was offered with."""
    found = OfferedRows.objects.filter(cluster=cluster, list=record_list)
    return dict(found.order_by("snapshot").values_list("snapshot", "rows"))


def compare_with_offer(offered: Mapping[int, int], given: Mapping[int, int]) -> OfferDifference | None:
    """Return the pages on which a rule gives a clearly different number of rows, at most MAX_LISTED; None if there are none.

    offered: {snapshot: rows offered}.
    given: {snapshot: rows that the rule gives}.
    """
    both = {snapshot: (rows, given[snapshot]) for snapshot, rows in offered.items() if snapshot in given}
    unlike = {snapshot: pair for snapshot, pair in both.items() if abs(pair[1] - pair[0]) > UNLIKE * pair[0]}
    if not unlike:
        return None
    order = sorted(unlike, key=lambda snapshot: (-abs(unlike[snapshot][1] - unlike[snapshot][0]), snapshot))[:MAX_LISTED]
    return OfferDifference(
        rows=sum(rows for rows, _ in both.values()),
        given=sum(count for _, count in both.values()),
        pages=len(both),
        unlike=len(unlike),
        on=tuple(UnlikePage(snapshot=snapshot, rows=unlike[snapshot][0], given=unlike[snapshot][1]) for snapshot in order),
    )
