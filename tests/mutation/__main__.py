"""Try mutants of the algorithms, chosen by a seed, for some seconds: `python -m tests.mutation --seconds 600 [--only sketches]`.

A mutant is killed if a test fails or takes too long with it. First the tests that name the module are run, then all of its folder. Prints a
line for each survivor, and figures for each package.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import find_changes, make_mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sketches", "clustering", "sampling", "rules", "monitoring")
TIMEOUT_S = 300.0


def main() -> int:
    """Run the mutants that fit into the time, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1, help="another seed chooses other mutants (default: 1)")
    parser.add_argument("--only", default="", help="a package, such as sketches")
    options = parser.parse_args()
    source, until = random.Random(options.seed), time.monotonic() + options.seconds
    killed, tried = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="vertex-mutation-") as name:
        place = _copy_tree(Path(name))
        packages = [each for each in PACKAGES if options.only in ("", each)]
        while time.monotonic() < until:
            for package in packages:
                path = source.choice(sorted((place / "extraction/algorithms" / package).rglob("[a-z]*.py")))
                original = path.read_text()
                changes = find_changes(original)
                if not changes or time.monotonic() > until:
                    continue
                mutant = make_mutant(original, changes, source)
                path.write_text(mutant.source)
                survives = _passes(place, package, path.stem)
                path.write_text(original)
                tried[package] += 1
                killed[package] += not survives
                if survives:
                    print(f"survived: {path.relative_to(place)}:{mutant.line}: {mutant.what}", flush=True)
    figures = ", ".join(f"{each} {killed[each]} of {tried[each]}" for each in packages if tried[each])
    share = killed.total() / tried.total() if tried.total() else 0.0
    print(f"mutation seed {options.seed}: {killed.total()} of {tried.total()} killed ({share:.0%}): {figures}")
    return 0


def _copy_tree(folder: Path) -> Path:
    """Copy the algorithms and their tests, and link everything else."""
    for each in ROOT.iterdir():
        if each.name not in {"extraction", ".git", "var"}:
            (folder / each.name).symlink_to(each)
    (folder / "extraction").mkdir()
    for each in (ROOT / "extraction").iterdir():
        if each.name == "algorithms":
            shutil.copytree(each, folder / "extraction/algorithms", ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / "extraction" / each.name).symlink_to(each)
    return folder


def _passes(place: Path, package: str, module: str) -> bool:
    """Return whether all tests of a module and its package pass."""
    folder = ROOT / "tests/algorithms" / package
    naming = [
        str(path.relative_to(ROOT)) for path in sorted(folder.rglob("test_*.py")) if module in path.read_text() or module in path.stem
    ]
    return (not naming or _run(place, naming)) and _run(place, [f"tests/algorithms/{package}"])


def _run(place: Path, tests: list[str]) -> bool:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:xdist",
        "--no-header",
        "--tb=no",
        "--nomigrations",
        "-m",
        "not data",
        *tests,
    ]
    variables = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=place, env=variables, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
