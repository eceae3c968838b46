"""Records that stay although a newer rule gives less: the rule is for a design in which nobody has seen the page yet.

After a redesign, some pages cannot be fetched for a while. What is stored of them has the old design, where the new rule finds next to
nothing. Their last records are right as far as anybody knows, so they stay until the page is fetched or gone.
"""

from collections.abc import Mapping, Sequence

from django.db.models import Exists, F, OuterRef, Q

from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Breakage, Record, Snapshot

LOST_SHARE = 0.5
"""A rule for another design loses more than this share of the values that the last record has."""


def find_staying(records: Sequence[Record], rules: Mapping[int, RuleDefinition]) -> set[int]:
    """Return the snapshots whose last record stays instead of the new one.

    rules: {template: its rule}.
    """
    last = {each.snapshot_id: each for each in Record.objects.given().filter(snapshot__in=[record.snapshot_id for record in records])}
    poorer = set()
    for record in records:
        before = last.get(record.snapshot_id)
        if before is None or before.cluster_id != record.cluster_id or before.rule_id == record.rule_id:
            continue
        had = _list_found(before) & _list_sought(rules[record.cluster_id])
        if len(had - _list_found(record)) > LOST_SHARE * len(had):
            poorer.add(record.snapshot_id)
    return _select_unseen(poorer) if poorer else set()


def _list_found(record: Record) -> set[str]:
    """Return the attributes and lists that a record has a value of."""
    return {name for found in (record.values, record.rows) for name, given in found.items() if given}


def _list_sought(rule: RuleDefinition) -> set[str]:
    """Return the attributes and lists that a rule has an XPath for."""
    return {each.name for each in rule.attributes if each.alternatives} | {one.name for one in rule.lists if one.rows}


def _select_unseen(snapshots: set[int]) -> set[int]:
    """Return those whose page is missing, or was not fetched since the last break of its template."""
    states = (Breakage.State.OPEN, Breakage.State.REPAIRED)
    broken = Breakage.objects.filter(cluster=OuterRef("cluster"), state__in=states, opened_at__gt=OuterRef("fetched_at"))
    found = Snapshot.objects.filter(pk__in=snapshots).filter(~Q(page__gone_at=None) | Exists(broken.order_by()))
    return set(found.filter(page__current=F("pk")).values_list("pk", flat=True))
