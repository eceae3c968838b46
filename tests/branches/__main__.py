"""Print which share of the branches the tests take, for each package: `python -m tests.branches [--data .coverage] [--floor]`.

The packages with the most branches that no test takes come first. With --floor the exit code is 1 if a share is under its floor.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from coverage import Coverage

from tests.branches.table import FLOORS, add_up, list_below, write_table


def main() -> int:
    """Print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.branches")
    parser.add_argument("--data", default=".coverage", help="what a run with coverage wrote (default: .coverage)")
    parser.add_argument("--floor", action="store_true", help="fail if a share is under its floor")
    options = parser.parse_args()
    cover = Coverage(data_file=options.data)
    cover.load()
    packages = add_up(_read_files(cover))
    print(write_table(packages))
    for root in list_below(packages) if options.floor else ():
        print(f"{root} is under its floor of {FLOORS[root]:.0%}")
    return int(options.floor and bool(list_below(packages)))


def _read_files(cover: Coverage) -> list[tuple[Path, int, int]]:
    """Return (file, branches taken, branches) of each measured file."""
    with tempfile.TemporaryDirectory(prefix="vertex-branches-") as folder:
        report = Path(folder) / "report.json"
        cover.json_report(outfile=str(report))
        files = json.loads(report.read_text())["files"]
    return [(Path(name), row["summary"]["covered_branches"], row["summary"]["num_branches"]) for name, row in files.items()]


if __name__ == "__main__":
    sys.exit(main())
