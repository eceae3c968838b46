"""What pages and a rule's values were: what checks and new templates are held against."""

from collections.abc import Mapping, Sequence

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.features import PageTable
from extraction.algorithms.learning.tables import table
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.rules.rule import Rule as RuleValue
from extraction.models import Record, Rule, Snapshot
from extraction.services import learning_set
from extraction.services.learning_set import Source

RECORDS = 300
"""Records that an attribute's profile is learned from."""

Values = Mapping[str, tuple[str, ...]]


def page(snapshot: Snapshot) -> PageTable | None:
    """A stored page, None where it cannot be read."""
    try:
        return table(learning_set.read(Source(snapshot.pk, snapshot.sha256, snapshot.content_type, snapshot.size_bytes)))
    except PageError:
        return None


def profiles(rule: Rule, value: RuleValue, before: Sequence[Values]) -> dict[str, Profile]:
    """What each attribute's values look like, from the cluster's records; from the watched pages as they were where it has few."""
    rows = Record.objects.filter(cluster=rule.cluster).exclude(state=Record.State.FAILED).order_by("-extracted_at")
    records = list(rows.values_list("values", flat=True)[:RECORDS])
    found = {}
    for attribute in value.attributes:
        history = [tuple(str(each["raw"]) for each in record.get(attribute.name, ())) for record in records]
        if len(history) < len(before):
            history = [values.get(attribute.name, ()) for values in before]
        found[attribute.name] = Profile.learn(history, type=attribute.type)
    return found
