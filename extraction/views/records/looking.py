"""How far a list of records is looked through: what no index knows is sought among the first records only."""

from collections.abc import Mapping
from typing import Any

from extraction.models import Cluster, Record
from extraction.models.kept.searching import LEAST_LENGTH, RECORDS, is_common
from extraction.views.core.keyset import find_last_looked


def find_last_record(cluster: Cluster, asked: Mapping[str, Any]) -> int | None:
    """Return the id of the last record that is looked through, None if all are: those of small templates, and what an index finds.

    asked: the fields of `RecordsForm`.
    """
    words, narrowed = asked["query"].split(), bool(asked["sort"] or asked["attribute"] or asked["missing"])
    if not words and not narrowed:
        return None
    if any(len(word) >= LEAST_LENGTH and not (narrowed and is_common(RECORDS, word.casefold())) for word in words):
        return None
    listed = Record.objects.filter(cluster=cluster)
    return find_last_looked(listed.filter(state=asked["state"]) if asked["state"] in Record.State.values else listed)
