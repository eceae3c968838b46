"""Run the day with faults, run the same day without, and compare what they left: `python -m tests.chaos --seed 7 --seconds 120`.

Prints one line of figures. Exits with 1 if anything was lost, doubled or stuck, or if the dashboard does not answer in the end.
"""

import argparse
import contextlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from extraction.demo.server import DemoServer
from extraction.management import processes
from tests.chaos.faults import Faults
from tests.chaos.installation import Installation
from tests.demo.zipped import write_zip

FIRST_PORT = 8151


def main() -> int:
    """Run both days and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--seed", type=int, default=1, help="another seed injects other faults (default: 1)")
    parser.add_argument("--seconds", type=float, default=120, help="how long faults are injected (default: 120)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with databases and logs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # otherwise the processes would outlive this one
    folder = Path(tempfile.mkdtemp(prefix="vertex-chaos-"))
    try:
        with _serve_shop() as shop:
            disturbed = Installation(folder / "disturbed", processes.find_free_port(FIRST_PORT))
            faults = Faults(disturbed, random.Random(options.seed))
            rounds, quiet, failed = _run_day(
                disturbed, folder, shop, faults.tick, goes_on=lambda done: faults.spent_s < options.seconds or not done, faults=faults
            )
            shown, found = _answers_soon(disturbed), disturbed.read_state()
            disturbed.stop()
            calm = Installation(folder / "calm", processes.find_free_port(FIRST_PORT))
            _, calm_quiet, _ = _run_day(calm, folder, shop, lambda: None, goes_on=lambda done: done < rounds, faults=None)
            expected = calm.read_state()
            calm.stop()
        differing = {name: _count_differences(found[name], expected[name]) for name in expected if found[name] != expected[name]}
        print(_describe(options.seed, rounds, faults.counts, disturbed, failed, found, differing, stuck=not quiet, shown=shown))
        return int(bool(differing) or not quiet or not calm_quiet or not shown or not found["records"])
    finally:
        if options.keep:
            print(f"Kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _run_day(
    place: Installation, folder: Path, shop: str, tick: Callable[[], None], *, goes_on: Callable[[int], bool], faults: Faults | None
) -> tuple[int, bool, int]:
    """Import, mark, extract, and again with the next day's pages, and crawl. Return (rounds, whether all runs ended, runs resumed).

    goes_on: returns whether another round begins after so many.
    """
    rounds, failed, quiet = 0, 0, True
    try:
        place.keep()
        _do(place, "import_pages", "Shop", str(_make_archive(folder, 0)))
        quiet &= place.wait_until_quiet(tick)
        _pause_faults(faults, on=False)  # a person marks pages; the faults go on afterwards
        place.run_module("tests.e2e.live_rule")
        _pause_faults(faults, on=True)
        _do(place, "extract", "Shop")
        quiet &= place.wait_until_quiet(tick)
        while goes_on(rounds) and quiet:
            rounds += 1
            _do(place, "import_pages", "Shop", str(_make_archive(folder, rounds)))
            quiet &= place.wait_until_quiet(tick)
            _do(place, "crawl_site", "Live", f"{shop}/", "--whole", "--delay", "0")
            _do(place, "extract", "Shop")
            quiet &= place.wait_until_quiet(tick)
            failed += _resume_given_up(place)
            quiet &= place.wait_until_quiet(tick)
        _pause_faults(faults, on=False)
        for _ in range(3):
            failed += _resume_given_up(place)
            quiet &= place.wait_until_quiet(lambda: None)
        _do(place, "extract", "Shop")
        quiet &= place.wait_until_quiet(lambda: None)
    except BaseException:
        place.stop()
        raise
    return rounds, quiet, failed


def _do(place: Installation, *arguments: str) -> None:
    """Give a command as a person does who tries again if the database is locked for long."""
    for attempt in range(5):
        try:
            place.manage(*arguments)
            return
        except subprocess.CalledProcessError as error:
            if attempt == 4:
                raise RuntimeError(f"{arguments} failed: {error.stderr[-800:]}") from error
            time.sleep(2)


RESUME = """
from extraction.models import Run
from extraction.services.core import runs
failed = list(Run.objects.filter(state="failed").exclude(kind__in=["preview", "assets"]))
given_up = [run for run in failed if run.attempts >= runs.MAX_ATTEMPTS]
others = [f"{run}: {run.error}" for run in failed if run not in given_up]
assert not others, others
print(sum(runs.resume_run(run) is runs.Resumption.RESUMED for run in given_up))
"""


def _resume_given_up(place: Installation) -> int:
    """Resume the runs that were given up after their worker had died five times, as a person does. Any other failure is an error."""
    return int(place.manage("shell", "--no-imports", "-c", RESUME).splitlines()[-1])


def _pause_faults(faults: Faults | None, *, on: bool) -> None:
    if faults:
        faults.on = on


def _make_archive(folder: Path, day: int) -> Path:
    path = folder / f"shop-{day}.zip"
    if not path.exists():
        write_zip(path, day=day)
    return path


def _answers_soon(place: Installation) -> bool:
    return any(place.answers() or time.sleep(1) for _ in range(30))


@contextlib.contextmanager
def _serve_shop() -> Iterator[str]:
    with DemoServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        yield server.address
        server.shutdown()


def _count_differences(found: list[object], expected: list[object]) -> str:
    ours, theirs = Counter(map(repr, found)), Counter(map(repr, expected))
    return f"{(theirs - ours).total()} lost, {(ours - theirs).total()} too many"


def _describe(
    seed: int,
    rounds: int,
    counts: Counter[str],
    place: Installation,
    resumed: int,
    found: dict[str, list[object]],
    differing: dict[str, str],
    *,
    stuck: bool,
    shown: bool,
) -> str:
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    left = ", ".join(f"{len(rows):,} {name}" for name, rows in found.items())
    wrong = "; ".join(f"{name}: {what}" for name, what in differing.items()) or "nothing lost, nothing doubled"
    ends = f"{'a run was stuck' if stuck else 'no run stuck'}; {'the dashboard answers' if shown else 'the dashboard does not answer'}"
    return (
        f"chaos seed {seed}: {counts.total()} faults in {rounds} rounds ({kinds}); {place.restarts} processes started again; "
        f"{resumed} runs resumed by hand; {left}; {wrong}; {ends}"
    )


if __name__ == "__main__":
    sys.exit(main())
