"""The state of the installation as Prometheus metrics. All values come from the database, so every web process gives the same."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Max
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from extraction.models import Breakage, Heartbeat, Run, RunRelease
from extraction.services.core import heartbeats, runs

RECENT = timedelta(hours=24)
"""How far back finished runs are counted."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def write_metrics() -> bytes:
    """Return all metrics in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector())
    return generate_latest(registry)


class _Collector:
    def collect(self) -> Iterator[Metric]:
        """Yield the metrics, as prometheus_client asks for them."""
        yield _count_unfinished()
        yield _count_recent()
        yield _measure_rates()
        yield _find_last_successes()
        yield GaugeMetricFamily("vertex_breakages_open", "Broken rules that nobody has closed.", Breakage.objects.open().count())
        yield GaugeMetricFamily("vertex_releases_held", "Runs whose records are held back.", RunRelease.objects.withheld().count())
        yield from _measure_silence()


def _count_unfinished() -> Metric:
    metric = GaugeMetricFamily("vertex_runs_unfinished", "Runs that are queued, running or paused.", labels=["kind", "state"])
    for kind, state, n in Run.objects.unfinished().order_by().values_list("kind", "state").annotate(n=Count("pk")):
        metric.add_metric([kind, state], n)
    return metric


def _count_recent() -> Metric:
    metric = GaugeMetricFamily("vertex_runs_ended_24h", "Runs that ended in the last 24 hours.", labels=["kind", "state"])
    ended = Run.objects.filter(finished_at__gte=timezone.now() - RECENT).order_by()
    for kind, state, n in ended.values_list("kind", "state").annotate(n=Count("pk")):
        metric.add_metric([kind, state], n)
    return metric


def _measure_rates() -> Metric:
    """Return how fast the running runs are, without what was done before a run was resumed."""
    metric = GaugeMetricFamily(
        "vertex_run_units_per_second",
        "Pages, records or other units that running runs do in a second.",
        labels=["site", "kind", "unit", "run"],
    )
    for run in Run.objects.running().select_related("site"):
        fresh, stretch_s = max(0, run.done - (run.read_summary().before or 0)), runs.measure_stretch_s(run)
        if stretch_s > 0:
            metric.add_metric([run.site.slug, run.kind, run.unit, str(run.pk)], fresh / stretch_s)
    return metric


def _find_last_successes() -> Metric:
    metric = GaugeMetricFamily(
        "vertex_last_success_timestamp_seconds", "When a run of this kind was last done, in seconds since 1970.", labels=["site", "kind"]
    )
    done = Run.objects.filter(state=Run.State.DONE).order_by()
    for slug, kind, at in done.values_list("site__slug", "kind").annotate(at=Max("finished_at")):
        metric.add_metric([slug, kind], at.timestamp())
    return metric


def _measure_silence() -> Iterator[Metric]:
    """Yield when a worker last took the tick of beat. It is missing until the first."""
    last = Heartbeat.objects.filter(name=heartbeats.TICK).values_list("at", flat=True).first()
    if last is not None:
        yield GaugeMetricFamily("vertex_last_tick_timestamp_seconds", "When a worker last took a tick of beat.", last.timestamp())
