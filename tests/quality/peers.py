"""`python -m tests.quality.peers DATA [--annotated N] [--peer NAME …]`: other learners of extractors on the same pages, by the same scorer.

DATA is laid out as for `tests.quality.extraction`. The peers run in a virtual environment of their own, `var/peers`, which this
command makes: their dependencies are not ours. Each is given the marked values of the first N annotated pages of every
attribute, as its own documentation says, and run over all pages of the site; a site that takes longer than SITE_S counts as
nothing found. *parsel* is not a learner: its XPaths were written by hand for a few sites, by somebody who looked at the pages, as a
reference.

To run them on Python 3.11: scrapely 0.14.1 has C sources made for older Pythons (`longintrepr.h`), so they are made anew by Cython
(CYTHONIZE=1), and it needs w3lib before 2 (`str_to_unicode`); mlscraper's only version with today's interface is a release candidate.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.quality import scores

FOLDER = Path("var/peers")
PACKAGES = ("w3lib==1.22.0", "parsel==1.8.1", "autoscraper==1.1.14", "mlscraper==1.0.0rc3", "numpy", "six", "setuptools", "wheel", "cython")
PEERS = ("scrapely", "autoscraper", "mlscraper", "parsel")
SITE_S = 90
"""Seconds a peer may take for one site; Vertex takes two or three."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--annotated", type=int, default=2)
    parser.add_argument("--peer", action="append", choices=PEERS, default=[])
    options = parser.parse_args()
    python = environment(FOLDER)
    for peer in options.peer or PEERS:
        predictions: dict[str, Any] = {}
        trouble = []
        for folder in scores.sites(options.data):
            found, message = run(python, peer, folder, options.annotated)
            if found is not None:
                predictions[folder.name] = found
            if message:
                trouble.append(f"{folder.name}: {message}")
        report(peer, options.data, predictions, options.annotated, trouble)


def environment(folder: Path) -> Path:
    """Return the peers' Python. Its environment is made if it does not exist."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        build = {**os.environ, "CYTHONIZE": "1"}
        subprocess.run([*pip, "--no-build-isolation", "--no-binary", "scrapely", "scrapely==0.14.1"], check=True, env=build)
        (folder / "ready").touch()
    return python


def run(python: Path, peer: str, folder: Path, annotated: int) -> tuple[dict[str, Any] | None, str]:
    """Return ({attribute: {page: values}}, or None if there is nothing to run; what went wrong, in words)."""
    child = Path(__file__).with_name("peers_child.py")
    command: list[str | Path] = [python.absolute(), child.absolute(), peer, folder.absolute(), str(annotated)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SITE_S)
    except subprocess.TimeoutExpired:
        return {}, f"stopped after {SITE_S} s"
    if done.returncode:
        return {}, (done.stderr.strip().splitlines() or ["no message"])[-1][:200]
    row = json.loads(done.stdout.splitlines()[-1])
    return row["values"], "; ".join(row["trouble"])[:200]


def report(peer: str, data: Path, predictions: dict[str, Any], annotated: int, trouble: Sequence[str]) -> None:
    """Return the macro F1 over the pairs of site and attribute; for parsel only over those it has."""
    found = scores.extraction(data, predictions, annotated_pages=annotated)
    if peer == "parsel":
        found = {pair: score for pair, score in found.items() if pair[0] in predictions}
    print(f"{peer}: macro F1 {statistics.fmean(found.values()):.3f} over {len(found)} site–attribute pairs, {annotated} annotated pages")
    for line in trouble:
        print(f"  {line}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
