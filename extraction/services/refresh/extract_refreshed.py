"""Extract the records of what a refresh fetched, with the rules that work and with what still works of the others.

Of a rule that is broken for some attributes, the others are extracted (`records.held_attributes`). A template of whose rule nothing can be
relied upon keeps the records that it has. The refresh says both. Once a rule works again, the next refresh extracts from all pages that
have changed since or whose records lack something.
"""

from collections.abc import Mapping

from django.contrib.auth.models import User

from extraction.models import Refresh, RefreshSchedule, Rule, Run
from extraction.models.run_values import RunParameters
from extraction.services.core import runs
from extraction.services.records import held_attributes
from extraction.services.records.held_attributes import HeldAttributes


def start_extraction(refresh_id: int, user: User | None = None) -> Run | None:
    """Start the extraction of a refresh. Return None if no rule works; the refresh's note says which templates were left out.

    Call it in a transaction.
    """
    refresh = Refresh.objects.select_related("site", "cluster").filter(pk=refresh_id).first()
    if refresh is None:
        return None
    serving = _list_rules(refresh)
    held = {rule: held_attributes.find_held(rule) for rule in serving}
    refresh.note = _describe_left_out(held)
    refresh.save(update_fields=["note"])
    ids = tuple(sorted(rule.pk for rule, parts in held.items() if parts is not None))
    if not ids:
        return None
    parameters = RunParameters(rules=ids, refresh=refresh.pk, stale_only=True)
    return runs.start_run(Run.Kind.EXTRACT, refresh.site, cluster=refresh.cluster, parameters=parameters, user=user)


def _list_rules(refresh: Refresh) -> list[Rule]:
    """Return the rules of the template or, for a site, of its templates that have no schedule of their own."""
    serving = Rule.objects.serving().of_site(refresh.site).not_ignored().select_related("cluster").order_by("cluster__number")
    if refresh.cluster:
        return list(serving.filter(cluster=refresh.cluster))
    others = RefreshSchedule.objects.filter(site=refresh.site).exclude(cluster=None).values_list("cluster", flat=True)
    return list(serving.exclude(cluster__in=list(others)))


def _describe_left_out(rules: Mapping[Rule, HeldAttributes | None]) -> str:
    broken = [rule for rule, parts in rules.items() if parts is None]
    said = []
    if broken:
        names = ", ".join(f"{rule.cluster.label} ({rule.get_state_display().lower()})" for rule in broken)
        which = "its rule does not work" if len(broken) == 1 else "their rules do not work"
        said.append(f"Not extracted, because {which}: {names}.")
    held = [f"{rule.cluster.label} ({', '.join(parts.names)})" for rule, parts in rules.items() if parts and parts.names]
    if held:
        said.append(f"Held back, because a part of the rule is broken: {', '.join(held)}.")
    return " ".join(said)[: Refresh.NOTE_LENGTH]
