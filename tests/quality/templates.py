"""python -m tests.quality.templates [--sites 24] [--first 0]: templates of made-up sites whose addresses tell the types.

Three kinds of sites, N of each (`tests.corpus.page_types`, `tests.corpus.manuals`):

- many types: fifteen page types, several of them bare or another type without something. On every third site all types have the frame.
- one template: one template with comments, optional blocks and two designs. What counts is whether it stays one.
- manuals: as documentation generators write them. The types differ so little that this shows where bits cannot decide.

The clustering is what the dashboard does: both stages, with the threshold that depends on the size of the site.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

from extraction.algorithms.clustering.measures import measure_quality
from extraction.algorithms.methods import masked_shingle_groups
from tests.corpus.manuals import manual
from tests.corpus.page_types import Pages, label, many_types, one_template

SITES = 24


@dataclass(frozen=True)
class Measured:
    """The clustering of one site. whole: whether all pages are in one group."""

    purity: float
    v_measure: float
    whole: bool


KINDS: dict[str, Callable[[int], Pages]] = {"many types": many_types, "one template": one_template, "manuals": manual}


def measure_site(pages: Pages) -> Measured:
    """Cluster a site and compare the groups with what the addresses say."""
    groups = masked_shingle_groups(pages)
    clusters = {page: number for number, group in enumerate(groups) for page in group}
    found = measure_quality({page: label(page) for page in pages}, clusters)
    return Measured(found.purity, found.v_measure, whole=len(groups) == 1)


def measure_kinds(sites: int = SITES, first: int = 0) -> Iterator[tuple[str, list[Measured]]]:
    """Yield each kind with its sites."""
    for kind, make in KINDS.items():
        yield kind, [measure_site(make(seed)) for seed in range(first, first + sites)]


def figures(kind: str, found: list[Measured]) -> dict[str, float]:
    """The figures of a kind by name."""
    if kind == "one template":
        return {"sites in one template": fmean(site.whole for site in found)}
    purities, values = [site.purity for site in found], [site.v_measure for site in found]
    return {"mean purity": fmean(purities), "worst purity": min(purities), "mean V": fmean(values), "worst V": min(values)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    for kind, found in measure_kinds(options.sites, options.first):
        for name, value in figures(kind, found).items():
            print(f"{kind:14} {name:24} {value:6.3f}", flush=True)


if __name__ == "__main__":
    main()
