"""`make bench`: every benchmark of this folder in turn. Each prints ratios of things measured in one run.

`python -m tests.benchmarks --json [NAME ...]` takes the named measurements of `measures` instead, all if none is
named. Its last line is one JSON object: {name: ratio, …, "details": {name: figures}}. A ratio that cannot be measured here is null, and its
figures say why.
"""

import argparse
import json
import pkgutil
import subprocess
import sys

import tests.benchmarks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print named measurements as JSON")
    parser.add_argument("names", nargs="*", metavar="NAME", help="with --json: only these measurements")
    options = parser.parse_args()
    if options.names and not options.json:
        parser.error("names need --json")
    return print_measures(options.names) if options.json else run_all()


def print_measures(names: list[str]) -> int:
    """Print measurements as JSON. Return 1 if one of them missed its bound."""
    from tests.benchmarks.measures import MEASURES, measure

    unknown = sorted(set(names) - set(MEASURES))
    if unknown:
        sys.exit(f"there is no measurement {unknown[0]}; choose of {', '.join(MEASURES)}")
    found = {}
    for name in names or MEASURES:
        found[name] = measure(name)
        print(f"{name}: {found[name]}", flush=True)
    print(json.dumps({name: each.get("ratio", each.get("exponent")) for name, each in found.items()} | {"details": found}))
    parts = [part for each in found.values() for part in (each, *(part for part in each.values() if isinstance(part, dict)))]
    return int(any(part.get("passed") is False for part in parts))


def run_all() -> int:
    failed = 0
    for module in sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if not m.name.startswith("_")):
        print(f"== {module}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"tests.benchmarks.{module}"], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
