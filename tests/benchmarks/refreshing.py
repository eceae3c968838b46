"""python -m tests.benchmarks.refreshing [--pages 2000]: a refresh of unchanged pages against the first fetch of them.

A server of its own serves a shop of this many books on this machine. It answers as most shops do, with pages of some 20 kilobytes. The
first fetch stores its pages; then templates are found, a rule is published and records are extracted. Nothing changes after that, and a
refresh does all that it does: it plans, asks for every page, and makes sure that every record is up to date.

Printed: bytes of the bodies and headers that the server sent, and processor time of Vertex and of its crawling process, of both, and their
ratios within this run: for a server with ETags and for one without, where bodies come again and are recognised by their hash. The time of
the first fetch is that of the crawl alone, without the extraction of its records, so that the ratio is not flattered.
"""

import argparse
import os
import subprocess
import sys
import tempfile


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    options = parser.parse_args()
    good = True
    for tags in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.benchmarks._refreshing", str(options.pages), str(int(tags))]
            kept = {name: value for name, value in os.environ.items() if not name.startswith("VERTEX_")}
            environment = kept | {"VERTEX_VAR_DIR": folder, "VERTEX_BROKER_URL": "memory://", "VERTEX_LOG_LEVEL": "ERROR"}
            good &= subprocess.run(command, env=environment, check=False).returncode == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
