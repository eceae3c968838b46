"""`make bench`: every benchmark of this folder in turn. Each prints ratios of things measured in one run."""

import pkgutil
import subprocess
import sys

import tests.benchmarks


def main() -> int:
    failed = 0
    for module in sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if not m.name.startswith("_")):
        print(f"== {module}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"tests.benchmarks.{module}"], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
