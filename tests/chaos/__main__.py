"""Run a day with faults, run the same day without, and compare what they left: `python -m tests.chaos --seed 7 --seconds 60`.

Both begin with the same prepared site. Prints one line of figures. Exits with 1 if anything was lost, doubled or stuck, if a run failed for
a reason that no fault explains, or if the dashboard does not answer in the end.
"""

import argparse
import contextlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

from extraction.demo.server import DemoServer
from extraction.management import processes
from tests.chaos.day import Day, prepare
from tests.chaos.faults import Faults
from tests.chaos.installation import Installation, Stopper, choose_backing
from tests.chaos.local import Local
from tests.chaos.receiver import Receiver
from tests.chaos.served import Served

S = TypeVar("S", bound=ThreadingHTTPServer)

FIRST_PORT = 8151


class Shop(DemoServer):
    """The live shop. down: it ends connections without an answer."""

    down = False

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether a connection is answered."""
        return not self.down


def main() -> int:
    """Run both days and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--seed", type=int, default=1, help="another seed injects other faults (default: 1)")
    parser.add_argument("--seconds", type=float, default=60, help="how long faults are injected (default: 60)")
    parser.add_argument("--only", action="append", default=[], metavar="FAULT", help="inject only this kind; may be given several times")
    parser.add_argument("--servers", action="store_true", help="use PostgreSQL, Redis and object storage (`tests.servers` says where)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with databases and logs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # otherwise the processes would outlive this one
    folder = Path(tempfile.mkdtemp(prefix="vertex-chaos-"))
    try:
        name = f"vertex_chaos_{options.seed}"
        with (
            _serve(Shop()) as shop,
            _serve(Receiver()) as receiver,
            choose_backing(folder / "prepared", name, servers=options.servers) as backing,
        ):
            return _run_both(folder, shop, receiver, backing, options)
    finally:
        if options.keep:
            print(f"Kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _run_both(folder: Path, shop: Shop, receiver: Receiver, backing: Local | Served, options: argparse.Namespace) -> int:
    # Several can run at once.
    prepared = Installation(folder / "prepared", processes.find_free_port(FIRST_PORT + 3 * (options.seed % 10)), backing)
    prepared.create()
    token = prepare(prepared, folder, shop.address, receiver)
    place = prepared.copy(folder / "disturbed")

    def break_network(broken: bool) -> None:
        shop.down = broken

    source = random.Random(options.seed)
    faults = Faults(place, source, options.seconds, only=frozenset(options.only), break_network=break_network, receiver=receiver)
    disturbed = Day(place, folder, token, faults)
    began = time.monotonic()
    with contextlib.closing(Stopper(place)):
        rounds = disturbed.run()
        shown, found = place.answers_soon(), place.read_state() | {"delivered records": [*receiver.list_records()]}
    doubled = receiver.doubled
    receiver.forget()
    took_s = time.monotonic() - began
    calm = Day(prepared.copy(folder / "calm"), folder, token)
    with contextlib.closing(Stopper(calm.place)):
        calm.run(rounds)
        expected = calm.place.read_state() | {"delivered records": [*receiver.list_records()]}
    differing = {name: _count_differences(found[name], expected[name]) for name in expected if found[name] != expected[name]}
    if doubled or receiver.doubled:
        differing["changes that came twice"] = f"{doubled}, and {receiver.doubled} on the calm day"
    print(_describe(options.seed, rounds, took_s, disturbed, faults.counts, found, differing, shown=shown))
    wrong = differing or disturbed.stuck or calm.stuck or disturbed.failures or calm.failures or not shown or not found["records"]
    return int(bool(wrong))


@contextlib.contextmanager
def _serve(server: S) -> Iterator[S]:
    with server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        yield server
        server.shutdown()


def _count_differences(found: list[object], expected: list[object]) -> str:
    ours, theirs = Counter(map(repr, found)), Counter(map(repr, expected))
    return f"{(theirs - ours).total()} lost, {(ours - theirs).total()} too many"


def _describe(
    seed: int,
    rounds: int,
    took_s: float,
    day: Day,
    counts: Counter[str],
    found: dict[str, list[object]],
    differing: dict[str, str],
    *,
    shown: bool,
) -> str:
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    left = ", ".join(f"{len(rows):,} {name}" for name, rows in found.items())
    wrong = "; ".join(f"{name}: {what}" for name, what in differing.items()) or "nothing lost, nothing doubled"
    failed = f"; failed for no fault: {'; '.join(day.failures)}" if day.failures else ""
    ends = f"{'a run was stuck' if day.stuck else 'no run stuck'}; {'the dashboard answers' if shown else 'the dashboard does not answer'}"
    return (
        f"chaos seed {seed}: {counts.total()} faults in {rounds} rounds and {took_s:.0f} s ({kinds}); {day.place.restarts} processes "
        f"started again; {day.resumed} runs resumed by hand; {left}; {wrong}{failed}; {ends}"
    )


if __name__ == "__main__":
    sys.exit(main())
