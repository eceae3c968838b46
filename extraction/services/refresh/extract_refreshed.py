"""Extract the records of what a refresh fetched, with the rules that work.

A template whose rule is suspect or broken keeps the records that it has, and the refresh says so. Once its rule works again, the next
refresh extracts from all its pages that have changed since.
"""

from django.contrib.auth.models import User

from extraction.models import Refresh, RefreshSchedule, Rule, Run
from extraction.models.run_values import RunParameters
from extraction.services.core import runs


def start_extraction(refresh_id: int, user: User | None = None) -> Run | None:
    """Start the extraction of a refresh. Return None if no rule works; the refresh's note says which templates were left out.

    Call it in a transaction.
    """
    refresh = Refresh.objects.select_related("site", "cluster").filter(pk=refresh_id).first()
    if refresh is None:
        return None
    serving = _list_rules(refresh)
    refresh.note = _describe_left_out([rule for rule in serving if rule.state != Rule.State.LIVE])
    refresh.save(update_fields=["note"])
    ids = tuple(sorted(rule.pk for rule in serving if rule.state == Rule.State.LIVE))
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


def _describe_left_out(broken: list[Rule]) -> str:
    if not broken:
        return ""
    names = ", ".join(f"{rule.cluster.label} ({rule.get_state_display().lower()})" for rule in broken)
    which = "its rule does not work" if len(broken) == 1 else "their rules do not work"
    return f"Not extracted, because {which}: {names}."[: Refresh.NOTE_LENGTH]
