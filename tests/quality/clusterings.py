"""python -m tests.quality.clusterings DATA [--methods …] [--mixed EXTRACTION] [--growth SIZE … --pages FOLDER]: the methods side by side.

DATA as for `tests.quality.clustering`: every method on every labelled site, pair precision and recall, purity, V and the groups of at least
two pages. Each method has a process of its own (`services.method_child`): time is its processor time from bytes
to groups, memory the peak of its resident set above what it had before; both as ratios to the first method of the same run. Beside
them the MDL cost of the groups in kbit.
--mixed: also the pages of the sites below EXTRACTION as one set, their site as label: what TEXT was made for.
--growth: times on so many pages, as ratios to the first size: HTML files below FOLDER, spread evenly, each once.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from extraction.algorithms.clustering.measures import ClusteringQuality, measure_quality
from extraction.algorithms.methods import METHODS, Pages
from extraction.services.lab import method_process
from extraction.services.lab.method_process import MethodResult

MIXED_PAGES = 30
"""Pages of each site in the mixture, spread evenly."""

HEAD = f"{'':28}{'precision':>10}{'recall':>8}{'purity':>8}{'V':>7}{'groups':>8}{'time':>7}{'memory':>8}{'kbit':>9}"

Labels = dict[str, str]


@dataclass(frozen=True)
class Measured:
    """A method on a set. time, memory: as ratios to the first method."""

    method: str
    quality: ClusteringQuality
    groups: int
    time: float
    memory: float
    kbit: float

    def line(self) -> str:
        found = self.quality
        shares = f"{found.pair_precision:10.3f}{found.pair_recall:8.3f}{found.purity:8.3f}{found.v_measure:7.3f}"
        return f"{self.method:28}{shares}{self.groups:8}{self.time:7.2f}{self.memory:8.2f}{self.kbit:9.1f}"


def labelled(folder: Path) -> tuple[Pages, Labels]:
    """The pages of a site of DATA with their labels."""
    labels = dict(line.split("\t")[:2] for line in (folder / "labels.tsv").read_text().splitlines() if line)
    return {name: (folder / "pages" / name).read_bytes() for name in sorted(labels)}, labels


def mixed(data: Path) -> tuple[Pages, Labels]:
    """Pages of all sites of EXTRACTION with their sites."""
    pages, labels = {}, {}
    for folder in sorted(path for path in data.iterdir() if (path / "pages").is_dir()):
        for file in spread(sorted((folder / "pages").glob("*.html")), MIXED_PAGES):
            pages[f"{folder.name}/{file.name}"] = file.read_bytes()
            labels[f"{folder.name}/{file.name}"] = folder.name
    return pages, labels


def spread(files: Sequence[Path], most: int) -> list[Path]:
    """At most so many of the files, evenly."""
    return [files[len(files) * n // most] for n in range(most)] if len(files) > most else list(files)


def measure(pages: Pages, labels: Labels, methods: Sequence[str]) -> Iterator[Measured]:
    """The methods one after the other."""
    base: MethodResult | None = None
    for method in methods:
        outcome = method_process.run_method(method, pages)
        assert outcome.groups is not None, f"{method} gave up: {outcome.reason}"
        base = base or outcome
        cluster = {name: str(number) for number, group in enumerate(outcome.groups) for name in group}
        yield Measured(
            method,
            measure_quality(labels, {name: cluster.get(name, f"alone-{name}") for name in labels}),
            sum(len(group) > 1 for group in outcome.groups),
            outcome.seconds / base.seconds,
            outcome.peak_bytes / max(base.peak_bytes, 1),
            outcome.bits / 1000,
        )


def report(title: str, pages: Pages, labels: Labels, methods: Sequence[str]) -> dict[str, Measured]:
    """Print the table of a set row by row, and return its rows by method."""
    print(f"{title}, {len(pages)} pages\n{HEAD}", flush=True)
    found = {}
    for row in measure(pages, labels, methods):
        found[row.method] = row
        print(row.line(), flush=True)
    return found


def growth(methods: Sequence[str], sizes: Sequence[int], files: Sequence[Path]) -> None:
    """Prints how much longer each method takes on more pages."""
    for method in methods:
        first = 0.0
        for size in sizes:
            pages = {str(file): file.read_bytes() for file in spread(files, size)}
            outcome = method_process.run_method(method, pages, cost=False)
            first = first or outcome.seconds
            times = f"{outcome.seconds / first:8.2f} times the first, {len(pages) / sizes[0]:.0f} times the pages"
            print(f"{method:17} {len(pages):6} pages {times} {outcome.reason}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--mixed", type=Path, metavar="EXTRACTION")
    parser.add_argument("--growth", nargs="+", type=int, metavar="SIZE", default=[])
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="with --growth: where the pages are")
    options = parser.parse_args()
    if options.growth:
        growth(options.methods, options.growth, sorted((options.pages or options.data).rglob("*.html")))
        return
    for folder in sorted(path.parent for path in options.data.glob("*/labels.tsv")):
        report(folder.name, *labelled(folder), options.methods)
    if options.mixed:
        report("mixed sites", *mixed(options.mixed), options.methods)


if __name__ == "__main__":
    main()
