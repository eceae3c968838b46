"""python -m tests.quality.clusterings DATA [--methods …] [--growth SIZE …]: every clustering method on every labelled site, side by side.

DATA as for `tests.quality.clustering`. Each row starts with pair precision and recall, purity, V and the number of groups of at least
two pages. Time is this process's, from bytes to groups; memory is the peak of what Python and numpy hold (libxml2's trees are
not in it); both as ratios to masked shingles in the same run. The TEXT methods have the MDL cost of what they found beside TEXT-MDL's.
--growth: times of the methods on so many pages of the demo site (both designs, day by day), as ratios to the first size.
"""

import argparse
import time
import tracemalloc
from collections.abc import Sequence
from itertools import count, islice
from pathlib import Path

from extraction.algorithms.methods import METHODS, Groups, Pages, mdl_bits
from extraction.demo.site import pages as demo_pages
from tests.quality.clustering import quality


def measured(method: str, pages: Pages, *, memory: bool = True) -> tuple[Groups, float, int]:
    """(groups, seconds, peak bytes); memory is measured in a run of its own, which it makes slower."""
    started = time.process_time()
    groups = METHODS[method](pages)
    seconds = time.process_time() - started
    if not memory:
        return groups, seconds, 0
    tracemalloc.start()
    METHODS[method](pages)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return groups, seconds, peak


def report(folder: Path, methods: Sequence[str], *, memory: bool) -> None:
    labels = dict(line.split("\t")[:2] for line in (folder / "labels.tsv").read_text().splitlines() if line)
    pages = {name: (folder / "pages" / name).read_bytes() for name in sorted(labels)}
    print(f"{folder.name}, {len(pages)} pages\n  method            precision recall purity     V  groups   time memory   kbit")
    base: tuple[float, int] | None = None
    for method in methods:
        groups, seconds, peak = measured(method, pages, memory=memory)
        base = base or (seconds, peak)
        predicted = {name: str(number) for number, group in enumerate(groups) for name in group}
        found = quality(labels, {name: predicted.get(name, f"alone-{name}") for name in pages})
        several = sum(len(group) > 1 for group in groups)
        print(
            f"  {method:17} {found.pair_precision:9.3f} {found.pair_recall:6.3f} {found.purity:6.3f} {found.v_measure:5.3f} {several:7}"
            f" {seconds / base[0]:6.2f} {peak / max(base[1], 1):6.2f} {mdl_bits(pages, groups) / 1000:6.1f}",
            flush=True,
        )


def growth(methods: Sequence[str], sizes: Sequence[int]) -> None:
    """Prints how much longer each method takes on more pages of one site."""
    shown = (page for day in count() for design in (1, 2) for page in demo_pages(design=design, day=day))
    every = {str(number): page.content for number, page in enumerate(islice(shown, max(sizes)))}
    for method in methods:
        first = 0.0
        for size in sizes:
            seconds = measured(method, dict(islice(every.items(), size)), memory=False)[1]
            first = first or seconds
            print(f"  {method:17} {size:6} pages {seconds / first:8.2f} times the first, {size / sizes[0]:.0f} times the pages", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--growth", nargs="+", type=int, metavar="SIZE", default=[])
    parser.add_argument("--no-memory", action="store_true", help="leave the second run out")
    options = parser.parse_args()
    if options.growth:
        growth(options.methods, options.growth)
        return
    for folder in sorted(path.parent for path in options.data.glob("*/labels.tsv")):
        report(folder, options.methods, memory=not options.no_memory)


if __name__ == "__main__":
    main()
