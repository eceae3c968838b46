"""Try mutants of the algorithms, drawn by a seed, for some seconds: `python -m tests.mutation --seconds 600 [--only sketches]`.

All mutants of a package (module, place and operator) are equally likely and none is drawn twice, so that the share of killed ones is an
estimate for the whole package; it is printed with its 95 % interval. A mutant is killed if a test fails or takes several times as long.
The tests are those of the package's folder and the others of the algorithms that import from it; the quick ones that run the changed
statement come first, then the others that run any line of the module or name it. A mutant on which none of them fails is printed as a
survivor, with what was changed.
"""

import argparse
import difflib
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.mutation.figures import write_share
from tests.mutation.mutants import Mutant, draw_mutants
from tests.mutation.trial import PACKAGES, ROOT, Trial, copy_tree


def main() -> int:
    """Try the mutants that fit into the time, package after package, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--seconds", type=float, default=600, help="for all packages together; a package begun tries one at least")
    parser.add_argument("--mutants", type=int, default=10**9, help="at most so many of each package")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other mutants (default: 1)")
    parser.add_argument("--only", default="", choices=("", *PACKAGES), help="a package, such as sketches")
    parser.add_argument("--verbose", action="store_true", help="also print the killed ones, each with the test that failed")
    options = parser.parse_args()
    packages = [each for each in PACKAGES if options.only in ("", each)]
    until = time.monotonic() + options.seconds
    for number, package in enumerate(packages):
        left_s = (until - time.monotonic()) / (len(packages) - number)
        print(f"{package}, seed {options.seed}: {_try_package(package, options, left_s)}", flush=True)
    return 0


def _try_package(package: str, options: argparse.Namespace, seconds: float) -> str:
    """Return the figures of a package."""
    killed = tried = 0
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="vertex-mutation-") as name:
        copy_tree(Path(name))
        trial = Trial(Path(name), package)
        chance = random.Random(options.seed)
        for mutant in draw_mutants(ROOT, trial.find_modules(), chance):
            if tried and (time.monotonic() > until or tried == options.mutants):
                break
            answer = trial.try_mutant(mutant)
            tried += 1
            killed += answer["outcome"] != "passed"
            if answer["outcome"] == "passed":
                print(f"survived: {_describe(mutant)}", flush=True)
            elif options.verbose:
                print(f"killed: {mutant.path}:{mutant.line}: {mutant.what} by {answer['by'] or 'the limit of time or memory'}", flush=True)
        trial.close()
    return write_share(killed, tried)


def _describe(mutant: Mutant) -> str:
    """Return the place, the operator, and the lines that differ."""
    lines = difflib.unified_diff((ROOT / mutant.path).read_text().splitlines(), mutant.source.splitlines(), n=0, lineterm="")
    changed = [f"    {line}" for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]
    return "\n".join([f"{mutant.path}:{mutant.line}: {mutant.what}", *changed])


if __name__ == "__main__":
    sys.exit(main())
