"""Records that are up to date: the live rule made them from the page's current content, and what was to be noticed is noticed.

A refresh leaves them as they are instead of reading their pages again. The run still vouches for them: it becomes the run of the record,
and their things count as seen.
"""

from collections.abc import Collection, Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from extraction.models import Page, Record, RecordSource, Run, TrackedRecord
from extraction.services.records.key_schema import read_key_schemas
from extraction.services.templates.page_matching import PageRow


class SettledRecords:
    """The pages that a run need not read, if it is only for records that are not up to date. Make it before keys are applied.

    rules: {template: its live rule}.
    held: {template: the attributes and lists of its rule that are held back}.
    """

    def __init__(self, run: Run, rules: Mapping[int, int], held: Mapping[int, Collection[str]] | None = None) -> None:
        self._run = run
        self._held = held or {}
        rekeyed = find_rekeyed(rules) if run.read_parameters().stale_only else rules
        self._rules = {cluster: rule for cluster, rule in rules.items() if cluster not in rekeyed}

    def leave_out(self, batch: Sequence[PageRow]) -> Sequence[PageRow]:
        """Return the pages that are to be read, and note that the records of the others are up to date."""
        found = find_settled(batch, self._rules, self._held) if self._rules else set()
        if found:
            vouch_for(self._run, found, self._rules)
        return [page for page in batch if page.snapshot_id not in found]

    def count(self) -> int:
        """Return the number of records that the run found up to date."""
        return Record.objects.filter(run=self._run, extracted_at__lt=self._run.created_at).count()


def find_rekeyed(cluster_ids: Collection[int]) -> set[int]:
    """Return the templates whose key attributes have changed since their things were stored. Ask before the keys are applied.

    Their pages are read again, because rows that had no key may have one now.
    """
    found = set()
    for cluster_id, schema in read_key_schemas(cluster_ids).items():
        for of in schema.followed:
            wanted = schema.lists[of] if of else schema.page
            things = TrackedRecord.objects.filter(cluster=cluster_id, list_name=of).exclude(state=TrackedRecord.State.JOINED)
            unknown = bool(of) and not things.exists()
            if unknown or things.exclude(key_by=wanted.by).exists():
                found.add(cluster_id)
    return found


def find_settled(batch: Sequence[PageRow], rules: Mapping[int, int], held: Mapping[int, Collection[str]]) -> set[int]:
    """Return the snapshots of a batch whose record is up to date.

    A failed record is not: what failed is tried again. Neither is that of a page on which something stands that was gone, or of which
    nothing is known yet.

    rules: {template: its live rule}. Pages of other templates are not settled.
    held: {template: what of its rule is held back}. A record that lacks something else is not settled.
    """
    current = {page.snapshot_id: page.cluster_id for page in batch if page.cluster_id in rules}
    records = Record.objects.given().filter(snapshot__in=current).values_list("snapshot", "cluster", "rule", "held_back")
    made = {
        snapshot
        for snapshot, cluster, rule, lacks in records
        if cluster == current[snapshot] and rule == rules[cluster] and set(lacks) <= set(held.get(cluster, ()))
    }
    gone = set(Page.objects.filter(current__in=made).exclude(gone_at=None).values_list("current", flat=True))
    states: dict[int, set[str]] = {snapshot: {TrackedRecord.State.PRESENT} for snapshot in gone}  # nothing is to be noticed there
    for snapshot, state in RecordSource.objects.filter(snapshot__in=made - gone).values_list("snapshot", "record__state"):
        states.setdefault(snapshot, set()).add(state)
    return {snapshot for snapshot, found in states.items() if found == {TrackedRecord.State.PRESENT}}


def vouch_for(run: Run, snapshots: Collection[int], cluster_ids: Collection[int]) -> None:
    """Say that a run found these records up to date. What stands on a page that is gone is not seen."""
    now = timezone.now()
    with transaction.atomic():
        Record.objects.filter(snapshot__in=snapshots, cluster__in=cluster_ids).update(run=run)
        here = list(Page.objects.filter(current__in=snapshots, gone_at=None).values_list("current", flat=True))
        RecordSource.objects.filter(snapshot__in=here, record__cluster__in=cluster_ids).update(seen_at=now)
        TrackedRecord.objects.present().filter(snapshot__in=here, cluster__in=cluster_ids).update(seen_at=now, misses=0)
