"""Alerts about runs that have ended, and about values that go missing little by little."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse

from extraction.models import Alert, AlertChannel, Check, Event, Run
from extraction.services.monitoring import alerts
from extraction.services.monitoring.alert_words import AlertText, name_template, write_link

TOLD_KINDS = (
    Run.Kind.IMPORT,
    Run.Kind.CRAWL,
    Run.Kind.CLUSTER,
    Run.Kind.LEARN,
    Run.Kind.EXTRACT,
    Run.Kind.JOIN,
    Run.Kind.CHECK,
    Run.Kind.PLACE,
)
"""Runs whose end people and programs wait for. Others, such as previews, follow from these."""

LOOK_BACK = timedelta(days=1)
"""A run that ended longer ago is not told any more."""

EVENTS = {Run.State.DONE: Event.RUN_DONE, Run.State.FAILED: Event.RUN_FAILED}


def queue_run_alerts(now: datetime) -> int:
    """Queue the alerts about the runs that have ended since the last look. Return how many.

    Runs end in several ways, also when a worker dies. So this looks for those that ended and of which nobody was told.
    """
    listening = {state: channels for state, event in EVENTS.items() if (channels := alerts.list_listening(event))}
    if not listening:
        return 0
    told = set(Alert.objects.filter(event__in=EVENTS.values(), created_at__gt=now - 2 * LOOK_BACK).values_list("channel_id", "key"))
    with transaction.atomic():
        return sum(
            alerts.queue_alert(channel, EVENTS[Run.State(run.state)], _make_key(run), _write_ended(run), now)
            for run in _find_ended(list(listening), now)
            for channel in listening[Run.State(run.state)]
            if _hears(channel, run) and (channel.pk, _make_key(run)) not in told
        )


def queue_drift_alerts(check: Check, now: datetime) -> int:
    """Queue the alerts about attributes that this check finds on fewer pages than usual, and the one before did not. Return how many."""
    names = {name for name, _ in check.drifts}
    channels = alerts.list_listening(Event.DRIFT) if names else []
    channels = [each for each in channels if alerts.is_about_site(each, check.cluster.site)]
    if not channels:
        return 0
    before = Check.objects.filter(rule=check.rule, pk__lt=check.pk, confirmed=True).order_by("-pk").first()
    known = {name for name, _ in before.drifts} if before and before.accepted_at is None else set()
    if not names - known:
        return 0
    words = _write_drift(check)
    return sum(alerts.queue_alert(each, Event.DRIFT, f"drift {check.pk}", words, now) for each in channels)


def _find_ended(states: list[Run.State], now: datetime) -> Iterator[Run]:
    ended = Run.objects.filter(state__in=states, finished_at__gt=now - LOOK_BACK, finished_at__lte=now, kind__in=TOLD_KINDS)
    return ended.select_related("site", "cluster__site").order_by("finished_at", "pk").iterator()


def _hears(channel: AlertChannel, run: Run) -> bool:
    return run.finished_at is not None and channel.created_at <= run.finished_at and alerts.is_about_site(channel, run.site)


def _make_key(run: Run) -> str:
    """Return what names this end of a run: one that failed can be resumed, and end again."""
    return f"{EVENTS[Run.State(run.state)]} {run.pk} {run.finished_at.timestamp() if run.finished_at else 0:.0f}"


def _write_ended(run: Run) -> AlertText:
    where = name_template(run.cluster) if run.cluster else run.site.name
    what = f"{run.get_kind_display()}: {where}"
    if run.state == Run.State.DONE:
        return AlertText.of(f"Done: {what}", [run.message or f"Run {run.pk} is done.", write_link(run.get_absolute_url())])
    return AlertText.of(
        f"Failed: {what}",
        [
            run.error,
            "What to do: Mend the reason, and continue the run on its page. Records that were there before are still there.",
            write_link(run.get_absolute_url()),
        ],
    )


def _write_drift(check: Check) -> AlertText:
    lines = [
        f"- {name}: on {(found.valued_fraction or 0):.0%} of the watched pages, usually on {(found.usual_fraction or 0):.0%}"
        for name, found in check.drifts
    ]
    return AlertText.of(
        f"Fewer values: {', '.join(name for name, _ in check.drifts)} of {name_template(check.cluster)}",
        [
            "The rule works, but it finds these attributes on fewer pages than in earlier checks:\n" + "\n".join(lines),
            "What to do: Look at pages without a value. If the site has dropped the values, accept the check as the new normal.",
            write_link(reverse("site_check", args=[check.cluster.site.slug, check.pk])),
        ],
    )
