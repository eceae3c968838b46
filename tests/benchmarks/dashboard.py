"""`python -m tests.benchmarks.dashboard [--pages 1000000] [--sites 200] [--folder FOLDER] [--only NAME ...] [--json]`: how long the pages
of the dashboard take when the database is large.

Each page of the dashboard is asked for several times, with the arguments of the largest site: as it is, with each filter, sort order and
search, and far down its lists. Printed: the 95th percentile of its time as a multiple of the median of a bare page of the dashboard, which
has the layout and an empty form; its milliseconds; and its queries. Pages that take more than `MOST` times a bare page are listed at the
end, and the exit code is then 1.

Parts that a screen loads later and what the workbench asks for are pages like the others; whole files are left out. Times are of the
processor, with that of PostgreSQL's process if it runs on this machine (VERTEX_DATABASE_URL names an empty database).
"""

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

MOST = 10.0
"""The time of a page as a multiple of a bare one."""

BARE = "site_new"

LEAST_TIMES, ENOUGH_S = 3, 4.0
"""A page is asked for this often at least, and not again once its requests have taken so long."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--times", type=int, default=12, help="requests of each page (default: 12)")
    parser.add_argument("--folder", type=Path, help="fill a database here if there is none, and keep it")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="only the pages whose name begins like this")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    found = measure_dashboard(chosen.pages, chosen.sites, times=chosen.times, folder=chosen.folder, only=chosen.only, quiet=chosen.json)
    if chosen.json:
        print(json.dumps(found, indent=1))
    return 0 if found["passed"] else 1


def measure_dashboard(
    pages: int, sites: int, *, times: int = 12, folder: Path | None = None, only: Any = (), quiet: bool = False
) -> dict[str, Any]:
    """Measure the pages of the dashboard in a database of that size."""
    with _open_database(folder):
        from django.core.management import call_command

        from extraction.models import Page

        call_command("migrate", verbosity=0)
        if not Page.objects.exists():
            call_command("fill_for_tests", pages=pages, sites=sites, verbosity=0 if quiet else 1)
        from tests.benchmarks._dashboard_world import list_addresses

        return _measure([each for each in list_addresses() if not only or each.label.startswith(tuple(only))], times, quiet)


@contextmanager
def _open_database(folder: Path | None) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="vertex-bench-") as own:
        used = folder or Path(own)
        used.mkdir(parents=True, exist_ok=True)
        os.environ |= {"VERTEX_VAR_DIR": str(used), "DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_ALLOWED_HOSTS": "testserver"}
        import django

        django.setup()
        with patch("celery.current_app.send_task"):
            yield


class _Clock:
    """Seconds of the processor in this process and, with PostgreSQL on this machine, in the process that serves the connection.

    That process works alone, without parallel workers, so that nothing is left out. Without such figures, it is the clock's time.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._remote: Path | None = None
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET max_parallel_workers_per_gather = 0")
                cursor.execute("SELECT pg_backend_pid()")
                self._remote = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")
        local = connection.settings_dict["HOST"] in ("", "localhost", "127.0.0.1", "::1")
        self.of_processors = connection.vendor == "sqlite" or bool(local and self._remote and self._remote.exists())

    def read(self) -> float:
        if not self.of_processors:
            return time.perf_counter()
        served = int(self._remote.read_text().split()[0]) / 1e9 if self._remote else 0.0
        return time.process_time() + served


class _Reader:
    """An admin who asks for addresses and notes how long each answer takes."""

    def __init__(self) -> None:
        from django.contrib.auth.models import User
        from django.db import connection
        from django.test import Client

        from extraction.models import Role
        from extraction.services.core import api_tokens
        from extraction.services.core.people import give_role

        user, _ = User.objects.get_or_create(username="bench")
        give_role(user, Role.ADMIN)
        self._client = Client()
        self._client.force_login(user)
        self._token = api_tokens.create_token(user, "Benchmark", ["read"])
        self._clock = _Clock(connection)

    def ask(self, asked: Any) -> float:
        """Ask for an address, read the whole answer, and return the seconds."""
        headers = {"HX-Request": "true"} if asked.part else {}
        if asked.label == "metrics":
            headers["Authorization"] = f"Bearer {self._token}"
        began = self._clock.read()
        answer = self._client.get(asked.address, headers=headers)
        if answer.streaming:
            for _ in answer:
                pass
        taken = self._clock.read() - began
        assert answer.status_code in (200, 503 if asked.label == "readyz" else 200), f"{asked.label}: {answer.status_code}"
        return taken


def _measure(addresses: list[Any], times: int, quiet: bool) -> dict[str, Any]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    from tests.benchmarks._dashboard_world import Asked

    reader, bare = _Reader(), Asked(BARE, reverse(BARE))
    for _ in range(5):
        reader.ask(bare)
    gc.collect()
    gc.freeze()  # as the worker of the web server does
    bares: list[float] = []
    found: dict[str, float] = {}
    for each in addresses:
        reader.ask(each)
        with CaptureQueriesContext(connection) as captured:
            taken = [reader.ask(each)]
            queries = len(captured)
        while len(taken) < LEAST_TIMES or (len(taken) < times and sum(taken) < ENOUGH_S):
            bares.append(reader.ask(bare))
            taken.append(reader.ask(each))
        found[each.label] = _percentile(taken)
        if not quiet:
            usual = statistics.median(bares)
            print(f"{found[each.label] / usual:7.1f} ×  {found[each.label] * 1000:8.0f} ms  {queries:3} queries  {each.label}", flush=True)
    return _sum_up(found, statistics.median(bares), connection.vendor, quiet)


def _sum_up(found: dict[str, float], usual: float, database: str, quiet: bool) -> dict[str, Any]:
    ratios = {name: round(p95 / usual, 1) for name, p95 in found.items()}
    worst = sorted(ratios.items(), key=lambda each: -each[1])
    if not quiet:
        print(f"bare page: {usual * 1000:.0f} ms; {sum(each > MOST for each in ratios.values())} of {len(ratios)} pages over {MOST:.0f} ×")
        for name, ratio in worst:
            if ratio > MOST:
                print(f"{ratio:7.1f} ×  {name}")
    return {
        "ratio": worst[0][1],
        "most": MOST,
        "page": worst[0][0],
        "bare_ms": round(usual * 1000, 1),
        "pages": len(ratios),
        "over": {name: ratio for name, ratio in worst if ratio > MOST},
        "database": database,
        "passed": worst[0][1] <= MOST,
    }


def _percentile(taken: list[float], share: float = 0.95) -> float:
    """The 95th percentile, between the two nearest."""
    ordered, place = sorted(taken), share * (len(taken) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


if __name__ == "__main__":
    sys.exit(main())
