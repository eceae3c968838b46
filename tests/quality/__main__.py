"""`make quality`: every task on the evaluation pages below DATA, scored, beside the floors that must hold.

DATA holds the folders `extraction/`, `modern/`, `clustering/`, `records/`, `redesign/`, `relocate/`, `values/`; missing ones are skipped
with a message. A floor applies only to the pages it was reached on, which are recognised by their digest. The tasks run in
several processes at once. Ends with 1 when a floor is broken.
"""

import argparse
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

from tests.quality.floors import FLOORS
from tests.quality.tasks import TASKS, measure_task


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="tasks that are measured at the same time")
    parser.add_argument("--task", action="append", choices=TASKS, help="do only this task; may be given several times")
    arguments = parser.parse_args()
    broken = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(arguments.processes, mp_context=context, max_tasks_per_child=1) as pool:
        for outcome in pool.map(measure_task, repeat(arguments.data), arguments.task or TASKS):
            print(outcome.printed, end="", flush=True)
            broken += sum(_print_figure(*row, FLOORS.get(row[:2]) if outcome.known else None) for row in outcome.rows)
    return 1 if broken else 0


def _print_figure(task: str, figure: str, value: float, floor: float | None) -> bool:
    """Prints a figure and returns whether it is below its floor."""
    under = floor is not None and value < floor
    said = f"  floor {floor:.3f}" if floor is not None else ""
    print(f"{task:28} {figure:36} {value:6.3f}{said}{'  BROKEN' if under else ''}", flush=True)
    return under


if __name__ == "__main__":
    sys.exit(main())
