"""Start an installation, let the people of `locustfile` use it while records are extracted again and again, and print one line of figures.

Exits with 1 if an answer was an error, or if the slowest twentieth of the answers took more than LIMIT_S.
"""

import argparse
import contextlib
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from extraction.management import processes
from tests.chaos.installation import Installation, Stopper, choose_backing
from tests.demo.zipped import write_zip
from tests.e2e.conftest import ROOT

EDITORS, OPERATORS = 50, 10
LIMIT_S = 1.0
FIRST_PORT = 8160

PEOPLE = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from extraction.models import *
from extraction.services.core.people import give_role
rule = Rule.objects.select_related("cluster__site", "cluster__record_type").get(state="live")
attribute = rule.cluster.record_type.attributes.order_by("position")[0]
labels = Label.objects.filter(cluster=rule.cluster, attribute=attribute, location__isnull=False)[:8]
found = {"site": rule.cluster.site.slug, "number": rule.cluster.number, "attribute": attribute.pk}
found["pages"] = [{"pk": each.snapshot_id, "title": each.location} for each in labels]
for role, number in (("editor", EDITORS), ("operator", OPERATORS)):
    found[role] = []
    for n in range(number):
        user = User.objects.create(username=f"{role} {n}", password="!")
        give_role(user, Role[role.upper()])
        session = SessionStore()
        session.update({SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend", HASH_SESSION_KEY: user.get_session_auth_hash()})
        session.create()
        found[role].append(session.session_key)
print(json.dumps(found))
""".replace("EDITORS", str(EDITORS)).replace("OPERATORS", str(OPERATORS))


def main() -> int:
    """Run the load and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.load")
    parser.add_argument("--seconds", type=int, default=60, help="how long the people work (default: 60)")
    parser.add_argument("--servers", action="store_true", help="use PostgreSQL, Redis and object storage (`tests.servers` says where)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vertex-load-"))
    try:
        with choose_backing(folder / "var", "vertex_load", servers=options.servers) as backing:
            place = Installation(folder / "var", processes.find_free_port(FIRST_PORT), backing)
            with contextlib.closing(Stopper(place)):
                return _use(place, folder, options.seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _use(place: Installation, folder: Path, seconds: int) -> int:
    _prepare(place, folder)
    stop = threading.Event()
    extracting = threading.Thread(target=_extract_again_and_again, args=(place, stop))
    extracting.start()
    rows = _run_locust(place, folder, seconds)
    stop.set()
    extracting.join()
    for row in _read_table(folder / "load_failures.csv"):
        print(f"failed: {row['Method']} {row['Name']}, {row['Occurrences']} times: {row['Error']}")
    extractions = int(str(place.backing.query("select count(*) from extraction_run where kind = 'extract'")[0][0]))
    return _print_figures(rows, seconds, type(place.backing).__name__.lower(), extractions)


def _prepare(place: Installation, folder: Path) -> None:
    place.create()
    archive = folder / "shop.zip"
    write_zip(archive)
    place.manage("import_pages", "Shop", str(archive), "--here")
    place.manage("cluster_site", "Shop", "--here")
    place.run_module("tests.e2e.live_rule")
    (folder / "people.json").write_text(place.manage("shell", "--no-imports", "-c", PEOPLE).splitlines()[-1])
    place.keep()
    if not place.answers_soon():
        raise RuntimeError("the dashboard did not start")


def _extract_again_and_again(place: Installation, stop: threading.Event) -> None:
    while not stop.is_set():
        place.manage("extract", "Shop")
        stop.wait(3)


def _run_locust(place: Installation, folder: Path, seconds: int) -> list[dict[str, str]]:
    people = str(EDITORS + OPERATORS)
    command = [
        sys.executable,
        "-m",
        "locust",
        "-f",
        "tests/load/locustfile.py",
        "--headless",
        "-u",
        people,
        "-r",
        "10",
        "-t",
        f"{seconds}s",
    ]
    command += ["--host", f"http://127.0.0.1:{place.port}", "--csv", str(folder / "load"), "--only-summary"]
    variables = {**os.environ, "VERTEX_LOAD_PEOPLE": str(folder / "people.json")}
    subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=False)
    return _read_table(folder / "load_stats.csv")


def _read_table(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def _print_figures(rows: list[dict[str, str]], seconds: int, backing: str, extractions: int) -> int:
    whole = next(row for row in rows if row["Name"] == "Aggregated")
    failures, p95_s, count = int(whole["Failure Count"]), float(whole["95%"]) / 1000, int(whole["Request Count"])
    slow = sorted((row for row in rows if row is not whole), key=lambda row: -float(row["95%"]))[:4]
    names = ", ".join(f"{row['Name']} {float(row['95%']) / 1000:.2f} s" for row in slow)
    print(
        f"load ({backing}): {EDITORS} editors and {OPERATORS} operators for {seconds} s, {extractions} extractions meanwhile: {count:,} answers, "
        f"{failures} failures, {float(whole['Requests/s']):.1f} a second, median {float(whole['50%']) / 1000:.2f} s, p95 {p95_s:.2f} s; slowest p95: {names}"
    )
    return int(failures > 0 or p95_s > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
