"""Run the fuzzers for a while: `python -m tests.fuzz --seconds 60 [--seed 7] [--only archives]`. The seconds are for each of them."""

import argparse
import os
import sys

import pytest


def main() -> int:
    """Run the fuzzers and return 0 if nothing was found. What was found is printed as the smallest input that shows it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Run the fuzzers for a while.")
    parser.add_argument("--seconds", type=float, default=60, help="for each fuzzer (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other inputs (default: 1)")
    parser.add_argument("--only", default="", help="run those whose name has this word, such as forms")
    options = parser.parse_args()
    os.environ |= {"VERTEX_FUZZ_SECONDS": str(options.seconds), "VERTEX_FUZZ_SEED": str(options.seed)}
    return int(
        pytest.main(
            ["tests/fuzz", "-p", "no:xdist", "-s", "-q", "--tb=short", "--nomigrations", *(["-k", options.only] if options.only else [])]
        )
    )


if __name__ == "__main__":
    sys.exit(main())
