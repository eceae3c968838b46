"""python -m tests.quality.clustering DATA --predictions OUT [--seeds 9] [--stage both]: clusters of labelled sites.

DATA holds a folder a site with `pages/` and `labels.tsv` (page, template, URL). OUT gets {site: {page: cluster}} for every page; an
unclustered page gets a label of its own. The stages: Algorithm 1 (`first`), or that and merging by cores (`both`), whose predictions are
always the ones written. Both are reported unless one is chosen. The clustering is repeated with N seeds of the shingle hashes (the
shipped one first) and the median and the worst of each measure are printed: one seed can be lucky.
"""

import argparse
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from extraction.algorithms.clustering.masked_shingles import DEFAULT_THRESHOLD, cluster_vectors
from extraction.algorithms.clustering.measures import measure_quality
from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.refinement import refine_clusters
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import SEED, compute_vectors

STAGES = ("first", "both")


@dataclass(frozen=True, slots=True)
class Site:
    """A labelled site. pages: contents by name. paths: the steps of those that can be read. labels: the true template of each."""

    pages: dict[str, bytes]
    paths: dict[str, PageSteps]
    labels: dict[str, str]

    def steps(self, page: str) -> PageSteps:
        if page not in self.paths:
            raise PageError(f"{page} cannot be read")
        return self.paths[page]


def predict(site: Site, *, stage: str = "both", threshold: int = DEFAULT_THRESHOLD, seed: int = SEED) -> dict[str, str]:
    """{page: its cluster}; ``alone-page`` where it has none."""
    found = cluster_vectors(dict(zip(site.pages, compute_vectors(site.pages.values(), seed=seed), strict=True)), threshold=threshold)
    if stage == "first":
        members = [group.members for group in found.clusters]
    else:
        members = [group.members for group in refine_clusters(found, site.steps, threshold=threshold).clusters]
    labels = {page: f"cluster-{number}" for number, pages in enumerate(members) for page in pages}
    return {page: labels.get(page, f"alone-{page}") for page in site.pages}


def figures(truth: Mapping[str, str], predicted: Mapping[str, str]) -> dict[str, float]:
    """The measures by name, and the share of pages that are in a cluster."""
    found = measure_quality(truth, predicted)
    measures = {name: getattr(found, name) for name in ("purity", "pair_precision", "pair_recall", "v_measure")}
    measures["pair_f"] = 2 * found.pair_precision * found.pair_recall / ((found.pair_precision + found.pair_recall) or 1)
    return measures | {"clustered": 1 - sum(predicted[page].startswith("alone-") for page in truth) / len(truth)}


def read_labelled(folder: Path) -> Site:
    rows = [line.split("\t") for line in (folder / "labels.tsv").read_text().splitlines() if line]
    pages = {path.name: path.read_bytes() for path in sorted((folder / "pages").iterdir())}
    paths = {}
    for name, content in pages.items():
        with suppress(PageError):
            paths[name] = collect_steps(parse(content).root)
    return Site(pages, paths, {row[0]: row[1] for row in rows})


def _report(title: str, found: list[dict[str, float]]) -> None:
    print(f"{title:<34} shipped seed   median    worst")
    for name in found[0]:
        values = [one[name] for one in found]
        print(f"  {name:<32} {values[0]:>10.3f} {median(values):>8.3f} {min(values):>8.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--stage", choices=STAGES)
    options = parser.parse_args()
    sites = {folder.name: read_labelled(folder) for folder in sorted(path.parent for path in options.data.glob("*/labels.tsv"))}
    options.predictions.write_text(json.dumps({name: predict(site) for name, site in sites.items()}, indent=1))
    print(f"{options.seeds} seeds, threshold {DEFAULT_THRESHOLD}")
    for stage in [options.stage] if options.stage else STAGES:
        medians = []
        for name, site in sites.items():
            seeds = range(SEED, SEED + max(options.seeds, 1))
            found = [figures(site.labels, predict(site, stage=stage, seed=seed)) for seed in seeds]
            _report(f"{name}, {stage}", found)
            medians.append(median(one["v_measure"] for one in found))
        print(f"mean V, {stage}: {sum(medians) / max(len(medians), 1):.3f}")


if __name__ == "__main__":
    main()
